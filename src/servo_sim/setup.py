from setuptools import find_packages, setup

NAME = "servo_sim"

setup(
    name=NAME,
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    package_data={"": ["py.typed", "*.json", "*.yaml", "*.xml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    zip_safe=False,
    maintainer="Stride maintainers",
    maintainer_email="maintainers@stride-robot.dev",
    description="The simulated robot: MuJoCo behind the emulated servo bus",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "servo_sim = servo_sim.cli:main",
            "servo_sim_model = servo_sim.make_model:main",
            "servo_sim_tables = servo_sim.seed_tables:main",
            "simulated_robot = servo_sim.programs:simulated_robot",
        ],
    },
)

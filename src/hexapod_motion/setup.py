from setuptools import find_packages, setup

NAME = "hexapod_motion"

setup(
    name=NAME,
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    package_data={"": ["py.typed", "*.json", "*.yaml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    zip_safe=False,
    maintainer="Stride maintainers",
    maintainer_email="maintainers@stride-robot.dev",
    description="Motion of hexapods",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "hexapod_motion = hexapod_motion.programs:hexapod_motion",
            "joint_effort = hexapod_motion.programs:joint_effort",
        ],
    },
)

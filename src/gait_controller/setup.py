from setuptools import find_packages, setup

NAME = "gait_controller"

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
    description="CPG with Tegotae load feedback and steering, read from a control file",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "gait_controller = gait_controller.programs:gait_controller",
        ],
    },
)

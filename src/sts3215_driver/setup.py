from setuptools import find_packages, setup

NAME = "sts3215_driver"

setup(
    name=NAME,
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    package_data={"": ["py.typed", "*.json", "profiles/*.yaml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    zip_safe=False,
    maintainer="Stride maintainers",
    maintainer_email="maintainers@stride-robot.dev",
    description="Driver and emulator for Feetech STS3215 bus servos",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "sts3215_driver = sts3215_driver.programs:sts3215_driver",
            "sts3215_emulator = sts3215_driver.emulator.cli:main",
        ],
    },
)

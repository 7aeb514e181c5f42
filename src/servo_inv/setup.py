from setuptools import find_packages, setup

NAME = "servo_inv"

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
    description="Inverse servo models",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "servo_inv_7param = servo_inv.programs:servo_inv_7param",
            "servo_inv_lead = servo_inv.programs:servo_inv_lead",
        ],
    },
)

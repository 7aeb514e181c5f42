from setuptools import find_packages, setup

NAME = "stride_viewer"

setup(
    name=NAME,
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    package_data={"": ["py.typed", "*.js", "*.css"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    zip_safe=False,
    maintainer="Stride maintainers",
    maintainer_email="maintainers@stride-robot.dev",
    description="The robot in the browser: see it, steer it, replay it",
    license="Apache-2.0",
    entry_points={
        "console_scripts": ["stride_viewer = stride_viewer.programs:stride_viewer"],
    },
)

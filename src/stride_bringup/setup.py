from pathlib import Path

from setuptools import find_packages, setup

NAME = "stride_bringup"


def installed_tree(top, pattern="*"):
    """data_files entries that keep the folders below `top`."""
    folders = {}
    for path in sorted(Path(top).rglob(pattern)):
        if path.is_file() and not path.name.startswith(".") and path.suffix != ".pyc":
            folders.setdefault(f"share/{NAME}/{path.parent}", []).append(str(path))
    return list(folders.items())


setup(
    name=NAME,
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    package_data={"": ["py.typed", "*.json", "*.yaml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        # Links to the folders at the top of the repository.
        *installed_tree("launch", "*.launch.py"),
        *installed_tree("config"),
    ],
    install_requires=["setuptools"],
    zip_safe=False,
    maintainer="Stride maintainers",
    maintainer_email="maintainers@stride-robot.dev",
    description="What starts together",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "stride = stride_bringup.programs:stride",
            "stride_runner = stride_bringup.programs:stride_runner",
        ],
    },
)

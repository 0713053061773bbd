"""Names the packages of the wheel: the course's data goes into kafkalab, and no test goes in.

Everything else of the build stands in pyproject.toml, which has no word for a folder that moves.
"""

from setuptools import find_packages, setup

OURS = ("kafkalab*", "autograder*")
TESTS = ("*.tests", "*.tests.*")

setup(
    packages=[*find_packages(include=OURS, exclude=TESTS), "kafkalab.data"],
    package_dir={"kafkalab.data": "data"},
)

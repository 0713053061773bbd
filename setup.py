"""Names the packages of the wheel and builds the halves of the exercises into it.

The course's data goes into kafkalab, and no test goes in. Everything else of the build stands in
pyproject.toml, which has no word for a folder that moves.
"""

import os
import shutil
import sys
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
OURS = ("kafkalab*", "autograder*")
TESTS = ("*.tests", "*.tests.*")
# Spark looks for its sources among the folders of site-packages (kafkalab/logsets/found_by_spark).
FOR_SPARK, SHOWN_TO_SPARK = "pyspark_kafkalab", "kafkalab/logsets/found_by_spark"
NOT_COPIED = shutil.ignore_patterns("__pycache__")


class Build(build_py):
    """Makes the halves of the exercises first, also for `pip install --editable`."""

    def run(self):
        # a learner's package has no sources, and brings the halves that its learner may have
        if (HERE / "notebooks" / "exercises").is_dir():
            os.environ.pop("AUTOGRADER_COURSE", None)
            sys.path.insert(0, str(HERE))
            from autograder.course import halves

            halves.write_all()
        if self.editable_mode:
            # an editable wheel has no folders, so this one is put into it as it is
            wheel = Path(self.get_finalized_command("install").install_lib)
            shutil.copytree(HERE / SHOWN_TO_SPARK, wheel / FOR_SPARK, ignore=NOT_COPIED)
        super().run()


setup(
    packages=[*find_packages(include=OURS, exclude=TESTS), "kafkalab.data", FOR_SPARK],
    package_dir={"kafkalab.data": "data", FOR_SPARK: SHOWN_TO_SPARK},
    cmdclass={"build_py": Build},
)

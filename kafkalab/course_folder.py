"""Finds the course folder: the folder whose `data` holds the recordings and samples for the
notebooks.

A notebook may be opened in the repository, in a teacher's release folder or in a home directory. So
the search begins with the working directory and the folders above it. Then it looks at the folder
that this package was loaded from.
"""

from __future__ import annotations

from pathlib import Path


def course_folder() -> Path:
    """The folder that holds the course's `data`.

    Raises FileNotFoundError where only the package is installed, without its data.
    """
    here = Path.cwd()
    for folder in (here, *here.parents, Path(__file__).resolve().parents[1]):
        if (folder / "data" / "recordings").is_dir():
            return folder
    raise FileNotFoundError(
        f"No folder above {here} holds data/recordings. Open the notebook inside the course's "
        "repository, or install kafkalab from it with pip install -e."
    )

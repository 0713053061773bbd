"""Finds the course folder: the folder whose `data` holds the recordings and samples for the
notebooks.

A notebook may be opened in the repository, in a teacher's release folder or in a home directory. So
the search begins with the working directory and the folders above it. Then it looks at the folder
that this package was loaded from. An installed package has a copy of the data inside.
"""

from __future__ import annotations

from pathlib import Path


def course_folder() -> Path:
    """The folder that holds the course's `data`.

    Raises FileNotFoundError where only the package is there, without its data.
    """
    here = Path.cwd()
    for folder in (here, *here.parents, *_homes()):
        if (folder / "data" / "recordings").is_dir():
            return folder
    raise FileNotFoundError(
        f"No folder above {here} holds data/recordings. Open the notebook inside the course's "
        "repository, or install kafkalab from it with pip install -e."
    )


def package_data() -> Path:
    """The `data` that came with this package: beside it in a checkout, inside it where it is
    installed."""
    beside, inside = _homes()
    return (beside if (beside / "data" / "manifests").is_dir() else inside) / "data"


def _homes() -> tuple[Path, Path]:
    inside = Path(__file__).resolve().parent
    return inside.parent, inside

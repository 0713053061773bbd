"""Where do the course's recordings and samples lie? In the folder `data` of its repository.

A notebook may be opened anywhere: in the repository, in a teacher's release folder, in a home
directory. So the folders above the working directory are asked first, and then the one that this
package was loaded from.
"""

from __future__ import annotations

from pathlib import Path


def course_folder() -> Path:
    """The folder that holds the course's `data`. Raises FileNotFoundError where only the package
    was installed, without its data."""
    here = Path.cwd()
    for folder in (here, *here.parents, Path(__file__).resolve().parents[1]):
        if (folder / "data" / "recordings").is_dir():
            return folder
    raise FileNotFoundError(
        f"No folder above {here} holds data/recordings. Open the notebook inside the course's "
        "repository, or install kafkalab from it with pip install -e."
    )

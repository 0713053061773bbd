"""Writes clients' log files into the course folder, where a chapter's Spark lab reads them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from kafkalab.course_folder import course_folder


def write_log_files(files: Mapping[str, str], folder: str) -> Path:
    """Write data/generated/FOLDER/NAME.log for each name -> text, and return the folder.

    A name may hold a slash: the file is then in a folder of its own. What an earlier run wrote
    into the folder is deleted first. Raises FileNotFoundError where there is no course folder.
    """
    place = course_folder() / "data" / "generated" / folder
    shutil.rmtree(place, ignore_errors=True)
    for name, text in files.items():
        path = place / f"{name}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return place

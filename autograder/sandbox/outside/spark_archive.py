"""Shows the archive of Spark's classes (kafkalab.logsets.class_archive) behind the walls, where the
JVMs of submissions start from it.

It holds nothing but Spark's own classes, and is shown to be read; no JVM and nothing of a
submission is kept.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from autograder.sandbox.inside.spark import ARCHIVE

WORTH_IT_AFTER = 7  # JVMs save what making it costs


def show(path: Path, view: Path) -> None:
    """Put an archive that was made into the view that workers see."""
    draft = view / f"{ARCHIVE}.draft"
    with suppress(OSError):
        draft.unlink(missing_ok=True)
        try:
            os.link(path, draft)
        except OSError:  # the cache lies on another disk
            shutil.copyfile(path, draft)
        draft.chmod(0o644)
        draft.replace(view / ARCHIVE)

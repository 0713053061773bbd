"""Turns an error of Spark or the system into one sentence, without Spark's pages of Java stack
traces.
"""

import errno
import re
import sys

from kafkalab.logsets.java import JavaMissing


class NotALog(ValueError):
    """Raised for files without any line that could be read."""


def expected() -> tuple[type[BaseException], ...]:
    """The errors that `sentence` handles."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    duckdb = sys.modules.get("duckdb")
    of_duckdb = (duckdb.Error,) if duckdb else ()
    return (JavaMissing, OSError, ValueError, PySparkException, Py4JError, *of_duckdb)


def sentence(error: BaseException) -> str:
    """One sentence that says what is wrong and, where known, what to do."""
    text = str(error)
    if (
        isinstance(error, OSError) and error.errno == errno.ENOSPC
    ) or "No space left on device" in text:
        return (
            f"There is no space left{_where(error)}: free some, or set SPARK_LOCAL_DIRS and --out "
            "to a disk that has some."
        )
    if (
        (isinstance(error, PermissionError) and error.filename)
        or "Permission denied" in text
        or "AccessDenied" in text
    ):
        path = (
            getattr(error, "filename", None)
            or _first(r"(/[^\s:'\"]+)[^\n]*(?:Permission denied|AccessDenied)", text)
            or _first(r"(?:Permission denied|Mkdirs failed to create)[^/]*(/[^\s:'\"]+)", text)
        )
        return f"{path or 'The folder'} may not be written or read: its rights forbid it."
    if found := re.search(r"Mkdirs failed to create \S*?(/\S+)", text):
        return f"{found[1]} cannot be made: its folder is locked."
    if "PATH_ALREADY_EXISTS" in text:
        path = _first(r'[Pp]ath "?(?:file:)?([^\s"]+)"? already exists', text)
        return f"{path or 'That path'} is there already; name another, or remove it."
    if (
        "connect to" in text.lower() and "spark://" in text
    ) or "All masters are unresponsive" in text:
        master = _first(r"(spark://[^\s,)]+)", text)
        return (
            f"Spark's master {master or 'that was named'} does not answer; see --master and "
            "KAFKALAB_SPARK_MASTER."
        )
    # The worker's message is the last line of Python's part of the trace.
    if said := re.findall(r"^(?:\w+\.)*(?:\w*Error|NotALog): (.+)$", text, re.MULTILINE):
        return str(said[-1])
    return text.strip().splitlines()[0] if text.strip() else type(error).__name__


def _where(error: BaseException) -> str:
    file = getattr(error, "filename", None)
    return f" for {file}" if file else ""


def _first(pattern: str, text: str) -> str | None:
    found = re.search(pattern, text)
    return found[1] if found else None

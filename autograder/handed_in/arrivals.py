"""What somebody handed in, as bytes: a file, or the files of a folder. Here it gets its SHA-256,
and here a copy is kept.

The SHA-256 is that of the file itself, so a learner's receipt code (`python -m autograder pack`),
the teacher's receipts and `sha256sum` agree; a folder with one file has that file's, any other
folder one made of its files'. Links are never followed. The copy in OUT/received/ is what is
graded: a later change in the folder of submissions changes nothing.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from autograder.cell.data import UNSEEN
from autograder.handed_in.archives import is_hidden, rank
from autograder.handed_in.repair import MOST_BYTES, MOST_FILES, Refused, Unreadable

PIECE = 1 << 20
# bytes, inside a folder that was handed in; the copy lies deeper than the folder did
LONGEST_PATH = 1_000


@dataclass(frozen=True)
class Arrival:
    """What was handed in under one name. `trouble` says why nothing could be read of it, if so."""

    # for tables and JSON: always a text that can be written
    name: str
    path: Path
    sha256: str
    files: tuple[tuple[str, bytes], ...] = ()
    trouble: Refused | Unreadable | None = None

    @property
    def stem(self) -> str:
        """The name without what kind of file it is."""
        return (
            Path(self.name).stem if Path(self.name).suffix and not self.path.is_dir() else self.name
        )


def arrive(path: Path) -> Arrival:
    """Read a file or folder. Never raises for what it finds there."""
    # "." has no name of its own
    path = path if path.name not in ("", "..") else path.resolve()
    name = _shown(path.name)
    try:
        files = _files(path)
    except (Refused, Unreadable) as why:
        return Arrival(name, path, _sha256_of_large(path), trouble=why)
    except OSError as error:
        return Arrival(
            name, path, "", trouble=Unreadable(f"it could not be read here: {error.strerror}.")
        )
    return Arrival(name, path, _sha256(files), tuple(files))


def _shown(name: str) -> str:
    """A file's name as a text that can be printed."""
    return UNSEEN.sub(
        lambda found: found[0].encode("unicode_escape").decode(),
        os.fsencode(name).decode("utf-8", "backslashreplace"),
    )


def copy_path(received: Path, name: str, sha256: str) -> Path:
    """Where the copy of a submission lies."""
    return received / sha256[:2] / sha256 / name


def keep_copy(received: Path, arrival: Arrival) -> None:
    """Put a copy where nobody writes again; one that is there already is left alone.
    Nothing is kept of what was not read."""
    if not arrival.files:
        return
    home = copy_path(received, arrival.path.name, arrival.sha256)
    # the same bytes: once as a file, once in a folder, or under another name in it
    if len(arrival.files) == 1 and _holds_a_file(home):
        return
    for inside, raw in arrival.files:
        place = home / inside if arrival.path.is_dir() else home
        if place.exists():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place.parent, prefix=".draft", delete=False) as draft:
            draft.write(raw)
        os.chmod(draft.name, 0o400)
        os.replace(draft.name, place)


def _holds_a_file(home: Path) -> bool:
    return home.is_file() or any(
        path.is_file() and not path.name.startswith(".draft") for path in home.rglob("*")
    )


def _files(path: Path) -> list[tuple[str, bytes]]:
    if path.is_symlink():
        raise Refused("it is a link to somewhere else.")
    if path.is_dir():
        return _of_folder(path)
    if not path.is_file():
        raise Refused("it is neither a file nor a folder.")
    if path.stat().st_size > MOST_BYTES:
        raise Refused(f"it is larger than {MOST_BYTES >> 20} MB.")
    return [(path.name, path.read_bytes())]


def _of_folder(folder: Path) -> list[tuple[str, bytes]]:
    wanted: dict[int, list[Path]] = {0: [], 1: []}
    others = []
    # links to folders are not walked into, and told below
    for place, folders, names in os.walk(folder, onerror=_closed):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        links = [name for name in (*folders, *names) if os.path.islink(os.path.join(place, name))]
        if links:
            raise Refused(f"{links[0]} is a link to somewhere else.")
        for name in sorted(names):
            if len(os.fsencode(os.path.relpath(os.path.join(place, name), folder))) > LONGEST_PATH:
                raise Refused("it has folders in folders, more than anybody makes.")
            if not is_hidden(name) and rank(name) is not None:
                wanted[rank(name)].append(Path(place, name))
            elif not is_hidden(name):
                others.append(name)
        if len(wanted[0]) + len(wanted[1]) > MOST_FILES:
            raise Refused(f"there are more than {MOST_FILES:,} notebooks in it.")
    found = wanted[0] or wanted[1]
    if not found:
        only = f", only {', '.join(map(_shown, others[:3]))}" if others else ""
        raise Unreadable(f"there is no notebook in the folder{only}.")
    if sum(path.stat().st_size for path in found) > MOST_BYTES:
        raise Refused(f"together its notebooks are larger than {MOST_BYTES >> 20} MB.")
    return [(str(path.relative_to(folder)), path.read_bytes()) for path in found if path.is_file()]


def _closed(error: OSError) -> None:
    """A folder that this account cannot enter is not an empty one."""
    raise error


def _sha256(files: list[tuple[str, bytes]]) -> str:
    if len(files) == 1:
        return hashlib.sha256(files[0][1]).hexdigest()
    digest = hashlib.sha256()
    for name, raw in files:
        digest.update(
            f"{hashlib.sha256(raw).hexdigest()}  {name}\n".encode("utf-8", "surrogateescape")
        )
    return digest.hexdigest()


def _sha256_of_large(path: Path) -> str:
    """Of a file that is too large to be read at once; "" where there is no plain file."""
    if path.is_symlink() or not path.is_file():
        return ""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()

"""Holds the pages of kafkalab to the files that are there."""

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "WALK.md", "DESIGN.md")


@pytest.mark.parametrize("page", PAGES)
def test_every_file_a_page_names_exists(page):
    text = (PACKAGE / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]+(?:\.py|\.md|\.json|/))`", text))
    assert len(named) > 8
    missing = [
        name for name in named if not (PACKAGE / name).exists() and not list(PACKAGE.rglob(name))
    ]
    assert missing == [], "rename it in the page too"


def test_the_walks_example_runs_and_says_what_the_walk_says():
    example = re.search(
        r"```python\n(.*?)```", (PACKAGE / "WALK.md").read_text(encoding="utf-8"), re.DOTALL
    ).group(1)
    names: dict = {}
    exec(example, names)  # the page's own words
    lab = names["lab"]
    assert (
        lab.lines()["message"]
        .str.contains(
            "Initiating connection to node localhost:9092 (id: -1 rack: null) using address "
            "localhost/127.0.0.1",
            regex=False,
        )
        .any()
    )
    assert [socket.node_id for socket in lab.sockets()] == ["-1", "2147483645", "2", "0", "1"]


def test_every_recording_and_command_of_the_walk_exists():
    text = (PACKAGE / "WALK.md").read_text(encoding="utf-8")
    commands = re.findall(r"python -m kafkalab (\w+) (\S+)", text)
    assert {command for command, _ in commands} == {"replay", "conformance", "seeds"}
    assert all(
        path.strip("`").isdigit() or (PACKAGE.parent / path).exists() for _, path in commands
    )


def test_the_reading_path_names_twelve_files_and_ends_with_the_facade():
    text = (PACKAGE / "README.md").read_text(encoding="utf-8")
    path = re.findall(r"^\| (\d+) \| `([\w/]+\.py)` \| [^|]+\. \|$", text, re.MULTILINE)
    assert [int(number) for number, _ in path] == list(range(1, 13))
    missing = [name for _, name in path if not (PACKAGE / name).is_file()]
    assert missing == [], "name each file of the reading path as it is called today"
    assert path[-1][1] == "lab.py", "a reader gets the facade last, after what it stands on"


def test_the_picture_of_the_rooms_shows_each_room_in_80_columns():
    text = (PACKAGE / "README.md").read_text(encoding="utf-8")
    picture = re.search(r"\n\n```\n(.*?)```", text, re.DOTALL).group(1)
    assert max(map(len, picture.splitlines())) <= 80
    rooms = {
        path.parent.name
        for path in PACKAGE.glob("*/__init__.py")
        if path.parent.name not in ("tests", "__pycache__")
    }
    assert rooms <= set(picture.split()), f"draw {rooms - set(picture.split())} into the picture"

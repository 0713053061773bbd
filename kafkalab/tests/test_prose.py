"""Holds the pages of kafkalab to the files that are there."""

import re
from pathlib import Path

import pytest

from kafkalab.tools import kernel
from kafkalab.tools.kernel import READING

PACKAGE = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "WALK.md", "DESIGN.md", "KERNEL.md")


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


def test_the_scene_of_the_walk_happens_at_the_times_that_the_walk_says():
    text = (PACKAGE / "WALK.md").read_text(encoding="utf-8")
    names: dict = {}
    exec(re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1), names)
    happened = {
        "request.sent": lambda event: f"sends {event.api}",
        "response.received": lambda event: f"takes the answer to {event.api}",
        "state": lambda event: f"{event.machine}: {event.before} -> {event.after}",
    }
    told = {
        (event.at_ms, event.who, happened[event.kind](event))
        for event in names["lab"].journal.of(*happened)
    }
    scene = re.findall(r"^ *(\d+) ms  (\S+) +(.+)$", text, re.MULTILINE)
    assert len(scene) == 10
    assert [row for row in scene if (int(row[0]), *row[1:]) not in told] == []


def test_every_recording_and_command_of_the_walk_exists():
    text = (PACKAGE / "WALK.md").read_text(encoding="utf-8")
    commands = re.findall(r"python -m kafkalab (\w+) (\S+)", text)
    assert {command for command, _ in commands} == {"replay", "conformance", "seeds", "logsets"}
    assert all(
        path.strip("`").isdigit() or (PACKAGE.parent / path).exists()
        for command, path in commands
        if command != "logsets"
    )


def test_the_reading_path_is_the_one_that_the_command_prints_and_ends_with_the_facade():
    text = (PACKAGE / "README.md").read_text(encoding="utf-8")
    path = re.findall(r"^\| (\d+) \| `([\w/]+\.py)` \| [^|]+\. \|$", text, re.MULTILINE)
    assert [int(number) for number, _ in path] == list(range(1, len(READING) + 1))
    assert [name for _, name in path] == list(READING), "write the path of tools/kernel.py"
    missing = [name for name in READING if not (PACKAGE / name).is_file()]
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


def test_the_kernels_page_is_short_and_its_toy_says_what_the_page_says(capsys):
    text = (PACKAGE / "KERNEL.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    program = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    wanted = re.search(r"```text\n(.*?)```", text, re.DOTALL).group(1)
    for _ in range(2):  # the same seed tells the same story
        exec(program, {"__name__": "toy"})
        assert capsys.readouterr().out == wanted


def test_the_kernels_page_names_the_files_that_its_toy_uses():
    text = (PACKAGE / "KERNEL.md").read_text(encoding="utf-8")
    used = {
        f"{path}.py" if (PACKAGE / f"{path}.py").is_file() else f"{path}/{name}.py"
        for path, names in re.findall(r"^from kafkalab\.(\S+) import (.+)$", text, re.MULTILINE)
        for path in [path.replace(".", "/")]
        for name in names.split(", ")
    }
    plain = {"errors.py", "protocol/records_wire.py"}
    assert used <= {*kernel.KERNEL, *plain}, "a toy stands on the kernel alone"


def test_the_kernels_command_counts_what_is_there(capsys):
    assert kernel.main([]) == 0
    said = capsys.readouterr().out
    for name in (*kernel.KERNEL, *READING):
        lines = len((PACKAGE / name).read_text(encoding="utf-8").splitlines())
        assert re.search(rf"\b{lines}  {name}: [^\n]+\.$", said, re.MULTILINE), name

"""Logs that still grow, as a stream: every line once, whenever it was written,
and the open sockets by minute."""

import gzip
import json
import pickle
import random
import shutil

import pytest

from kafkalab.logsets import followed_files, stream_reader
from kafkalab.logsets.followed_files import logs_under
from kafkalab.logsets.stream_reader import GrowingLines
from kafkalab.tests.logsets.stream_trial import is_right, tried
from kafkalab.tests.shares import few

WHO = "[Consumer clientId=c, groupId=g] "


def line(
    second: int, message: str, logger: str = "org.apache.kafka.clients.NetworkClient:1"
) -> str:
    return (
        f"[2026-01-05 09:{second // 60:02d}:{second % 60:02d},000] DEBUG {WHO}{message} "
        f"({logger})\n"
    )


class Query:
    """What Spark does with a stream: it logs an offset, then reads up to it. It may be killed
    between, and anywhere else."""

    def __init__(self, path, settle_s: float = -1):
        self.path, self.settle_s, self.offset, self.logged = path, settle_s, {}, None
        self.rows: list[dict] = []
        self.start()

    def start(self):
        self.reader = GrowingLines(
            str(self.path), ("file", "file_offset", "message"), None, self.settle_s
        )
        if self.logged is not None:
            self.finish()

    def plan(self):
        self.logged = json.loads(json.dumps(self.reader.latestOffset(self.offset, None)))

    def finish(self):
        tasks = self.reader.partitions(self.offset, self.logged)
        for task in pickle.loads(pickle.dumps(tasks)):
            for batch in self.reader.read(task):
                self.rows += batch.to_pylist()
        self.offset, self.logged = self.logged, None

    def look(self) -> list[str]:
        before = len(self.rows)
        self.plan()
        self.finish()
        return [row["message"] for row in self.rows[before:]]


def numbered(first: int, count: int) -> str:
    return "".join(line(n % 3_600, f"Node {n} disconnected.") for n in range(first, first + count))


def told(first: int, count: int) -> list[str]:
    return [f"Node {n} disconnected." for n in range(first, first + count)]


def test_the_last_record_waits_until_another_begins_or_the_file_rests(tmp_path):
    path = tmp_path / "client.log"
    dump = "[2026-01-05 09:00:01,000] INFO ConsumerConfig values: \n\tacks = 1\n"
    path.write_text(numbered(0, 1) + dump)
    query = Query(tmp_path, settle_s=3_600)
    assert query.look() == told(0, 1)
    assert query.look() == []
    with open(path, "a") as file:
        file.write("\tretries = 0\n" + numbered(1, 1))
    (whole,) = query.look()
    assert whole.endswith("\tacks = 1\n\tretries = 0")
    query.reader.settle_s = -1
    assert query.look() == told(1, 1)


def test_half_a_line_waits_for_its_other_half(tmp_path, capsys):
    path, text = tmp_path / "client.log", numbered(0, 2)
    path.write_text(text[:-40])
    query = Query(path)
    assert query.look() == told(0, 1) and "ends amid a line: its last" in capsys.readouterr().err
    with open(path, "a") as file:
        file.write(text[-40:])
    assert query.look() == told(1, 1)


def test_a_folder_may_be_empty_at_first(tmp_path):
    query = Query(tmp_path)
    assert query.look() == [] and query.offset == {}
    (tmp_path / "client.log").write_text(numbered(0, 3))
    assert query.look() == told(0, 3)


def test_what_was_rotated_before_the_first_look_is_read_first(tmp_path):
    (tmp_path / "client.log.1").write_text(numbered(0, 3))
    (tmp_path / "client.log").write_text(numbered(3, 3))
    for path in (tmp_path, tmp_path / "client.log", tmp_path / "*.log"):
        query = Query(path)
        assert query.look() == told(0, 6)
        assert {row["file"] for row in query.rows} == {str(tmp_path / "client.log")}
        offsets = [row["file_offset"] for row in query.rows]
        assert offsets == sorted(set(offsets))


def test_a_text_that_is_packed_during_a_look_keeps_its_place(tmp_path):
    text = gzip.compress(numbered(0, 3).encode())
    packed = tmp_path / "client.log.1.gz"
    packed.write_bytes(text[:40])
    (tmp_path / "client.log").write_text(numbered(3, 3))
    query = Query(tmp_path, settle_s=3_600)
    assert query.look() == []
    packed.write_bytes(text)
    query.reader.settle_s = -1
    assert query.look() == told(0, 6)


def test_a_text_that_waits_for_its_last_record_keeps_its_place(tmp_path):
    """Two rotations between two looks: the older new text has one record, which may go on."""
    (tmp_path / "client.log").write_text(numbered(0, 3))
    query = Query(tmp_path, settle_s=3_600)
    assert query.look() == told(0, 2)
    (tmp_path / "client.log").rename(tmp_path / "client.log.2")
    (tmp_path / "client.log.1").write_text(numbered(3, 1))
    (tmp_path / "client.log").write_text(numbered(4, 3))
    query.look()
    query.reader.settle_s = -1
    query.look()
    in_their_places = sorted(query.rows, key=lambda row: row["file_offset"])
    assert [row["message"] for row in in_their_places] == told(0, 7)
    assert len({row["file_offset"] for row in query.rows}) == 7


def test_a_text_that_is_renamed_during_a_look_keeps_its_place(tmp_path, monkeypatch):
    (tmp_path / "client.log.1").write_text(numbered(0, 3))
    (tmp_path / "client.log").write_text(numbered(3, 3))
    query = Query(tmp_path)
    listings = [{log: files[-1:] for log, files in logs_under(str(tmp_path)).items()}]
    monkeypatch.setattr(
        stream_reader,
        "logs_under",
        lambda path: listings.pop() if listings else logs_under(path),
    )
    assert query.look() == []
    assert query.look() == told(0, 6)


def renamed(path, number):
    for old in sorted(path.parent.glob("client.log.*"), key=lambda each: -_age(each)):
        end = ".gz" if old.suffix == ".gz" else ""
        old.rename(path.parent / f"client.log.{_age(old) + 1}{end}")
    path.rename(path.parent / "client.log.1")


def _age(path) -> int:
    return int(path.name.removeprefix("client.log.").removesuffix(".gz"))


def copied(path, number):
    renamed(path, number)
    shutil.copy(path.parent / "client.log.1", path)
    path.open("w").close()


def dated(path, number):
    path.rename(path.parent / f"client.log.2026-11-{number % 28 + 1:02d}")


def packed(path, number):
    renamed(path, number)
    plain = path.parent / "client.log.1"
    with gzip.open(f"{plain}.gz", "wb") as file:
        file.write(plain.read_bytes())
    plain.unlink()


@pytest.mark.parametrize("rotate", [renamed, copied, dated, packed])
@pytest.mark.parametrize("larger", [False, True])
def test_a_rotated_log_is_read_once(tmp_path, rotate, larger):
    path = tmp_path / "client.log"
    path.write_text(numbered(0, 30))
    query = Query(tmp_path)
    assert query.look() == told(0, 30)
    with open(path, "a") as file:
        file.write(numbered(30, 5))
    rotate(path, 1)
    path.write_text(numbered(35, 60 if larger else 5))
    assert query.look() == told(30, 65 if larger else 10)
    rotate(path, 2)
    assert query.look() == []
    path.write_text(numbered(95, 5))
    assert query.look() == told(95, 5)
    keys = [(row["file"], row["file_offset"]) for row in query.rows]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("rotate", [renamed, copied, dated, packed])
@pytest.mark.parametrize("opened", few(range(4), 2))
@pytest.mark.parametrize("looks", few([0, 1], 1, 1))
def test_a_rotation_amid_a_look_changes_no_order(tmp_path, monkeypatch, rotate, opened, looks):
    """The log is rotated, and written again, when the look has opened so many files."""
    path = tmp_path / "client.log"
    path.write_text(numbered(0, 30))
    rotate(path, 1)
    path.write_text(numbered(30, 20))
    query, left = Query(tmp_path), [opened]
    for _ in range(looks):
        query.look()
    with open(path, "a") as file:
        file.write(numbered(50, 10))
    first = followed_files.HeldFile.__init__

    def rotate_and_open(self, file):
        if left and not left[0]:
            left.clear()
            rotate(path, 2)
            path.write_text(numbered(60, 10))
        if left:
            left[0] -= 1
        first(self, file)

    monkeypatch.setattr(followed_files.HeldFile, "__init__", rotate_and_open)
    query.look()
    written = 60 if left else 70
    left.clear()
    for begin in (written, written + 10, written + 20):
        with open(path, "a") as file:
            file.write(numbered(begin, 10))
        query.look()
    rows = sorted(query.rows, key=lambda row: row["file_offset"])
    assert [row["message"] for row in rows] == told(0, written + 30)
    assert len({row["file_offset"] for row in rows}) == len(rows)


@pytest.mark.parametrize("seed", few(range(6)))
def test_every_line_comes_once_whatever_the_writer_and_the_query_do(tmp_path, seed, capsys):
    draw = random.Random(seed)
    path, held = tmp_path / "client.log", ""
    query, written, rotations = Query(draw.choice([tmp_path, path])), 0, 0
    for _ in range(120):
        step = draw.random()
        if step < 0.5:
            count = draw.choice([1, 2, 7, 60])
            text = held + numbered(written, count)
            cut = draw.choice([0, 0, 11])
            held = text[len(text) - cut :]
            written += count
            with open(path, "a") as file:
                file.write(text[: len(text) - cut])
        elif step < 0.65 and path.exists() and path.stat().st_size and not held:
            rotations += 1
            draw.choice([renamed, copied, packed])(path, rotations)
        elif step < 0.85:
            query.look()
        elif step < 0.95:
            query.plan()  # killed before or after the batch was read
            query.start()
        else:
            query.start()
    with open(path, "a") as file:
        file.write(held)
    query.look()
    assert sorted(row["message"] for row in query.rows) == sorted(told(0, written))
    assert rotations > 5 and "lost" not in capsys.readouterr().err


def test_what_is_lost_is_said(tmp_path, capsys):
    path = tmp_path / "client.log"
    path.write_text(numbered(0, 3))
    query = Query(tmp_path)
    query.plan()
    path.unlink()
    query.finish()
    assert query.rows == [] and f"{len(numbered(0, 3))} bytes are lost" in capsys.readouterr().err
    path.write_text(numbered(3, 3))
    capsys.readouterr()
    assert (
        query.look() == told(3, 3)
        and "was removed, or cut without a copy" in capsys.readouterr().err
    )
    capsys.readouterr()
    path.write_text(numbered(6, 1))  # cut, and begun anew
    assert (
        query.look() == told(6, 1)
        and "what was written to it after that" in capsys.readouterr().err
    )
    assert query.look() == [] and len(query.offset) == 1


def test_a_second_program_that_begins_with_equal_lines_is_no_copy(tmp_path):
    path, banner = tmp_path / "client.log", numbered(0, 60)
    path.write_text(banner + numbered(100, 50))
    query = Query(tmp_path)
    assert len(query.look()) == 110
    renamed(path, 1)
    path.write_text(banner + numbered(200, 10))
    assert query.look() == told(0, 60) + told(200, 10)


@pytest.mark.corpus
def test_much_news_is_cut_where_records_begin(tmp_path, monkeypatch):
    path = tmp_path / "client.log"
    path.write_text(numbered(0, 200))
    monkeypatch.setattr(stream_reader, "TASK_BYTES", 5_000)
    query = Query(path)
    query.plan()
    assert len(query.reader.partitions({}, query.logged)) > 4
    query.finish()
    assert [row["message"] for row in query.rows] == told(0, 200)


@pytest.mark.slow
def test_a_killed_stream_of_rotating_logs_has_each_line_once(tmp_path):
    """The short form of stream_trial.py, which runs as long as one likes."""
    found = tried(tmp_path, seconds=30, kills=2, seed=3)
    assert is_right(found), found
    assert found["kills"] == 2 and found["rotations"] > 10 and found["written"] > 2_000

"""The tools that read logs: kafka-dump-log and kafka-get-offsets print what the real ones printed.

`data/tools/log_*.txt` holds the output of DumpLogSegments and GetOffsetShell 2.3.1 and 4.1.0 on the
files of real brokers 2.3.1 and 4.4.0, and the names and sizes of these files.
`kafkalab.stories.segments.recorded_logs` writes the same records in a lab. Left out of the
comparison: checksums, and what the real brokers' own clock said.
"""

import re
from functools import cache

import pytest

from kafkalab.errors import IllegalArgumentException
from kafkalab.stories.segments import recorded_logs, recorded_output
from kafkalab.tools.dump_log import dumped
from kafkalab.tools.get_offsets import told

CHECKSUM = re.compile(r" crc: \d+")
CLOCK = re.compile(r"1795(397|48[34])\d{6}")
"""The day of the recording and the day after; the records' own times are two days before."""
RELEASES = ("2.3", "4.4")


@cache
def lab_of(release):
    return recorded_logs(release)


def plain(text):
    return CLOCK.sub("T", CHECKSUM.sub("", text))


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", ["orders-0", "big-0", "old-0", "prices-0", "paid-0"])
def test_a_dumped_log_is_the_real_one(release, name):
    records = name != "big-0"
    command = f"kafka-dump-log --topic-partition {name}" + " --print-data-log" * records
    real = recorded_output(release)[command]
    assert real.count("baseOffset") >= 1
    assert plain(dumped(lab_of(release), name, records=records)) == plain(real)


@pytest.mark.parametrize("release", RELEASES)
def test_a_dumped_index_is_the_real_one(release):
    real = recorded_output(release)["kafka-dump-log --topic-partition orders-0 --index"]
    assert real.count("position:") == 5
    assert dumped(lab_of(release), "orders-0", index=True) == real


@pytest.mark.parametrize("release", RELEASES)
def test_offsets_are_the_real_ones(release):
    asked = 0
    for command, real in recorded_output(release).items():
        if command.startswith("kafka-get-offsets"):
            _, _, topic, _, time = command.split()
            assert told(lab_of(release), topic, time) == real, command
            asked += 1
    assert asked == 12


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", ["old-0", "big-0", "prices-0"])
def test_the_files_that_are_left_have_the_real_names_and_sizes(release, name):
    listed = [line.split() for line in recorded_output(release)[f"ls {name}"].splitlines()]
    real = [(file, int(size)) for file, size in listed if file.endswith(".log")]
    rows = lab_of(release).broker(0).segments(name[:-2], 0)
    assert [(row["file"], row["size_bytes"]) for row in rows] == real
    assert any(file.endswith(".log.deleted") for file, _ in listed), "renamed first, deleted later"


def test_what_is_not_there_is_refused_with_a_sentence():
    lab = lab_of("4.4")
    with pytest.raises(IllegalArgumentException, match="there is no partition nope-0"):
        dumped(lab, "nope-0")
    with pytest.raises(IllegalArgumentException, match="broker 7 has no replica of big-0"):
        dumped(lab, "big-0", broker=7)
    with pytest.raises(IllegalArgumentException, match="Could not match any topic-partitions"):
        told(lab, "nope")
    with pytest.raises(IllegalArgumentException, match="Malformed time argument yesterday"):
        told(lab, "big", "yesterday")
    with pytest.raises(IllegalArgumentException, match="no recorded output of 3.9"):
        recorded_output("3.9")

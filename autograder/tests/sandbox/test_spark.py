"""Spark in the sandbox: f(df) runs on a JVM that stays warm, and that is replaced when a guest
failed or changed something.

One submission after the other, as a worker meets them, on one worker. It takes minutes, for some of
them cost a JVM.
"""

import pytest

from autograder.cell.question import find
from autograder.course.references import reference
from autograder.sandbox.outside.parent import Limits, Sandbox

pytestmark = pytest.mark.slow
RIGHT = "from pyspark.sql import functions as F\n" + reference("02.6")
BODY = RIGHT.partition("def zombies(sockets):\n")[2]
SPARK = find("02.6")
CASES = list(SPARK.public_cases)


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(limits=Limits(spark_memory_bytes=3 << 30)) as opened:
        yield opened


def asked(sandbox, source: str) -> dict:
    """What one submission with this answer is heard to say."""
    return sandbox.run([{"source": source, "question": "02.6", "cases": CASES}], {}, spark=True)


def is_right(heard) -> bool:
    from autograder.course.judge import judge_of

    replies = heard["replies"].get("02.6", ())
    return len(replies) == len(CASES) and all(
        reply.get("data") == judge_of("02.6").truth(case) for reply, case in zip(replies, CASES)
    )


def body(first: str) -> str:
    return f"from pyspark.sql import functions as F\ndef zombies(sockets):\n    {first}\n{BODY}"


def test_a_function_of_a_frame_is_asked_on_small_tables(sandbox):
    for _ in range(2):
        heard = asked(sandbox, RIGHT)
        assert is_right(heard) and heard["ended"] == "" and "touched" not in heard, heard


@pytest.mark.parametrize(
    "first, touched",
    [
        (
            "sockets.sparkSession.conf.set('spark.sql.shuffle.partitions', '7')",
            "a setting of its session was changed",
        ),
        ("sockets.createOrReplaceTempView('mine')", "a view was left"),
        ("sockets.createOrReplaceGlobalTempView('ours')", "the shared views changed"),
        ("sockets.sparkSession._jvm.System.setProperty('x', 'y')", "Java's properties changed"),
        ("sockets.sparkSession._jvm.Runtime.getRuntime().exec('sleep 600')", "a process was left"),
    ],
)
def test_what_a_guest_leaves_behind_is_gone_for_the_next(sandbox, first, touched):
    heard = asked(sandbox, body(first))
    assert heard.get("touched") == touched, heard
    after = asked(sandbox, RIGHT)
    assert is_right(after) and "touched" not in after, after


def test_stopping_spark_stops_nobody_else(sandbox):
    asked(sandbox, body("sockets.sparkSession.stop()"))
    assert is_right(asked(sandbox, RIGHT))


def test_a_failed_answer_is_a_sentence_and_the_next_one_is_not_its_heir(sandbox):
    heard = asked(sandbox, body("sockets = sockets.where('nowhere = 1')"))
    assert heard["replies"]["02.6"][0]["raised"] == "AnalysisException"
    assert is_right(asked(sandbox, RIGHT))


def test_memory_of_the_jvm_is_held(sandbox):
    greedy = body(
        "sockets.sparkSession._jvm.System.gc(); held = "
        "[sockets.sparkSession.sparkContext._gateway.new_array(sockets.sparkSession._jvm.byte, 1 "
        "<< 28) for _ in range(64)]"
    )
    heard = asked(sandbox, greedy)
    assert not is_right(heard)
    assert is_right(asked(sandbox, RIGHT))


def test_samples_lie_where_a_notebook_finds_them(sandbox):
    source = (
        (
            "import pathlib\nfrom kafkalab import logsets\n"
            "lines = logsets.read(logsets.session(), 'data/samples/tiny')\nfound = lines.count()\n"
        )
        + RIGHT
        + "\nassert found > 1000, found"
    )
    heard = asked(sandbox, source)
    assert is_right(heard) and "raised" not in str(heard["replies"]), heard


@pytest.mark.parametrize(
    "source, says",
    [
        (
            "def zombies(sockets):\n    return sockets.toPandas()",
            "returns a pandas DataFrame; a Spark DataFrame was asked for",
        ),
        (
            "def zombies(sockets):\n    return 7",
            "returns a value of type int; a Spark DataFrame was asked for",
        ),
        ("def zombies(sockets):\n    return sockets", "asked for are client_id, since"),
        (
            (
                "def zombies(sockets):\n    return sockets.sparkSession.range(5000).selectExpr('id "
                "as client_id', 'id as since')"
            ),
            "more than 1,000 rows",
        ),
    ],
)
def test_what_is_no_such_frame_is_told_in_a_sentence(sandbox, source, says):
    replies = asked(sandbox, source)["replies"]["02.6"]
    assert replies[0]["raised"] == "NotAsAsked" and says in replies[0]["says"], replies

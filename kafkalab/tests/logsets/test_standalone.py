"""A cluster of one machine: a standalone master and two workers, and the same job there as here:
reading a set, and making one. One worker is killed, and executors lack the package."""

import gzip
import json
import os
import pickle
import re
import socket
import subprocess
import sys
import sysconfig
import time
import venv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark import cloudpickle

import kafkalab
from kafkalab.logsets import shipment
from kafkalab.logsets.java import find_java
from kafkalab.logsets.source import KafkaLines, KafkaLinesReader

ROOT = Path(__file__).resolve().parents[3]
JOB = """
import json, sys
from kafkalab import logsets
spark = logsets.session(settings=json.loads(sys.argv[2]))
lines = logsets.read(spark, sys.argv[1])
sockets = logsets.connections(lines)
hashed = lines.selectExpr("count(*) n", "sum(xxhash64(time, event, client_id, message) & 4294967295) h").first()
held = sockets.selectExpr("count(*) n", "sum(xxhash64(client_id, node_id, opened_at, how) & 4294967295) h").first()
print(json.dumps([spark.sparkContext.master, *hashed, *held]))
"""  # noqa: E501
# Parts of 1,500 lines, so that both workers have some to make.
MAKING = """
import sys
from kafkalab.logsets.__main__ import main
from kafkalab.logsets.generate import sheets
sheets.PART_LINES = 1_500
sys.exit(main(["generate", sys.argv[1], "--out", sys.argv[2], "--master", sys.argv[3]]))
"""
MANIFEST = """
name: two workers
seed: 5
duration_ms: 60000
spread_ms: 4000
clients: {consumer: {"2.3": 3, "4.4": 2}, closed_producer: {"2.2": 1, "3.9": 1}}
incidents: [{kind: slow_member, version: ["2.8", "4.4"], at_s: 2}]
levels: {"": DEBUG}
"""


# A session of Spark's own. Its executors have no kafkalab until it is shipped, and one worker is
# killed, with its executor, after the first task has ended and before the last one has.
SHIPPED = """
import json, os, signal, sys, threading
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from kafkalab import logsets
from kafkalab.logsets.source import KafkaLines

master, folder, worker = sys.argv[1], sys.argv[2], int(sys.argv[3])
local = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
builder = SparkSession.builder.master(master).config("spark.executor.memory", "512m")
for name, value in local.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.dataSource.register(KafkaLines)
lines = spark.read.format("kafkalab").load(folder)
found = {}
try:
    lines.count()
except Exception as error:
    found["lacking"] = str(error)
logsets.ship(spark)
lines = spark.read.format("kafkalab").load(folder)
found["shipped"] = spark.read.format("kafkalab").load(folder + "/0.log").count()
tracker, told = spark.sparkContext.statusTracker(), []

def kill():
    while not told:
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info and 0 < info.numCompletedTasks < info.numTasks > 4:
                os.killpg(worker, signal.SIGKILL)
                told.append([info.numCompletedTasks, info.numTasks])
                return

threading.Thread(target=kill, daemon=True).start()
counted = lines.groupBy("file", "level").agg(F.count("*"), F.countDistinct("file_offset")).collect()
found["killed"] = told[0] if told else None
told.append(None)
found["counts"] = sorted(([row[0][-5:], row[1] or "", *row[2:]] for row in counted))
print(json.dumps(found))
"""
FILES, FILE_BYTES = 8, 33 << 20  # more than a task's bytes each


@dataclass
class Cluster:
    """A master's URL, and the processes of its workers."""

    url: str
    workers: list[subprocess.Popen]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def cluster(tmp_path):
    """A master with two workers of one core each. They inherit no path of Python packages."""
    import pyspark

    home, port, started = Path(pyspark.__file__).parent, free_port(), []
    environment = {
        **{name: text for name, text in os.environ.items() if name != "PYTHONPATH"},
        "JAVA_HOME": str(find_java().home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": str(tmp_path),
        "PYSPARK_PYTHON": sys.executable,
    }

    def start(name: str, *arguments: str) -> None:
        with open(tmp_path / f"{name}-{len(started)}.txt", "wb") as log:
            command = [
                home / "bin" / "spark-class",
                f"org.apache.spark.deploy.{name.lower()}.{name}",
                "--host",
                "127.0.0.1",
                *arguments,
            ]
            started.append(
                subprocess.Popen(
                    command,
                    env=environment,
                    stdout=log,
                    stderr=log,
                    cwd=tmp_path,
                    start_new_session=True,
                )
            )

    master = f"spark://127.0.0.1:{port}"
    try:
        start("Master", "--port", str(port), "--webui-port", str(free_port()))
        for _ in range(2):
            start(
                "Worker", "--webui-port", str(free_port()), "--cores", "1", "--memory", "2g", master
            )
        deadline = time.monotonic() + 600
        while (
            sum(
                "Registering worker" in text
                for text in (tmp_path / "Master-0.txt").read_text().splitlines()
            )
            < 2
        ):
            assert time.monotonic() < deadline and all(
                process.poll() is None for process in started
            ), "the cluster did not come up"
            time.sleep(0.3)
        yield Cluster(master, started[1:])
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(timeout=600)


def answer(where: str, settings: dict, **environment: str) -> list:
    """What the job prints in a process of its own: Spark's master is chosen once for a process."""
    said = subprocess.run(
        [sys.executable, "-c", JOB, where, json.dumps(settings)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert said.returncode == 0, said.stderr[-3000:]
    return json.loads(said.stdout)


@pytest.mark.slow
def test_the_same_job_gives_the_same_rows_on_a_cluster(cluster, recordings):
    local = answer(recordings.as_uri(), {}, KAFKALAB_SPARK_MASTER="local[2]")
    memory = {
        "spark.executor.memory": "512m",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    there = answer(recordings.as_uri(), memory, KAFKALAB_SPARK_MASTER=cluster.url)
    assert there[0] == cluster.url and local[0] == "local[2]"
    assert there[1:] == local[1:] and local[1] > 50_000


@pytest.mark.slow
def test_a_set_made_on_a_cluster_is_the_one_made_here_byte_for_byte(cluster, tmp_path):
    """`generate --master spark://…` as at a prompt, with the memory a user's executors get."""
    plan, trees = tmp_path / "two.yaml", []
    plan.write_text(MANIFEST, encoding="utf-8")
    for name, master in (("here", "local[2]"), ("there", cluster.url)):
        out = tmp_path / name
        environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
        said = subprocess.run(
            [sys.executable, "-c", MAKING, plan, out, master],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert said.returncode == 0, said.stderr[-3000:]
        trees.append(
            {
                str(file.relative_to(out)): file.read_bytes()
                for file in out.rglob("*")
                if file.is_file()
            }
        )
    here, there = trees
    assert "DONE" in here and sum(name.startswith("lines/") for name in here) >= 5
    assert (
        sorted(there) == sorted(here) and [name for name in here if here[name] != there[name]] == []
    )
    who = (tmp_path / "Master-0.txt").read_text(encoding="utf-8")
    assert who.count("Registering app kafkalab") == 1


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory) -> Path:
    """A Python that has this environment's packages, but not ours: an editable installation is
    found by a file that is read in the environment itself only."""
    folder = tmp_path_factory.mktemp("bare")
    venv.EnvBuilder(symlinks=True).create(folder)
    python = folder / "bin" / "python"
    there = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = subprocess.run(there, capture_output=True, text=True, check=True).stdout.strip()
    Path(packages, "other.pth").write_text(sysconfig.get_path("purelib"))
    return python


def without_python_path() -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}


@pytest.mark.parametrize(
    "carried", [KafkaLines, KafkaLinesReader("x", ("level",), None, "FAILFAST")]
)
def test_what_spark_pickles_says_where_the_package_is_missing(bare_python, carried):
    written = cloudpickle.dumps((carried, "more"))
    if isinstance(carried, type):
        assert pickle.loads(written)[0] is carried
    said = subprocess.run(
        [bare_python, "-c", "import pickle, sys; pickle.load(sys.stdin.buffer)"],
        input=written,
        env=without_python_path(),
        cwd=bare_python.parent,
        capture_output=True,
    )
    last = said.stderr.decode().splitlines()[-1]
    assert last.startswith("ImportError: The Python worker on ") and last.endswith(
        " lacks the package kafkalab. logsets.ship(spark) sends the driver's; then load the log "
        "again."
    )


def test_another_version_than_the_drivers_is_refused(monkeypatch):
    own = shipment.version()
    assert own.startswith(kafkalab.__version__)
    monkeypatch.setattr(shipment, "version", lambda: "0.0.1 (other)")
    monkeypatch.setattr(shipment, "PACKAGE", "elsewhere")
    written = cloudpickle.dumps(KafkaLines)
    monkeypatch.undo()
    with pytest.raises(ImportError, match=r"The driver has kafkalab 0.0.1 \(other\), and .* has"):
        pickle.loads(written)


@pytest.mark.slow
def test_a_worker_is_killed_and_each_line_is_counted_once(cluster, bare_python, tmp_path):
    """Executors that have no kafkalab get it, and what a dead one had read is read again."""
    folder = tmp_path / "logs"
    folder.mkdir()
    [sample] = (ROOT / "data" / "samples" / "tiny" / "lines").iterdir()
    text = gzip.decompress(sample.read_bytes())
    text *= FILE_BYTES // len(text) + 1
    for number in range(FILES):
        (folder / f"{number}.log").write_bytes(text + number * b"\n")  # a copy is not read
    said = subprocess.run(
        [sys.executable, "-c", SHIPPED, cluster.url, folder, str(cluster.workers[0].pid)],
        cwd=tmp_path,
        env={
            **os.environ,
            "JAVA_HOME": str(find_java().home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": str(bare_python),
            "PYTHONPATH": str(ROOT),
        },
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert said.returncode == 0, [line for line in said.stderr.splitlines() if "Error" in line]
    found = json.loads(said.stdout.splitlines()[-1])
    assert "lacks the package kafkalab. logsets.ship(spark)" in found["lacking"]
    assert "cloudpickle" not in found["lacking"]
    done, tasks = found["killed"]
    assert 0 < done < tasks == 2 * FILES and cluster.workers[0].wait() == -9
    levels = re.findall(rb"^\[\d{4}-[^\]]*\] (\w+)", text, re.MULTILINE)
    wanted = [
        [f"{number}.log"[-5:], level.decode(), count, count]
        for number in range(FILES)
        for level, count in sorted(Counter(levels).items())
    ]
    assert found["counts"] == wanted and found["shipped"] == len(levels)

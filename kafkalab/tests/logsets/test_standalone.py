"""A cluster of one machine: a standalone master and two workers, and the same job there as here:
reading a set, and making one."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kafkalab.logsets.java import find_java

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


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def cluster(tmp_path):
    """The URL of a master with two workers of one core each."""
    import pyspark

    home, port, started = Path(pyspark.__file__).parent, free_port(), []
    environment = {
        **os.environ,
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
                subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=tmp_path)
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
        yield master
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
    there = answer(recordings.as_uri(), memory, KAFKALAB_SPARK_MASTER=cluster)
    assert there[0] == cluster and local[0] == "local[2]"
    assert there[1:] == local[1:] and local[1] > 50_000


@pytest.mark.slow
def test_a_set_made_on_a_cluster_is_the_one_made_here_byte_for_byte(cluster, tmp_path):
    """`generate --master spark://…` as at a prompt, with the memory a user's executors get."""
    plan, trees = tmp_path / "two.yaml", []
    plan.write_text(MANIFEST, encoding="utf-8")
    for name, master in (("here", "local[2]"), ("there", cluster)):
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

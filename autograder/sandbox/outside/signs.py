"""Finds signs in a submission that a person should look at, though they earned nothing.

Nothing here decides about points: the walls and the judges do. A sign is something that no answer
to a question about Kafka needs, and that somebody who tries to get round the grading does: it
is in the answer's text (`in_answers`), or the learner's process was heard doing it (`in_heard`,
see audit.py). Each is told in a few words that a teacher can check in the notebook. Signs are few
and narrow on purpose: an honest learner who is pointed at is worse than a clever one who is not.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping

from autograder.handed_in.needs import as_python

MODULES = frozenset(
    (
        "_posixsubprocess",
        "atexit",
        "builtins",
        "cffi",
        "cloudpickle",
        "ctypes",
        "dill",
        "faulthandler",
        "fcntl",
        "ftplib",
        "gc",
        "httpx",
        "importlib",
        "inspect",
        "joblib",
        "linecache",
        "marshal",
        "mmap",
        "multiprocessing",
        "pickle",
        "posix",
        "pty",
        "py4j",
        "resource",
        "runpy",
        "shelve",
        "signal",
        "smtplib",
        "socket",
        "subprocess",
        "telnetlib",
        "urllib",
        "webbrowser",
    )
)
# what a notebook imports of us
OURS = frozenset(
    ("check", "hint", "me", "my_guesses", "numbers", "predict", "require", "reveal", "truth")
)
# the packages that hold the solutions of what is asked
OF_KAFKALAB = frozenset(("broker", "clients", "protocol", "sim"))
OF_MODULES = {
    "kafkalab": OF_KAFKALAB,
    "os": frozenset(
        (
            "_exit",
            "abort",
            "chroot",
            "closerange",
            "dup",
            "dup2",
            "execl",
            "execle",
            "execlp",
            "execv",
            "execve",
            "execvp",
            "fork",
            "forkpty",
            "getppid",
            "kill",
            "killpg",
            "link",
            "mkfifo",
            "mknod",
            "open",
            "pipe",
            "popen",
            "posix_spawn",
            "set_inheritable",
            "setsid",
            "spawnl",
            "spawnv",
            "symlink",
            "system",
            "unlink",
            "write",
        )
    ),
    "sys": frozenset(
        (
            "_getframe",
            "_current_frames",
            "addaudithook",
            "excepthook",
            "meta_path",
            "modules",
            "path_hooks",
            "setprofile",
            "settrace",
        )
    ),
}
INSIDES = frozenset(
    (
        "__builtins__",
        "__class__",
        "__closure__",
        "__code__",
        "__globals__",
        "__subclasses__",
        "f_back",
        "f_builtins",
        "f_globals",
        "f_locals",
        "gi_frame",
        "set_custom_exc",
        "showtraceback",
        "tb_frame",
        "_gateway",
        "_jc",
        "_jdf",
        "_jsc",
        "_jsparkSession",
        "_jvm",
        "java_method",
        "reflect",
        "try_reflect",
    )
)
SPECIAL_METHODS = frozenset(
    ("__class__", "__eq__", "__getattribute__", "__instancecheck__", "__reduce__", "__reduce_ex__")
)
OWN = frozenset(("self", "cls"))
# namedtuple's, and what is told anyway
OPENLY = frozenset(
    (
        "_",
        "_asdict",
        "_fields",
        "_field_defaults",
        "_make",
        "_replace",
        "_exit",
        "_getframe",
        "_current_frames",
    )
)
WORDS = re.compile(
    r"/proc\b|/etc/|/dev/shm|/root\b|\.\./\.\.|gradebook\.db|AUTOGRADER_|NBGRADER_|\bsource_py\b"
    r"|notebooks/exercises|autograder[./](?:course|judges|written)|/[^ ]*secret"
    r"|\b(?:java_method|reflect) *\(",
    re.IGNORECASE,
)
MOST_TOLD = 4

# What audit.py may say, and how it is told.
DONE = {
    "import": "imported a module that no answer needs",
    "open": "opened files outside the course",
    "look": "looked through folders outside the course",
    "frames": "looked into its callers' variables",
    "objects": "searched through all objects",
    "ctypes": "called the system by ctypes",
    "process": "started or ended processes",
    "wire": "used the network",
    "code": "built code while it ran",
    "trace": "traced the interpreter",
}


def in_answers(answers: Mapping[str, str], added: tuple[str, ...] = ()) -> list[str]:
    """The signs in the answers' texts, one sentence a question: {question id:
    source}, and cells the learner added."""
    sources = [(f"the answer to {question}", source) for question, source in answers.items()] + [
        ("a cell that was added", source) for source in added
    ]
    told = [(where, _of_source(source)) for where, source in sources]
    return [f"worth a look: {where} {_listed(found)}" for where, found in told if found]


def in_heard(heard: Mapping) -> list[str]:
    """The signs in what the sandbox heard of a submission."""
    found = [
        f"worth a look: while it ran, it {DONE[sign]}"
        for sign in sorted(set(heard.get("signs", ())))
        if sign in DONE
    ]
    if heard.get("noise"):
        found.append(
            "worth a look: something other than answers was written into the grading's pipe"
        )
    return found


def _of_source(source: str) -> list[str]:
    """What a cell holds, in order, each thing once.
    Text that is no Python has none: it does not run either."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(as_python(source))
        nodes = list(ast.walk(tree))
    except Exception:
        # whatever a hostile text does to the parser
        return []
    modules = {
        alias.asname or alias.name.partition(".")[0]: alias.name
        for node in nodes
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    looked_up = {
        id(node.value) for node in nodes if isinstance(node, (ast.Subscript, ast.Attribute))
    }
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    found = _of_privacy(nodes)
    for node in nodes:
        found += _sign(node, modules, looked_up, docstrings)
    return list(dict.fromkeys(found))


def _of_privacy(nodes: list[ast.AST]) -> list[str]:
    """Reaching into somebody else's object: a name with an underscore
    before it that nothing in the cell has given."""
    defined = {
        node.name
        for node in nodes
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    }
    stored = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id in defined | OWN
    }
    stored |= defined | {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return [
        f"reaches into {node.attr}"
        for node in nodes
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr not in stored | OPENLY | INSIDES
        and not (isinstance(node.value, ast.Name) and node.value.id in OWN)
    ]


def _sign(
    node: ast.AST, modules: dict[str, str], looked_up: set[int], docstrings: set[int]
) -> list[str]:
    if isinstance(node, ast.Import):
        return [f"imports {alias.name}" for alias in node.names if _is_odd(alias.name)]
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if module == "autograder":
            return [
                f"imports autograder.{alias.name}" for alias in node.names if alias.name not in OURS
            ]
        odd = [alias.name for alias in node.names if alias.name in OF_MODULES.get(module, ())]
        return (
            [f"imports {module}"] if _is_odd(module) else [f"uses {module}.{name}" for name in odd]
        )
    if isinstance(node, ast.Attribute):
        return _of_attribute(node, modules, looked_up)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in ("__import__", "exec", "compile"):
            return [f"calls {node.func.id}"]
        if node.func.id == "type" and len(node.args) == 3:
            return ["makes a class by calling type"]
    if isinstance(node, ast.Name) and node.id in ("__builtins__", "__loader__", "__spec__"):
        return [f"uses {node.id}"]
    if isinstance(node, ast.ClassDef):
        own = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        own |= {
            target.id
            for part in node.body
            if isinstance(part, ast.Assign)
            for target in part.targets
            if isinstance(target, ast.Name)
        }
        return [f"defines {name}" for name in sorted(own & SPECIAL_METHODS)]
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
    ):
        return [f"names {match[0]}" for match in [WORDS.search(node.value[:20_000])] if match]
    return []


def _of_attribute(node: ast.Attribute, modules: dict[str, str], looked_up: set[int]) -> list[str]:
    module = modules.get(node.value.id) if isinstance(node.value, ast.Name) else None
    if module in OF_MODULES and node.attr in OF_MODULES[module]:
        return [f"uses {module}.{node.attr}"]
    if module == "os" and node.attr == "environ" and id(node) not in looked_up:
        return ["reads the whole environment"]
    if module and isinstance(node.ctx, ast.Store):
        return [f"replaces {module}.{node.attr}"]
    if node.attr == "__module__" and isinstance(node.ctx, ast.Store):
        return ["renames a class's module"]
    if node.attr in INSIDES and not (node.attr == "__class__" and isinstance(node.ctx, ast.Load)):
        return [f"uses {node.attr}"]
    return []


def _is_odd(module: str) -> bool:
    top, _, rest = module.partition(".")
    return (
        top in MODULES
        or (top == "autograder" and rest != "")
        or (top == "kafkalab" and rest.partition(".")[0] in OF_KAFKALAB)
    )


def _listed(found: list[str]) -> str:
    return ", ".join(found[:MOST_TOLD]) + (
        f" and {len(found) - MOST_TOLD} more" if len(found) > MOST_TOLD else ""
    )

"""`make fast`: compiles the simulator's busiest modules with mypyc, into `kafkalab/__compiled__`.

mypyc turns typed Python into C: a call between two compiled modules is a call in C, and a field of an object a place in memory.
It takes a C compiler and a few minutes, and changes nothing but the speed: when all is compiled, a story is played both ways, and
unless every byte of both journals is the same the machine code is thrown away. Modules that are mostly data, or that learners
subclass and replace, stay Python; `PARTS` are the others.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kafkalab.machine_code import FOLDER, MANIFEST, PACKAGE, SUFFIX, stamp
from kafkalab.machine_code.parts import PARTS

TYPES = """[mypy]
ignore_errors = True
ignore_missing_imports = True
check_untyped_defs = True
"""
"""mypy's settings: types are there to be compiled by, not to be discussed."""

TOLD_EVERY = 25
"""After so many C files the next sign of life is given."""

NO_MYPYC = "mypyc is not installed here: `make fast` installs it, and so does `pip install -c constraints.txt -e '.[fast]'`."
NO_COMPILER = ("The modules could not be compiled ({error}), and the lab runs as before. Is there a C compiler, and the header files of "
               "this Python? Debian and Ubuntu have them in build-essential and python3-dev.")
DIFFERS = "Machine code and Python told different stories, so the machine code is thrown away and the lab runs as before: {why}"


def main(argv: Sequence[str] = ()) -> int:
    """Returns 0 when the machine code is there, 1 when it could not be made; a half-made one is never left behind."""
    if argv:
        print("compile takes no arguments: all busy modules are compiled together", file=sys.stderr)
        return 2
    try:
        importlib.import_module("mypyc.build")
    except ImportError:
        print(NO_MYPYC, file=sys.stderr)
        return 1
    sources = {f"{part}.py": stamp(PACKAGE / f"{part}.py") for part in PARTS}
    print(f"Compiling {len(PARTS)} modules; this takes a few minutes.", flush=True)
    with tempfile.TemporaryDirectory() as made:
        try:
            files = compile_into(Path(made))
        except (Exception, SystemExit) as error:  # Compilers fail in ways of their own.
            print(NO_COMPILER.format(error=error), file=sys.stderr)
            return 1
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir()
        for name, file in files.items():
            shutil.copyfile(file, FOLDER / f"{name}{SUFFIX}")
    MANIFEST.write_text(json.dumps({"suffix": SUFFIX, "modules": list(files), "sources": sources}, indent=1) + "\n", encoding="utf-8")
    why = difference()
    if why:
        shutil.rmtree(FOLDER)
        print(DIFFERS.format(why=why), file=sys.stderr)
        return 1
    print("A story was played both ways, and every byte is the same. The simulator is machine code from now on, until its source changes;\n"
          "KAFKALAB_PYTHON_ONLY=1 runs it as Python.")
    return 0


def compile_into(folder: Path) -> dict[str, Path]:
    """Compile all parts; the name of each module that came of it -> its file."""
    from mypyc.build import mypycify
    from setuptools import Distribution

    settings = folder / "mypy.ini"
    settings.write_text(TYPES, encoding="utf-8")
    here, remarks = os.getcwd(), io.StringIO()
    os.chdir(PACKAGE.parent)  # mypyc names a module by its path from here
    try:
        with contextlib.redirect_stdout(remarks), contextlib.redirect_stderr(remarks):
            extensions = mypycify(["--config-file", str(settings), "--cache-dir", str(folder / "types"),
                                   *(f"{PACKAGE.name}/{part}.py" for part in PARTS)],
                                  opt_level="2", debug_level="0", multi_file=True, target_dir=str(folder / "c"))
        command = Distribution({"name": PACKAGE.name, "ext_modules": extensions}).get_command_obj("build_ext")
        command.build_lib, command.build_temp = str(folder / "lib"), str(folder / "objects")
        command.ensure_finalized()
        command.build_extensions = lambda: _tell_and_build(command, sum(len(extension.sources) for extension in extensions))
        command.run()
    except SystemExit:
        raise RuntimeError(" / ".join(line for line in remarks.getvalue().splitlines() if "warning" not in line)[-500:]) from None
    finally:
        os.chdir(here)
    return {".".join(file.relative_to(folder / "lib").parts).removesuffix(SUFFIX): file
            for file in sorted((folder / "lib").rglob(f"*{SUFFIX}"))}


def _tell_and_build(command, count: int) -> None:
    """Compile one C file after another, and say from time to time how far it is."""
    compile_one, done = command.compiler._compile, 0

    def compile_and_tell(*args: object) -> None:
        nonlocal done
        compile_one(*args)
        done += 1
        if done % TOLD_EVERY == 0:
            print(f"{done} of {count} files", flush=True)

    command.compiler._compile = compile_and_tell
    type(command).build_extensions(command)


def difference() -> str:
    """Play the story as machine code and as Python; "" where both say the same, else what one of them said."""
    told = [subprocess.run([sys.executable, "-m", "kafkalab.machine_code.story"], capture_output=True, text=True, cwd=PACKAGE.parent,
                           env={**os.environ, "KAFKALAB_PYTHON_ONLY": python_only}) for python_only in ("", "1")]
    if all(process.returncode == 0 for process in told) and told[0].stdout == told[1].stdout:
        return ""
    return told[0].stderr[-500:] or f"{told[0].stdout} as machine code, {told[1].stdout} as Python"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

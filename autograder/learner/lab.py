"""Starts JupyterLab for a learner, opened on the first chapter; `make lab` runs it.

`open_lab` lays a working copy of every released notebook in `notebooks/mine/`
(`autograder.learner.desk` does, and never overwrites one), then becomes JupyterLab, opened on the
first of them. Jupyter itself takes the next port when 8888 is taken and prints the address with its
token; this module only answers the questions a beginner should not have to: may root run it, is
there a screen to open a browser on, who may reach it from outside a container.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.cell.course_at_hand import course
from autograder.learner import desk
from kafkalab.command_line import CommandParser
from kafkalab.extras import MissingExtra, need_package

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {
    # Ours before the kernel that another project registered for this user.
    "JUPYTER_PREFER_ENV_PATH": "1",
    # Settings of a learner's JupyterLab: no question about news, none of the teacher's nbgrader
    # panels (formgrader keeps them).
    "JUPYTER_CONFIG_PATH": str(Path(__file__).with_name("jupyter")),
}


def has_screen(environ: Mapping[str, str], platform: str) -> bool:
    """Whether a browser window could open: always on macOS and Windows,
    on Linux only under X11 or Wayland (WSLg sets both)."""
    return platform in ("darwin", "win32") or bool(
        environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")
    )


def in_container() -> bool:
    """Whether this is Docker's or Podman's inside,
    told by the file each of them leaves at the root."""
    return Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()


def jupyter_options(folder: Path, *, root_user: bool, screen: bool, container: bool) -> list[str]:
    """The command line of a quiet JupyterLab over `folder` that suits this machine."""
    options = [
        f"--ServerApp.root_dir={folder}",
        # The address should not drown in start-up messages; it is logged as critical.
        "--log-level=ERROR",
        "--LabApp.log_level=ERROR",
        "--ServerApp.answer_yes=True",  # Ctrl-C stops at once.
        # Browsers from snap or flatpak may not read the file Jupyter would open.
        "--ServerApp.use_redirect_file=False",
        # Printed sentences break between words. The folder of custom.css has no option of its own.
        "--LabApp.custom_css=True",
        f"--ServerApp.tornado_settings={ {'static_custom_path': [str(Path(__file__).with_name('jupyter') / 'custom')]} }",  # noqa: E501
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",  # No call home.
    ]
    if root_user:
        options.append("--allow-root")
    if container:
        # A published port arrives at the container's own address; the token guards it.
        options.append("--ip=0.0.0.0")
    if container or not screen:
        options.append("--no-browser")
    return options


def first_page(folder: Path) -> str:
    """Where JupyterLab opens: the learner's first notebook, chapter 00 in the whole course. A
    package may hold one chapter alone."""
    copies = sorted(folder.glob("notebooks/mine/[0-9]*/*.ipynb"))
    return f"/lab/tree/{copies[0].relative_to(folder).as_posix()}" if copies else "/lab"


def main(argv: Sequence[str] = ()) -> int:
    """Open the lab, or print what this command takes; 2 after one sentence where JupyterLab is not
    installed."""
    parser = CommandParser(
        prog="python -m autograder.learner.lab",
        description="Copy every chapter into notebooks/mine/ and open JupyterLab on the first.",
        example="--no-browser --port=9999",
    )
    parser.add_argument(
        "options", nargs="*", metavar="OPTION", help="an option of JupyterLab's own"
    )
    parser.parse_known_args(argv)
    try:
        return open_lab(argv)
    except MissingExtra as missing:
        print(missing, file=sys.stderr)
        return 2


def open_lab(argv: Sequence[str]) -> int:
    """Prepare the learner's desk and become JupyterLab; `argv` is passed on to it. Returns
    JupyterLab's exit code where a process cannot become another, on Windows. Raises MissingExtra
    where JupyterLab is not installed."""
    need_package("jupyterlab")
    course().refresh(print)
    print(*desk.prepare_mine(), sep="\n")
    root_user = hasattr(os, "geteuid") and os.geteuid() == 0
    # The whole checkout is in the file browser: the simulator's source is part of the lesson.
    options = jupyter_options(
        ROOT,
        root_user=root_user,
        screen=has_screen(os.environ, sys.platform),
        container=in_container(),
    )
    options.append(f"--LabApp.default_url={first_page(ROOT)}")
    os.environ.update(ENVIRONMENT)
    # nbgrader looks for its nbgrader_config.py in the working directory.
    os.chdir(ROOT / "notebooks")
    _prepare_spark()
    print(
        "Starting JupyterLab. Your notebooks are in notebooks/mine/; Ctrl-C stops it.", flush=True
    )
    command = [sys.executable, "-m", "jupyterlab", *options, *argv]
    if os.name == "nt":
        return subprocess.call(command)
    os.execv(sys.executable, command)


def _prepare_spark() -> None:
    """Make the archive of Spark's classes beside the first chapters, which need no Spark: the first
    cell that does need it then waits some seconds less. It ends in a minute, with JupyterLab or
    not."""
    subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from kafkalab.logsets import class_archive; class_archive.prepare_archive()",
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

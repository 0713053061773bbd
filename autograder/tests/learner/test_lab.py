"""From `make lab` to a JupyterLab that answers: what the launcher
decides for the machine it finds itself on."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from autograder.learner import lab


def test_a_browser_opens_only_where_there_is_a_screen():
    assert lab.has_screen({"DISPLAY": ":0"}, "linux")
    assert lab.has_screen({"WAYLAND_DISPLAY": "wayland-0"}, "linux")
    assert not lab.has_screen({}, "linux")
    assert lab.has_screen({}, "darwin")


@pytest.mark.parametrize(
    "root_user, screen, container, expected",
    [
        (False, True, False, set()),
        (True, True, False, {"--allow-root"}),
        (False, False, False, {"--no-browser"}),
        (True, False, True, {"--allow-root", "--no-browser", "--ip=0.0.0.0"}),
        # A window inside a container is nobody's window.
        (False, True, True, {"--no-browser", "--ip=0.0.0.0"}),
    ],
)
def test_the_options_follow_the_machine(tmp_path, root_user, screen, container, expected):
    options = lab.jupyter_options(tmp_path, root_user=root_user, screen=screen, container=container)
    assert expected == set(options) & {"--allow-root", "--no-browser", "--ip=0.0.0.0"}


@pytest.fixture
def checkout(tmp_path):
    """A second checkout with nothing in it but what the launcher needs,
    so that the learner's own notebooks stay out of it."""
    for name in ("kafkalab", "autograder"):
        shutil.copytree(
            lab.ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "tests")
        )
    shutil.copytree(
        lab.ROOT / "notebooks",
        tmp_path / "notebooks",
        ignore=shutil.ignore_patterns("mine", "source"),
    )
    (tmp_path / "data").symlink_to(lab.ROOT / "data")
    return tmp_path


@pytest.mark.slow
def test_the_lab_comes_up_where_its_port_is_taken_and_prints_its_address(checkout):
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "autograder.learner.lab", "--no-browser", f"--port={port}"]
        log = checkout / "lab.txt"
        with log.open("w", encoding="utf-8") as output:
            server = subprocess.Popen(
                command,
                cwd=checkout,
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )
        try:
            until = time.monotonic() + 600
            address = None
            while address is None and server.poll() is None and time.monotonic() < until:
                time.sleep(0.2)
                address = re.search(
                    r"http://(?:localhost|127\.0\.0\.1):(\d+)(/lab/tree/\S*00_start_here\.ipynb\S*token=\S+)",
                    log.read_text(encoding="utf-8"),
                )
            assert address, log.read_text(encoding="utf-8")
            assert int(address[1]) != port
            page = urllib.request.urlopen(address[0], timeout=300).read().decode()
            style = (
                urllib.request.urlopen(
                    f"http://localhost:{address[1]}/custom/custom.css", timeout=300
                )
                .read()
                .decode()
            )
        finally:
            server.terminate()
            server.wait(timeout=300)
    assert "JupyterLab" in page
    assert "word-break: normal" in style and "custom/custom.css" in page, (
        "printed sentences break in the middle of a word"
    )
    mine = checkout / "notebooks" / "mine"
    assert sorted(path.parent.name for path in mine.glob("*/*.ipynb")) == sorted(
        path.parent.name for path in (checkout / "notebooks" / "release").glob("*/*.ipynb")
    )


def test_a_package_with_one_chapter_opens_on_that_one(tmp_path):
    assert lab.first_page(tmp_path) == "/lab"
    for name in ("03_consumer_connections", "02_producer_connections"):
        (tmp_path / "notebooks" / "mine" / name).mkdir(parents=True)
        (tmp_path / "notebooks" / "mine" / name / f"{name}.ipynb").write_text("{}")
    assert (
        lab.first_page(tmp_path)
        == "/lab/tree/notebooks/mine/02_producer_connections/02_producer_connections.ipynb"
    )

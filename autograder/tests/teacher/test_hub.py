"""The settings of a hub that `autograder hub` writes; a real JupyterHub takes them where there is
one."""

import os
import pwd
import shlex
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest
from traitlets.config import PyFileConfigLoader

from autograder.__main__ import main


def loaded(path):
    return PyFileConfigLoader(path.name, path=str(path.parent)).load_config()


def test_the_files_say_what_was_asked_for(tmp_path, capsys):
    out, results = tmp_path / "it's", tmp_path / "OUT"
    words = ["hub", "--out", str(out), "--teacher", "ada", "--results", str(results)]
    assert main([*words, "--course", "kafka26", "--exchange", "/srv/x"]) == 0
    hub, own = loaded(out / "jupyterhub_config.py"), loaded(out / "teacher/nbgrader_config.py")
    assert hub.Authenticator.admin_users == {"ada"}
    me = pwd.getpwuid(os.getuid())
    spawner = SimpleNamespace(user=SimpleNamespace(name=me.pw_name))
    assert hub.Spawner.environment["PYTHONPATH"](spawner) == f"{me.pw_dir}/kafka26"
    assert hub.Spawner.environment["PATH"].startswith(f"{sys.prefix}/bin:")
    nbgrader = loaded(out / "nbgrader_config.py")
    assert (nbgrader.CourseDirectory.course_id, nbgrader.Exchange.root) == ("kafka26", "/srv/x")
    assert own.CourseDirectory.root == str(results)
    # a gradebook named for all folders would be opened by `collect`, too, before it is there
    assert "db_url" not in own.CourseDirectory
    said = capsys.readouterr().out
    assert "urlpath=lab%2Ftree%2Fkafka26%2Fnotebooks%2Fmine%2F" in said
    commands = [line for line in said.splitlines() if line.startswith("  install -D")]
    assert all(os.path.isfile(shlex.split(line)[-2]) for line in commands) and len(commands) == 2


@pytest.mark.parametrize(
    ("flag", "value"),
    [("--teacher", "a b"), ("--teacher", "'"), ("--course", "../x"), ("--exchange", "srv")],
)
def test_a_name_that_is_none_is_refused_in_one_sentence(tmp_path, capsys, flag, value):
    words = {"--out": str(tmp_path / "hub"), "--teacher": "ada", "--results": "OUT", flag: value}
    assert main(["hub", *(word for pair in words.items() for word in pair)]) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1 and flag in said.err and not (tmp_path / "hub").exists()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("jupyterhub") is None, reason="needs JupyterHub")
def test_a_real_jupyterhub_knows_every_setting(tmp_path):
    out = tmp_path / "hub"
    assert main(["hub", "--out", str(out), "--teacher", "ada", "--results", str(tmp_path)]) == 0
    shown = subprocess.run(
        ["jupyterhub", "-f", str(out / "jupyterhub_config.py"), "--show-config"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert shown.returncode == 0 and "terminado_settings" in shown.stdout, shown.stderr
    assert "not recognized" not in shown.stderr

"""Writes the settings of a JupyterHub for a class: for the hub, for nbgrader, for the instructor.

    python -m autograder hub --out hub --teacher ada --results OUT

docs/where_people_work.md says where each file goes.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from autograder.gradebook.files import write_atomically

READABLE = 0o644
ON_HUB = '''\
"""A JupyterHub for the course, written by `autograder hub`. Users have accounts and homes here."""

import pwd
import sys
from pathlib import Path

from tornado.web import HTTPError

c = get_config()  # noqa: F821
COURSE = {course!r}  # the folder of the package in each home
TEACHERS = {{{teacher!r}}}


def pulled(spawner):
    """The pulled folder comes before what is installed, for it has the new weeks."""
    return str(home_of(spawner) / COURSE)


def home_of(spawner):
    return Path(pwd.getpwnam(spawner.user.name).pw_dir)


def must_have_a_home(spawner):
    """Tells whoever logs in: without a home the server fails, and the hub names no reason."""
    if not home_of(spawner).is_dir():
        failed = HTTPError(403, f"{{spawner.user.name}} has no home on this machine.")
        failed.jupyterhub_message = f"{{failed.log_message}} Tell your teacher."
        raise failed


c.JupyterHub.bind_url = "http://127.0.0.1:8000"  # a web server with TLS stands before it
c.Authenticator.allow_all = True  # every account of this machine; `allowed_users` names fewer
c.Authenticator.admin_users = TEACHERS
c.Spawner.default_url = "/lab"
c.Spawner.pre_spawn_hook = must_have_a_home
c.Spawner.environment = {{
    "PYTHONPATH": pulled,
    "JUPYTER_PREFER_ENV_PATH": "1",
    "PATH": f"{{sys.prefix}}/bin:/usr/local/bin:/usr/bin:/bin",
}}
# a login shell sets PATH anew, and a terminal would not find the command autograder
c.Spawner.args = ["--ServerApp.terminado_settings={{'shell_command': ['/bin/bash']}}"]
'''
OF_NBGRADER = '''\
"""nbgrader for all users of the hub, written by `autograder hub`."""

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = {course!r}
c.Exchange.root = {exchange!r}
'''
OF_TEACHER = '''\
"""formgrader on the results of the class, written by `autograder hub` for the instructor."""

c = get_config()  # noqa: F821
c.CourseDirectory.root = {results!r}  # with its gradebook; --CourseDirectory.root names another
'''
STEPS = """\
{out} has the settings of the hub. As root, where the hub's Python is ENVIRONMENT/bin/python:
  install -d -m 0777 {exchange}
  install -D -m 0644 {out}/nbgrader_config.py ENVIRONMENT/etc/jupyter/nbgrader_config.py
  ENVIRONMENT/bin/jupyterhub -f {out}/jupyterhub_config.py
As {teacher}, for formgrader on {results}, which has to lie in the home of {teacher}:
  install -D -m 0600 {out}/teacher/nbgrader_config.py ~/.jupyter/nbgrader_config.py
The link for students, with your own hub and repository; they work in a copy of their own:
  https://HUB/hub/user-redirect/git-pull?repo=https%3A%2F%2FHOST%2FOWNER%2F{course}&branch=main&urlpath=lab%2Ftree%2F{course}%2Fnotebooks%2Fmine%2F"""


def write_hub(out: Path, course: str, teacher: str, exchange: str, results: Path) -> str:
    """Write the settings into `out` and return what to do with them. ValueError, with a sentence,
    for a name that a folder or an account cannot have."""
    for what, name in (("course", course), ("teacher", teacher)):
        if not re.fullmatch(r"[A-Za-z0-9_][\w.-]*", name, re.ASCII):
            raise ValueError(f"--{what} is a name of letters and digits, not {name!r}.")
    if not Path(exchange).is_absolute():
        raise ValueError(
            f"--exchange is a whole path such as /srv/nbgrader/exchange: {exchange!r}."
        )
    told = {
        "course": course,
        "teacher": teacher,
        "exchange": exchange,
        "results": str(results.absolute()),
    }
    for name, text in (
        ("jupyterhub_config.py", ON_HUB),
        ("nbgrader_config.py", OF_NBGRADER),
        ("teacher/nbgrader_config.py", OF_TEACHER),
    ):
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.format(**told), mode=READABLE)
    quoted = {name: shlex.quote(text) for name, text in told.items()}
    return STEPS.format(out=shlex.quote(str(out.absolute())), **quoted)

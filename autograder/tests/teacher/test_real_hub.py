"""A week on a real JupyterHub: an instructor and two students, from the link to the feedback.

The hub, its proxy and the students' environment are made anew, the accounts belong to this machine,
and students log in, pull, answer and check in a real Chromium.
"""

import json
import os
import re
import secrets
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from autograder.course.references import write_solution
from autograder.proving.browser import (
    CHROMIUM_FLAGS,
    FAILED_CELLS,
    IS_OPEN,
    ROOT,
    RUN_ALL_CELLS,
    WAIT_FOR_KERNEL,
    answers,
    find_chromium,
)

HOMELESS = "hub-cyd"
TEACHER, ANN, BOB = USERS = ("hub-ada", "hub-ann", "hub-bob")
COURSE = "kafka"
CHAPTER = "03_consumer_connections"
MINE = f"{COURSE}/notebooks/mine/{CHAPTER}/{CHAPTER}.ipynb"
PATIENCE_MS = 300_000  # the first look at a folder, Spark's first cell


def open_to_all(program: str) -> bool:
    """Whether every account of this machine can run it."""
    path = Path(program).resolve()
    return path.is_file() and all(each.stat().st_mode & 0o001 for each in (path, *path.parents))


PYTHON = next(
    filter(open_to_all, (sys.executable, "/usr/local/bin/python3", "/usr/bin/python3")), ""
)
MISSING = [
    *(tool for tool in ("npm", "git", "useradd", "chpasswd", "runuser") if not shutil.which(tool)),
    *["Chromium"] * (find_chromium() is None),
    *["a Python that every account can run"] * (not PYTHON),
    *["an account of root"] * (not hasattr(os, "geteuid") or os.geteuid() != 0),
]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"a real hub needs {', '.join(MISSING)}"),
]
ANSWER = """answers => {
    let filled = 0;
    for (const cell of window.jupyterapp.shell.currentWidget.content.widgets) {
        const id = cell.model.getMetadata('nbgrader')?.grade_id;
        if (id in answers) { cell.model.sharedModel.setSource(answers[id]); filled += 1; }
    }
    return filled;
}"""
SEEN_BY_TESTS = 'c.Spawner.args += ["--LabApp.expose_app_in_browser=True"]\n'
SAVE = "() => window.jupyterapp.shell.currentWidget.context.save()"
OUTPUTS = """() => window.jupyterapp.shell.currentWidget.content.widgets
    .filter(cell => cell.model.type === 'code')
    .flatMap(cell => cell.model.outputs.toJSON())
    .map(output => output.text ?? output.data?.['text/plain'] ?? '').flat().join('\\n')"""
TYPE_IN_TERMINAL = """async ([root, line]) => {
    const cookie = document.cookie.split('; ').find(each => each.startsWith('_xsrf='));
    const made = await fetch(`${root}api/terminals`, {
        method: 'POST', headers: {'X-XSRFToken': cookie?.slice('_xsrf='.length) ?? ''}});
    const {name} = await made.json();
    const socket = new WebSocket(
        `${root.replace('http', 'ws')}terminals/websocket/${name}`);
    let said = '';
    return await new Promise((done, failed) => {
        socket.onerror = () => failed(new Error('the terminal does not answer'));
        socket.onmessage = ({data}) => {
            const [kind, text] = JSON.parse(data);
            if (kind === 'setup') socket.send(JSON.stringify(['stdin', `${line}; exit\\r`]));
            if (kind === 'stdout') said += text;
            if (kind === 'disconnect') done(said);
        };
    });
}"""


def run(*words, user=None, cwd=None, env=None, fails=False) -> str:
    """What a command said; `user`: in that user's own home and name."""
    if user:
        words = ("runuser", "-u", user, "--", *words)
        env = {"HOME": f"/home/{user}", "PATH": os.environ["PATH"], **(env or {})}
    ended = subprocess.run(
        [str(word) for word in words],
        cwd=cwd or (f"/home/{user}" if user else None),
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert fails or ended.returncode == 0, f"{words}: {ended.stdout[-3000:]}"
    return ended.stdout


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def accounts():
    """Three accounts with closed homes, as the page before Monday asks for, and one without
    a home; the password of each by name."""
    passwords = {user: secrets.token_urlsafe(12) for user in (*USERS, HOMELESS)}
    try:
        for user, password in passwords.items():
            run("useradd", "-M" if user == HOMELESS else "-m", "-s", "/bin/bash", user)
            if user != HOMELESS:
                run("chmod", "0700", f"/home/{user}")
            subprocess.run(["chpasswd"], input=f"{user}:{password}", text=True, check=True)
        yield passwords
    finally:
        for user in passwords:
            run("pkill", "-KILL", "-u", user, fails=True)
            run("userdel", "-r", user, fails=True)


def listens(port: int) -> bool:
    """Whether something takes connections at a port of this machine within ten seconds."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.1)
    return False


@contextmanager
def started(words, cwd, is_up, **options):
    """A server that runs until the block ends; `is_up` waits for it and says whether it answers."""
    with (cwd / "server.txt").open("a", encoding="utf-8") as said:
        server = subprocess.Popen(
            [str(word) for word in words], cwd=cwd, stdout=said, stderr=said, **options
        )
    try:
        assert is_up(server), (cwd / "server.txt").read_text(encoding="utf-8")[-3000:]
        yield
    finally:
        server.terminate()
        server.wait(timeout=60)


class Week:
    """The machine of the class: the environment of the hub, the repository of the package."""

    def __init__(self, folder: Path, secret: str):
        self.folder, self.secret = folder, secret
        self.environment = folder / "environment"
        self.exchange, self.results = folder / "exchange", Path(f"/home/{TEACHER}/OUT")
        self.port, self.git_port = free_port(), free_port()
        self.address = f"http://127.0.0.1:{self.port}"

    def autograder(self, *words) -> str:
        """What a command of the instructor's own machine says."""
        told = {**os.environ, "AUTOGRADER_SECRET": self.secret, "PYTHONPATH": str(ROOT)}
        return run(sys.executable, "-m", "autograder", *words, cwd=self.folder, env=told)

    def make_environment(self) -> None:
        run(PYTHON, "-m", "venv", self.environment)
        pip = [self.environment / "bin/python", "-m", "pip", "install", "--quiet"]
        package = self.folder / "week"
        run(
            *(*pip, "--constraint", package / "constraints.txt", f"{package}[learn,spark]"),
            *("jupyterhub", "nbgitpuller", "nbgrader"),
        )
        run("npm", "install", "--silent", "configurable-http-proxy", cwd=self.folder)

    def publish(self, *chapters) -> None:
        """Put the package with these chapters into the repository that students pull."""
        shutil.rmtree(self.folder / "week", ignore_errors=True)
        self.autograder("github", *chapters, "--out", self.folder / "week")
        bare = self.folder / "git" / f"{COURSE}.git"
        work = self.folder / "repository"
        if not bare.exists():
            run("git", "init", "--quiet", "--bare", "-b", "main", bare)
            run("git", "init", "--quiet", "-b", "main", work)
        shutil.copytree(self.folder / "week", work, dirs_exist_ok=True)
        git = ("git", "-C", work, "-c", "user.name=ada", "-c", "user.email=ada@example.org")
        run(*git, "add", "--all")
        run(*git, "commit", "--quiet", "-m", f"Chapters {', '.join(chapters)}")
        run(*git, "push", "--quiet", bare, "main")

    def settle(self) -> None:
        """What `hub` writes, put where it says."""
        said = self.autograder(
            *("hub", "--out", self.folder / "hub", "--teacher", TEACHER),
            *("--exchange", self.exchange, "--results", self.results),
        )
        for line in said.replace("ENVIRONMENT", str(self.environment)).splitlines():
            if line.startswith("  install"):
                own = "~" in line
                words = shlex.split(line.replace("~", f"/home/{TEACHER}"))
                run(*words)
                if own:
                    run("chown", "-R", f"{TEACHER}:", f"/home/{TEACHER}")

    @contextmanager
    def open(self):
        """The hub and the repository, as servers of this machine."""
        path = f"{self.folder}/node_modules/.bin:{self.environment}/bin:{os.environ['PATH']}"
        hub_port, proxy_port = free_port(), free_port()
        with ExitStack() as servers:
            git = self.folder / "git"
            served = (
                *("git", "daemon", "--export-all", f"--base-path={git}", "--listen=127.0.0.1"),
                f"--port={self.git_port}",
            )
            servers.enter_context(started(served, git, lambda server: listens(self.git_port)))
            settings = self.folder / "hub/jupyterhub_config.py"
            with settings.open("a", encoding="utf-8") as more:
                more.write(SEEN_BY_TESTS)
            hub = (
                *(self.environment / "bin/jupyterhub", "-f", settings),
                f"--JupyterHub.bind_url={self.address}",
                f"--JupyterHub.hub_bind_url=http://127.0.0.1:{hub_port}",
                f"--ConfigurableHTTPProxy.api_url=http://127.0.0.1:{proxy_port}",
            )
            where = self.folder / "running"
            where.mkdir(mode=0o700)
            told = {**os.environ, "PATH": path}
            told.pop("PYTHONPATH", None)
            login = f"{self.address}/hub/login"
            servers.enter_context(
                started(hub, where, lambda server: answers(login, server, 120), env=told)
            )
            yield

    @property
    def link(self) -> str:
        """The link that students get."""
        repository = quote(f"git://127.0.0.1:{self.git_port}/{COURSE}.git", safe="")
        return (
            f"{self.address}/hub/user-redirect/git-pull?repo={repository}&branch=main"
            f"&targetpath={COURSE}&urlpath={quote(f'lab/tree/{MINE}', safe='')}"
        )


def log_in(page, week: Week, name: str, password: str) -> None:
    page.goto(f"{week.address}/hub/login")
    page.fill("input[name=username]", name)
    page.fill("input[name=password]", password)
    page.click("#login_submit")


class Person:
    """One user in a browser of their own."""

    def __init__(self, browser, week: Week, name: str, password: str):
        self.week, self.name = week, name
        self.root = f"{week.address}/user/{name}/"
        self.page = browser.new_context().new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        log_in(self.page, week, name, password)
        self.page.wait_for_url(f"**/user/{name}/**")

    def follow_link(self) -> None:
        """Pull what is new; the student's own copy opens."""
        self.page.goto(self.week.link)
        self.page.wait_for_url("**/lab/tree/**")
        self.page.wait_for_function(IS_OPEN, arg=MINE)
        self.page.evaluate(WAIT_FOR_KERNEL)

    def work(self, answered: dict[str, str]) -> str:
        """Write answers, run all cells, save; what the cells printed."""
        assert self.page.evaluate(ANSWER, answered) == len(answered)
        self.page.evaluate(RUN_ALL_CELLS)
        failed = self.page.evaluate(FAILED_CELLS)
        said = self.page.evaluate(OUTPUTS)
        self.page.evaluate(SAVE)
        return "\n".join([said, *failed])

    def type(self, line: str) -> str:
        """What a terminal of the hub says to a line."""
        return self.page.evaluate(TYPE_IN_TERMINAL, [self.root, line])


@pytest.fixture
def place():
    """A folder that all accounts may enter, for they share the environment in it."""
    with tempfile.TemporaryDirectory(prefix="hub-", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def answers_of(chapter: str, folder: Path) -> dict[str, str]:
    """The sources of the answer cells of a solved notebook by nbgrader's id."""
    solved = folder / "solved.ipynb"
    write_solution(chapter, solved)
    return {
        cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["source"])
        for cell in json.loads(solved.read_text(encoding="utf-8"))["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution")
    }


def test_a_week_from_the_link_to_the_feedback(place):
    from playwright.sync_api import sync_playwright

    week = Week(place, secrets.token_urlsafe(24))
    week.publish("03")
    week.make_environment()
    with ExitStack() as opened:
        passwords = opened.enter_context(accounts())
        week.settle()
        opened.enter_context(week.open())
        playwright = opened.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_FLAGS)
        ada, ann, bob = (Person(browser, week, user, passwords[user]) for user in USERS)
        whoever_has_no_home_is_told(browser, week, passwords[HOMELESS])
        solved = answers_of("03", place)
        first_only = {"q-03-1": solved["q-03-1"]}
        students_work(ann, bob, solved, first_only)
        nobody_reads_what_is_not_theirs(ann, bob)
        marks = handed_in_and_graded(week, ada, ann, bob)
        assert marks[ANN] > marks[BOB] == 3, marks
        feedback_comes_back(week, ada, ann)
        next_week_loses_nothing(week, ann, solved)
        browser.close()


def whoever_has_no_home_is_told(browser, week, password) -> None:
    page = browser.new_context().new_page()
    log_in(page, week, HOMELESS, password)
    page.get_by_text(f"{HOMELESS} has no home on this machine. Tell your teacher.").wait_for()


def students_work(ann, bob, solved, first_only) -> None:
    """The link opens a copy of one's own, answers are checked there, the terminal knows `pack`."""
    for student, answered in ((ann, solved), (bob, first_only)):
        student.follow_link()
        said = student.work(answered)
        assert "03.1" in said and "right" in said.lower(), said[-2000:]
    assert "Receipt code" in ann.type(f"cd {COURSE} && autograder pack 03")
    assert "Not answered yet: 03.2" in bob.type(f"cd {COURSE} && autograder pack 03")


def nobody_reads_what_is_not_theirs(ann, bob) -> None:
    """Another home, the results, the hub's secrets, the judges: none of them opens."""
    week = ann.week
    for path in (
        f"/home/{bob.name}/{MINE}",
        week.folder / "running/jupyterhub_cookie_secret",
        week.folder / "running/jupyterhub.sqlite",
    ):
        assert "ermission denied" in ann.type(f"cat {path}"), path
    assert "No module named" in ann.type("python -c 'import autograder.course.judges.ch03'")
    assert week.secret not in ann.type(f"env; grep -r {week.secret[:9]} {COURSE} | head")


def handed_in_and_graded(week, ada, ann, bob) -> dict[str, float]:
    """Through nbgrader's exchange and the judge; points by student, as formgrader shows them."""
    teach = Path(f"/home/{TEACHER}/teach")
    run("install", "-d", "-o", TEACHER, teach / "release")
    shutil.copytree(
        week.folder / "repository/notebooks/release" / CHAPTER, teach / "release" / CHAPTER
    )
    run("chown", "-R", f"{TEACHER}:", teach)
    root = f"cd {teach} && nbgrader {{}} {CHAPTER} --CourseDirectory.root=$PWD"
    ada.type(root.format("release_assignment"))
    for student in (ann, bob):
        student.type(f"cd {COURSE}/notebooks/mine && nbgrader submit {CHAPTER}")
    ada.type(root.format("collect"))
    week.autograder("receive", teach / "submitted", "--out", week.results, "--times", "nbgrader")
    week.autograder("grade", teach / "submitted", "--out", week.results)
    run("chown", "-R", f"{TEACHER}:", week.results)
    ada.page.goto(f"{ada.root}formgrader/manage_students")
    marks = {}
    for student in (ann, bob):
        row = ada.page.locator("tr", has_text=student.name)
        row.wait_for()
        marks[student.name] = float(re.search(r"([\d.]+) / [\d.]+", row.inner_text())[1])
    return marks


def feedback_comes_back(week, ada, ann) -> None:
    teach = f"/home/{TEACHER}/teach"
    week.autograder("feedback", week.results, "--nbgrader", teach)
    run("chown", "-R", f"{TEACHER}:", teach, week.results)
    ada.type(f"cd {teach} && nbgrader release_feedback {CHAPTER} --CourseDirectory.root=$PWD")
    fetched = ann.type(f"cd {COURSE}/notebooks/mine && nbgrader fetch_feedback {CHAPTER}; ls -R")
    assert f"{CHAPTER}.html" in fetched, fetched


def next_week_loses_nothing(week, ann, solved) -> None:
    """The same link brings the next chapter, and the answers are still there."""
    week.publish("03", "01")
    ann.follow_link()
    assert "01_log" in ann.type(f"ls {COURSE}/notebooks/mine")
    kept = json.loads(Path(f"/home/{ANN}/{MINE}").read_text(encoding="utf-8"))
    sources = {"".join(cell["source"]) for cell in kept["cells"]}
    assert solved["q-03-1"] in sources

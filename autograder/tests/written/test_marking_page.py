"""The page on which people mark: several at once, nothing lost by a kill, nothing active of a
student's, and nobody without the address."""

import html
import http.client
import json
import re
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import urlencode, urlsplit

import pytest

from autograder.__main__ import main
from autograder.cell.course_folder import HOME
from autograder.course.references import references
from autograder.grade import grade_class
from autograder.proving.browser import CHROMIUM_FLAGS, SCREENSHOTS, find_chromium
from autograder.tests.teacher.test_hostile_pages import HARMLESS, HOSTILE, Shape
from autograder.tests.teaching import GOOD, POOR, book, teach, use_rubric
from autograder.written import queue_log
from autograder.written.marking_page import STALE, Seats
from autograder.written.queue import Queue
from autograder.written.queue_log import FILE, read_log

pytestmark = pytest.mark.usefixtures("kept_staff")
ACTIVE = "<script>window.ran = 1</script><img src=x onerror=window.ran=2> fetch"
ANSWERS = (*GOOD, *POOR, GOOD[0], ACTIVE)

LISTS = "mark li option details summary ul kbd".split()
"""Tags of which there are more where more is found, written or alike."""


@pytest.fixture
def out(hand_in, tmp_path, monkeypatch):
    use_rubric(monkeypatch)
    return teach(hand_in, tmp_path, ANSWERS)


@contextmanager
def served(out, *words):
    """The command in a process of its own; yields (the address, the process)."""
    command = [sys.executable, "-m", "autograder", "review", str(out), "--page", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=HOME)
    try:
        process.stdout.readline()
        yield process.stdout.readline().strip(), process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@contextmanager
def server(out, **settings):
    """The same in a thread of this process; yields the address."""
    import asyncio

    from tornado.httpserver import HTTPServer
    from tornado.netutil import bind_sockets

    seats = Seats(out, None, **settings)
    [socket] = bind_sockets(0, "127.0.0.1")
    loop = asyncio.new_event_loop()

    async def begin():
        HTTPServer(seats.application()).add_sockets([socket])

    def run():
        asyncio.set_event_loop(loop)
        loop.run_until_complete(begin())
        loop.run_forever()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield f"http://127.0.0.1:{socket.getsockname()[1]}/{seats.token}/"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        seats.close()
        socket.close()
        loop.close()


def ask(address, method="GET", query="", body=None, **headers):
    """(status, headers, text) of one request."""
    parts = urlsplit(address)
    line = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
    try:
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        line.request(method, parts.path + query, body, headers)
        reply = line.getresponse()
        return reply.status, reply.headers, reply.read().decode()
    finally:
        line.close()


class Marker:
    """Somebody with the page open: what it shows, and a key pressed on it as it is shown."""

    def __init__(self, address, name, question="90.open"):
        self.address = address
        self.query = "?" + urlencode({"question": question, "marker": name})
        self.look()

    def look(self):
        status, _, self.page = ask(self.address, query=self.query)
        assert status == 200, self.page
        return self

    def press(self, key, comment=None):
        comment = self.field("comment") if comment is None else comment
        body = urlencode({"key": key, "comment": comment, "step": self.field("step")})
        status, headers, told = ask(self.address, "POST", self.query, body)
        assert status == 303 and headers["Location"] == self.query, told
        return self.look()

    def field(self, name):
        found = re.search(rf'name="{name}" value="([^"]*)"', self.page)
        return html.unescape(found[1]) if found else ""

    @property
    def said(self):
        return html.unescape(re.search(r'role="status">(.*?)</p>', self.page, re.DOTALL)[1])

    @property
    def answer(self):
        """The answer that is open; None where there is none."""
        found = re.search(r'class="answer" dir="auto">(.*?)</div>', self.page, re.DOTALL)
        return found and html.unescape(re.sub("<[^>]*>", "", found[1])).strip()


def test_a_key_is_a_mark_in_the_gradebook_and_in_the_terminals_log(out):
    with server(out, twice=0) as address:
        tom = Marker(address, "tom")
        assert "0 of 8 marked" in tom.page and "Suggested" in tom.page
        first = tom.answer
        tom.press("3", "Say  why.")
        assert "3 of 4" in tom.said and "The comment is kept." in tom.said and tom.answer != first
        [student] = [name for name, row in book(out).items() if row[3] == "Say why."]
        assert book(out)[student][1:3] == (3.0, 0)
        tom.press("u")
        assert tom.answer == first and book(out)[student][1:3] == (None, 1)
        assert tom.field("comment") == "Say why."
        tom.press("q")
        assert tom.answer is None and "0 of 8 answers have a mark" in tom.page
        assert tom.press("3").answer is None and tom.press("g").answer
    with Queue(out, "90.open", marker="tom", twice=0) as queue:
        assert queue.bank() == ["Say why."] and queue.others == []
    assert [act["act"] for act in read_log(out)] == ["comment", "first", "undo"]
    assert {act["marker"] for act in read_log(out)} == {"tom"}


def test_the_evidence_is_marked_with_the_number_of_its_idea(out):
    with server(out, twice=0) as address:
        tom = Marker(address, "tom")
        while tom.answer not in GOOD:
            tom.press("n")
        ideas = re.findall(r"<li><span[^>]*>\+</span> (.*?)</li>", tom.page)
        numbers = re.findall(r'<mark data-ideas="([\d ]+)">(.*?)</mark>', tom.page)
        assert len(ideas) >= 3 and {number for number, _ in numbers} <= set("1234")
        assert ("3", "fetch") in numbers
        assert "<mark" not in tom.press("h").page and "kept back" in tom.page


@pytest.mark.corpus
def test_the_model_answer_and_a_group_are_named(hand_in, tmp_path, monkeypatch):
    use_rubric(monkeypatch)
    model = references("90")["90.open"]
    out = teach(hand_in, tmp_path, (model, f"{model} Yes.", f"{model} That is all."))
    with server(out, twice=0) as address:
        tom = Marker(address, "tom")
        while tom.answer != model:
            tom.press("n")
        assert "model answer, word for word" in tom.page
        assert "answers alike: 2" in tom.page and f"{model} Yes.</li>" in html.unescape(tom.page)
        tom.press("4")
        assert "<b>4 of 4 points.</b>" in tom.page and "word for word" not in tom.page


def test_two_markers_never_have_one_answer_and_lose_no_mark(out):
    """Each sees at the next step what the other has done; the terminal marks beside them."""
    with server(out, twice=0) as address, Queue(out, "90.open", marker="kim", twice=0) as kim:
        tom, eva = Marker(address, "tom"), Marker(address, "eva")
        assert len({tom.answer, eva.answer, kim.current.answer.text}) == 3
        assert (
            "tom is marking" in eva.page or "tom and kim" in eva.page or "kim and tom" in eva.page
        )
        seen = []
        while tom.answer or eva.answer:
            for who, mark in ((tom, "3"), (eva, "1")):
                if who.answer:
                    assert tom.answer != eva.answer and who.answer not in seen
                    seen.append(who.answer)
                    before = sum(row[1] is not None for row in book(out).values())
                    who.press(mark)
                    assert f"{before} of 8 marked" not in who.page
        assert len(seen) == 6, "seven texts, and kim has one on her screen"
        kim.mark(2)
        assert tom.press("g").answer is None and "8 of 8 answers have a mark" in tom.page
    assert sorted(row[1] for row in book(out).values()).count(2.0) in (1, 2)
    assert all(row[1] is not None for row in book(out).values())


def test_a_key_for_an_answer_that_is_gone_is_not_used(out):
    """Two tabs of one marker, a key pressed twice, a request sent again."""
    with server(out, twice=0) as address:
        one, other = Marker(address, "tom"), Marker(address, "tom")
        assert one.answer == other.answer
        one.press("3")
        other.press("0")
        assert other.said == STALE and other.answer == one.answer
        assert 0.0 not in {row[1] for row in book(out).values()}
        other.press("0")
        assert 0.0 in {row[1] for row in book(out).values()}


def test_a_comment_of_somebody_else_stays_and_mine_is_shown_again(out, monkeypatch):
    with server(out, twice=0) as address:
        tom = Marker(address, "tom")
        monkeypatch.setattr(queue_log, "RESERVED", -queue_log.RESERVED)
        eva = Marker(address, "eva")
        while eva.answer != tom.answer:
            eva.press("n")
        eva.press("c", "From eva.")
        tom.press("1", "From tom.")
        assert "stays; yours was not written. You wrote: From tom." in tom.said
        assert {row[3] for row in book(out).values()} == {None, "From eva."}


@pytest.mark.corpus
def test_a_class_that_is_graded_again_is_read_again(out, tmp_path, hand_in):
    with server(out, twice=0) as address:
        tom = Marker(address, "tom")
        student = next(
            f"s{number:02}" for number, text in enumerate(ANSWERS, 1) if text.strip() == tom.answer
        )
        changed = "I have thought again: a socket is a socket."
        hand_in(
            f"{student} again", {"90.open": changed}, student=student, folder=tmp_path / "class"
        )
        grade_class(tmp_path / "class", out, say=lambda text: None)
        tom.press("4")
        assert "was graded again" in tom.said and book(out)[student][1] is None
        seen = set()
        while tom.answer:
            seen.add(tom.answer)
            tom.press("2")
        assert changed in seen and book(out)[student][1] == 2.0


def test_what_the_gradebook_refuses_is_told_and_the_page_goes_on(out):
    with server(out, twice=0) as address:
        tom = Marker(address, "tom")
        database = out / "gradebook.db"
        database.rename(out / "away")
        tom.press("3")
        assert "There is no gradebook" in tom.said and "Look whether the mark is there" in tom.said
        (out / "away").rename(database)
        tom.press("3")
        assert "3 of 4" in tom.said and 3.0 in {row[1] for row in book(out).values()}


def test_nobody_without_the_address_and_no_other_host(out):
    with server(out) as address:
        token = urlsplit(address).path.strip("/")
        root = address.removesuffix(f"{token}/")
        for path in ("", token[:-1], f"{token}x/", "%00", f"{token}/../{token}x", "favicon.ico"):
            for method in ("GET", "POST"):
                status, _, text = ask(root + path, method, body="key=4&step=0")
                assert status == 403 and "Take the whole address" in text and "90" not in text
        for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil"):
            for method in ("GET", "POST"):
                status, _, text = ask(address, method, body="", Host=host)
                assert status == 403 and "127.0.0.1 and localhost only" in text
        for host in ("localhost", "localhost:9000", "127.0.0.1"):
            assert ask(address, Host=host)[0] == 200
        status, headers, _ = ask(address)
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'") and "unsafe" not in policy
        assert "http" not in policy and headers["Referrer-Policy"] == "no-referrer"
        assert (
            headers["Cache-Control"] == "no-store" and "Access-Control-Allow-Origin" not in headers
        )
        assert ask(address)[1]["Content-Security-Policy"] != policy, "the nonce is drawn each time"
    assert book(out) and not read_log(out)


def test_bad_requests_get_one_sentence(out):
    with server(out, twice=0) as address:
        for query, said in (
            ("?question=90.1&marker=tom", "it has 90.open"),
            ("?question=../../etc&marker=tom", "it has 90.open"),
            ("?question=90.open", "Write who marks"),
            ("?question=90.open&marker=%20", "Write who marks"),
            (f"?question=90.open&marker={'x' * 41}", "Write who marks"),
            ("?question=90.open&marker=a%E2%80%AEb", "Write who marks"),
        ):
            status, _, text = ask(address, query=query)
            assert status == 400 and said in html.unescape(text) and "Traceback" not in text
            assert ask(address, "POST", query, "key=4&step=0")[0] == 400
        assert ask(address, "POST", body="key=4")[0] == 400
        assert ask(address, query="?question=%ff")[0] == 400
        assert ask(address, "DELETE")[0] == 405
        tom = Marker(address, "tom")
        for key in ("5", "44", "-1", "", "x", "\n", "<b>", "²"):
            tom.press(key)
        assert not read_log(out), "no such key is a mark"
        for step in ("", "x", "99", "-1"):
            body = urlencode({"key": "4", "step": step, "comment": ""})
            assert ask(address, "POST", tom.query, body)[0] == 303
        assert not read_log(out)


def test_the_command_refuses_in_one_sentence(out, tmp_path, capsys):
    assert main(["review", str(out), "90.1", "--page"]) == 2
    assert main(["review", str(tmp_path / "none"), "--page"]) == 2
    assert main(["review", str(out), "--page", "--model", "http://127.0.0.1:9/v1"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 3 and "no answers to 90.1" in told[0] and "no results" in told[1]


@pytest.mark.corpus
def test_no_words_become_markup_of_the_page(hand_in, tmp_path, monkeypatch):
    """As an answer, a comment and a marker's name: each page has the tags of a harmless one."""
    use_rubric(monkeypatch)
    texts = {f"{words} and its words": words for words in (HARMLESS, *HOSTILE)}
    out, shapes = teach(hand_in, tmp_path, tuple(texts)), {}
    with server(out, twice=0) as address:
        for text, words in texts.items():
            marker = Marker(address, words[:40])
            while marker.answer != text:
                marker.press("n")
            marker.press("c", words)
            assert marker.answer == text and marker.field("comment") == words
            page = Shape(marker.page)
            assert page.text.count(words) >= 2, "in the answer and in the note"
            # a tag with attributes is a tuple that begins with its name
            named = ((tag if isinstance(tag, str) else tag[0], tag) for tag in page.tags)
            shapes[words] = [tag for name, tag in named if name.strip("/") not in LISTS]
            marker.press("q")
    assert all(shape == shapes[HARMLESS] for shape in shapes.values())


def test_half_a_line_of_the_log_swallows_no_other(out):
    """What a process that was killed has left; the next marks are read by everybody."""
    with Queue(out, "90.open", marker="tom", twice=0) as tom:
        tom.mark(1)
        whole = (out / FILE).read_bytes()
        (out / FILE).write_bytes(whole + b'{"at": "2026-11-28T10:00:00+00:00", "mar')
        with Queue(out, "90.open", marker="eva", twice=0) as eva:
            eva.mark(2)
            assert [act["mark"] for act in read_log(out)] == [1, 2]
            tom.mark(3)
            assert [act["mark"] for act in eva._log.acts] == [1, 2]
            eva.mark(4)
    assert [act["mark"] for act in read_log(out)] == [1, 2, 3, 4]


@pytest.mark.slow
def test_a_kill_in_the_middle_loses_no_mark_that_was_answered(hand_in, tmp_path, monkeypatch):
    """Three mark at once in a server that is killed; the same command goes on to the end."""
    use_rubric(monkeypatch)
    words = "socket fetch heartbeat leader broker poll group offset record topic".split()
    answers = [
        f"{one} {two} {one} {number}"
        for number, (one, two) in enumerate((one, two) for one in words for two in words[:4])
    ]
    out = teach(hand_in, tmp_path, tuple(answers))
    students = {text: f"s{number:02}" for number, text in enumerate(answers, 1)}
    answered = {}

    def work(who, mark, until):
        try:
            while who.answer and not until(who):
                text = who.answer
                who.press(mark)
                answered[students[text]] = float(mark)
        except (OSError, http.client.HTTPException):
            pass  # the server is gone

    with served(out) as (address, process), ThreadPoolExecutor(3) as crew:
        ended = threading.Event()

        def enough(_):
            if len(answered) >= 12 and not ended.is_set():
                ended.set()
                process.send_signal(signal.SIGKILL)
            return False

        markers = [Marker(address, name) for name in ("tom", "eva", "kim")]
        list(crew.map(work, markers, "123", [enough] * 3))
        assert process.wait() == -signal.SIGKILL
    given = {student: row[1] for student, row in book(out).items() if row[1] is not None}
    assert len(answered) >= 12 and answered.items() <= given.items()
    assert len(given) <= len(answered) + 3, "one on its way from each"
    logged = [json.loads(line) for line in (out / FILE).read_text().splitlines()]
    assert sum("mark" in act for act in logged) >= len(answered)
    with served(out) as (address, process):
        ada = Marker(address, "ada")
        work(ada, "4", lambda who: False)
        while re.search(r'value="0" data-key', ada.page):
            ada.press("4")
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    held = {student for student, row in book(out).items() if row[1] is None}
    assert len(held) <= 3, "what was open at the kill is held for ten minutes"
    assert answered.items() <= {s: r[1] for s, r in book(out).items()}.items()


@pytest.mark.slow
@pytest.mark.skipif(find_chromium() is None, reason="needs Chromium")
def test_two_mark_in_a_browser_with_the_keyboard_alone(hand_in, tmp_path, monkeypatch):
    """In real Chromium, at two widths and in two schemes: nothing of a student's runs, nothing is
    asked of anybody else, nothing scrolls sideways, and everything has a name."""
    from playwright.sync_api import sync_playwright

    use_rubric(monkeypatch)
    long = f"{' '.join(GOOD)}\n\n后发先至的心跳会等待 fetch。{'socket' * 60}\n" * 3
    out = teach(hand_in, tmp_path, (*GOOD, *POOR, long, ACTIVE))
    SCREENSHOTS.mkdir(exist_ok=True)
    asked, told = [], []
    with server(out, twice=0) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_FLAGS)

        def opened(name):
            page = browser.new_context().new_page()
            page.on("request", lambda request: asked.append(request.url))
            page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.dismiss()))
            page.on("console", lambda line: told.append(line.text))
            page.goto(address)
            look_at(page, "begin", 2)
            page.keyboard.type(name)  # its field has the focus
            page.keyboard.press("Enter")
            page.wait_for_selector(".answer")
            return page

        def look_at(page, place, controls):
            papers = set()
            for width in (1280, 420):
                page.set_viewport_size({"width": width, "height": 900})
                for scheme in ("light", "dark"):
                    page.emulate_media(color_scheme=scheme)
                    page.screenshot(path=SCREENSHOTS / f"marking-{place}-{width}-{scheme}.png")
                    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
                    papers.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            names = page.locator("button, input:not([type=hidden]), select, summary").evaluate_all(
                "all => all.map(one => one.ariaLabel || one.innerText.trim())"
            )
            assert len(papers) == 2 and len(names) >= controls and all(names)

        def press(page, key):
            step = page.get_attribute("input[name=step]", "value")
            page.keyboard.press(key)
            page.wait_for_selector(f'input[name=step]:not([value="{step}"])', state="attached")

        tom, eva = opened("tom"), opened("eva")
        while "后发先至" not in tom.inner_text(".answer"):
            press(tom, "n")
        look_at(tom, "answer", 15)
        tom.keyboard.press("c")
        tom.keyboard.type("3 u q: say why.")  # in the field letters are no keys
        press(tom, "Enter")
        assert tom.input_value("[name=comment]") == "3 u q: say why."
        press(tom, "3")
        assert "3 of 4" in tom.inner_text("[role=status]") and "3 of 4" in tom.title()
        press(tom, "u")
        assert tom.inner_text("[role=status]") == "Taken back."
        tom.keyboard.press("w")
        assert tom.locator("details[open] summary").inner_text() == "w the question"
        tom.keyboard.press("Control+3")
        press(eva, "n")
        for _ in range(8):
            for page, key in ((tom, "4"), (eva, "1")):
                if page.locator(".answer").count():
                    assert "ran" not in page.evaluate("Object.keys(window)")
                    press(page, key)
        assert not tom.locator(".answer").count() and not eva.locator(".answer").count()
        look_at(tom, "end", 3)
        tom.go_back()
        assert not tom.locator(".answer").count(), "no page from before comes again"
        browser.close()
    given = [row[1] for row in book(out).values()]
    assert len(given) == 8 and set(given) == {4.0, 1.0}
    assert all(url.startswith(address) for url in asked) and not told


@pytest.mark.slow
@pytest.mark.skipif(find_chromium() is None, reason="needs Chromium")
def test_two_in_a_browser_go_on_after_a_kill(hand_in, tmp_path, monkeypatch):
    """The server is killed while two mark. In the pages that are open the new address goes on: each
    mark that was answered is there once, by who gave it."""
    from playwright.sync_api import Error, sync_playwright

    use_rubric(monkeypatch)
    answers = [f"{text} {word}" for text in (*GOOD, *POOR) for word in ("Once.", "Twice, then.")]
    out = teach(hand_in, tmp_path, tuple(answers))
    keys, given = {"tom": "3", "eva": "1"}, {}

    def begin(page, name):
        page.goto(page.address)
        page.fill("[name=marker]", name)
        page.keyboard.press("Enter")
        page.wait_for_selector(".answer, [data-key=g]")

    def mark(page, name):
        """Whether the answer that is open got its mark."""
        if not page.locator(".answer").count():
            return False
        text = page.inner_text(".answer").strip()
        step = page.get_attribute("input[name=step]", "value")
        page.keyboard.press(keys[name])
        page.wait_for_selector(f'input[name=step]:not([value="{step}"])', state="attached")
        given[text] = float(keys[name])
        return True

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_FLAGS)
        pages = {name: browser.new_context().new_page() for name in keys}
        with served(out) as (address, process):
            for name, page in pages.items():
                page.address = address
                begin(page, name)
            assert all(mark(page, name) for _ in range(2) for name, page in pages.items())
            process.kill()
            process.wait()
            for page in pages.values():
                with pytest.raises(Error):
                    page.set_default_timeout(3_000)
                    mark(page, "tom")
        assert len(given) == 4
        with served(out) as (address, process):
            for name, page in pages.items():
                page.set_default_timeout(60_000)
                page.address = address
                begin(page, name)
            while [name for name, page in pages.items() if mark(page, name)]:
                assert len(given) <= len(answers)
        browser.close()
    students = {text: f"s{number:02}" for number, text in enumerate(answers, 1)}
    there = {student: row[1] for student, row in book(out).items() if row[1] is not None}
    assert there == {students[text]: points for text, points in given.items()}
    assert len(there) >= len(answers) - 2, "what was open at the kill is held for ten minutes"
    logged = [act for act in read_log(out) if "mark" in act]
    assert len(logged) == len(there)
    assert {keys[act["marker"]] for act in logged} == {"1", "3"}
    assert all(str(act["mark"]) == keys[act["marker"]] for act in logged)

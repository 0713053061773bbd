"""The page that plays, in real Chromium with every other host blocked: what it plays, and how."""

from __future__ import annotations

import json
import shutil
import threading
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from autograder.proving.browser import CHROMIUM_FLAGS, find_chromium
from kafkalab.play import tell
from kafkalab.play.command import serving
from kafkalab.play.ready import READY, SETTINGS
from kafkalab.play.site import MEMORY, WHEEL, Unplayable, build, pyodide, remembered, wheel
from kafkalab.play.story import from_address

pytestmark = pytest.mark.slow

NO_OTHER_HOST = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
NO_INTEGRATION = "delete WebAssembly.Suspending; delete WebAssembly.promising;\n"
"""Takes JavaScript Promise Integration away from a worker. Chromium has no switch for that."""
LONGEST_MS = 180_000
"""No test waits for the clock: this ends one that hangs."""


@pytest.fixture(scope="module")
def site_folder(tmp_path_factory):
    """The folder of the page."""
    folder = tmp_path_factory.mktemp("site") / "play"
    try:
        build(folder)
    except Unplayable as error:
        pytest.skip(f"the page cannot be built here: {error}")
    return folder


@pytest.fixture(scope="module")
def address(site_folder):
    """The address of the page, served from 127.0.0.1."""
    with serving(site_folder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Visitor:
    """A browser that opens the page and counts what it asks of other hosts."""

    def __init__(self, browser, address):
        self.browser, self.address = browser, address
        self.others, self.before_worker, self.parts = [], "", ""

    def open(self, fragment="", width=1280, scheme="light"):
        context = self.browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        page = context.new_page()
        page.set_default_timeout(LONGEST_MS)
        page.on("request", self._note)
        if self.before_worker:
            page.route("**/worker.js", self._change)
        if self.parts:
            script = {"body": self.parts, "content_type": "text/javascript"}
            page.route("**/parts.js", lambda route: route.fulfill(**script))
        page.goto(self.address + fragment)
        rest(page)
        return page

    def _change(self, route):
        answer = route.fetch()
        route.fulfill(response=answer, body=self.before_worker + answer.text())

    def _note(self, request):
        if urlsplit(request.url).scheme not in ("data", "blob"):
            own = request.url.startswith(self.address)
            self.others += [] if own else [request.url]


@pytest.fixture(scope="module")
def launch(address):
    """A function that starts a Chromium and gives its Visitor."""
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("needs Chromium (Debian, Ubuntu: apt install chromium)")
    from playwright.sync_api import sync_playwright

    with ExitStack() as open_now:
        playwright = open_now.enter_context(sync_playwright())

        def start():
            browser = playwright.chromium.launch(
                executable_path=chromium, args=[*CHROMIUM_FLAGS, NO_OTHER_HOST]
            )
            open_now.callback(browser.close)
            return Visitor(browser, address)

        yield start


@pytest.fixture(scope="module")
def visitor(launch):
    return launch()


def rest(page):
    """Wait until the page runs nothing."""
    page.wait_for_selector("main[aria-busy=false]")


def ask(page, what, **more):
    return page.evaluate(
        "([what, more]) => window.kafkalab.simulator.ask(what, more)", [what, more]
    )


def own_digest(settings):
    """What CPython writes in the same story."""
    return tell(**settings).lab.journal.digest()


def text(page, selector):
    return page.inner_text(selector)


def test_every_ready_story_writes_the_bytes_of_cpython(visitor):
    page = visitor.open("#story=02")
    for chapter, settings in SETTINGS.items():
        if chapter != "02":
            page.click(f"#ready a[href='#story={chapter}']")
            page.wait_for_selector(f"#ready a[href='#story={chapter}'][aria-current]")
            rest(page)
        assert text(page, "#look") == READY[chapter].look
        told = ask(page, "digest")
        assert told[0] == own_digest(settings), chapter
        if "beside" in settings:
            assert told[1] == own_digest({**settings, "client": settings["beside"]})
        assert page.locator("#sides svg").count() >= 1
        assert page.get_attribute("#alarm", "hidden") is not None
    assert visitor.others == []


MIXED = (
    {
        "client": "2.1",
        "broker": "2.3",
        "replicas": 3,
        "members": 3,
        "producers": 2,
        "apart_s": 3,
        "seconds": 25,
        "consumer": ["session.timeout.ms=6000"],
        "faults": ["6 crash 1 5", "9 pause member-2 8", "12 kill member-1", "15 cut shop-2 0 4"],
    },
    {
        "client": "2.8",
        "members": 4,
        "partitions": 6,
        "seconds": 30,
        "work_ms": 40,
        "assignor": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
        "faults": ["10 kill shop-1", "12.5 freeze 2 6", "20 full-disk 0 3"],
    },
    {
        "client": "4.4",
        "protocol": "consumer",
        "replicas": 3,
        "members": 3,
        "producers": 3,
        "seconds": 30,
        "faults": [
            "8 stop 0 5",
            "10 pause shop-3 2",
            "14 lose-answer shop-1 1",
            "18 kill member-3",
        ],
    },
    {
        "client": "3.9",
        "in_transaction": 4,
        "producers": 2,
        "members": 1,
        "consumer": ["isolation.level=read_committed"],
        "producer": ["transaction.timeout.ms=8000"],
        "seconds": 25,
        "faults": ["6 kill shop-1"],
    },
    {"client": "2.3", "broker": "4.4", "acks": "0", "members": 0, "faults": ["0 kill shop-1"]},
)


def test_programs_that_are_paused_and_killed_write_the_bytes_of_cpython(visitor):
    page = visitor.open("#story=02")
    for settings in MIXED:
        ask(page, "run", story=settings)
        assert ask(page, "digest") == [own_digest(settings)], settings


def test_a_link_that_is_shared_opens_the_same_story(visitor):
    page = visitor.open("#story=05")
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    page.select_option("[name=client]", "4.4")
    page.fill("[name=members]", "1")
    page.fill("[name=acks]", "all")
    page.fill("[name=seconds]", "20")
    page.click("text=Add a fault")
    last = page.locator(".fault").last
    last.locator("select").select_option("cut")
    last.get_by_label("at second").fill("4.5")
    last.locator("input[list=programs]").fill("member-1")
    last.get_by_label("broker", exact=True).fill("2")
    last.get_by_label("for seconds").fill("3")
    page.click("#run")
    page.wait_for_selector("main[aria-busy=true]", state="attached")
    rest(page)
    fragment = urlsplit(page.url).fragment
    story = from_address(fragment, SETTINGS)
    assert story.acks == "all" and story.faults[-1] == "4.5 cut member-1 2 3"
    told = ask(page, "digest")
    other = visitor.open(f"#{fragment}")
    assert ask(other, "digest") == told == [own_digest(story.given())]
    assert other.input_value("[name=acks]") == "all"
    assert other.locator(".fault").count() == 4
    cell = {}
    exec(text(other, "#cell").partition("timeline(told.lab)")[0], cell)
    assert cell["told"].lab.journal.digest() == told[0]
    other.go_back()
    assert visitor.others == []


def test_a_story_runs_and_a_cause_is_found_with_the_keyboard_alone(visitor):
    page = visitor.open("#story=08")

    def tab_to(selector):
        for _ in range(120):
            page.keyboard.press("Tab")
            if page.evaluate("(want) => document.activeElement?.matches(want)", selector):
                return
        raise AssertionError(f"Tab does not reach {selector}")

    page.focus("#skip")
    tab_to("#run")
    page.keyboard.press("Enter")
    page.wait_for_selector("#status:has-text('Done')")
    rest(page)
    tab_to("#sides svg .item")
    first = page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    second = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert first != second and second
    page.keyboard.press("Enter")
    page.wait_for_selector("#cause:not([hidden]) li")
    chain = page.locator("#cause li").all_inner_texts()
    assert "new Kafka" in chain[0] or "poll(" in chain[0] or "send(" in chain[0]
    page.keyboard.press("Escape")
    assert not page.is_visible("#cause")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == second
    tab_to("#lines .line")
    page.keyboard.press("Enter")
    page.wait_for_selector("#cause:not([hidden]) li")


NAMED = {"button", "link", "textbox", "combobox", "spinbutton", "searchbox", "form", "region"}
"""Roles that a screen reader says with a name."""


def test_a_screen_reader_hears_a_name_for_everything(visitor):
    page = visitor.open("#in_transaction=3&records=20&members=1&seconds=10&faults=6+kill+shop-1")
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    heard = [
        (each["role"]["value"], each.get("name", {}).get("value", "").strip())
        for each in tree
        if not each["ignored"]
    ]
    assert [role for role, name in heard if role in NAMED and not name] == []
    for role, name in (
        ("heading", "Transactions"),
        ("group", "Transactions. Arrow keys move, Enter shows the cause."),
        ("spinbutton", "records in one transaction"),
        ("button", "shop-1: kill -9 at 6.0 s"),
    ):
        assert any(role == one and name in other for one, other in heard), name
    bars = [name for role, name in heard if role == "button" and name.startswith("shop-1 at its")]
    assert bars and all(" is " in name and " from " in name for name in bars)
    assert any("CompleteCommit, epoch 0" in name for name in bars)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_screen_scrolls_only_up_and_down(visitor, scheme):
    page = visitor.open("#story=06", width=420, scheme=scheme)
    for chapter in ("06", "08"):
        if chapter != "06":
            page.click(f"#ready a[href='#story={chapter}']")
            page.wait_for_selector(f"#ready a[href='#story={chapter}'][aria-current]")
            rest(page)
        page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") == 420
        assert page.evaluate(
            "[...document.querySelectorAll('#sides svg')].every(each => each.clientWidth <= 400)"
        )


def test_the_page_stays_alive_while_a_story_runs_and_stops_it(visitor):
    page = visitor.open("#story=02")
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    for name, value in {"members": 8, "producers": 4, "seconds": 3600, "records": 20_000}.items():
        page.fill(f"[name={name}]", str(value))
    page.click("#run")
    page.wait_for_selector("#status:has-text('events')")
    assert page.is_enabled("#stop") and not page.is_enabled("#run")
    page.fill("[name=seconds]", "30")  # the form hears while the story runs
    page.click("#stop")
    page.wait_for_selector("#status:has-text('Stopped')")
    page.click("#ready a[href='#story=16']")
    page.wait_for_selector("#status:has-text('Done: 25 s')")
    assert ask(page, "digest") == [own_digest(SETTINGS["16"])]


def test_another_story_ends_the_one_that_runs(visitor):
    page = visitor.open("#story=02")
    page.evaluate(
        "location.hash = '#members=6&seconds=3600&records=20000'; "
        "setTimeout(() => { location.hash = '#story=16'; }, 0)"
    )
    page.wait_for_selector("#status:has-text('Done: 25 s')")
    rest(page)
    assert ask(page, "digest") == [own_digest(SETTINGS["16"])]


def test_a_story_that_runs_away_is_stopped_and_shown(visitor):
    page = visitor.open("#members=8&producers=4&records=20000&every_ms=1&seconds=3600")
    page.wait_for_selector("text=The story was stopped at")
    rest(page)
    assert page.locator("#sides svg").count() >= 1


def test_bad_input_gets_a_sentence(visitor):
    page = visitor.open("#client=0.8&members=2")
    assert "could not be read: client is one of 2.1" in text(page, "#alarm")
    assert "default story" in text(page, "#alarm")
    page.wait_for_selector("#status:has-text('Done: 60 s')")
    page = visitor.open("#acks=lots")
    assert text(page, "#alarm").startswith("ConfigException: Invalid value lots")
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    page.fill("[name=acks]", "1")
    page.fill("[name=seconds]", "5")
    page.click("#run")
    page.wait_for_selector("#status:has-text('Done: 5 s')")
    assert not page.is_visible("#alarm")


def test_a_filter_shows_the_lines_with_its_words(visitor):
    page = visitor.open("#story=08")
    page.fill("#filter [name=words]", "revoke")
    page.wait_for_selector("#lines .line:has-text('Revoke')")
    page.wait_for_selector("#lines .line:has-text('Kafka version')", state="detached")
    page.select_option("#filter [name=who]", "member-1")
    page.wait_for_selector("#lines .line:has-text('member-3 ')", state="detached")
    assert all("revoke" in each.lower() for each in page.locator("#lines .line").all_inner_texts())


def test_a_page_without_the_memory_imports_the_wheel(launch):
    """Where node was not there when the page was built."""
    visitor = launch()
    visitor.parts = f'export const WHEEL = "{WHEEL}", MEMORY = "", BYTES = 0;'
    page = visitor.open("#story=08")
    assert ask(page, "digest") == [own_digest(SETTINGS["08"])]


def test_the_memory_has_the_same_bytes_wherever_it_is_made(address, site_folder, tmp_path):
    there = (site_folder / MEMORY).read_bytes()
    again = tmp_path / "another place" / "python"
    shutil.copytree(pyodide(), again)
    assert remembered(wheel(), again) == there != b""


def test_a_browser_without_promise_integration_plays_stories_of_one_program(launch):
    visitor = launch()
    visitor.before_worker = NO_INTEGRATION
    page = visitor.open("#story=03")
    assert "no JavaScript Promise Integration" in text(page, "#apps")
    assert ask(page, "digest") == [own_digest(SETTINGS["03"])]
    page.click("#ready a[href='#story=07']")
    page.wait_for_selector("#status:has-text('Refused')")
    assert "5 programs" in text(page, "#alarm") and "Stories of one program" in text(page, "#alarm")
    for chapter in ("02", "05", "06"):
        page.click(f"#ready a[href='#story={chapter}']")
        page.wait_for_selector(f"#ready a[href='#story={chapter}'][aria-current]")
        rest(page)
        assert ask(page, "digest")[0] == own_digest(SETTINGS[chapter])
    assert json.dumps(visitor.others) == "[]"

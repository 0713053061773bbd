"""Checks a moving picture: its moments and switches, its still, and what a page gets of it."""

from __future__ import annotations

import json
import threading
from types import SimpleNamespace

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

from kafkalab.errors import IllegalArgumentException
from kafkalab.tests.views.fake_lab import first_poll
from kafkalab.tests.views.test_views import assert_texts_inside_and_apart, small_group
from kafkalab.views import Cells, cluster_map, moving, timeline
from kafkalab.views.moving import Soon

CELL = """
from kafkalab.tests.views.fake_lab import first_poll
from kafkalab.views import moving, timeline
lab = first_poll()
moving(lambda at_ms, all_of_it: timeline(lab, to_ms=at_ms), at=range(0, 601, 100), all_of_it=True)
"""


def picture_of(**switches):
    lab = first_poll()

    def draw(at_ms, **chosen):
        return timeline(lab, to_ms=at_ms, title=f"{at_ms} {chosen}")

    return moving(draw, at=range(0, 1_001, 250), **switches)


def test_each_moment_and_switch_is_drawn_once_and_as_asked():
    picture = picture_of(side=["left", "right"], flag=False)
    assert picture.still.alt.endswith("1000 {'side': 'left', 'flag': False}.")
    assert (
        "250 {'side': 'right', 'flag': True}" in picture.picture(250, side="right", flag=True).alt
    )
    assert picture.picture(250) is picture.picture(250)
    assert "Run this cell in JupyterLab or VS Code" in repr(picture) and "node -1" in repr(picture)


@pytest.mark.parametrize(
    "asked, sentence",
    [
        ({"colour": "red"}, "has no switch 'colour'; it has side"),
        ({"side": "top"}, "side is one of 'left', 'right', not 'top'"),
    ],
)
def test_a_choice_that_there_is_not_gets_a_sentence(asked, sentence):
    with pytest.raises(IllegalArgumentException, match=sentence):
        picture_of(side=["left", "right"]).picture(250, **asked)


def test_what_cannot_move_gets_a_sentence():
    with pytest.raises(IllegalArgumentException, match="at most 400 moments, not 1000"):
        moving(lambda at_ms: None, at=range(1_000))
    with pytest.raises(IllegalArgumentException, match="the still is one of the moments"):
        moving(lambda at_ms: None, at=range(10), still=11)
    with pytest.raises(IllegalArgumentException, match="the switch side has no choices"):
        moving(lambda side: None, side=[])


def test_a_slider_a_box_and_a_click_draw_again():
    buttons = Cells({("a", "x"): ("1", "#fff"), ("a", "y"): ("2", "#fff")})
    lab = first_poll()
    picture = moving(
        lambda at_ms, cell, flag: timeline(lab, to_ms=at_ms, title=f"{at_ms} {cell} {flag}"),
        at=range(0, 1_001, 250),
        cell=buttons,
        flag=True,
    )
    box = picture.widget()
    (_play, slider), table, (flag,), shown = (
        box.children[0].children,
        box.children[1],
        box.children[2].children,
        box.children[3],
    )
    assert "1000 (&#x27;a&#x27;, &#x27;x&#x27;) True" in shown.value
    slider.value = 250
    flag.value = False
    next(each for each in table.children if getattr(each, "description", "") == "2").click()
    assert "250 (&#x27;a&#x27;, &#x27;y&#x27;) False" in shown.value


def test_play_begins_at_the_first_moment_though_the_slider_opens_elsewhere():
    row = picture_of(still=500).widget().children[0]
    play, slider = row.children
    assert slider.index == 2 and play.value == play.max, "its first press begins anew"
    play.value = 0
    assert slider.index == 0
    slider.index = 3
    assert play.value == 3


def test_a_moment_that_cannot_be_drawn_says_so_on_the_page():
    def draw(at_ms):
        if at_ms:
            raise IllegalArgumentException("nothing <there>")
        return timeline(first_poll())

    box = moving(draw, at=[0, 1], still=0).widget()
    box.children[0].children[1].value = 1
    assert box.children[1].value == "<p>This moment cannot be drawn: nothing &lt;there&gt;</p>"


@pytest.mark.corpus
def test_a_notebook_that_is_run_without_a_person_has_the_still_only():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    NotebookClient(notebook, kernel_name="python3").execute()
    (output,) = notebook.cells[0].outputs
    assert {"text/html", "image/png", "text/plain"} <= set(output.data)
    assert "widgets" not in notebook.metadata and "widget" not in json.dumps(list(output.data))
    page, _ = HTMLExporter().from_notebook_node(notebook)
    assert "kafkalab-still" in page and "A still of a moving picture" in page


def test_a_map_shows_brokers_clients_and_what_is_asked():
    lab = small_group()
    lab.broker(2).crash()
    lab.run_for(ms=10)
    picture = cluster_map(lab, room_for=6)
    assert "broker 2" in picture.text and "down" in picture.text and "★orders-0" in picture.text
    assert_texts_inside_and_apart(picture)


def test_what_another_thread_hears_is_done_once_in_the_main_thread(monkeypatch):
    """JupyterLab's widgets speak to a thread of their own; a lab belongs to the main one."""
    queue, done = [], []
    kernel = SimpleNamespace(io_loop=SimpleNamespace(add_callback=queue.append))
    monkeypatch.setattr(
        "IPython.core.getipython.get_ipython", lambda: SimpleNamespace(kernel=kernel)
    )
    soon = Soon(lambda: done.append(threading.current_thread()))
    heard = threading.Thread(target=lambda: [soon(), soon()])
    heard.start()
    heard.join()
    assert (len(queue), done) == (1, [])
    queue.pop()()
    soon()
    assert done == [threading.main_thread()] * 2 and not queue

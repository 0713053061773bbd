"""Presses the buttons of the playground and checks the lab, the picture and the lines of code."""

from __future__ import annotations

import pytest

from kafkalab.stories.playground import playground, share_lab, small_lab


def descriptions(box):
    return [button.description for row in box.children[:2] for button in row.children]


def press(box, words):
    next(b for row in box.children[:2] for b in row.children if b.description == words).click()


@pytest.mark.corpus
def test_a_click_crashes_a_broker_and_the_next_one_starts_it():
    lab = small_lab()
    place = playground(lab)
    box = place.widget()
    assert {"1 s pass", "crash broker 0", "kill ann", "start cyd", "draw"} <= set(descriptions(box))
    press(box, "crash broker 0")
    assert not lab.broker(0).is_up and "start 0" in descriptions(box)
    press(box, "10 s pass")
    assert "broker 0  down" in " ".join(place.picture().text.split("\n")[1].split(" ")).replace(
        "   ", "  "
    )
    press(box, "start 0")
    press(box, "10 s pass")
    assert lab.broker(0).is_up and lab.at(lab.now_ms)["brokers"][0]["alive"]
    assert place.lines == [
        "lab.broker(0).crash()",
        "lab.run_for(ms=10000)",
        "lab.broker(0).restart()",
        "lab.run_for(ms=10000)",
    ]


def test_a_killed_reader_has_no_button_and_a_new_one_joins():
    lab = small_lab()
    place = playground(lab)
    place.press('lab.kill("ann")')
    assert "kill ann" not in place.buttons() and "start cyd" in place.buttons()
    place.press('lab.spawn(order_reader, "cyd", name="cyd")')
    place.press("lab.run_for(ms=10000)")
    place.press("lab.run_for(ms=10000)")
    owners = {
        name: c["assignment"] for name, c in lab.at(lab.now_ms)["clients"].items() if name != "shop"
    }
    assert owners["cyd"] and owners["bob"]


def test_each_view_is_drawn_and_a_notebook_without_a_person_has_the_words():
    place = playground()
    for view in place.views:
        place.view = view
        assert place.picture().text
    assert {"the cluster", "connections", "replicas", "the group"} == set(place.views)
    assert "A still of the playground" in repr(place)


def test_the_same_buttons_give_the_same_picture():
    first, second = playground(), playground()
    for each in (first, second):
        each.press("lab.broker(1).crash()")
        each.press("lab.run_for(ms=1000)")
    assert first.picture().png() == second.picture().png()


@pytest.mark.corpus
def test_a_killed_client_comes_back_as_a_new_process_of_the_same_client():
    place = playground()
    lab = place.lab
    for life in (2, 3):
        place.press(f'lab.kill("{"ann" if life == 2 else "ann-2"}")')
        line = place.buttons()["start ann again"]
        assert line == f'lab.spawn(order_reader, "ann-{life}", name="ann-{life}")'
        place.press(line)
        assert "start ann again" not in place.buttons() and "start cyd" in place.buttons()
        for _ in range(3):
            place.press("lab.run_for(ms=10000)")
        clients = lab.at(lab.now_ms)["clients"]
        assert clients[f"ann-{life}"]["assignment"]
        assert set(lab.lines(f"ann-{life}").client_id.dropna()) == {"ann"}
    place.press('lab.kill("shop")')
    place.press(place.buttons()["start shop again"])
    before = lab.at(lab.now_ms)["partitions"]["orders-0"]["log_end_offset"]
    place.press("lab.run_for(ms=10000)")
    assert lab.at(lab.now_ms)["partitions"]["orders-0"]["log_end_offset"] > before


def test_share_groups_play_with_their_own_pictures():
    place = playground(share_lab())
    assert {"the window", "who has which job"} <= set(place.views)
    assert place.view == "the window" and "kill ann" in place.buttons()
    place.press(place.buttons()["kill bob"])
    assert "kill bob" not in place.buttons()
    place.press("lab.run_for(ms=10000)")
    behind = place.lab.cluster.share_states["workers", "jobs", 0].start_offset
    place.press(place.buttons()["start bob again"])
    place.press(place.buttons()["start cyd"])
    for _ in range(2):
        place.press("lab.run_for(ms=10000)")
    assert place.lab.cluster.share_states["workers", "jobs", 0].start_offset > behind + 20
    for view in place.views:
        place.view = view
        assert place.picture().text

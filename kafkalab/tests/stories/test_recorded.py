"""A recording and its replay side by side, as the chapters show them."""

from __future__ import annotations

import html

import pytest

from kafkalab.course_folder import course_folder
from kafkalab.errors import IllegalArgumentException
from kafkalab.lines.layout import read, rows_of
from kafkalab.proof.replay import replay
from kafkalab.reading.line_table import LineTable
from kafkalab.stories.recorded import recorded

LEADER_MOVES = "2.3.1/2.3.0/fault_producer_leader_moves"


def test_both_frames_hold_every_line_and_no_file_is_written(tmp_path, monkeypatch):
    import json

    pair = recorded(LEADER_MOVES, seed=4)
    folder = course_folder() / "data/recordings" / LEADER_MOVES
    scenario = json.loads((folder / "scenario.json").read_text())
    played = list(rows_of(replay(scenario, seed=4, real_pace=False)["client"].splitlines()))
    assert list(pair.real.columns) == ["time", "client", "level", "logger", "message"]
    assert list(pair.real.message) == [row.message for row in read(folder / "client.log.gz")]
    assert list(pair.played.message) == [row.message for row in played]
    assert list(pair.played.columns) == list(pair.real.columns)
    assert pair.real.time.iloc[0] == "2026-11-21 02:08:40,190"
    assert not list(course_folder().joinpath("data/recordings", LEADER_MOVES).glob("played*"))


def test_beside_joins_messages_that_differ_in_the_number_of_the_request_only():
    shown = recorded(LEADER_MOVES, seed=4).beside("Sending PRODUCE", "disconnected")
    assert list(shown.columns) == ["real", "played"]
    both = shown[(shown.real != "") & (shown.played != "")]
    assert len(both) == 11
    assert both.real.str.contains("Sending PRODUCE|disconnected").all()
    assert not shown.real.str.startswith("[Producer").any()


def test_beside_names_the_clients_where_there_are_several():
    shown = recorded("4.4.0/4.4.0/transaction_zombie_fenced", seed=4).beside("Transition from")
    assert set(shown.real.str.split(":").str[0]) == {"zombie", "heir"}
    assert (shown.real == shown.played).all()


def test_beside_hides_the_random_part_of_member_ids_and_takes_one_class():
    pair = recorded("4.4.0/2.8.2/group_cooperative")
    shown = pair.beside("Successfully joined", logger="AbstractCoordinator")
    text = " ".join(shown.real)
    assert "inv-1-…" in text and not any(len(word) > 40 for word in text.split())
    assert set(pair.beside(logger="NetworkClient").real) < set(pair.beside().real)


def test_a_frame_may_be_changed_and_the_next_one_is_whole():
    first = recorded(LEADER_MOVES)
    first.real.drop(first.real.index, inplace=True)
    assert len(recorded(LEADER_MOVES).real) == 292


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("2.3.1/2.3.0/fault_producer_leader_move", LEADER_MOVES),
        ("4.4.0/2.3.0/producer_keyed", "4.4.0/4.4.0/producer_keyed"),
        ("", "2.3.1/"),
        (7, "2.3.1/"),
    ],
)
def test_an_unknown_path_is_one_sentence_that_names_near_ones(path, near):
    with pytest.raises(IllegalArgumentException) as told:
        recorded(path)
    assert f"there is no recording '{path}'" in str(told.value)
    assert near in str(told.value) and "\n" not in str(told.value)


def test_a_seed_and_a_word_are_checked():
    with pytest.raises(IllegalArgumentException, match="seed is a whole number"):
        recorded(LEADER_MOVES, seed="4")
    with pytest.raises(IllegalArgumentException, match="no message of .* holds 'Sending PRODUZE'"):
        recorded(LEADER_MOVES).beside("Sending PRODUZE")


def test_a_notebook_shows_a_message_to_its_end():
    """Pandas alone cuts a message at 50 characters, before the id that a chapter asks for."""
    pair = recorded("2.3.1/2.3.0/consumer_first_poll_3_brokers", seed=7)
    shown = pair.beside("Initiating connection", "Completed connection")
    for lines in (shown, shown[shown.real != ""], shown.apply(lambda side: side.str.upper())):
        page = lines._repr_html_()
        assert all(html.escape(text, quote=False) in page for text in [*lines.real, *lines.played])
        # where rows are left out, their numbers are shown
        heads = 2 if lines.index.equals(shown.index) else 3 + len(lines)
        assert "..." not in page and page.count("text-align: left") == heads + 2 * len(lines)


def test_a_page_has_room_for_five_columns_of_lines():
    lines = recorded(LEADER_MOVES).real
    assert "kafkalab-lines" in lines.head(3)._repr_html_()
    assert "kafkalab-lines" not in lines.head(3).assign(more=1)._repr_html_()


def test_a_message_is_no_markup():
    assert "&lt;td&gt;" in LineTable([("<td>", "")], columns=["real", "played"])._repr_html_()

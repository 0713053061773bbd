"""Each picture of the frames takes a small pandas frame, draws it, and says the same in words."""

import pandas as pd
import pytest
from matplotlib.colors import to_hex

from kafkalab.logsets import pictures
from kafkalab.stories.moving_incident import night_over_time
from kafkalab.tests.shares import few


def at(second: float) -> pd.Timestamp:
    return pd.Timestamp("2026-01-05 09:00:00") + pd.Timedelta(seconds=second)


FRAMES = {
    "sockets": pd.DataFrame({"minute": [at(0), at(60), at(0)], "broker": [0, 0, None],
                             "live": [3, 2, 1]}),
    "rebalances": pd.DataFrame({
        "group_id": ["billing"] * 2, "generation": [1, 2], "began_at": [at(0), at(30)],
        "resumed_at": [at(3), at(33)], "stopped_ms": [0, 3000],
        "cause": ["first join", "poll timeout"],
    }),
    "commits": pd.DataFrame({
        "group_id": ["billing", None], "client_id": ["a", "b"], "topic": ["orders"] * 2,
        "partition": [0, 1], "committed_at": [at(0), at(5)],
        "offset": [3, 9], "gap_ms": [None, 5000.0],
    }),
    "lag": pd.DataFrame({
        "group_id": ["billing"] * 2, "client_id": ["a"] * 2, "topic": ["orders"] * 2,
        "partition": [0, 0], "minute": [at(0), at(60)], "lag": [10, 400],
        "lead": [5, 0],
    }),
    "producers": pd.DataFrame({
        "client_id": ["shop"] * 2, "topic": ["orders"] * 2, "partition": [0, 1], "records": [9, 1],
        "batches": [3, 1], "records_per_batch": [3.0, 1.0],
        "size_bytes": [200.0, 80.0], "retries": [0, 0], "share": [0.9, 0.1],
    }),
    "transactions": pd.DataFrame({
        "transactional_id": ["tx"] * 3, "began_at": [at(0), at(2), at(4)],
        "ended_at": [at(1), at(3), pd.NaT], "took_ms": [1000.0, 1000.0, None],
        "how": ["committed", "aborted", None],
    }),
    "incidents": pd.DataFrame({
        "kind": ["slow broker", "bad deploy"], "group_id": [None, "billing"],
        "clients": [["a", "b"], ["c"]], "first": [at(0), at(60)],
        "last": [at(30), at(200)],
        "cause": ["broker 1 answers late", "4 clients were started anew together"],
    }),
}  # fmt: skip


@pytest.mark.parametrize("name", few(FRAMES, 3))
def test_a_picture_of_each_frame(name):
    picture = getattr(pictures, f"draw_{name}")(FRAMES[name])
    assert picture.png() == picture.png() and picture.png().startswith(b"\x89PNG")
    assert len(picture.text.splitlines()) == 1 + len(FRAMES[name])
    assert picture.alt.endswith(f"{len(FRAMES[name])} rows.")


def test_a_frame_that_grew_is_refused():
    many = pd.concat([FRAMES["lag"]] * 3_000, ignore_index=True)
    with pytest.raises(ValueError, match="6,000 rows are too many for a picture"):
        pictures.draw_lag(many)


def test_the_picture_of_a_night_tells_the_lag_and_the_findings():
    findings = pd.DataFrame({"finding": ["put out"], "first": [at(30)], "last": [at(50)]})
    picture = pictures.draw_night(FRAMES["lag"], findings)
    told = [line.split() for line in picture.text.splitlines()]
    assert told[1:3] == [["billing", "09:00", "10"], ["billing", "09:01", "400"]]
    assert told[-1][:2] == ["put", "out"]
    assert picture.alt.endswith("the largest is 400 records, of billing.")
    nothing = pictures.draw_night(FRAMES["lag"], findings[:0])
    assert nothing.text.splitlines() == picture.text.splitlines()[:3]


def test_a_finding_has_the_colour_of_its_group_and_no_other_group_has_it():
    findings = pd.DataFrame(
        {
            "finding": ["refused", "put out"],
            "first": [at(30), at(40)],
            "last": [at(50), at(60)],
            "group_id": [None, "billing"],
        }
    )
    lanes, curves = pictures.draw_night(FRAMES["lag"], findings).figure.axes
    of = [to_hex(bar.get_facecolor()) for bar in lanes.patches]
    drawn = {line.get_label(): to_hex(line.get_color()) for line in curves.get_lines()}
    assert of[1] == drawn["billing"] and of[0] not in drawn.values()


def test_a_night_until_a_minute_shows_what_was_known_then():
    findings = pd.DataFrame(
        {"finding": ["put out", "late"], "first": [at(30), at(170)], "last": [at(90), at(200)]}
    )
    picture = pictures.draw_night(FRAMES["lag"], findings, until=at(60), title="then")
    told = [line.split() for line in picture.text.splitlines()]
    assert told[1:] == [
        ["billing", "09:00", "10"],
        [],
        ["finding", "first", "last"],
        ["put", "out", "2026-01-05", "09:00:30", "2026-01-05", "09:01:00"],
    ]
    assert picture.alt == "Then: the largest is 10 records, of billing."
    assert pictures.draw_night(FRAMES["lag"], findings, until=at(0)).alt.endswith("none.")


def test_an_alarm_on_lag_rings_when_its_minute_is_over():
    findings = pd.DataFrame({"finding": ["put out"], "first": [at(70)], "last": [at(110)]})
    picture = night_over_time(FRAMES["lag"], findings)
    assert "09:01: 0 of 1 have begun; alarm: none" in picture.picture("09:01").alt
    assert "1 of 1 have begun; alarm: billing at 09:02" in picture.picture("09:02").alt
    assert "alarm: billing at 09:02" in picture.picture("09:02", alarm=100).alt
    assert picture.still.png() == night_over_time(FRAMES["lag"], findings).still.png()

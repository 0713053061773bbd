"""The picture of a night takes small pandas frames, draws them, and says the same in words."""

import pandas as pd
from matplotlib.colors import to_hex

from kafkalab.logsets import pictures
from kafkalab.stories.moving_incident import night_over_time


def at(second: float) -> pd.Timestamp:
    return pd.Timestamp("2026-01-05 09:00:00") + pd.Timedelta(seconds=second)


LAG = pd.DataFrame({
    "group_id": ["billing"] * 2, "client_id": ["a"] * 2, "topic": ["orders"] * 2,
    "partition": [0, 0], "minute": [at(0), at(60)], "lag": [10, 400],
    "lead": [5, 0],
})  # fmt: skip


def test_the_picture_of_a_night_tells_the_lag_and_the_findings():
    findings = pd.DataFrame({"finding": ["put out"], "first": [at(30)], "last": [at(50)]})
    picture = pictures.draw_night(LAG, findings)
    told = [line.split() for line in picture.text.splitlines()]
    assert told[1:3] == [["billing", "09:00", "10"], ["billing", "09:01", "400"]]
    assert told[-1][:2] == ["put", "out"]
    assert picture.alt.endswith("the largest is 400 records, of billing.")
    nothing = pictures.draw_night(LAG, findings[:0])
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
    lanes, curves = pictures.draw_night(LAG, findings).figure.axes
    of = [to_hex(bar.get_facecolor()) for bar in lanes.patches]
    drawn = {line.get_label(): to_hex(line.get_color()) for line in curves.get_lines()}
    assert of[1] == drawn["billing"] and of[0] not in drawn.values()


def test_a_night_until_a_minute_shows_what_was_known_then():
    findings = pd.DataFrame(
        {"finding": ["put out", "late"], "first": [at(30), at(170)], "last": [at(90), at(200)]}
    )
    picture = pictures.draw_night(LAG, findings, until=at(60), title="then")
    told = [line.split() for line in picture.text.splitlines()]
    assert told[1:] == [
        ["billing", "09:00", "10"],
        [],
        ["finding", "first", "last"],
        ["put", "out", "2026-01-05", "09:00:30", "2026-01-05", "09:01:00"],
    ]
    assert picture.alt == "Then: the largest is 10 records, of billing."
    assert pictures.draw_night(LAG, findings, until=at(0)).alt.endswith("none.")


def test_an_alarm_on_lag_rings_when_its_minute_is_over():
    findings = pd.DataFrame({"finding": ["put out"], "first": [at(70)], "last": [at(110)]})
    picture = night_over_time(LAG, findings)
    assert "09:01: 0 of 1 have begun; alarm: none" in picture.picture("09:01").alt
    assert "1 of 1 have begun; alarm: billing at 09:02" in picture.picture("09:02").alt
    assert "alarm: billing at 09:02" in picture.picture("09:02", alarm=100).alt
    assert picture.still.png() == night_over_time(LAG, findings).still.png()

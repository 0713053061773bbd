"""A moving picture of a night: what was known at each minute (chapter 17).

The function returns a `kafkalab.views.Moving`. The last line of a cell shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.logsets.pictures import draw_night, night_lag
from kafkalab.views import Moving, Picture, moving

if TYPE_CHECKING:
    import pandas

ALARMS = (50, 20, 100)


def night_over_time(by_minute: pandas.DataFrame, findings: pandas.DataFrame) -> Moving:
    """A night, minute by minute: the lag, the findings that have begun, and an alarm on the lag.

    by_minute and findings are those of `draw_night`. The alarm rings when the lag of a group has
    been that large in a minute that is over.
    """
    import pandas

    minute = pandas.Timedelta(minutes=1)
    lag = night_lag(by_minute)
    begin = min(lag.index.min(), *findings["first"]).floor("min")
    end = max(lag.index.max(), *findings["last"]).ceil("min") + minute
    moments = pandas.date_range(begin + minute, end, freq=minute)
    high = lag[(lag >= ALARMS[0]).any(axis=1)].index
    still = high[0] + minute if len(high) else moments[-1]

    def draw(at: str, alarm: int) -> Picture:
        until = pandas.Timestamp(f"{begin:%Y-%m-%d} {at}")
        so_far = lag[lag.index + minute <= until]
        rung = [
            f"{group} at {line[line >= alarm].index[0] + minute:%H:%M}"
            for group, line in so_far.items()
            if (line >= alarm).any()
        ]
        begun = int((findings["first"] <= until).sum())
        words = f"{at}: {begun} of {len(findings)} have begun; alarm: {', '.join(rung) or 'none'}"
        return draw_night(by_minute, findings, until=until, title=words)

    return moving(
        draw,
        at={f"{moment:%H:%M}": f"{moment:%H:%M}" for moment in moments},
        still=f"{still:%H:%M}",
        called="time",
        alarm={limit: f"a lag of {limit}" for limit in ALARMS},
    )

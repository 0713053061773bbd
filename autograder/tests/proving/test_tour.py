"""The tour's pages show the pictures that its command makes, and they are small."""

import re
from pathlib import Path

from autograder.proving import tour

MOST_BYTES = 1_000_000


def test_the_tour_shows_each_of_its_pictures_once_and_they_are_small():
    page = (tour.ROOT / "notebooks" / "TOUR.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]+\]\(pictures/([\w-]+)\.png\)", page)
    assert shown == [*tour.STOPS, tour.GRADED]
    sizes = [Path(tour.PICTURES, f"{name}.png").stat().st_size for name in shown]
    assert sum(sizes) < MOST_BYTES and min(sizes) > 10_000


def test_the_tours_notebook_guesses_and_is_wrong_once():
    sources = [cell["source"] for cell in tour.tour_notebook()["cells"]]
    assert 'predict("03 first consumer", before_poll=1, opened=3, kept=3)' in sources
    assert any(tour.WRONG in source for source in sources)
    for beginning in tour.STOPS.values():
        assert [source for source in sources if source.startswith(beginning)]
    assert sources[-1] == 'check("03.2")'

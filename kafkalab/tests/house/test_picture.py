"""Is the picture in the README still the one that the simulator draws?"""

from __future__ import annotations

import io

import numpy
from matplotlib.image import imread

from kafkalab.tools.readme_picture import COMMITTED, draw


def test_the_picture_in_the_readme_is_what_the_lab_draws_today():
    """Pixels are compared, not bytes, and one in a hundred may differ:
    another system smooths its letters another way."""
    committed, today = imread(COMMITTED), imread(io.BytesIO(draw().png()))
    assert committed.shape == today.shape, "draw it again: python -m kafkalab picture"
    differing = numpy.any(abs(committed - today) > 0.1, axis=-1).mean()
    assert differing < 0.01, (
        f"{differing:.1%} of the pixels differ; draw it again: python -m kafkalab picture"
    )

"""Holds that the peers of `make bench` make the columns that our reader makes."""

import pytest

from bench import reading


@pytest.mark.slow
def test_the_peers_of_reading_make_our_columns_of_every_recording(spark, tmp_path):
    """A recording of a new kind of client may hold lines that a peer's pattern does not take
    apart."""
    path = tmp_path / "recordings.log"
    reading._multiplied(path, 1)
    reading._same(spark, path)

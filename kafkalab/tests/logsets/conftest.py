"""One Spark for all tests of the log sets: starting it costs more than any of them."""

from pathlib import Path

import pytest

from kafkalab import logsets

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def spark():
    session = logsets.session("local[2]")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The committed choice of what real clients wrote."""
    return ROOT / "data" / "recordings"

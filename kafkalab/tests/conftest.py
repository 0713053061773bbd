"""How tests run: the simulator as Python, for they replace parts of it, whether or not `make fast` was here; and which go to the same worker."""

import os

import pytest

os.environ["KAFKALAB_PYTHON_ONLY"] = "1"
SPARKS = "kafkalab/tests/logsets/"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Files go to a worker whole, and all the log sets' to the same one: starting its Spark, and its first queries, cost more than any test."""
    from xdist.scheduler import LoadFileScheduling

    class OneSpark(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return SPARKS if nodeid.startswith(SPARKS) else super()._split_scope(nodeid)

    return OneSpark(config, log) if config.getoption("dist") == "loadfile" else None

"""Says which tests go to the same worker, and in which order the workers take the files."""

import gc

import pytest

SPARKS = "kafkalab/tests/logsets/"
LONG = (
    SPARKS,
    "autograder/tests/course/",
    "autograder/tests/grading/",
    "autograder/tests/teacher/",
    "autograder/tests/sandbox/",
    "autograder/tests/",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Files go to a worker whole, and all the log sets' to the same one: starting its Spark, and
    its first queries, cost more than any test."""
    from xdist.scheduler import LoadFileScheduling

    class OneSpark(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return SPARKS if nodeid.startswith(SPARKS) else super()._split_scope(nodeid)

    # in the order below, and not by how many tests a file has
    config.option.loadscopereorder = False
    return OneSpark(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_configure():
    """What is collected stays to the end, so nothing of it is looked through for garbage."""
    gc.disable()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items):
    """What takes long comes first: a worker that gets such a file last
    keeps the others waiting at the end."""
    items.sort(
        key=lambda item: next(
            (place for place, start in enumerate(LONG) if item.nodeid.startswith(start)), len(LONG)
        )
    )

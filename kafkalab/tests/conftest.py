"""How tests run: the simulator as Python, for they replace parts of it, whether or not `make fast` was here; and how many at a time."""

import os

os.environ["KAFKALAB_PYTHON_ONLY"] = "1"


def pytest_xdist_auto_num_workers(config):
    """Three workers on two cores: many tests wait, for a JVM, a browser or a time limit."""
    return max(2, os.cpu_count() * 3 // 2)

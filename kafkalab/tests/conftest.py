"""Tests look into the simulator and replace parts of it, so they run it as Python, whether or not `make fast` was here."""

import os

os.environ["KAFKALAB_PYTHON_ONLY"] = "1"

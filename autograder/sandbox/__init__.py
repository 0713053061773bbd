"""Where a learner's code runs when it counts.

parent.py is outside: it starts workers, asks them and replaces them. launch.py, worker.py and what
these import (walls.py, watch.py, syscalls.py, audit.py, spark.py) are copied beside the probes
and run behind the walls, with no other file of the teacher's.
"""

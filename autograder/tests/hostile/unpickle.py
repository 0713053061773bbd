"""Send an object whose reading is a programme."""

from autograder.tests.hostile import family_of

attack = family_of("unpickle")

REDUCE = """
import os
class Programme:
    def __reduce__(self):
        return os.system, ("touch WATCHED/unpickled; echo packet > /dev/udp/127.0.0.1/UDP",)
"""

ATTACKS = (
    attack(
        "__reduce__",
        "an object that runs a command where it is unpickled",
        REDUCE + "still_open = Programme()",
    ),
    attack(
        "pickled bytes",
        "the same, already packed",
        REDUCE + "import pickle\nstill_open = pickle.dumps(Programme())",
    ),
    attack(
        "bytes in text",
        "the same, as text for somebody who guesses",
        REDUCE
        + (
            "import base64, pickle\nstill_open = "
            "base64.b64encode(pickle.dumps(Programme())).decode()"
        ),
    ),
    attack(
        "an array of objects",
        "numpy arrays carry pickles",
        REDUCE + "import numpy\nstill_open = numpy.array([Programme()], dtype=object)",
    ),
    attack(
        "a frame of objects",
        "pandas carries them, too",
        REDUCE + "import pandas\nstill_open = pandas.DataFrame({'x': [Programme()]})",
    ),
    attack(
        "a pickle bomb",
        "a few bytes that unpack to everything",
        """
import pickle, zlib
bomb = []
for _ in range(40):
    bomb = [bomb] * 40
still_open = zlib.compress(b"0" * 100_000_000)
""",
        tampers=False,
    ),
    attack(
        "code",
        "a function where data was asked for",
        "still_open = compile('__import__(\"os\").system(\"touch WATCHED/code\")', 'x', 'eval')",
        tampers=False,
    ),
)

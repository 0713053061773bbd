"""JSON that is damaged, framed or spelled in another way: the same answers come out of it as long as they are in it."""
import json
import re

import pytest

from autograder.handed_in import salvage
from autograder.handed_in.submission import read


def nested(notebook):
    return [notebook["cells"][:4], notebook["cells"][4:]]


FRAMES = {
    "in a list": lambda notebook: [notebook],
    "three frames deep": lambda notebook: {"data": {"notebook": {"content": notebook}}},
    "a text in a text": lambda notebook: json.dumps(json.dumps(notebook)),
    "a text in a frame": lambda notebook: {"type": "notebook", "content": json.dumps(notebook)},
    "cells in cells": lambda notebook: {**notebook, "cells": {"cells": notebook["cells"]}},
    "cells by number": lambda notebook: {**notebook, "cells": dict(enumerate(notebook["cells"]))},
    "lists of cells": lambda notebook: {**notebook, "cells": nested(notebook)},
    "types with capitals": lambda notebook: {**notebook, "cells": [{**cell, "cell_type": cell["cell_type"].title()} for cell in notebook["cells"]]},
    "types gone": lambda notebook: {**notebook, "cells": [{key: cell[key] for key in cell if key != "cell_type"} for cell in notebook["cells"]]},
    "lines without their ends": lambda notebook: {**notebook, "cells": [{**cell, "source": cell["source"].split("\n")} for cell in notebook["cells"]]},
    "lines in lists": lambda notebook: {**notebook, "cells": [{**cell, "source": [[line] for line in cell["source"].splitlines(True)]}
                                                              for cell in notebook["cells"]]},
}
SPELLINGS = {
    "Python's words": lambda text: text.replace(": true", ": True").replace(": false", ": False").replace(": null", ": None"),
    "JavaScript's words": lambda text: text.replace(": null", ": undefined"),
    "nan": lambda text: text.replace(": null", ": nan"),
    "a number without end": lambda text: text.replace(": null", ": " + "9" * 6000),
    "commas twice": lambda text: text.replace("},", "},,"),
    "cells named again": lambda text: text.rstrip()[:-1] + ', "cells": []}',
    "the frame is gone": lambda text: text[text.index("[") + 1:text.rindex("]")],
    "the start is gone": lambda text: text[30:],
    "a cell a line": lambda text: "\n".join(json.dumps(cell) for cell in json.loads(text)["cells"]),
    "something before and behind": lambda text: "HTTP/1.1 200 OK\nContent-Type: application/json\n\n" + text + "\n--XX--",
    "a quote too many": lambda text: text.replace("a picture", 'a "picture'),
    "other keys first": lambda text: re.sub(r'("# 90 A) (demo")', r'\1 "\2', json.dumps(
        {"cells": [{key: cell[key] for key in sorted(cell, reverse=True)} for cell in json.loads(text)["cells"]]})),
}


@pytest.mark.parametrize("frame", FRAMES)
def test_cells_are_found_in_any_frame(hand_in, frame):
    path = hand_in("whole", student="ada")
    answers = read(path)[0].answers
    path.write_text(json.dumps(FRAMES[frame](json.loads(path.read_text()))))
    submission, = read(path)
    assert submission.status in ("graded", "repaired") and (submission.student, submission.answers) == ("ada", answers), submission.reason
    assert not submission.flags


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_json_of_another_spelling_is_read(hand_in, spelling):
    path = hand_in("whole", student="ada")
    answers = read(path)[0].answers
    path.write_text(SPELLINGS[spelling](path.read_text()))
    submission, = read(path)
    assert submission.status in ("graded", "repaired") and (submission.student, submission.answers) == ("ada", answers), submission.reason


def test_an_answer_whose_output_is_damaged_is_still_there(hand_in):
    path = hand_in("whole", student="ada")
    notebook = json.loads(path.read_text())
    cell = next(cell for cell in notebook["cells"] if "2**31" in cell["source"])
    cell["outputs"] = [{"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}, "metadata": {}}]
    path.write_text(json.dumps(notebook, indent=1, sort_keys=True).replace('w0KGgo="', "\0\0"))
    submission, = read(path)
    assert submission.status == "repaired" and "2**31" in submission.answers["90.2"]


def test_damage_everywhere_is_given_up(hand_in):
    """The parser counts all lines above each break: a hundred thousand of them kept the teacher's machine busy for minutes."""
    cells = '{"cell_type": "code", "source": [}, ' * (salvage.MOST_DAMAGED + 50)
    whole = json.dumps({"cell_type": "code", "metadata": {}, "source": "x"})
    with pytest.raises(salvage.Unreadable, match="before the first whole cell"):
        salvage.salvage(f'{{"cells": [{cells}{whole}'.encode())

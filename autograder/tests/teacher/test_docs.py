"""The examples in docs/ are run as they stand."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from autograder.masters import HOME

DOCS = Path(__file__).parents[2] / "docs"


def test_gradescopes_script_writes_what_gradescope_reads(hand_in, tmp_path):
    script = re.search(r"```python\n(.*?)```", (DOCS / "gradescope.md").read_text(), re.S)[1]
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "secret.txt").write_text("a demo secret, known to everybody\n")
    for part in ("autograder", "kafkalab"):
        (tmp_path / "source" / part).symlink_to(HOME / part)
    hand_in("ada", {"90.3": "total = len(seen)"}, folder=tmp_path / "submission")
    subprocess.run([sys.executable, "-c", script], env={**os.environ, "AUTOGRADER_HOME": str(tmp_path)}, check=True)
    tests = json.loads((tmp_path / "results" / "results.json").read_text())["tests"]
    assert [(test["name"], test["score"], test["max_score"]) for test in tests] == [("90.1", 2, 2), ("90.2", 3, 3), ("90.3", 0, 1)]
    assert tests[2]["output"] == "That is how many there are."


def test_every_command_the_docs_name_exists():
    from autograder.__main__ import _parser
    known = _parser().format_help()
    named = set(re.findall(r"python -m autograder (\w+)", "".join(path.read_text() for path in DOCS.glob("*.md"))))
    assert named and all(re.search(rf"^    {name} ", known, re.M) for name in named)

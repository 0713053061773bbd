"""Change the notebook instead of the answer."""

import json
import os
import zipfile

from autograder.tests.hostile import family_of

attack = family_of("tamper")


def cell_of(notebook: dict, grade_id: str) -> dict:
    """The cell with this grade_id."""
    return next(
        cell
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id
    )


def marks_of(notebook: dict, grade_id: str) -> dict:
    """nbgrader's own metadata of a cell."""
    return cell_of(notebook, grade_id)["metadata"]["nbgrader"]


def top(notebook: dict, source: str) -> None:
    """Put a code cell before all others."""
    notebook["cells"].insert(
        0,
        {
            "cell_type": "code",
            "id": "mine",
            "metadata": {},
            "source": source,
            "execution_count": None,
            "outputs": [],
        },
    )


def passed_output(notebook: dict) -> None:
    """Leave outputs in the locked cells that say it went well."""
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade"):
            cell["outputs"] = [
                {
                    "output_type": "execute_result",
                    "execution_count": 1,
                    "metadata": {},
                    "data": {"text/plain": "2"},
                }
            ]


def as_link(text: str, folder):
    """A link instead of a notebook."""
    path = folder / "mallory.ipynb"
    os.symlink("/etc/passwd", path)
    return path


def as_fifo(text: str, folder):
    """A pipe instead of a notebook: whoever opens it waits for ever."""
    path = folder / "mallory.ipynb"
    os.mkfifo(path)
    return path


def as_zip(member: str):
    """A zip whose member wants to land elsewhere."""

    def make(text: str, folder):
        path = folder / "mallory.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(member, text)
        return path

    return make


def as_zip_bomb(text: str, folder):
    """A small zip that unpacks to gigabytes."""
    path = folder / "mallory.zip"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("mallory.ipynb", "w", force_zip64=True) as file,
    ):
        for _ in range(200):
            file.write(bytes(1 << 20))
    return path


def as_huge(text: str, folder):
    """A notebook of 500 MB, most of it a hole."""
    path = folder / "mallory.ipynb"
    path.write_text(text)
    os.truncate(path, 500 << 20)
    return path


def edited(change):
    """The notebook after `change`, whose JSON need not be a notebook any more."""

    def make(text: str, folder):
        path = folder / "mallory.ipynb"
        path.write_text(change(json.loads(text)))
        return path

    return make


ATTACKS = (
    attack(
        "an edited test",
        "the locked cell asks for nothing any more",
        change=lambda nb: cell_of(nb, "q-02-1-test").update(source="pass"),
    ),
    attack(
        "more points",
        "the locked cell is worth five hundred",
        change=lambda nb: marks_of(nb, "q-02-1-test").update(points=500),
    ),
    attack(
        "points for the answer",
        "the answer cell is marked as a graded one",
        change=lambda nb: marks_of(nb, "q-02-1").update(grade=True, points=2),
    ),
    attack(
        "a test of one's own",
        "a graded cell that always passes",
        change=lambda nb: nb["cells"].append(
            {
                "cell_type": "code",
                "id": "own",
                "metadata": {
                    "nbgrader": {
                        **marks_of(nb, "q-02-1-test"),
                        "grade_id": "q-02-9-test",
                        "points": 50,
                    }
                },
                "source": "pass",
                "outputs": [],
                "execution_count": None,
            }
        ),
    ),
    attack(
        "a test that is a solution",
        "the locked cell says it may be written in",
        change=lambda nb: marks_of(nb, "q-02-1-test").update(solution=True, locked=False),
    ),
    attack(
        "another age",
        "schema_version 99, which stops nbgrader's whole batch",
        change=lambda nb: marks_of(nb, "q-02-1-test").update(schema_version=99),
    ),
    attack(
        "a doubled test",
        "the locked cell twice, one of them empty",
        change=lambda nb: nb["cells"].append({**cell_of(nb, "q-02-1-test"), "source": "2"}),
    ),
    attack(
        "no test",
        "the locked cell is gone",
        change=lambda nb: nb["cells"].remove(cell_of(nb, "q-02-1-test")),
    ),
    attack(
        "an answer under another name",
        "the answer cell bears the id of an answer that is right",
        source="still_open = 0",
        change=lambda nb: (
            marks_of(nb, "q-02-1").update(grade_id="q-02-2"),
            marks_of(nb, "q-02-2").update(grade_id="q-02-1"),
        ),
    ),
    attack(
        "a header with magic",
        "a cell at the top replaces what comes after",
        source="still_open = 0",
        change=lambda nb: top(nb, "%%writefile sitecustomize.py\nimport os\n"),
    ),
    attack(
        "a header that redefines",
        "a cell at the top that every answer needs, with functions that say right",
        source="still_open = {right}",
        change=lambda nb: top(
            nb,
            "import autograder.cell.reply\nautograder.cell.reply.ask = None\n"
            "right = [-1, 0, 1]\n"
            "__builtins__.set = list",
        ),
    ),
    attack(
        "outputs that say 2 of 2",
        "results as if the test had run",
        change=passed_output,
        tampers=False,
    ),
    attack(
        "raises-exception",
        "tags that make an error count as none",
        tampers=False,
        change=lambda nb: [
            cell["metadata"].update(tags=["raises-exception"]) for cell in nb["cells"]
        ],
    ),
    attack(
        "another kernel",
        "a kernelspec that starts a program of one's own",
        tampers=False,
        change=lambda nb: nb["metadata"].update(
            kernelspec={"name": "../../evil", "display_name": "x", "language": "bash"}
        ),
    ),
    attack(
        "a student called ../..",
        "a name that leads out of the folder",
        change=lambda nb: nb["metadata"].update(autograder={"student": "../../../etc/cron.d/x"}),
        tampers=False,
    ),
    attack("a link", "a notebook that is a link to a file of the teacher's", file=as_link),
    attack("a pipe", "a notebook that never ends", file=as_fifo),
    attack(
        "out of the zip",
        "a member with dots in its way",
        file=as_zip("../../../../tmp/mallory.ipynb"),
    ),
    attack(
        "absolute in the zip",
        "a member that names its place",
        file=as_zip("/etc/cron.d/mallory.ipynb"),
    ),
    attack("a zip bomb", "two hundred megabytes of nothing", file=as_zip_bomb),
    attack("500 MB", "a notebook larger than anybody reads", file=as_huge),
    attack(
        "not a number",
        "NaN and Infinity where points are",
        file=edited(
            lambda nb: json.dumps(
                (
                    marks_of(nb, "q-02-1-test").update(points=float("inf")),
                    marks_of(nb, "q-02-2-test").update(points=float("nan")),
                    nb,
                )[2]
            )
        ),
    ),
    attack(
        "nested JSON",
        "a hundred thousand brackets",
        file=edited(
            lambda nb: json.dumps(nb)[:-1] + ', "x": ' + "[" * 100_000 + "]" * 100_000 + "}"
        ),
    ),
)

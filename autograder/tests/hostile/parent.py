"""Hurt the parent, which reads notebooks and never runs them: by what it must parse, compile or search."""
from autograder.tests.hostile import family_of

attack = family_of("parent", tampers=False)


def many_cells(notebook: dict) -> None:
    """Twenty thousand cells that all bind a name of every other."""
    notebook["cells"] += [{"cell_type": "code", "id": f"c{number}", "metadata": {}, "source": f"a{number} = a{number - 1}", "outputs": [], "execution_count": None}
                          for number in range(20_000)]


def many_copies(notebook: dict) -> None:
    """Five thousand copies of one answer cell."""
    cell = next(cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("grade_id") == "q-02-1")
    notebook["cells"] += [{**cell, "source": f"still_open = {number}"} for number in range(5_000)]


def top_cell(source: str):
    """A code cell of the learner's before all others."""
    def change(notebook: dict) -> None:
        notebook["cells"].insert(0, {"cell_type": "code", "id": "mine", "metadata": {}, "source": source, "outputs": [], "execution_count": None})
    return change


ATTACKS = (
    attack("a sum without end", "an expression too deep for the compiler", "still_open = " + "+".join(["1"] * 100_000)),
    attack("ors without end", "an expression whose compiling takes for ever", "still_open = " + " or ".join(["a"] * 300_000)),
    attack("brackets without end", "a million brackets", "still_open = " + "(" * 1_000_000 + ")" * 1_000_000),
    attack("minuses without end", "a hundred thousand signs", "still_open = " + "-" * 100_000 + "1"),
    attack("empty lines without end", "a million lines for patterns that look back", change=top_cell("\n" * 1_000_000)),
    attack("spaces without end", "a line that is all spaces", change=top_cell("me(" + " " * 1_000_000)),
    attack("magic without end", "a hundred thousand lines that IPython must translate", "!x\n" * 100_000 + "still_open = 0"),
    attack("twenty thousand cells", "a notebook that takes long to lay against the master's", change=many_cells),
    attack("five thousand copies", "one answer cell, five thousand times", change=many_copies),
    attack("a source that is no text", "numbers, lists and dicts where lines should be", change=lambda nb: [
        cell.update(source=thing) for cell, thing in zip(nb["cells"], [{"a": 1}, [[["x"]]], 7, None, [None, 3], "x"] * 20) if not cell["metadata"]]),
    attack("metadata that is no metadata", "lists where dicts should be", change=lambda nb: [
        cell.update(metadata=thing) for cell, thing in zip(nb["cells"], [[], "x", 3, None, {"nbgrader": []}, {"nbgrader": {"grade_id": ["q-02-1"]}}] * 20)
        if not cell["metadata"]]),
    attack("a hundred conflicts", "git's marks within git's marks", change=top_cell("<<<<<<< a\n=======\n" * 20_000)),
    attack("a long open answer", "two megabytes of words for the rubric", change=lambda nb: [
        cell.update(source="the offset of the group is committed to the coordinator " * 40_000) for cell in nb["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "q-02-open"]),
)

"""Holds the house's rule for words: first sentences, plain words, names of files, classes,
functions.

A message names the place and says what to write instead. CONTRIBUTING.md tells the rule in prose.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict, deque
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.course.plainer import PLAINER

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("kafkalab", "autograder", "bench")
MOST_WORDS = 20
PARTICIPLES = re.compile(r"(?:ed|ing|ght|old|eard)$")
NOUNS_ALL_THE_SAME = {
    "committed": "the subject of chapter 05, whose experiments the file plays",
    "hashing": "the arithmetic of hashes",
    "recorded": "the function that gives a recording, and what the simulator makes of it",
    "wording": "how a release says a line",
    "moving": "the function that makes a picture move",
    "reading": "what reads the journal",
    "least_loaded": "Kafka's own name of the rule: leastLoadedNode",
    "gaming": "the field's word for an answer that aims at the scorer instead of the question",
    "grading": "the field's word for giving marks",
    "hearing": "the sitting of a court",
    "scaling": "how cost grows with the number of clients",
    "scoring": "the field's word for marks that a program suggests",
    "sealed": "the house's word for verdicts that only the data of an answer opens",
    "sealing": "the making of sealed verdicts",
    "spelling": "how a word is written",
    "tampering": "the field's word for changing what a notebook's locked cells hold",
}
"""Stems that look like a participle and are a noun of the trade -> why."""
ONE_NAME_MANY_FILES = {
    "main": "the entry of a command",
    "draw": "draws the picture of its file",
    "read": "reads what the file is about: lines of a log, a set of logs, results, a table",
    "find": "returns the question, the exercise or the rubric with this id",
    "folder": "the folder of the files that the module is about",
    "build": "builds what the module is about: a chapter, the book",
    "keep": "writes what the module is about into the folder OUT",
    "as_text": "writes a command's result as text for the terminal",
    "run": "measures a comparison and returns its rows",
    "arrow_table": "runs one way of a peer and returns an Arrow table",
}
"""Public functions that may have one name in several files,
for they mean the same in each -> what."""

A_CHAPTERS_OWN = "kafkalab/stories/"
"""A module there holds the functions of one chapter, in that chapter's words. Nobody imports from
two of them."""
GENERATED = re.compile(r"autograder/(?:cell/questions|course/judges|written/rubrics)/ch\d\d\.py")
"""Files whose text is the exercises' own: the build writes them from notebooks/exercises."""


def sources() -> list[Path]:
    """Every module of the packages but the tests and what is built from the exercises."""
    return [
        path
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if "tests" not in path.relative_to(ROOT).parts
        and not GENERATED.fullmatch(path.relative_to(ROOT).as_posix())
    ]


KAFKAS_OWN_TWICE = {
    "DescribeConfigsResult": "Kafka has it twice: the admin client's and the response's",
}
"""Class names that stand for two classes because Kafka has both -> which."""


SOURCES = {path.relative_to(ROOT).as_posix(): path for path in sources()}
PLAINER_WORDS = {
    re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE): instead
    for pattern, instead in PLAINER.items()
}
ANY_OF_THEM = re.compile(rf"\b(?:{'|'.join(PLAINER)})\b", re.IGNORECASE)


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """Every source file with its syntax tree."""
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in SOURCES.items()}


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """The file, and everything in it that has statements or is one. No expression has a statement
    in it, and nearly all nodes are expressions, so none of them is walked."""
    waiting: deque[ast.AST] = deque([tree])
    while waiting:
        node = waiting.popleft()
        yield node
        waiting.extend(
            each
            for each in ast.iter_child_nodes(node)
            if isinstance(each, (ast.stmt, ast.excepthandler, ast.match_case))
        )


def together(wrong: list[str]) -> str:
    """Everything that is wrong in any file, a line each."""
    return "\n".join(wrong)


def first_sentence(docstring: str) -> str:
    """The first sentence of a docstring, on one line."""
    line = " ".join(docstring.split("\n\n")[0].split())
    return re.split(r"(?<=[.?!])(?<!e\.g\.)(?<!i\.e\.) ", line)[0]


def described(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(what it is, its docstring) of a module and of the classes in it."""
    yield "the file", ast.get_docstring(tree) or ""
    for node in statements(tree):
        if isinstance(node, ast.ClassDef) and ast.get_docstring(node):
            yield f"class {node.name}", ast.get_docstring(node) or ""


def unclear(name: str, tree: ast.Module) -> Iterator[str]:
    """What is wrong with the first sentences of a file."""
    for what, docstring in described(tree):
        sentence = first_sentence(docstring)
        if not sentence:
            yield f"{name}: {what} has no docstring: say what it is or does, for whom"
        if sentence.rstrip(")").endswith("?"):
            yield (
                f"{name}: {what} begins with a question, «{sentence}»: say what it is or does, "
                "with a verb in the present"
            )
        if len(sentence.split()) > MOST_WORDS:
            yield (
                f"{name}: the first sentence of {what} has {len(sentence.split())} words, at most "
                f"{MOST_WORDS}: «{sentence}»"
            )


def test_the_first_sentence_says_what_it_is(trees):
    wrong = [each for name, tree in trees.items() for each in unclear(name, tree)]
    assert not wrong, together(wrong)


def prose(text: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, text) of every comment and docstring of a file."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in statements(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield statement.lineno, value.value


def fine_words(text: str) -> Iterator[tuple[str, str]]:
    """(what it says, what to write) for each word of a text that has a plainer one."""
    line = " ".join(text.split())
    # one search of all patterns first: nearly every text passes it
    for pattern, instead in PLAINER_WORDS.items() if ANY_OF_THEM.search(line) else ():
        if found := pattern.search(line):
            yield found.group().strip(), instead


def test_prose_uses_ordinary_words(trees):
    wrong = [
        f"{name}:{line} says «{said}»: write «{instead}»"
        for name, tree in trees.items()
        for line, text in prose(SOURCES[name].read_text(encoding="utf-8"), tree)
        for said, instead in fine_words(text)
    ]
    assert not wrong, together(wrong)


def test_a_fine_word_is_found_in_any_prose():
    source = '"""Meanwhile it waits."""\nx = 1  # the rest\n# of it is plain\n'
    said = [fine for _, text in prose(source, ast.parse(source)) for fine, _ in fine_words(text)]
    assert said == ["the rest", "Meanwhile"]


def test_a_file_is_named_by_a_noun():
    wrong = [
        f"{name}: «{path.stem}» is a participle: name the thing that the file holds, or say in "
        "NOUNS_ALL_THE_SAME why it is a noun"
        for name, path in SOURCES.items()
        if path.stem not in NOUNS_ALL_THE_SAME and PARTICIPLES.search(path.stem)
    ]
    assert not wrong, together(wrong)


def test_a_class_name_means_one_thing(trees):
    """Holds within a package: a Question of nbgrader's kind is none of Kafka's."""
    places = defaultdict(list)
    for name, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                places[name.split("/")[0], node.name].append(name)
    twice = {
        name: files
        for (_, name), files in places.items()
        if len(files) > 1 and name not in KAFKAS_OWN_TWICE
    }
    assert not twice, f"these classes share a name; name each as Kafka or nbgrader does: {twice}"


def test_a_public_function_name_means_one_thing(trees):
    places = defaultdict(list)
    for name, tree in trees.items():
        package = name.split("/")[0]
        if name.startswith(A_CHAPTERS_OWN):
            continue
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                places[package, node.name].append(name)
    many = {
        function: files
        for (_, function), files in places.items()
        if len(files) > 1 and function not in ONE_NAME_MANY_FILES
    }
    assert not many, (
        f"these public functions share a name; say in each name what it is about: {many}"
    )

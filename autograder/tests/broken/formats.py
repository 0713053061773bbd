"""The file itself: its letters, its JSON, its format,
and notebooks that came back as something else."""

from __future__ import annotations

import copy
import gzip
import html
import io
import json
import tarfile
import zipfile

from autograder.tests.broken.corpus import Broken, cell_of, written

CHINESE = "因为协调器的心跳不能等在一个很长的请求后面，否则消费者会被踢出组。"
RUSSIAN = "Потому что координатор не должен ждать, пока закончится долгий запрос."


def _encoded(encoding, answer, **words):
    def make(path, notebook):
        cell_of(notebook, "q-90-open")["source"] = answer
        return written(path, json.dumps(notebook, ensure_ascii=False, indent=1).encode(encoding))

    return Broken(f"written in {encoding}", make, **words)


def _text(name, change, **words):
    """A notebook made by changing its text."""
    return Broken(
        name, lambda path, notebook: written(path, change(json.dumps(notebook, indent=1))), **words
    )


def _other(name, content, ending=".ipynb", **words):
    return Broken(
        name,
        lambda path, notebook: written(path, content, ending),
        repairable=False,
        score=0,
        statuses=("unreadable", "refused"),
        **words,
    )


def _conflict(text):
    mine = '   "source": "total = sum(seen)",'
    assert mine in text
    return text.replace(
        mine,
        f'<<<<<<< HEAD\n{mine}\n||||||| base\n   "source": "total = ...",\n=======\n'
        '   "source": "total = 0",\n>>>>>>> theirs',
    )


def _cut(share):
    return lambda text: text[: int(len(text) * share)]


def _old_format(path, notebook):
    cells = copy.deepcopy(notebook["cells"])
    for cell in cells:
        if cell["cell_type"] == "code":
            cell.update(input=cell.pop("source"), language="python", prompt_number=1)
    return written(
        path,
        {
            "metadata": {"name": "90"},
            "nbformat": 3,
            "nbformat_minor": 0,
            "worksheets": [{"cells": cells, "metadata": {}}],
        },
    )


def _script(path, notebook):
    """As jupytext writes it, with the marks in the cells' headers."""
    parts = []
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("nbgrader")
        kind = " [markdown]" if cell["cell_type"] == "markdown" else ""
        body = (
            "\n".join(f"# {line}" for line in cell["source"].splitlines())
            if kind
            else cell["source"]
        )
        parts.append(f"# %%{kind}{' nbgrader=' + json.dumps(marks) if marks else ''}\n{body}\n")
    return written(path, "# ---\n# jupyter: {}\n# ---\n\n" + "\n".join(parts), ".py")


def _exported(path, notebook):
    """As nbconvert writes it: no marks, text in comments."""
    parts = ["#!/usr/bin/env python\n# coding: utf-8\n"]
    for cell in notebook["cells"]:
        parts.append(
            "\n".join(f"# {line}" for line in cell["source"].splitlines())
            if cell["cell_type"] == "markdown"
            else f"# In[ ]:\n\n\n{cell['source']}\n"
        )
    return written(path, "\n\n".join(parts), ".py")


def _page(path, notebook):
    """As nbconvert shows it."""
    cells = [
        (
            '<div class="jp-Cell"><div class="highlight '
            f'hl-ipython3"><pre><span></span>{html.escape(cell["source"])}\n</pre></div></div>'
        )
        if cell["cell_type"] == "code"
        else f"<div class='jp-RenderedMarkdown'><p>{html.escape(cell['source'])}</p></div>"
        for cell in notebook["cells"]
    ]
    return written(path, f"<!DOCTYPE html>\n<html><body>{''.join(cells)}</body></html>", ".html")


def _chat(path, notebook):
    fences = [
        f"```python\n{cell['source']}\n```"
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]
    return written(path, "# My answers\n\n" + "\n\nand then\n\n".join(fences), ".txt")


def _zipped(path, notebook):
    with zipfile.ZipFile(path.with_name(path.name + ".zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("work/90_demo (1).ipynb", json.dumps(notebook))
        archive.writestr("__MACOSX/work/._90_demo (1).ipynb", b"\0\5\26\7")
    return path.with_name(path.name + ".zip")


def _zip_named_ipynb(path, notebook):
    return _zipped(path, notebook).rename(path.with_name(path.name + ".ipynb"))


def _tarred(path, notebook):
    raw = json.dumps(notebook).encode()
    place = path.with_name(path.name + ".tar.gz")
    with tarfile.open(place, "w:gz") as archive:
        member = tarfile.TarInfo("work/90.ipynb")
        member.size = len(raw)
        archive.addfile(member, io.BytesIO(raw))
    return place


def _large_output(path, notebook):
    cell = cell_of(notebook, "q-90-3")
    cell["outputs"] = [
        {"output_type": "stream", "name": "stdout", "text": "0123456789" * 5_000_000}
    ]
    return written(path, json.dumps(notebook))


def _downloaded(**metadata):
    """As another program saves it: its own metadata everywhere, sources as lists of lines."""

    def make(path, notebook):
        notebook["metadata"].update(metadata)
        for number, cell in enumerate(notebook["cells"]):
            cell["metadata"].update(
                {"id": f"Xy{number}", "vscode": {"languageId": "python"}, "trusted": True}
            )
            cell["source"] = cell["source"].splitlines(keepends=True)
            cell.pop("id", None)
        return written(path, json.dumps(notebook))

    return make


FINE = {"statuses": ("graded", "repaired")}
CORPUS = (
    _encoded("utf-8-sig", "Because \u2713.", **FINE),
    _encoded("utf-16", CHINESE),
    _encoded("utf-16-le", CHINESE),
    _encoded("utf-32", RUSSIAN),
    _encoded("cp1251", RUSSIAN),
    _encoded("gb18030", CHINESE),
    Broken(
        "a damaged byte in UTF-8",
        lambda path, notebook: (
            cell_of(notebook, "q-90-open").update(source=CHINESE),
            written(
                path,
                json.dumps(notebook, ensure_ascii=False)
                .encode()
                .replace("心跳".encode(), "心".encode() + b"\xe8\xb7"),
            ),
        )[1],
    ),
    _text("line ends of Windows", lambda text: text.replace("\n", "\r\n"), **FINE),
    _text("NUL bytes in it", lambda text: text.replace("\n", "\n\0")),
    _text("zeros behind the end", lambda text: text + "\0" * 4096),
    _text("two notebooks in one file", lambda text: text + "\n" + text),
    _text("words behind the end", lambda text: text + "\nSent from my phone"),
    _text("git's conflict marks", _conflict),
    _text(
        "a comma too many",
        lambda text: text.replace(
            '"total = sum(seen)",', '"total = sum(seen)",,'.replace(",,", ",")
        ).replace("\n  }\n ],", "\n  },\n ],"),
    ),
    _text("real line ends inside its strings", lambda text: text.replace("\\n", "\n"), **FINE),
    _text(
        "cut off behind the last answer",
        lambda text: text[: text.index('"total = sum(seen)"') + 60],
        repairable=False,
        score=6,
        statuses=("partial",),
    ),
    _text("cut off in the middle", _cut(0.55), repairable=False, score=5, statuses=("partial",)),
    _text("cut off at once", _cut(0.02), repairable=False, score=0, statuses=("unreadable",)),
    _text(
        "a cell's quotes damaged",
        lambda text: text.replace('"raise RuntimeError', "raise RuntimeError", 1),
    ),
    _text(
        "JSON packed into a text",
        lambda text: json.dumps(text),
        repairable=False,
        score=0,
        statuses=("unreadable",),
    ),
    Broken("Python's text of it", lambda path, notebook: written(path, repr(notebook))),
    Broken(
        "the list of its cells", lambda path, notebook: written(path, json.dumps(notebook["cells"]))
    ),
    Broken(
        "the frame of Jupyter's server",
        lambda path, notebook: written(
            path, {"name": "90.ipynb", "type": "notebook", "content": notebook}
        ),
    ),
    Broken("the notebook format of 2013", _old_format),
    Broken(
        "strings and nulls among its cells",
        lambda path, notebook: written(
            path, {**notebook, "cells": ["", None, *notebook["cells"], 7]}
        ),
    ),
    Broken("a script with marks", _script),
    Broken("a script without marks", _exported, statuses=("repaired", "partial")),
    Broken("a web page", _page, repairable=False, statuses=("repaired", "partial")),
    Broken("fenced code in a text", _chat, repairable=False, statuses=("repaired", "partial")),
    Broken("a zip", _zipped, **FINE),
    Broken("a zip that is called .ipynb", _zip_named_ipynb, **FINE),
    Broken("a tar", _tarred, **FINE),
    Broken(
        "a gz",
        lambda path, notebook: written(
            path, gzip.compress(json.dumps(notebook).encode()), ".ipynb.gz"
        ),
        **FINE,
    ),
    Broken("50 MB of output", _large_output, **FINE),
    Broken(
        "another kernel",
        lambda path, notebook: (
            notebook["metadata"].update(kernelspec={"name": "ir", "language": "R"}),
            written(path, notebook),
        )[1],
        **FINE,
    ),
    Broken(
        "a download from Colab", _downloaded(colab={"provenance": []}, accelerator="GPU"), **FINE
    ),
    Broken(
        "a download from Kaggle",
        _downloaded(kaggle={"accelerator": "none"}, papermill={"default_parameters": {}}),
        **FINE,
    ),
    _other("empty", b""),
    _other("only blanks", b" \n\n \n"),
    _other("only zeros", bytes(5000)),
    _other("a word of excuse", "Sorry, my disk was full.\n"),
    _other("a PDF", b"%PDF-1.7\n%\xe2\xe3\n1 0 obj\n"),
    _other("a picture", b"\x89PNG\r\n\x1a\n" + bytes(300)),
    _other("Office inside", b"\xd0\xcf\x11\xe0" + bytes(900)),
    _other(
        "a pointer of Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n"
    ),
    _other("another page", "<!doctype html><html><body>Sign in</body></html>"),
    _other("JSON, no notebook", '{"message": "Not Found"}'),
    _other("no cells", '{"cells": [], "metadata": {}}'),
    _other("cells that are a number", '{"cells": 4}'),
    _other(
        "a notebook of something else",
        json.dumps(
            {"cells": [{"cell_type": "code", "metadata": {}, "source": "print(1)", "outputs": []}]}
        ),
    ),
    _other("JSON a hundred thousand deep", "[" * 100_000),
    _other("a number of ten thousand digits", '{"cells": [' + "9" * 10_000),
    _other("half a zip", b"PK\x03\x04" + bytes(60), ".zip"),
    _other(
        "an answer to another course",
        json.dumps(
            {
                "cells": [
                    {
                        "cell_type": "code",
                        "metadata": {"nbgrader": {"grade_id": "q-77-1"}},
                        "source": "x = 1",
                        "outputs": [],
                    }
                ]
            }
        ),
    ),
)

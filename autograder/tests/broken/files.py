"""Not the notebook but where and how it lies: folders, links, names, rights."""

from __future__ import annotations

import json
import os
import zipfile

from autograder.tests.broken.corpus import Broken, written


def _named(ending_or_name):
    return lambda path, notebook: written(path, notebook, ending_or_name)


def _folder(*names):
    def make(path, notebook):
        for name in names:
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            written(path / name, notebook, "")
        return path

    return make


def _folder_named_ipynb(path, notebook):
    return _folder("inside.ipynb")(path.with_name(path.name + ".ipynb"), notebook)


def _empty_folder(path, notebook):
    path.mkdir(parents=True)
    return path


def _with_checkpoint(path, notebook):
    (path / ".ipynb_checkpoints").mkdir(parents=True)
    written(path / ".ipynb_checkpoints" / "90-checkpoint.ipynb", "{", "")
    written(path / "90.ipynb", notebook, "")
    return path


def _two_versions(path, notebook):
    _folder("90_demo.ipynb")(path, notebook)
    blank = json.loads(json.dumps(notebook))
    for cell in blank["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            cell["source"] = ""
    written(path / "90_demo-old.ipynb", blank, "")
    return path


def _zip_in_folder(path, notebook):
    path.mkdir(parents=True)
    with zipfile.ZipFile(path / "upload.zip", "w") as archive:
        archive.writestr("90.ipynb", json.dumps(notebook))
    return path


def _link(path, notebook):
    target = written(path.parent.parent / f"outside-{path.name}", notebook)
    link = path.with_name(path.name + ".ipynb")
    link.symlink_to(target)
    return link


def _link_inside(path, notebook):
    path.mkdir(parents=True)
    (path / "90.ipynb").symlink_to(written(path.parent.parent / f"outside-{path.name}", notebook))
    return path


def _loop(path, notebook):
    link = path.with_name(path.name + ".ipynb")
    link.symlink_to(link)
    return link


def _pipe(path, notebook):
    place = path.with_name(path.name + ".ipynb")
    os.mkfifo(place)
    return place


def _locked_up(path, notebook):
    place = written(path, notebook)
    place.chmod(0)
    return place


def _strange_name(path, notebook):
    place = os.fsencode(path) + b"-\xff\xfe.ipynb"
    with open(place, "w", encoding="utf-8") as file:
        json.dump(notebook, file)
    return path.with_name(os.fsdecode(place).rpartition("/")[2])


def _escape(path, notebook):
    place = path.with_name(path.name + ".zip")
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("../../90.ipynb", json.dumps(notebook))
    return place


def _huge(path, notebook):
    place = written(path, notebook)
    os.truncate(place, 120 << 20)  # a hole: it takes no room
    return place


FINE = {"statuses": ("graded", "repaired")}
NOTHING = {"repairable": False, "score": 0.0, "statuses": ("unreadable", "refused")}
CORPUS = (
    Broken("renamed, no ending", _named(""), **FINE),
    Broken("renamed .txt", _named(".ipynb.txt"), **FINE),
    Broken("renamed .json", _named(".ipynb.json"), **FINE),
    Broken("another chapter's name", _named("_02_producer_connections (2).ipynb"), **FINE),
    Broken("a folder", _folder("90_demo.ipynb"), **FINE),
    Broken("a folder in a folder", _folder("submission/week 3/90.ipynb"), **FINE),
    Broken("a folder named .ipynb", _folder_named_ipynb, **FINE),
    Broken("a checkpoint beside it", _with_checkpoint, **FINE),
    Broken("two versions in a folder", _two_versions),
    Broken("a zip in a folder", _zip_in_folder, **FINE),
    Broken("a name that is no text", _strange_name, **FINE),
    # root reads it all the same
    Broken("rights taken away", _locked_up, repairable=False, statuses=("graded", "unreadable")),
    Broken("an empty folder", _empty_folder, **NOTHING),
    Broken("a link", _link, **NOTHING),
    Broken("a link in a folder", _link_inside, **NOTHING),
    Broken("a link to itself", _loop, **NOTHING),
    Broken("a pipe", _pipe, **NOTHING),
    Broken("a zip that would land elsewhere", _escape, **NOTHING),
    Broken("120 MB", _huge, **NOTHING),
)

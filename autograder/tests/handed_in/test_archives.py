"""Whatever a notebook was wrapped in, the same answers come out of it;
and no wrapping costs more than a submission may."""

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile

import pytest

from autograder.handed_in import archives
from autograder.handed_in.submission import read


def zipped(name: str, raw: bytes) -> bytes:
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, raw)
    return box.getvalue()


def tarred(name: str, raw: bytes) -> bytes:
    box, about = io.BytesIO(), tarfile.TarInfo(name)
    about.size = len(raw)
    with tarfile.open(fileobj=box, mode="w") as archive:
        archive.addfile(about, io.BytesIO(raw))
    return box.getvalue()


WRAPPED = {
    "a zip in a zip": ("ada.zip", lambda raw: zipped("hand in/2.zip", zipped("90.ipynb", raw))),
    "a zip by another name": ("ada.ipynb", lambda raw: zipped("90.ipynb", raw)),
    "a notebook named .zip": ("ada.zip", lambda raw: raw),
    "a zip behind a program": ("ada.zip", lambda raw: b"#!/bin/sh\n" + zipped("90.ipynb", raw)),
    "a zip with ./": ("ada.zip", lambda raw: zipped("./90.ipynb", raw)),
    "a zip of .ipynb.txt": ("ada.zip", lambda raw: zipped("90.ipynb.txt", raw)),
    "a zip without endings": ("ada.zip", lambda raw: zipped("demo", raw)),
    "a tar in a zip": ("ada.zip", lambda raw: zipped("90.tar", tarred("90.ipynb", raw))),
    "a zip in a tar.gz": (
        "ada.tgz",
        lambda raw: gzip.compress(tarred("90.zip", zipped("90.ipynb", raw))),
    ),
    "tar.bz2": ("ada.tar.bz2", lambda raw: bz2.compress(tarred("90.ipynb", raw))),
    "tar.xz": ("ada.tar.xz", lambda raw: lzma.compress(tarred("90.ipynb", raw))),
    "bz2": ("ada.ipynb.bz2", bz2.compress),
    "xz": ("ada.ipynb.xz", lzma.compress),
    "gz twice": ("ada.ipynb", lambda raw: gzip.compress(gzip.compress(raw))),
}


@pytest.mark.parametrize("wrapping", WRAPPED)
def test_a_wrapped_notebook_is_unwrapped(hand_in, tmp_path, wrapping):
    whole = hand_in("whole", student="ada")
    name, wrap = WRAPPED[wrapping]
    path = tmp_path / name
    path.write_bytes(wrap(whole.read_bytes()))
    (submission,) = read(path)
    assert submission.can_run and (submission.student, submission.answers) == (
        "ada",
        read(whole)[0].answers,
    ), submission.reason


@pytest.mark.parametrize("name", ["demo", "90.ipynb (1)", "90.Rmd", "90.ipynb.bz2"])
def test_a_folder_is_looked_through_for_any_of_them(hand_in, tmp_path, name):
    raw = hand_in("whole", student="ada").read_bytes()
    folder = tmp_path / "ada"
    folder.mkdir()
    (folder / name).write_bytes(bz2.compress(raw) if name.endswith("bz2") else raw)
    (folder / "90.pdf").write_bytes(b"%PDF-1.5")
    (submission,) = read(folder)
    assert submission.can_run and submission.student == "ada"


def test_archives_in_archives_cost_no_more_than_a_submission_may(hand_in, tmp_path, monkeypatch):
    whole = hand_in("whole", student="ada")
    deep = whole.read_bytes()
    for _ in range(archives.MOST_LAYERS + 1):
        deep = zipped("in.zip", deep)
    wide, box = zipped("in.zip", whole.read_bytes()), io.BytesIO()
    with zipfile.ZipFile(box, "w") as archive:
        for number in range(60):
            archive.writestr(f"{number}.zip", wide)
    large = gzip.compress(gzip.compress(json.dumps({"cells": "x" * 2_000_000}).encode()))
    for raw, why in (
        (deep, "archives in archives"),
        (box.getvalue(), "archives in archives"),
        (large, "unpacked it would be larger"),
    ):
        monkeypatch.setattr(archives, "MOST_BYTES", 1_000_000)
        monkeypatch.setattr(archives, "MOST_FILES", 100)
        (tmp_path / "ada.zip").write_bytes(raw)
        (submission,) = read(tmp_path / "ada.zip")
        assert submission.status == "refused" and why in submission.reason

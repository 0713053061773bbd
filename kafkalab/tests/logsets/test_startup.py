"""The sign that Spark starts: step by step, in place, and with how long it took."""

import io
import sys

import pytest

from kafkalab.logsets import session, startup


def test_the_steps_are_shown_and_at_the_end_the_time(monkeypatch):
    shown: list[str] = []
    steps = iter([1, 1, 2])
    monkeypatch.setattr(startup, "EVERY_S", 0.01)
    monkeypatch.setattr(startup, "_step", lambda: next(steps, 3))
    with startup.sign_of_life(shown.append):
        while not any("step 3 of 3" in text for text in shown):
            pass
    assert shown[0].startswith("Spark is starting: step 1 of 3, Java, 0 s (up to a minute")
    assert shown[-1] == "Spark started in 0 s. The next cells use it at once."


def test_a_start_that_fails_is_not_called_one():
    shown: list[str] = []
    with pytest.raises(RuntimeError), startup.sign_of_life(shown.append):
        raise RuntimeError("no Java")
    assert shown[-1] == "Spark did not start in 0 s."


def test_where_nobody_looks_nothing_is_shown(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert startup.screen() is None
    with startup.sign_of_life():
        pass
    assert sys.stderr.getvalue() == "" and capsys.readouterr().out == ""


@pytest.mark.corpus
def test_a_cell_has_one_display_that_is_replaced():
    """In a kernel of its own, as a learner's; nothing is on stderr."""
    import nbclient
    import nbformat

    code = (
        "import time\nfrom kafkalab.logsets import startup\nstartup.EVERY_S = 0.05\n"
        "startup._step = lambda: 2\nwith startup.sign_of_life():\n    time.sleep(0.3)\n"
    )
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(book, timeout=600, startup_timeout=600, kernel_name="python3").execute()
    (output,) = book.cells[0].outputs
    assert output.output_type == "display_data"
    assert output.data["text/plain"].startswith("Spark started in 0 s.")


def test_a_folder_that_spark_cannot_write_is_named(monkeypatch, tmp_path):
    """Its JVM would die, and nobody would learn why."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path},{tmp_path}/file/spark")
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    with pytest.raises(OSError, match=r"Spark cannot write into .*/file/spark, which SPARK_LOCAL"):
        session()

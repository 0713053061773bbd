"""Tables and views of SQL over logs, and what Spark shows of a refusal."""

import shutil

import pytest

from kafkalab.logsets import narrowed
from kafkalab.logsets.source_options import OPTIONS, OptionsGiven, options_table
from kafkalab.tests.logsets.conftest import ROOT
from kafkalab.tests.logsets.test_narrowing import RUN, options


@pytest.fixture
def log(recordings, tmp_path):
    path = tmp_path / "a log.log.gz"
    shutil.copy(recordings / RUN / "inv-1.log.gz", path)
    return path


@pytest.fixture
def tables(spark):
    made = []

    def create(name: str, rest: str) -> str:
        made.append(name)
        spark.sql(f"CREATE TABLE {name} USING kafkalab {rest}")
        return name

    yield create
    for name in made:
        spark.sql(f"DROP TABLE IF EXISTS {name}")


def refusal(asked) -> str:
    with pytest.raises(Exception, match="kafkalab|layuot|There is no") as refused:
        asked()
    text = str(refused.value)
    assert "Traceback" not in text and 'File "' not in text
    return text


@pytest.mark.slow
def test_a_table_keeps_its_path_and_options(spark, log, tables):
    wanted = spark.read.format("kafkalab").load(str(log))
    every, warned = wanted.count(), wanted.where("level = 'WARN'").count()
    assert every > warned > 0
    by_option = tables("by_option", f"OPTIONS (path '{log}', level 'WARN')")
    by_place = tables("by_place", f"LOCATION '{log}' TBLPROPERTIES ('team' = 'shop')")
    assert spark.table(by_option).count() == warned and spark.table(by_place).count() == every
    one = spark.sql(f"SELECT level FROM {by_place} WHERE level = 'WARN'")
    assert narrowed(one).count() == one.count() == warned
    assert options(narrowed(one))["level"] == "WARN"
    assert spark.readStream.table(by_place).isStreaming
    spark.sql(f"DROP TABLE {by_option}")
    spark.sql(f"DROP TABLE {by_place}")
    assert log.exists()


def test_a_view_names_its_columns(spark, log):
    spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW levels (level string) USING kafkalab "
        f"OPTIONS (path '{log}')"
    )
    assert spark.table("levels").columns == ["level"] and spark.table("levels").count() > 0


@pytest.mark.corpus
def test_what_cannot_be_a_table_is_one_sentence(spark, log, tables):
    assert "needs a path" in refusal(lambda: tables("nowhere", ""))
    assert "has no option 'layuot'" in refusal(
        lambda: tables("wrong", f"OPTIONS (path '{log}', layuot 'x')")
    )
    spark.sql(f"CREATE TABLE named (level string) USING kafkalab OPTIONS (path '{log}')")
    try:
        told = refusal(spark.table("named").count)
    finally:
        spark.sql("DROP TABLE named")
    assert "A table keeps its path only where it names no columns" in told
    assert "There is no file or folder" in refusal(
        spark.read.format("kafkalab").load(str(log) + ".none").count
    )


@pytest.mark.corpus
def test_what_names_a_lines_place(spark, log):
    """The columns `file` and `file_offset` do; Spark's own words for it are of its own sources."""
    lines = spark.read.format("kafkalab").load(str(log))
    assert {row.file for row in lines.select("file").distinct().collect()} == {str(log)}
    assert lines.selectExpr("input_file_name() name").distinct().collect()[0].name == ""
    with pytest.raises(Exception, match="_metadata"):
        lines.select("_metadata")


def test_each_option_is_checked(recordings):
    path = {"path": str(recordings)}
    for name, wrong, sentence in (
        ("mode", "STRICT", "There is no mode 'STRICT'"),
        ("ignoreMissingFiles", "yes", "ignoreMissingFiles is true or false, not 'yes'"),
        ("level", "LOUD", "There is no level 'LOUD'"),
        ("since", "noon", "'noon' is no time"),
        ("settleSeconds", "soon", "settleSeconds is a number of seconds"),
    ):
        with pytest.raises(ValueError, match=sentence):
            given = OptionsGiven({**path, name: wrong})
            assert given.asked is None and given.settle_s
    plain = OptionsGiven(path)
    assert (plain.mode, plain.settle_s, plain.ignores_missing) == ("PERMISSIVE", 2, False)
    assert plain.asked is None and plain.layout is None


def test_the_page_has_the_table_of_options():
    page = (place := ROOT / "kafkalab" / "logsets" / "README.md").read_text(encoding="utf-8")
    assert options_table() in page, f"write this table into {place}:\n{options_table()}"
    assert len({option.name for option in OPTIONS}) == len(OPTIONS)

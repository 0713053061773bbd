"""Makes a query read only the columns and lines that it needs.

Spark 4.3 asks a Python source for all of its columns, and the filters that it would hand over stay
for the next query of the same DataFrame. So `narrowed` looks at the plan that Spark has made, and
gives each reading of the log a schema and options of its own (source.py). Filters stay in the
query, so its rows are the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from kafkalab.logsets import schema
from kafkalab.logsets.block import LEVELS
from kafkalab.logsets.question import LineQuestion, event_names

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Steps of a plan that name each column they need. Of any other step all columns are taken.
NAMING = {
    "Aggregate", "Filter", "GlobalLimit", "Join", "LocalLimit", "Project", "Repartition",
    "RepartitionByExpression", "Sample", "Sort", "Window",
}  # fmt: skip
SCAN, RELATION = "DataSourceV2ScanRelation", "DataSourceV2Relation"
CHEAPEST = "file_offset"
FLIPPED = {
    "LessThan": "GreaterThan", "LessThanOrEqual": "GreaterThanOrEqual",
    "GreaterThan": "LessThan", "GreaterThanOrEqual": "LessThanOrEqual",
}  # fmt: skip
SINCE, UNTIL = ("EqualTo", "GreaterThan", "GreaterThanOrEqual"), ("LessThan", "LessThanOrEqual")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def narrowed(frame: DataFrame) -> DataFrame:
    """The same rows, of readings that make only the needed columns and look for the needed lines.

    Conditions on level, event, client_id and time pass over the text of other lines. A frame that
    reads no log, or one that Spark has cached, is returned as it is. So is one of Spark Connect,
    whose plan is elsewhere.
    """
    if not hasattr(frame, "_jdf"):
        return frame
    execution = frame._jdf.queryExecution()
    analyzed = execution.analyzed()
    if analyzed.isStreaming():
        return frame
    readings = [leaf for leaf in _steps(analyzed) if _reads_lines(leaf, RELATION)]
    needs = _needs(execution.optimizedPlan())
    if not set(needs) <= {_key(leaf) for leaf in readings}:
        return frame  # Spark has renamed the columns of a reading: of a query that is named twice.
    narrow = {
        key: _reading(frame, leaf, *needs[key])
        for key, leaf in {_key(leaf): leaf for leaf in readings}.items()
        if key in needs
    }
    return _frame_of(frame, _replaced(frame, analyzed, narrow))


def _needs(plan: Any) -> dict[tuple[int, ...], tuple[set[int], LineQuestion]]:
    """The columns that the optimized plan needs of each reading, and the lines."""
    used = {column.exprId().id() for column in _each(plan.output())}
    questions: dict[tuple[int, ...], list[LineQuestion]] = {}
    for step in _steps(plan):
        below = list(_each(step.children()))
        if _is_a(step, SCAN):
            continue
        used |= {column.exprId().id() for column in _each(step.references().toSeq())}
        if step.nodeName() not in NAMING:
            used |= {column.exprId().id() for each in below for column in _each(each.output())}
        for each in below:
            if _reads_lines(each, SCAN):
                asked = _question(step.condition()) if _is_a(step, "Filter") else LineQuestion()
                questions.setdefault(_key(each.relation()), []).append(asked)
    if _reads_lines(plan, SCAN):
        questions.setdefault(_key(plan.relation()), []).append(LineQuestion())
    return {
        # a text that is read twice is read for both
        key: (used & set(key), asked[0] if len(asked) == 1 else LineQuestion())
        for key, asked in questions.items()
    }


def _reading(frame: DataFrame, leaf: Any, used: set[int], asked: LineQuestion) -> Any:
    """A reading with these columns only. The others are null, under their own identity."""
    spark, jvm = frame.sparkSession, frame.sparkSession._jvm
    assert jvm is not None, "a frame with a plan has a JVM"
    expressions = jvm.org.apache.spark.sql.catalyst.expressions
    columns = list(_each(leaf.output()))
    names = [column.name() for column in columns if column.exprId().id() in used]
    names = names or [min((column.name() for column in columns), key=lambda name: name != CHEAPEST)]
    options = {entry.getKey(): entry.getValue() for entry in leaf.options().entrySet()}
    if columns[0].metadata().contains(schema.TABLE_OPTIONS):
        kept = json.loads(columns[0].metadata().getString(schema.TABLE_OPTIONS))
        options = {**kept, **options}
    if options.get("mode", "PERMISSIVE").upper() == "PERMISSIVE":
        options = {**{name.lower(): text for name, text in asked.options().items()}, **options}
    source = spark.read.format("kafkalab").schema(schema.spark_schema(tuple(names)))
    plan = source.options(**options).load()._jdf.queryExecution().analyzed()
    made = {column.name(): column for column in _each(plan.output())}
    none = jvm.scala.Option.empty()
    no_names = jvm.PythonUtils.toSeq([])
    aliases = [
        expressions.Alias(
            made.get(column.name()) or expressions.Literal(None, column.dataType()),
            column.name(), column.exprId(), no_names, none, no_names,
        )
        for column in columns
    ]  # fmt: skip
    logical = jvm.org.apache.spark.sql.catalyst.plans.logical
    return logical.Project(jvm.PythonUtils.toSeq(aliases), plan)


def _replaced(frame: DataFrame, step: Any, narrow: dict[tuple[int, ...], Any]) -> Any:
    """The plan with its readings replaced."""
    if _reads_lines(step, RELATION):
        return narrow.get(_key(step), step)
    jvm = frame.sparkSession._jvm
    assert jvm is not None, "a frame with a plan has a JVM"
    below = [_replaced(frame, each, narrow) for each in _each(step.children())]
    return step.withNewChildren(jvm.PythonUtils.toSeq(below)) if below else step


def _frame_of(frame: DataFrame, plan: Any) -> DataFrame:
    jvm = frame.sparkSession._jvm
    assert jvm is not None, "a frame with a plan has a JVM"
    dataset = jvm.org.apache.spark.sql.classic.Dataset
    made = dataset.ofRows(frame.sparkSession._jsparkSession, plan)
    return type(frame)(made, frame.sparkSession)


def _question(condition: Any) -> LineQuestion:
    """What a filter asks, as far as the source can look for it: the filter itself stays."""
    levels: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    since = until = None
    for how, name, values in _comparisons(condition):
        if name == "time":
            moment = _moment(values[0])
            if moment and len(values) == 1 and how in SINCE:
                since = max(since, moment) if since else moment
            if moment and len(values) == 1 and how in (*UNTIL, "EqualTo"):
                moment += timedelta(microseconds=how != "LessThan")
                until = min(until, moment) if until else moment
        elif how in ("EqualTo", "In"):
            texts = tuple(map(str, values))
            if name == "level":
                levels = tuple(text for text in texts if text in LEVELS)
            elif name == "event":
                events = tuple(text for text in texts if text in event_names())
            elif name == "client_id" and all("," not in t and t == t.strip() != "" for t in texts):
                clients = texts
    return LineQuestion(events, levels, clients, since, until)


def _comparisons(condition: Any) -> Iterator[tuple[str, str, list]]:
    """The parts of a condition that all have to hold: how, the column and the values."""
    kind = condition.nodeName()
    if kind == "And":
        yield from _comparisons(condition.left())
        yield from _comparisons(condition.right())
    elif kind in ("In", "InSet"):
        column = condition.value() if kind == "In" else condition.child()
        if kind == "InSet":
            values = list(_each(condition.hset().toSeq()))
        else:
            listed = list(_each(condition.list()))
            values = [each.value() for each in listed if _is_a(each, "Literal")]
            if len(values) < len(listed):
                return
        if _is_a(column, "AttributeReference") and None not in values:
            yield "In", column.name(), values
    elif kind == "EqualTo" or kind in FLIPPED:
        column, value = condition.left(), condition.right()
        if _is_a(column, "Literal"):
            column, value, kind = value, column, FLIPPED.get(kind, kind)
        simple = _is_a(column, "AttributeReference") and _is_a(value, "Literal")
        if simple and value.value() is not None:
            yield kind, column.name(), [value.value()]


def _moment(micros: Any) -> datetime | None:
    try:
        return EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return None


def _steps(plan: Any) -> Iterator[Any]:
    yield plan
    for below in _each(plan.children()):
        yield from _steps(below)


def _each(sequence: Any) -> Iterator[Any]:
    """The members of a sequence of Scala."""
    members = sequence.iterator()
    while members.hasNext():
        yield members.next()


def _key(relation: Any) -> tuple[int, ...]:
    """The identity of a reading: the numbers of its columns."""
    return tuple(column.exprId().id() for column in _each(relation.output()))


def _is_a(step: Any, name: str) -> bool:
    return step.getClass().getSimpleName() == name


def _reads_lines(step: Any, kind: str) -> bool:
    """Whether a step reads rows of lines by the source `kafkalab`."""
    if not _is_a(step, kind):
        return False
    relation = step.relation() if kind == SCAN else step
    return relation.table().name() == "kafkalab" and not relation.options().containsKey("rows")

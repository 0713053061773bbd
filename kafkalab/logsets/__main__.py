"""Runs `kafkalab logsets`, the commands that read, explain and generate log sets.

explain LOG… | read LOG… | connections, rebalances, members, brokers, lag, producers, transactions,
incidents LOG… | generate NAME --out DIR | score SET | doctor | java
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kafkalab.command_line import CommandParser, called_as, with_version
from kafkalab.extras import missing_extra
from kafkalab.logsets.error_messages import NotALog, expected, sentence
from kafkalab.logsets.java import JavaMissing, find_java

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import DataFrame, SparkSession

    from kafkalab.logsets.files import LogFile

UNREAD, INTERRUPTED = 3, 130
PATH_LETTERS = 200
FRAMES = {
    "connections": "each socket that the clients opened, and who ended it",
    "rebalances": "each rebalance of each member: how long it stood still, and why",
    "members": "who came to each group and who went, as its leader printed it",
    "brokers": "how long each broker took to answer each client",
    "lag": "each partition's lag, minute by minute",
    "producers": "what each producer sent to each partition, and what failed",
    "transactions": "each transaction, how it ended and how long it took",
    "incidents": "what went wrong: first and last sign, cause, the lines that say so",
}
ON_SPARK = ("generate", "score")
# Few lines of a log answer these.
NARROW = ("connections", "rebalances", "members", "transactions")


def main(arguments: list[str] | None = None) -> int:
    """Run one command. Returns 0; 2 after one sentence on stderr; 3 where less than nine tenths of
    the lines could be read; 130 after Ctrl-C."""
    options = _parser().parse_args(arguments)
    try:
        return COMMANDS[options.command](options)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return INTERRUPTED
    except (JavaMissing, OSError, ValueError) as error:
        print(sentence(error), file=sys.stderr)
    except ImportError as error:
        missing = missing_extra(error, *("spark",) * (options.command in ON_SPARK))
        if missing is None:
            raise
        print(missing, file=sys.stderr)
    except Exception as error:
        if not isinstance(error, expected()):
            raise
        print(sentence(error), file=sys.stderr)
    return 2


def _parser() -> CommandParser:
    parser = CommandParser(
        prog=f"{called_as('kafkalab')} logsets",
        description="Read, explain and generate logs of Kafka clients.",
        example="explain client.log",
    )
    with_version(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, told: str, example: str) -> CommandParser:
        described = f"{told[0].upper()}{told[1:]}."
        return commands.add_parser(name, help=told, description=described, example=example)

    explain = add(
        "explain",
        "tell what happened in a client's log, and what is odd about it",
        "client.log --html page.html",
    )
    explain.add_argument(
        "path", nargs="+", metavar="LOG", help="a log, packed or not, a folder of them, or a URL"
    )
    explain.add_argument(
        "--html", metavar="FILE", help="write a page with pictures there, which needs nothing else"
    )
    explain.add_argument(
        "--json", metavar="FILE", help="write what was found there ('-' for stdout)"
    )
    read = add(
        "read",
        "tell what is in these files, and what could not be read",
        "logs/ --out lines.parquet",
    )
    read.add_argument("path", nargs="+", metavar="PATH", help="a log, a folder of them, or a URL")
    read.add_argument("--out", metavar="P.parquet", help="write all lines there, typed")
    frames = []
    for name, help_text in FRAMES.items():
        frame = add(name, f"show {help_text}", "client.log --json -")
        frame.add_argument(
            "path", nargs="+", metavar="LOG", help="a log, packed or not, a folder, or a URL"
        )
        frame.add_argument("--html", metavar="FILE", help="write a page there")
        frame.add_argument("--json", metavar="FILE", help="write the rows there ('-' for stdout)")
        frames.append(frame)
    generate = add("generate", "make a log set, with its truth beside it", "trouble --out trouble")
    generate.add_argument("manifest", help="a name in data/manifests, or a .json or .yaml file")
    generate.add_argument(
        "--brokers", action="store_true", help="write the brokers' logs, too: DIR/broker-0, …"
    )
    generate.add_argument("--out", required=True, metavar="DIR", help="a folder for the set")
    score = add(
        "score",
        "tell how well the incidents found in a set's lines agree with its truth",
        "trouble",
    )
    score.add_argument("set", help="a folder that `generate` made")
    for command in (explain, read, *frames):
        command.add_argument(
            "--layout",
            metavar="S",
            help="log4j's pattern, '%%d %%p [%%t] %%c - %%m%%n'; without it the first lines tell",
        )
        command.add_argument(
            "--engine",
            choices=("spark", "duckdb"),
            help="what runs the queries; without it DuckDB for small logs, Spark for others",
        )
    for command in (explain, read, *frames, generate, score):
        command.add_argument(
            "--master", help="Spark's master URL (default: KAFKALAB_SPARK_MASTER, else local[*])"
        )
    add("doctor", "look for everything that reading and making log sets needs", "")
    add("java", "tell which Java Spark will start with", "")
    return parser


@contextlib.contextmanager
def _engine(options: argparse.Namespace) -> Iterator[SparkSession | None]:
    """Choose what runs the frames, say so, and start it, after a check of the paths.

    Gives Spark's session, or None where DuckDB runs them inside this process.
    """
    from kafkalab.logsets.engine import NARROW_BYTES, SMALL_BYTES, SPARK, engine_for, running_on
    from kafkalab.logsets.files import copies_of, path_list
    from kafkalab.logsets.layouts import layout
    from kafkalab.logsets.line_loader import by_opener
    from kafkalab.logsets.ranges import text_expected

    with running_on(options.engine or SPARK):  # DuckDB has no Hadoop: Arrow opens all for it
        far, near = by_opener(options.path)
        files = _near_files(options)
    for told in copies_of(path_list(near)) if near else ():
        print(told, file=sys.stderr)
    if options.layout:
        layout(options.layout)
    size = text_expected(files)
    most = NARROW_BYTES if options.command in NARROW else SMALL_BYTES
    if far:
        engine, why = SPARK, f"Spark reads {far[0]}, for its file systems open that."
    else:
        engine, why = engine_for(size, options.engine, options.master, most)
    print(why, file=sys.stderr)
    with running_on(engine):
        if engine != SPARK:
            yield None
            return
        from kafkalab.logsets.session import session

        yield session(options.master, large=size > SMALL_BYTES or bool(far))


def _explain(options: argparse.Namespace) -> int:
    from kafkalab.logsets.explain import json_report, report_of, text_report
    from kafkalab.logsets.kept_lines import kept_lines
    from kafkalab.logsets.line_loader import left_out_of
    from kafkalab.logsets.line_repairs import NO_REPAIRS, repaired
    from kafkalab.logsets.progress import progress
    from kafkalab.logsets.reader import CLIENT, with_the_files_client

    _can_be_written(options.html, options.json)
    with (
        _engine(options) as spark,
        progress("explaining", spark),
        # the report looks at the lines a dozen times
        kept_lines(spark, options.path, layout=options.layout) as (lines, doubtful),
    ):
        _refuse_what_is_no_log(lines, options)
        once, repairs = repaired(lines, doubtful)
        if repairs != NO_REPAIRS:
            once = once.persist()
        # looked for once, not again in each look
        clients = once.select("file", *CLIENT).distinct().localCheckpoint()
        named = with_the_files_client(once, clients)
        left_out = left_out_of(spark, options.path)
        story = report_of(named, left_out, once, _doubts(options), repairs)
    if options.html:
        from kafkalab.logsets.explain.page import page

        Path(options.html).write_text(
            page(story, f"What {_named(options.path)} tells"), encoding="utf-8"
        )
    if options.json == "-":
        sys.stdout.write(json_report(story))
        return 0 if story.reading.enough else UNREAD
    if options.json:
        Path(options.json).write_text(json_report(story), encoding="utf-8")
    print(text_report(story), end="")
    for target in filter(None, (options.html, options.json)):
        print(f"-> {target}")
    return 0 if story.reading.enough else UNREAD


def _read(options: argparse.Namespace) -> int:
    from kafkalab.logsets import schema
    from kafkalab.logsets.explain.reading import reading_of
    from kafkalab.logsets.explain.text_report import printed_table
    from kafkalab.logsets.first_lines import COLUMNS
    from kafkalab.logsets.kept_lines import kept_lines
    from kafkalab.logsets.line_repairs import TOLD_APART, repaired
    from kafkalab.logsets.progress import progress
    from kafkalab.logsets.reader import (
        CLIENT,
        malformed,
        summary,
        to_arrow,
        with_the_files_client,
    )

    if options.out and Path(options.out).exists():
        raise FileExistsError(f"{options.out} is there already; name another, or remove it.")
    _can_be_written(options.out)
    names = schema.NAMES if options.out else ("file", "file_offset", *COLUMNS, *TOLD_APART)
    with (
        _engine(options) as spark,
        progress("reading", spark),
        kept_lines(spark, options.path, names, options.layout, by_spark=bool(options.out)) as (
            lines,
            doubtful,
        ),
    ):
        _refuse_what_is_no_log(lines, options)
        if options.out and spark is None:
            import pyarrow.parquet

            table = to_arrow(options.path, layout=options.layout)
            pyarrow.parquet.write_table(table, options.out, compression="zstd")
        elif options.out:
            named = with_the_files_client(lines, lines.select("file", *CLIENT))
            named.write.option("compression", "zstd").parquet(options.out)
        told: pandas.DataFrame = summary(lines).limit(1000).toPandas()
        few: pandas.DataFrame = malformed(lines).orderBy("file", "file_offset").limit(10).toPandas()
        repairs = repaired(lines, doubtful)[1]
        reading = reading_of(lines, [], doubts=_doubts(options), repairs=repairs)
    total = told[["lines", "malformed", "foreign", "not_in_catalogue"]].sum()
    print(printed_table(told, len(told), PATH_LETTERS))
    print(
        f"\n{total.lines:,} lines read; {total.malformed:,} malformed, {total.foreign:,} of them "
        f"foreign; {total.not_in_catalogue:,} are not in the catalogue."
    )
    if total.malformed:
        print("\n" + few.to_string(index=False, max_colwidth=90))
    if options.out:
        print(f"-> {options.out}")
    for told in (*reading.warnings(), *repairs.sentences()):
        print(told, file=sys.stderr)
    return 0 if reading.enough else UNREAD


def _frame(options: argparse.Namespace) -> int:
    _can_be_written(options.html, options.json)
    from kafkalab.logsets.frame_commands import run

    with _engine(options) as spark:
        doubtful = _doubts(options, narrow=True)
        print(*doubtful, sep="\n", end="\n" * bool(doubtful), file=sys.stderr)
        in_order = run(options, spark)
    return 0 if in_order and not doubtful else UNREAD


def _generate(options: argparse.Namespace) -> int:
    from kafkalab.logsets.generate import generate, manifest
    from kafkalab.logsets.session import session

    plan = manifest(options.manifest)
    if options.brokers:
        # the manifest's checksum is that of the clients' lines alone
        plan = replace(plan, broker_logs=True, checksum=None)
    generate(session(options.master, large=True), plan, options.out)
    return 0


def _score(options: argparse.Namespace) -> int:
    from kafkalab.logsets.incidents import incidents
    from kafkalab.logsets.line_loader import load_lines
    from kafkalab.logsets.progress import progress
    from kafkalab.logsets.score import score_table, scores, spans_of_rows, spans_of_truth
    from kafkalab.logsets.session import session

    folder = Path(options.set)
    if not (folder / "DONE").is_file():
        raise FileNotFoundError(
            f"{folder} is no log set: it has no DONE. Make one: python -m kafkalab logsets "
            f"generate trouble --out {folder}"
        )
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    spark = session(options.master, large=True)
    # The Parquet that generate wrote equals the result of reading its text.
    rows = folder / "parquet"
    lines = (
        spark.read.parquet(str(rows))
        if rows.is_dir()
        else load_lines(spark, [folder / "lines", *sorted(folder.glob("broker-*"))])
    )
    with progress("looking for incidents", spark):
        found: pandas.DataFrame = incidents(lines).toPandas()
    print(score_table(scores(spans_of_rows(found.itertuples()), spans_of_truth(truth))))
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from kafkalab.logsets.doctor import findings

    found = findings()
    for finding in found:
        mark = "ok  " if finding.ok else "MISS" if finding.needed else "-   "
        print(f"{mark} {finding.text}")
    return 0 if all(finding.ok or not finding.needed for finding in found) else 2


def _java(options: argparse.Namespace) -> int:
    java = find_java()
    print(f"Java {java.major} from {java.origin}: {java.home}")
    return 0


COMMANDS = {
    "explain": _explain, "read": _read, "generate": _generate,
    "score": _score, "doctor": _doctor, "java": _java, **dict.fromkeys(FRAMES, _frame),
}  # fmt: skip


def _near_files(options: argparse.Namespace) -> list[LogFile]:
    """The files of a command, without those that only Hadoop opens."""
    from kafkalab.logsets.files import files_of, path_list
    from kafkalab.logsets.line_loader import by_opener

    near = by_opener(options.path)[1]
    return files_of(path_list(near)) if near else []


def _doubts(options: argparse.Namespace, narrow: bool = False) -> list[str]:
    """What the first lines of the files tell against the reading."""
    from kafkalab.logsets.first_lines import doubts

    files = _near_files(options)
    return list(doubts(files, options.layout, narrow)) if files else []


def _refuse_what_is_no_log(lines: DataFrame, options: argparse.Namespace) -> None:
    from kafkalab.logsets.schema import CUT

    if lines.where("problem is null").limit(1).count() == 0:
        if lines.limit(1).count() == 0:
            raise NotALog(f"There is no line in {_named(options.path)}.")
        if lines.where(f"problem <> '{CUT}'").limit(1).count() == 0:
            raise NotALog(
                f"All lines of {_named(options.path)} are cut, most before their messages. Get the "
                "log again from where it was written."
            )
        layout = options.layout or "Kafka's own layout or another usual one"
        raise NotALog(
            f"No line of {_named(options.path)} begins as {layout} says: is it a log? "
            f"{_remedy(options)}"
        )


def _remedy(options: argparse.Namespace) -> str:
    from kafkalab.logsets.files import beginning
    from kafkalab.logsets.first_lines import remedy_for
    from kafkalab.logsets.record_batches import how_written

    first = _near_files(options)[:1]
    return remedy_for(how_written(first[0])[1], beginning(first[0])) if first else remedy_for(())


def _named(paths: list[str]) -> str:
    names = [Path(path).name for path in paths]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _can_be_written(*targets: str | None) -> None:
    """Check before a minute's work that these files can be written. Raises OSError."""
    import os

    for path in (Path(target) for target in targets if target and target != "-"):
        if not path.parent.is_dir():
            raise FileNotFoundError(f"There is no folder {path.parent} to write {path.name} into.")
        if not os.access(path.parent, os.W_OK) or (path.is_file() and not os.access(path, os.W_OK)):
            raise PermissionError(13, "Permission denied", str(path))


if __name__ == "__main__":
    sys.exit(main())

"""Reads the options that kafka-console-producer and kafka-console-consumer share."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from kafkalab.releases.broker_profile import Tools
from kafkalab.tools.cluster import Options, Unusable


def add_properties(options: Options, names: tuple[str, str], whose: str) -> None:
    """Let the options set properties of something, by the name until 4.1 and by that from 4.2 on
    (KIP-1147)."""
    for name, when in zip(names, ("before 4.2", "from 4.2 on")):
        said = f"a setting of the {whose}, {when}"
        options.add_argument(
            f"--{name}", action="append", default=[], metavar="KEY=VALUE", help=said
        )


def key_value_pairs(given: Iterable[str]) -> dict[str, str]:
    """{"print.key": "true"} of ["print.key=true"]. Raises Unusable for a text without `=`."""
    found = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise Unusable(f"Invalid command line properties: {text}")
        found[key.strip()] = value
    return found


def renamed_properties(
    options: argparse.Namespace, tools: Tools, newer: str
) -> tuple[dict[str, str], str]:
    """The properties of a console tool, and the warning that its release prints.

    newer: the option's name since 4.2 (KIP-1147), such as "formatter-property". Raises Unusable
    where the release does not know this name.
    """
    later = getattr(options, newer.replace("-", "_"))
    if later and not tools.console_renames:
        raise Unusable(f"{newer} is not a recognized option")
    if later and options.property:
        raise Unusable(f"Options {newer} and property cannot be specified together.")
    return key_value_pairs(options.property or later), newer if options.property else ""


def is_true(properties: dict[str, str], key: str) -> bool:
    """Whether a property is the text `true`."""
    return properties.get(key, "").strip().lower() == "true"

"""Says which words of the simulator's Lab a real lab has not got, why, and what there is
instead."""

from __future__ import annotations

NO_JOURNAL = "real processes keep no journal of causes; lab.lines() is what they say"
NO_NETWORK = (
    "the connections are the kernel's; lab.broker(1).pause() lets a broker stand still, and "
    "lab.broker(1).crash() ends it"
)
NO_RULES = "the released Java code decides; a rule of your own needs the simulator"
INSTEAD = {
    "at": "no one keeps the past of a real cluster; describe_topic() and describe_group() tell now",
    "step": "real time passes by itself; run_for() waits",
    "broker_lines": "a broker's own lines are text here: broker_log_text(0)",
    "controller_lines": "the controller's own lines are not kept as a table here",
    "controller_log_text": "the controller's log is in the lab's folder: controller/server.log",
    "server_rows": "a broker's own lines are text here: broker_log_text(0)",
    "client_rows": "a client's lines are text here: log_text(client)",
    "limit_client": "a broker's quotas are not set here",
    "clock": "real time passes by itself; now_ms tells how long the lab has run",
    "journal": NO_JOURNAL,
    "why": NO_JOURNAL,
    "line_text": NO_JOURNAL,
    "streams": "chance is real, so there is no seed",
    "seed": "chance is real, so there is no seed",
    "network": NO_NETWORK,
    "link": NO_NETWORK,
    "partition": NO_NETWORK,
    "heal": NO_NETWORK,
    "find_coordinators_by": NO_RULES,
    "place_coordinator": (
        "the hash of the group's name decides; coordinator_of() tells, and another name may have "
        "another coordinator"
    ),
    "place_transaction_coordinator": "the hash of the transactional id decides",
    "transaction_coordinator_of": "a lab of the simulator tells it",
    "delay": NO_NETWORK,
    "keep_busy": NO_NETWORK,
    "power_loss": "the machine keeps its power; crash() is kill -9",
    "disk": "a broker's disk is this machine's; it is not filled or slowed",
    "judge_batches": NO_RULES,
    "move_watermark": NO_RULES,
    "complete_by": NO_RULES,
    "delete_segments_by": NO_RULES,
    "clean_by": NO_RULES,
    "request_path": "only the simulator looks inside a running broker",
    "time_requests": "only the simulator looks inside a running broker",
    "request_times": "only the simulator looks inside a running broker",
    "segments": "only the simulator looks inside a running broker",
    "look_up": "only the simulator looks inside a running broker",
    "least_loaded": NO_RULES,
    "idle_closer": NO_RULES,
    "next_request": NO_RULES,
    "on_heartbeat": NO_RULES,
    "cold": "each client starts a new JVM, so all of them are cold",
    "epoch": "the clock of the lines is this machine's",
}
"""A word of the simulator -> why a real lab has not got it, and what there is instead."""


def refused_word(owner: str, name: str) -> str | None:
    """The sentence that refuses a word which only the simulator has; None for another word."""
    if name not in INSTEAD:
        return None
    return f"{owner} has no {name!r}: {INSTEAD[name]}."

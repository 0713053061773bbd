"""Kafka's command line tools on a replayed scenario.

    python -m kafkalab kafka-consumer-groups --scenario FILE [--at MS] --describe --group G
    python -m kafkalab kafka-topics          --scenario FILE [--at MS] --describe
    python -m kafkalab kafka-get-offsets     --scenario FILE [--at MS] --topic T
    python -m kafkalab kafka-log-dirs        --scenario FILE [--at MS] --describe
    python -m kafkalab kafka-dump-log        --scenario FILE [--at MS] --topic-partition t4-0
    python -m kafkalab kafka-transactions    --scenario FILE [--at MS] list

The options are the real tools'; --scenario and --at stand in for the cluster they connect to: the
scenario is played up to that virtual millisecond (to its end without --at), and the tool looks at
what is there. What it prints is laid out as the tool of the broker's release does: that of 2.3.1,
or that of 4.x. Unlike the real ones, a tool that has nothing to show because of what it was asked
says so on stderr and ends with exit code 2.
"""

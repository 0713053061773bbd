"""Runs Kafka's command line tools on a replayed scenario.

    python -m kafkalab kafka-consumer-groups --scenario FILE [--at MS] --describe --group G
    python -m kafkalab kafka-share-groups    --scenario FILE [--at MS] --describe --group G
    python -m kafkalab kafka-topics          --scenario FILE [--at MS] --describe
    python -m kafkalab kafka-get-offsets     --scenario FILE [--at MS] --topic T
    python -m kafkalab kafka-log-dirs        --scenario FILE [--at MS] --describe
    python -m kafkalab kafka-dump-log        --scenario FILE [--at MS] --topic-partition t4-0
    python -m kafkalab kafka-transactions    --scenario FILE [--at MS] list
    python -m kafkalab kafka-configs         --scenario FILE [--at MS] --describe ...
    python -m kafkalab kafka-console-consumer --scenario FILE [--at MS] --topic T ...
    python -m kafkalab kafka-console-producer --scenario FILE [--at MS] --topic T < LINES

In a notebook `kafkalab.tools.command.tool(lab, "kafka-topics --describe")` asks the lab at hand.

The options are the real tools'. --scenario and --at replace the cluster that they connect to: the
scenario is played up to that virtual millisecond (to its end without --at), and the tool reads the
state. The output has the layout of the tool of the broker's release: 2.3.1 or 4.x. The real tools
print nothing where nothing fits the options. These tools print a message on stderr and end with
exit code 2.
"""

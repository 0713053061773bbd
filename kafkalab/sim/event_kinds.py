"""Lists the names of all kinds of events that a journal can hold.

With this list a mistyped name is an error, and a known name without events is an empty result.
"""

KINDS = frozenset(
    """
    assigned assignment batch.not.appended broker.changed broker.down broker.fenced broker.starting broker.stopping broker.unfenced
    broker.up call closed cluster commit consumer_group.assigned consumer_group.fenced consumer_group.joined consumer_group.left cpu
    election fault fetched group.assigned group.left group.loaded group.member group.removed group.renamed group.subscribed
    isr line log.cleaned log.deleted log.ends log.rolled member.epoch metadata.awaited offset.removed partition.changed position
    record.acquired record.appended record.completed record.delivered replica.fetched replica.truncated replica.watermark request.queued
    request.received request.sent request.throttled response.received response.sent socket.closed socket.connected socket.opening share.loaded share.records
    share.window share_group.assigned share_group.joined share_group.left state topic.altered topic.created
    topic.deleted transaction.loaded work
""".split()  # noqa: E501
)

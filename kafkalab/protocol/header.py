"""What stands in front of every request: which API, in which version, from whom, and the number its
answer will carry.

Kafka's class is `RequestHeader`. A response carries only the correlation id back, so it needs no
class of its own.
"""

from typing import NamedTuple

from kafkalab.protocol.api_keys import ApiKeys


class RequestHeader(NamedTuple):
    """The envelope of one request on one connection.

    correlation_id: drawn by the client from one counter for all its connections; the answer repeats
    it.
    """

    api_key: ApiKeys
    api_version: int
    client_id: str
    correlation_id: int

"""Defines the header of every request: API, version, client id and correlation id.

Kafka's class is `RequestHeader`. A response carries only the correlation id, so it needs no class.
"""

from typing import NamedTuple

from kafkalab.protocol.api_keys import ApiKeys


class RequestHeader(NamedTuple):
    """The header of one request on one connection.

    correlation_id: from the client's one counter for all its connections; the answer repeats it.
    """

    api_key: ApiKeys
    api_version: int
    client_id: str
    correlation_id: int

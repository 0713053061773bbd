"""Client and broker speak different editions of the same language: which one do they use?"""

import pytest

from kafkalab.protocol.api_keys import ApiKeys, api_of
from kafkalab.protocol.messages import ApiVersion, FetchRequest, FetchResponse, MetadataRequest
from kafkalab.releases import BROKER_PROFILES, PROFILES
from kafkalab.releases.api_versions import (
    api_versions_response,
    newest_known,
    usable_versions,
    version_to_use,
)

ON_THE_WIRE = {
    # client (and the broker it was recorded with): 2.1 2.2 2.3 on 2.3.1, the others on 4.4.0
    "PRODUCE": (7, 7, 7, 9, 9, 11, 12, 13),
    "FETCH": (10, 10, 11, 12, 15, 17, 17, 18),
    "LIST_OFFSETS": (4, 5, 5, 6, 8, 9, 10, 11),
    "METADATA": (7, 7, 8, 11, 12, 12, 13, 13),
    "FIND_COORDINATOR": (2, 2, 2, 3, 4, 6, 6, 6),
    "JOIN_GROUP": (3, 4, 5, 7, 9, 9, 9, 9),
    "SYNC_GROUP": (2, 2, 3, 5, 5, 5, 5, 5),
    "HEARTBEAT": (2, 2, 3, 4, 4, 4, 4, 4),
    "LEAVE_GROUP": (2, 2, 2, 4, 5, 5, 5, 5),
    "OFFSET_COMMIT": (6, 6, 7, 8, 8, 9, 9, 9),
    "OFFSET_FETCH": (5, 5, 5, 7, 8, 9, 9, 9),
    "INIT_PRODUCER_ID": (1, 1, 1, 4, 4, 5, 5, 5),
}
"""Counted in the recordings, request by request."""


@pytest.mark.parametrize("api", ON_THE_WIRE)
def test_each_client_uses_the_version_it_was_recorded_with(api):
    used = tuple(
        version_to_use(
            client,
            ApiKeys[api],
            BROKER_PROFILES["2.3" if client in ("2.1", "2.2", "2.3") else "4.4"].apis,
        )
        for client in PROFILES
    )
    assert used == ON_THE_WIRE[api]


def test_a_new_broker_changes_nothing_for_an_old_client():
    # brokers ask each other that
    assert all(
        version_to_use("2.3", api, BROKER_PROFILES["4.4"].apis)
        == version_to_use("2.3", api, BROKER_PROFILES["2.3"].apis)
        for api in ApiKeys
        if api is not ApiKeys.WRITE_TXN_MARKERS
    )


def test_a_new_client_stoops_to_an_old_broker():
    assert version_to_use("2.8", ApiKeys.METADATA, BROKER_PROFILES["2.3"].apis) == 8


def test_telemetry_is_refused_by_both_brokers():
    """No broker here has a telemetry plugin, so none offers the API and
    the request never leaves the client."""
    for broker in BROKER_PROFILES:
        assert (
            version_to_use("4.4", ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, BROKER_PROFILES[broker].apis)
            is None
        )
        assert ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS not in usable_versions(
            "4.4", api_versions_response(broker)
        )


def test_a_client_that_is_too_old_cannot_send():
    only_new = (ApiVersion(api_key=ApiKeys.FETCH.id, min_version=12, max_version=18),)
    assert version_to_use("2.3", ApiKeys.FETCH, only_new) is None


def test_the_first_request_goes_out_in_the_clients_newest_version():
    assert [newest_known(client, ApiKeys.API_VERSIONS) for client in PROFILES] == [
        2,
        2,
        2,
        3,
        3,
        4,
        4,
        5,
    ]


def test_a_zookeeper_broker_knows_no_features():
    old, new = (
        api_versions_response("2.3", finalized_features_epoch=7),
        api_versions_response("4.4", finalized_features_epoch=7),
    )
    assert (old.finalized_features_epoch, old.finalized_features) == (-1, ())
    assert {feature.name: feature.max_version_level for feature in new.finalized_features}[
        "transaction.version"
    ] == 2


def test_a_message_finds_its_api_and_the_api_its_answer():
    assert api_of(MetadataRequest()) is ApiKeys.METADATA
    assert api_of(FetchResponse()) is api_of(FetchRequest())
    assert ApiKeys.FETCH.response is FetchResponse

"""What the stories of this folder have in common: a cluster of the client's time,
and a consumer that goes on polling."""

from kafkalab import Lab
from kafkalab.releases import PROFILES

FIRST_FOUR = ("2.2", "2.3", "3.9", "4.4")
MINUTE_MS = 60_000
BROKER_OF_ITS_TIME = {name: "2.3" if name in ("2.1", "2.2", "2.3") else "4.4" for name in PROFILES}


def cluster(version, brokers=3, seed=1, **settings):
    return Lab(
        brokers=brokers,
        seed=seed,
        version=version,
        broker_version=BROKER_OF_ITS_TIME[version],
        **settings,
    )


def poll_for(lab, consumer, ms, timeout_ms=200):
    """Poll again and again for `ms`; everything that came."""
    records, until_ms = [], lab.now_ms + ms
    while lab.now_ms < until_ms:
        records += consumer.poll(timeout_ms=min(timeout_ms, until_ms - lab.now_ms))
    return records


def node_ids(lab, client=None):
    """The ids under which sockets were opened, in that order."""
    return [socket.node_id for socket in lab.sockets(client)]


def kept(lab, client=None):
    return [socket.node_id for socket in lab.sockets(client) if socket.closed_at_ms is None]

"""The two sides of a proof: the simulator, and real Kafka."""

from __future__ import annotations

import kafkalab
from kafkalab import Lab, real
from kafkalab.real.java_producer import JavaProducer
from kafkalab.real.proof.claim import EitherLab, RealStory, Side
from kafkalab.real.real_lab import RealLab
from kafkalab.releases.lineage import CLIENT_NAMES, NEWEST_BROKER


class SimulatedSide(Side):
    """The simulator with one seed."""

    words = kafkalab

    def __init__(self, story: RealStory, version: str, seed: int) -> None:
        self.version, self._story, self._seed = version, story, seed

    def lab(self) -> EitherLab:
        """A new lab."""
        return Lab(
            brokers=self._story.brokers,
            seed=self._seed,
            version=self.version,
            broker_version=self._story.broker_version,
            broker_config=dict(self._story.broker_config),
            racks=dict(self._story.racks),
        )


class RealSide(Side):
    """Real Kafka. One cluster serves many stories, because starting one takes long.

    A cluster is kept for the number of its brokers and their settings. There is one at a time.
    """

    words = real

    def __init__(self) -> None:
        self.version = NEWEST_BROKER
        self._story: RealStory | None = None
        self._lab: RealLab | None = None
        self._shape: tuple[object, ...] | None = None

    def serve(self, story: RealStory, version: str) -> RealSide:
        """Get ready for a story; returns itself."""
        self._story, self.version = story, version
        return self

    def lab(self) -> EitherLab:
        """A cluster without topics."""
        assert self._story is not None, "serve() names the story first"
        if self._lab is None or self._shape != self._story.shape:
            self.close()
            self._lab = _warm_lab(self._story)
            self._shape = self._story.shape
        self._lab.version = self.version
        self._lab.clear()
        return self._lab

    def close(self) -> None:
        """End the cluster."""
        if self._lab is not None:
            self._lab.close()
            self._lab = None


def _warm_lab(story: RealStory) -> RealLab:
    """A cluster whose internal topics are there, as in the simulator. Spark runs, too."""
    lab = RealLab(
        brokers=story.brokers,
        version=CLIENT_NAMES[-1],
        broker_version=story.broker_version,
        broker_config=story.broker_config,
        racks=story.racks,
    )
    producer = JavaProducer(lab, {"transactional.id": "warm-up"})
    producer.init_transactions()
    producer.close()
    lab.sockets()  # Spark starts here, and not in the middle of a story that looks twice
    return lab

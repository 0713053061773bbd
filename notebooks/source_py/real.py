# %% [markdown]
# # The same on real Kafka
#
# A simulator can be wrong. This page runs real brokers and released Java clients on your machine,
# with the words that you know. Then you compare. There are no exercises and no marks here.
#
# **You need** chapters 02 and 03. **Time** ten minutes, and once a minute for the download.
#
# Once on a machine, write in a terminal:
#
# ```
# python -m kafkalab real setup
# ```
#
# Without it, the cells about real Kafka do nothing. The simulator's cells run all the same.

# %%
import kafkalab
from kafkalab import ProducerRecord, TopicPartition, real
from kafkalab.views import timeline

missing = real.what_is_missing()
missing or "Real Kafka is ready."

# %% [markdown]
# ## 1. One story, two labs
#
# The function `story` takes a lab and a producer class. It does not know which lab it has got.


# %%
def story(lab, KafkaProducer):
    """A producer knows two brokers, sends to both, and waits until the first socket is idle."""
    lab.create_topic("orders", partitions=2)
    settings = {
        "bootstrap.servers": "localhost:9092,localhost:9093",
        "connections.max.idle.ms": 5_000,
        "enable.idempotence": False,
    }
    producer = KafkaProducer(lab, settings, name="shop")
    for _ in range(10):
        for partition in (0, 1):
            producer.send(ProducerRecord("orders", key="alice", value="tea", partition=partition))
        lab.run_for(ms=1_000)
    return producer


# %%
simulated = kafkalab.Lab(brokers=2, seed=3, version="3.9")
story(simulated, kafkalab.KafkaProducer)
timeline(simulated)

# %% [markdown]
# Now the real one. The brokers need about twenty seconds to start. Each is a process of your
# machine, and so is the producer. The ten seconds of the story are ten seconds of yours.

# %%
if not missing:
    lab = real.Lab(brokers=2, version="3.9")
    producer = story(lab, real.KafkaProducer)
    print(lab)

# %% [markdown]
# Which connections were opened, in which role, and how did they end? In the simulator they are
# known. In real Kafka, Spark reads them from the lines that the client has written.


# %%
def connections(lab):
    """Node id, role and end of each connection, sorted."""
    return sorted((s.node_id, s.role, s.how or "open") for s in lab.sockets("shop"))


print("simulated", connections(simulated))
if not missing:
    print("real     ", connections(lab))

# %% [markdown]
# Linux knows as well. It tells only what is open now, and to which broker.

# %%
if not missing:
    print(dict(lab.kernel_sockets("shop")))

# %% [markdown]
# ## 2. The lines
#
# These are the first lines about connections. On the left is the time since the lab was ready.


# %%
def say(lab):
    """Print the first lines of the client about its connections."""
    wanted = "logger.str.endswith('NetworkClient') and level == 'DEBUG'"
    for line in lab.lines("shop").query(wanted).head(6).itertuples():
        print(f"{line.at_ms:6} {line.message[:100]}")


say(simulated)

# %%
if not missing:
    say(lab)

# %% [markdown]
# ## 3. A group
#
# A consumer joins a group, reads four records and commits. `describe_group` asks the brokers.

# %%
if not missing:
    config = {"group.id": "billing", "auto.offset.reset": "earliest", "max.poll.records": 4}
    reader = real.KafkaConsumer(lab, config, name="ada")
    reader.subscribe(["orders"])
    records = []
    while not records:
        records = reader.poll(timeout_ms=500)
    reader.commit_sync()
    print(lab.describe_group("billing")[["partition", "current_offset", "log_end_offset", "lag"]])

# %% [markdown]
# ## 4. A crash
#
# `crash()` is `kill -9` of a process. Partition 1 has one replica only, at broker 1. So nobody
# leads it until the broker starts again. Its disk stays.

# %%
if not missing:
    lab.broker(1).crash()
    lab.run_until(lambda: lab.leader("orders", 1) is None, timeout_ms=30_000)
    print("crashed:", lab.leader("orders", 1))
    lab.broker(1).restart()
    lab.run_until(lambda: lab.leader("orders", 1) is not None, timeout_ms=30_000)
    print("started again: broker", lab.leader("orders", 1), "leads")
    print("records:", reader.end_offsets([TopicPartition("orders", 1)]))

# %% [markdown]
# ## 5. What a real lab cannot do
#
# Nobody keeps the past of a real cluster. A real lab says so in one sentence.

# %%
if not missing:
    try:
        lab.at(1_000)
    except AttributeError as refused:
        print(refused)

# %% [markdown]
# ## 6. The end
#
# `close()` ends all processes and deletes their files. Without it they end with this notebook,
# also when the kernel crashes.
#
# `python -m kafkalab real prove` runs many small stories on both labs. What came out is in the file
# `notebooks/PROOF.md` of the course.

# %%
if not missing:
    lab.close()

# %% [markdown]
# # 15 · What happens inside between request and response?
#
# A till (收银台) is the place in a shop where you pay. A till sends an order and gets its answer after
# 180 milliseconds. The work of the broker took less than one. Where was the order in the other 179?
# A broker has few threads and several queues. This chapter follows requests through them, and finds
# the place where the time goes.
#
# **You need** chapters 01 and 05. **You get** eight words: *acceptor*, *network thread*, *I/O
# thread*, *request queue*, *response queue*, *purgatory*, *percentile*, *backpressure*. **Time** two sittings: about
# 50 + 40 minutes. The first ends after section 4.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab.stories.broker import broker_lab, order, places, requests_since, stages, till, tills
from kafkalab.views import request_gantt

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown] items="N100 N101"
# ## 1. Guess, run, look
#
# Many people think that a broker has one thread for each connection. Some servers are made so. Here
# 12 tills are connected to one broker. Each sends an order at the same moment. How many different
# threads of the broker read these 12 requests from the network?

# %%
predict("15 twelve tills", reading_threads=None)

# %%
import pandas

lab = broker_lab(brokers=1)
selling = tills(lab, 12)
begin_ms = lab.now_ms
for one in selling:
    order(one)
lab.run_for(ms=100)
requests = pandas.DataFrame(requests_since(lab, begin_ms, "PRODUCE"))
truth("15 twelve tills", reading_threads=requests.network_thread.nunique())
requests[["client", "network_thread", "io_thread"]]

# %% [markdown] items="N100 N101 N102 N103"
# Three threads read for all, and eight do the work. The number of clients changes neither. These are
# the stations of a request, with the names of Kafka's classes:
#
# 1. The **acceptor** (接收线程, `Acceptor`) takes a new connection. It gives each one to the next
#    network thread in turn. It reads no request.
# 2. A **network thread** (网络线程, `Processor`) reads the requests of its connections. There are
#    `num.network.threads` for each listener, 3 by default.
# 3. It puts each request into the **request queue** (请求队列, `RequestChannel`). All network threads
#    share this one queue. It has `queued.max.requests` places, 500.
# 4. An **I/O thread** (工作线程, `KafkaRequestHandler`) takes the oldest request and does the work:
#    it writes to the log or reads from it. There are `num.io.threads`, 8.
# 5. It puts the response into the **response queue** (响应队列) of the network thread that owns the
#    connection. Each network thread has its own response queue.
# 6. That network thread writes the response to the socket.
#
# Such a design is called a *reactor*: few threads serve many connections, and no thread waits for
# one client.
#
# ## 2. Six times of one request
#
# Kafka measures each station. The names are those of its metrics (`RequestMetrics`):
#
# | Time | From | To |
# |---|---|---|
# | RequestQueueTimeMs | read by a network thread | taken by an I/O thread |
# | LocalTimeMs | taken by an I/O thread | its own work is done |
# | RemoteTimeMs | own work done | nothing is missing any more |
# | ResponseQueueTimeMs | response ready | taken by the network thread |
# | ResponseSendTimeMs | taken by the network thread | written |
# | ThrottleTimeMs | (no station: a quota lets the client wait after the response) | |
#
# TotalTimeMs is the sum of the first five. A client above its quota gets its response at once, and
# then the broker reads nothing from it for the ThrottleTimeMs (since 2.0). Chapter 12 shows it, and
# here nobody has a quota. Kafka can also write these times into a
# log, one line for each request: the logger is `kafka.request.logger`, with the level DEBUG. The lab
# keeps them with `lab.broker(0).time_requests()`.

# %%
times = stages(requests_since(lab, begin_ms, "PRODUCE")).head(4)
times.rename(columns=lambda name: name.removesuffix("TimeMs"))  # so that the table is not too wide

# %% [markdown]
# An order on a quiet broker waits nowhere. Two numbers are assumptions of the lab. An order keeps an
# I/O thread for 0.12 ms. Then the lab adds a random 0 to 2 ms to its LocalTimeMs, and keeps no thread
# for them.

# %% exercise="15.1"

# %% [markdown]
# Each order keeps a thread for some time, and a thread takes one at a time. A network thread that finds
# the request queue full keeps the request in its hands until there is a place (section 6).

# %% exercise="15.2"

# %% [markdown] items="N104"
# ## 3. Does acks=all hold a thread?
#
# With `acks=all` the answer waits until all in-sync replicas have the order (chapter 05). "So the
# I/O thread waits for the followers", many texts say. Let us see. The broker has one I/O thread, and
# one follower. The follower stops for 800 ms. Five tills send an order with `acks=all`. Then a
# kiosk sends one with `acks=1`. How many milliseconds does the kiosk wait? How many of the other five
# does the broker hold in its *purgatory* then, a place without threads?

# %%
predict("15 one thread", kiosk_ms=None, waiting_in_purgatory=None)

# %%
from kafkalab.stories.broker import slow_follower

lab, begin_ms, kiosk_ms = slow_follower(io_threads=1)
waiting = places(lab)
truth("15 one thread", kiosk_ms=kiosk_ms, waiting_in_purgatory=waiting["produce purgatory"])
lab.run_for(ms=1_500)
orders = requests_since(lab, begin_ms, "PRODUCE")
request_gantt(orders, since_ms=begin_ms, title="one I/O thread, five orders that wait")

# %% [markdown] items="N104"
# The kiosk waited 3 ms. The picture says 1 ms, because a broker does not count the way there and
# back. The only I/O thread was free. It needed 0.12 ms for each order of the five. Then it put the
# request into the **purgatory** (炼狱, `DelayedOperationPurgatory`) and took the next one. A request
# in the purgatory is only a note in memory, for instance "answer this, when the high watermark reaches
# offset 7". Its time there is the RemoteTimeMs. So the broker can keep thousands of such requests.
#
# There are several purgatories. These two matter most:
#
# | Purgatory | Waits for | At most |
# |---|---|---|
# | produce (acks=all) | the high watermark of each partition in the request | `timeout.ms` of the request: the producer's `request.timeout.ms`, 30 s |
# | fetch | `fetch.min.bytes` that the reader may read, in all partitions together | `fetch.max.wait.ms`, 500 ms |
#
# Who looks whether a request is ready? Nobody looks all the time. Each waiting request is on a list
# for each of its partitions: this is its *watch key*. When a partition changes, only the
# requests on its list are checked. A clock ends the others when their time is over.
#
# The long poll of a reader (chapter 03) is the same thing: a FETCH that waits in the purgatory until
# there is something to read. Its RemoteTimeMs of 500 ms is normal and harms nobody.
#
# Here are all stations in one picture. Eight tills send an order with `acks=all`, and a kiosk sends
# one with `acks=1`. The only follower stops for 120 ms. An order keeps an I/O thread for 20 ms. This
# picture moves: use the slider, the play button and the switch. Who is answered first, and when does
# the purgatory become empty?

# %%
from kafkalab.stories.moving_broker import requests_over_time

requests_over_time()

# %% [markdown]
# The kiosk is answered first, although it was not the first to come. All who wait in the purgatory
# leave it together, when the follower has their orders. An I/O thread is never kept by them. With one
# I/O thread you see something new: the request queue is full, and a network thread holds a request in
# its hands. Section 6 shows what that costs.

# %% exercise="15.3"

# %% [markdown]
# ## 4. Write the rule
#
# Now the purgatory uses your rule. The lab asks it when a request arrives, and each time when one of
# its partitions changes. A wrong rule loses an order, makes somebody wait, or lets a reader ask a
# thousand times.

# %% exercise="15.4"

# %% [markdown]
# `survive` plays six kinds of nights with as many seeds as you like. Ten seeds take some seconds.

# %%
from kafkalab.stories.broker import survive

# survive(may_complete, seeds=10)      # take the # away when your rule is ready

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 5. Can one client delay another?
#
# An audit job asks for offsets (LIST_OFFSETS). Its data is old, and the broker has to read it from
# a slow disk: 200 ms for each request. The broker has eight I/O threads. Nine audit jobs ask at once.
# 20 ms later a kiosk sends an order. How many milliseconds does it wait? And with only seven jobs?

# %%
predict("15 audits", with_seven_ms=None, with_nine_ms=None)

# %%
from kafkalab.stories.broker import audits

with_seven_ms = audits(7)[2]
lab, begin_ms, with_nine_ms = audits(9)
truth("15 audits", with_seven_ms=with_seven_ms, with_nine_ms=with_nine_ms)
request_gantt(
    requests_since(lab, begin_ms), since_ms=begin_ms, title="nine audits, eight I/O threads"
)

# %% [markdown] items="N102"
# Seven jobs leave one I/O thread free, and the kiosk has its answer after 3 ms. Nine jobs take all
# eight, and the kiosk waits in the request queue with everybody else. The queue knows no clients and no
# priorities: the oldest request is next. The kiosk's LocalTimeMs is tiny. Its RequestQueueTimeMs tells
# of the others' work. So read these two together: *the queue time of one API is the local time of
# another.*
#
# Where is the limit? One I/O thread that needs 5 ms for each order can do 200 orders a second. Here
# are more and more tills on one I/O thread. Each sells about ten orders a second. Two columns show a
# **percentile** (百分位数): the p99 is the time that 99 of 100 requests do not exceed.

# %%
from kafkalab.stories.broker import saturation

load = saturation((5, 10, 15, 18, 25, 40))
load

# %% [markdown]
# The last two columns are RequestQueueTimeMs and LocalTimeMs. The work of one order takes 5 ms in each
# row. What grows is the queue, and it grows long before the limit. Near the limit the idle share goes
# to 0, and more tills sell no more orders: they only wait longer. Kafka calls this share
# `RequestHandlerAvgIdlePercent`, a number from 0 to 1. Below 0.3 you should look.

# %% [markdown]
# ## 6. The queue is full
#
# One I/O thread, 20 ms for each order, and only four places in the request queue. Twelve tills send
# at the same moment.

# %%
from kafkalab.stories.broker import burst

lab, begin_ms = burst(clients=12, io_threads=1, queue=4, network_threads=3, work_ms=20)
places(lab)  # 10 ms after the begin

# %%
lab.run_for(ms=600)
orders = requests_since(lab, begin_ms, "PRODUCE")
request_gantt(orders, since_ms=begin_ms, title="twelve orders, one I/O thread, four places")

# %% [markdown] items="N102 N103"
# The queue has four requests. Each network thread holds one more in its hands and waits for a place.
# Kafka counts this wait as RequestQueueTimeMs, too. Until then the thread reads nothing and writes
# nothing. Two things follow.
#
# - The other requests stay in their sockets, unread. The clients slow down by themselves: TCP lets
#   them send no more. This is **backpressure** (反压). The broker's memory is safe.
# - A response that is ready waits too: the crossed part of till-5. Its network thread is not free to
#   write it.
#
# The time in the socket is in none of Kafka's six times: no thread has read the request yet. The
# number behind each bar is TotalTimeMs, so it begins where the dots end. Clients see the time in the
# socket, the broker does not. So compare the broker's TotalTimeMs with the client's own
# `request-latency-avg`.
#
# A client that floods the queue can be held back. A quota of *requests*, `request_percentage`, gives it
# a share of the threads' time; the lab has quotas of bytes only (chapter 12). And each
# listener has network threads of its own, but the queue is one for all.
#
# ## 7. Do more threads help?
#
# A kiosk sells with `acks=all`, and its p99 is bad. There are two cases. In the first, twelve audit
# jobs keep an I/O thread for 50 ms each, again and again. In the second, the follower needs 50 ms to
# write what it copies. The team raises `num.io.threads` from 4 to 32. What is the p99 of the kiosk's
# TotalTimeMs then, in each case? Guess roughly.

# %%
predict("15 more threads", slow_audits_ms=None, slow_follower_ms=None)

# %%
from kafkalab.stories.broker import with_threads

causes = ("slow audits", "slow follower")
measured = {
    cause: {threads: with_threads(cause, threads) for threads in (4, 8, 16, 32)} for cause in causes
}
truth(
    "15 more threads",
    slow_audits_ms=measured["slow audits"][32],
    slow_follower_ms=measured["slow follower"][32],
)
pandas.DataFrame(measured).rename_axis("num.io.threads")

# %% [markdown]
# More threads empty the request queue. They change nothing about a remote time. On a real machine
# they do not make a slow disk faster either. (The lab's disk takes any number of writes at the same
# time, so the lab cannot show that.) First look for the stage, then choose the cure.

# %% [markdown] items="N103"
# ## 8. May responses overtake each other?
#
# A shop sends three orders with `acks=all` on one connection, 20 ms apart. The follower stops
# for half a second. A producer may have five requests in flight. How many of the three are in the
# purgatory?

# %%
predict("15 three in flight", in_purgatory=None)

# %%
from kafkalab.stories.broker import three_in_flight

lab, begin_ms = three_in_flight()
truth("15 three in flight", in_purgatory=places(lab)["produce purgatory"])
lab.run_for(ms=1_500)
orders = requests_since(lab, begin_ms, "PRODUCE")
request_gantt(orders, since_ms=begin_ms, title="three orders on one connection")

# %% [markdown] items="N103"
# Only one. While a request of a connection is in the broker, the network thread does not read the
# next one: the connection is *muted*. It is read again when the response is written. So the responses
# of one connection keep the order of the requests, and clients rely on it. The price: a request
# behind a slow one waits in the socket. Requests of *different* connections overtake each other all
# the time; the kiosk of section 3 did.
#
# ## 9. The real thing beside it
#
# This is the request log of a real broker 4.4.0 with two I/O threads. `shop` sends with acks=all (-1),
# `kiosk` with acks=1, `ada` reads. The only follower had stopped for 0.8 seconds:

# %%
from kafkalab.stories.broker import real_requests

real = real_requests("4.4")
real.set_index("time").tail(9).rename(columns=lambda name: name.removesuffix("TimeMs"))

# %% [markdown]
# One question about it. The kiosk's last order was answered at 04:53:29,898. When did ada get
# it, and which stage of which requests tells you so?

# %%
real[(real.client == "ada") & (real.time > "04:53:29,8")][["time", "RemoteTimeMs"]]

# %% [markdown]
# <details><summary>The answer</summary>At 04:53:30,704. Two fetches waited their full 500 ms, and the
# third one 104 ms. The order was in the leader's log, but not below the high watermark, so no reader
# may have it. The same event completed the shop's order after 807 ms of RemoteTimeMs. Its LocalTimeMs
# was 3.6.</details>
#
# ## 10. Spark lab: where did the p99 go?
#
# Four brokers, A to D. On each, a kiosk says that its orders are slow now and then. You have the
# request logs, in the form of a real broker. Which stage holds the time?

# %%
from kafkalab.stories.broker import request_log, slow_day
from kafkalab.stories.log_files import write_log_files

days = numbers("15.5")
logs = {name: request_log(slow_day(**dict(day))) for name, day in days.items()}
request_logs = write_log_files(logs, "chapter15/request_logs")
logs["A"].splitlines()[0]

# %% [markdown]
# Spark starts now. That takes up to a minute.

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F

spark = logsets.session()
lines = spark.read.text(str(request_logs)).withColumn("file", F.input_file_name())
told = F.regexp_extract("value", r"request:(\{.*\})", 1)
names = ["totalTimeMs", "requestQueueTimeMs", "localTimeMs", "remoteTimeMs"]
times = lines.select(
    F.regexp_extract("file", r"([^/]+)\.log", 1).alias("broker"),
    F.get_json_object(told, "$.requestHeader.requestApiKeyName").alias("api"),
    *(F.get_json_object(told, f"$.{name}").cast("double").alias(name) for name in names),
)
average = times.groupBy("broker", "api").agg(*(F.round(F.avg(n), 1).alias(n) for n in names))
average.orderBy("broker", "api").toPandas()

# %% [markdown]
# These are averages. A few slow orders among many quick ones hardly change them.

# %% exercise="15.5"

# %% [markdown]
# ## 11. In your own words
#
# A person reads this answer. `reveal("15.open", give_up=True)` shows a good one.

# %% exercise="15.open"

# %% [markdown] items="N105"
# ## Then and now
#
# KIP means [Kafka Improvement
# Proposal](https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals).
#
# | Then | Now | Try it |
# |---|---|---|
# | The controller's requests (LEADER_AND_ISR, UPDATE_METADATA) are in the same queue as the orders. | Since 2.2 a ZooKeeper cluster can give them a listener and a queue of their own (`control.plane.listener.name`, KIP-291). It is off by default. With KRaft, so always since 4.0, no such requests come: a broker reads the controllers' log. | below |
# | A network thread takes all new connections before it reads from old ones. | Since 2.2 at most 20 new ones wait for it, and it reads between them (KIP-402). | |
# | A line of the request log is a text of its own form. | Since 2.8 it is JSON (KIP-673). | below |
#
# Some articles say that data and control requests are separated. Here is who asked the real brokers
# for what. The controller of 2.3 is client `1`, on the same listener as the others:

# %%
{
    release: real_requests(release).groupby(["client", "api"]).size().to_dict()
    for release in ("2.3", "4.4")
}

# %% [markdown]
# ## Break it yourself
#
# Five tills, a follower that has stopped, one I/O thread. Change one word so that each till is told
# "written" within a few milliseconds. What does it cost (chapter 05)? Then take `io_threads=8` instead:
# what changes?

# %%
from kafkalab.stories.broker import slowest_till_ms

slowest_till_ms(acks="all", io_threads=1)

# %% [markdown]
# **So what.** Four numbers of each broker belong on your wall.
#
# - `RequestHandlerAvgIdlePercent`: alert below 0.3. The I/O threads are busy; look at LocalTimeMs.
# - `NetworkProcessorAvgIdlePercent`: alert below 0.3. The network threads are busy.
# - `RequestQueueSize`: alert when it stays high. At `queued.max.requests` requests wait in the sockets.
# - The 99th percentile of each stage, for each API: `RequestQueueTimeMs`, `LocalTimeMs`, `RemoteTimeMs`,
#   `ResponseQueueTimeMs`, `ResponseSendTimeMs`. Never mix PRODUCE with FETCH: a fetch that waits for
#   records is healthy.
#
# ## What you know now
#
# - A few network threads read and write for all connections. A few I/O threads do the work.
# - There is one request queue for all, and one response queue for each network thread.
# - acks=all and a long poll wait in the purgatory. They keep no thread.
# - The request queue knows no clients. Slow requests of one client delay all others.
# - A full queue stops the network threads, and then the clients.
# - One connection, one request at a time: its responses cannot overtake each other.
#
# **Words**: acceptor 接收线程 · network thread 网络线程 · request queue 请求队列 · I/O thread 工作线程 ·
# response queue 响应队列 · purgatory 炼狱 · percentile 百分位数 · backpressure 反压

# %%
from autograder import my_guesses

my_guesses("15")  # your guesses of this chapter, the surprises first

# %% [markdown]
# ### Do you remember?
#
# <details><summary>1. Chapter 05: what does acks=all wait for?</summary>For all replicas that are in
# sync at this time, not for all replicas.</details>
# <details><summary>2. Chapter 14: what does a follower's next fetch tell the leader?</summary>That the
# follower has all records below this offset. So it moves the high watermark.</details>
# <details><summary>3. Chapter 10: what happens when a poll loop works longer than
# max.poll.interval.ms?</summary>The member leaves its group, and its partitions go to others.</details>

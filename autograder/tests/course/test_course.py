"""The course as it is handed out: built twice it is the same, it holds no answers, it runs, and its
prose is true.

The last is a table: words of a chapter's text beside what the chapter's own cells must have
printed. A number in the prose that the lab no longer gives fails here, and so does a sentence
somebody rewrote without looking at the number again.
"""

import ast
import json
import re
import tempfile
import textwrap
from collections import Counter
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.cell.check import MORE_CASES
from autograder.cell.course_folder import HOME
from autograder.cell.question import asked_chapters, of_chapter
from autograder.course import build, sources
from autograder.course.references import solved
from kafkalab.tests.shares import few, share

CHAPTERS = sources.chapters()
RUN = [
    pytest.param(chapter, marks=() if chapter[:2] == "00" else pytest.mark.slow)
    for chapter in CHAPTERS
]

# (chapter, words of its prose, what one of its outputs says). `.` in a pattern never crosses a
# line.
CLAIMS = (
    ("00", "Two connections.", r"connections +- +2$"),
    ("00", "It is 10 already", r"^\(False, 10\)$"),
    ("00", "It took 12\nmilliseconds", r"^\(orders-0@0, 22\)$"),
    ("01", "Nothing was taken away", r"left +- +12$"),
    ("01", "it continues at 5", r"^\[5, 6, 7, 8, 9, 10, 11\]$"),
    ("01", "each run sent JOIN_GROUP two times", r"'JOIN_GROUP': 4,"),
    ("01", "12 records, four in each partition", r"first_member +- +4$"),
    (
        "01",
        "In the first six seconds nobody owns anything",
        r"m1 +6\.1 s +10\.0 s +reads +orders-0",
    ),
    ("01", "Each partition has one reader in each group", r"^orders-2 +4 +m3 +s1$"),
    ("01", "Both have read all four records", r"^group search +next 4 +0$"),
    ("01", "With `earliest` the group loses records 3 to 7", r"group early +next 3 +6, and 5 gone"),
    ("01", "We keep the lines that tell who got what", r"^both sides say the same$"),
    ("01", "Client 2.2 with `earliest` reads all eight", r"^2\.2 +0 +8 +ConsumerOffset"),
    (
        "01",
        "These are the requests that `search` sent so far",
        r"^\{'FETCH': \d+,(.*\n)* 'OFFSET_COMMIT': \d+",
    ),
    ("01", "`m4` stays hatched and owns nothing", r"members_without_records +- +1$"),
    ("01", "and three members get nothing", r"busy +- +3$"),
    ("01", "The log begins at 8 now", r"records +8 to 13 +6$"),
    (
        "01",
        "Three, three and six",
        r"^\{'client 2.8': 3, 'client 4.4': 3, 'client 4.4, new protocol': 6\}$",
    ),
    ("04", "So most batches got two", r"client 2\.3 +118 +118 +2\.0 "),
    ("04", "fewer than half as many batches", r"client 2\.8 +45 +45 +5\.3 "),
    ("04", "Most of them move: 77 of 100", r"moved +- +77$"),
    ("04", "The 20 records before are in the log", r"read_with_latest +- +1$"),
    ("04", "and this group never reads them", r"^\{'latest': 1, 'earliest': 21\}$"),
    ("04", "The record of partition 0 left after 110 ms", r"^\[\(0, 110, 1\), \(1, 110, 4\)"),
    ("04", "The fifth record of partition 1 did not fit", r"\(1, 1102, 1\)\]$"),
    ("04", "In the last row a batch is full after ten records", r"bytes: 15 batches, 14,265 bytes"),
    ("04", "So the broker must compress again, `recompress`", r"broker-0 +recompress +zstd"),
    ("04", "Its work grows from 12 to 79 microseconds", r"recompress +zstd +8826 +1014 +67$"),
    ("04", "the difference is small: 1040 records", r"orders-2 +1520 +1040 +693 "),
    ("04", "The sticky client sends *more* to it", r"more_than_a_third +- +2\.8$"),
    ("04", "With client 2.8 up to 910 wait", r"client 2\.8 +orders-2 +910 "),
    ("04", "With client 3.9 it is 127 at most", r"client 3\.9 +orders-2 +127 "),
    ("04", "all is written in half the time", r"ms until all is written +1405 +973 +685 "),
    ("05", "A follower took over with what it had: nothing", r"acks_1 +- +0$"),
    (
        "05",
        "Both producers were told the same",
        (
            r"^acks=1 \{'acknowledged': 20, 'failed': 0\}\nacks=all \{'acknowledged': 20, "
            r"'failed': 0\}$"
        ),
    ),
    (
        "05",
        "with a floor of 1 loses too, in the last story",
        r"the same, unclean +20 lost +20 lost +20 lost +20 safe",
    ),
    ("05", "*No leader* means that the partition waits", r"waiting +- +5$"),
    ("05", "How many times is the record sent", r"times +- +4$"),
    ("05", "one would expect 4, 8 and 16 tries", r"^\{'8 s': 4, '16 s': 7, '32 s': 12\}$"),
    ("05", "How did 0 get behind 5?", r"^\[1, 2, 3, 4, 5, 0, 6\]$"),
    ("05", "Both are refused", r"10122 +0 +refused\n.*10122 +1 to 5 +refused"),
    (
        "05",
        "At the next try 1 to 5 is written first",
        r"10226 +1 to 5 +written\n.*10229 +0 +written",
    ),
    (
        "05",
        "it had a connection to it already",
        r"broker 1 +up +localhost:9093 +★safe-0 ★safe-1 safe-2",
    ),
    ("05", "three replicas behave as a majority of three does", r"^refused_floor_2 +- +1$"),
    ("05", "With a floor of 1 two may crash", r"^refused_floor_1 +- +0$"),
    ("05", "the slowest replica of the set: 403 ms", r"'acks=all, 200 ms away': 403"),
    ("05", "so they see nothing until a follower is back", r"read_now +- +0$"),
    ("05", "With brokers of 2.3 a consumer reads all five at once", r"'2\.3': .*'now': 5"),
    ("02", "there is a connection already", r"before_send +- +1$"),
    ("02", "After nine idle minutes the client closes it", r"node -1 .*idle at 9 min"),
    ("02", "so the next look-up chose an unused address", r"v2_2 +- +3$"),
    ("02", "Version 2.3 waits for the connection in progress", r"v2_3 +- +1$"),
    (
        "02",
        "With −1 it lived one minute longer than usual",
        r"node -1 .*closed by the broker at 10 min",
    ),
    ("02", "Here node 0 is no zombie", r"node 0 +data +0 +13 ms +still open +10$"),
    ("02", "The first of these nine connections asked", r"18 min 10\.1 s +still open +2$"),
    ("02", "After 09:08 the number falls by 33", r"09:08:00 +175\n.*09:09:00 +142$"),
    ("02", "They ask for a producer id first", r"^2 connections; asked for: .*INIT_PRODUCER_ID"),
    ("02", "Broker 1 is down for three seconds", r"20014 +READY +DISCONNECTED +yes$"),
    ("02", "Version 2.1 waits for the first `send`", r"v2_1 +- +0$"),
    ("02", "It opens another connection for it", r"v3_9 +- +2$"),
    ("02", "We took a seed with the same order", r"^(\d+) of \1 lines are the same$"),
    ("03", "Five bars", r"5 connections opened, 5 open"),
    ("03", "Before the first `poll` there was nothing", r"before_poll +- +0$"),
    ("03", "never chooses node −1 again, so node −1 goes", r"node -1 .*idle at 9 min"),
    ("03", "The second was answered after three seconds", r"^3,0\d\d ms .*answer to JOIN_GROUP"),
    (
        "03",
        "2147483647 − 2 = 2147483645",
        r"DEBUG Initiating connection to node localhost:9094 \(id: 2147483645 rack: null\)",
    ),
    (
        "03",
        "FIND_COORDINATOR has number 0: it was made first",
        r"TRACE Sending FIND_COORDINATOR .* with correlation id 0 to node -1",
    ),
    ("03", "Later ones go over a data connection", r"^METADATA +1 +0 +[1-9]"),
    ("03", "holds it for up to 500 ms", r"fetch_ms +- +50\d$"),
    (
        "03",
        "With nothing to fetch, data connections go idle",
        r"open_at_the_end_of_the_pause +- +2$",
    ),
    (
        "03",
        "It commits, leaves the group, and closes everything",
        r"\['OFFSET_COMMIT', 'LEAVE_GROUP'\]",
    ),
    ("03", "has 50 partitions", r"^\(3556498, 48, 2\)$"),
    (
        "03",
        "All are equal, so the client chooses at random",
        r"^\['-\d', '-\d', '-\d', '-\d', '-\d'\]$",
    ),
    ("03", "Client 2.2 opens a second bootstrap connection", r"v2_2 +- +5$"),
    ("03", "For 2.2 it was the first", r"^\* reader +node -2 +bootstrap +- +0 ms"),
    ("03", "2.3 waits for the one it has", r"v2_3 +- +4$"),
    ("03", "Client 3.9 also wants to send its own metrics", r"v3_9 +- +5$"),
    ("03", "The heartbeat thread looks after", r"^\{'reader': 4, 'alone': 0\}$"),
    ("03", "Which broker was the coordinator?", r"broker +- +1$"),
    ("03", "Client 4.4 prints `+n`", r"\(id: \+2 rack: null isFenced: false\)"),
    ("08", "The coordinator knows at once and turns orange", r"member cyd left"),
    ("08", "The last of them does so one second later", r"after_close +- +1$"),
    ("08", "timeout** (会话超时) is over", r"session of member bob expired"),
    ("08", "That is 11 seconds after the kill", r"after_kill +- +11$"),
    (
        "08",
        "so his session was over at second 49",
        r"490\d\d +Stable +PreparingRebalance",
    ),
    ("08", "That is `offsets.retention.minutes`, 10080 minutes", r"days +- +7$"),
    ("08", "In the worst case that is one whole interval", r"interval_9_s +- +9$"),
    ("08", "In the worst case that is one whole interval", r"interval_3_s +- +3$"),
    ("08", "Here is what ann wrote:", r"group is already rebalancing"),
    ("08", "None is refused", r"refused +- +0$"),
    ("08", "ann and cyd own nothing for 42 seconds", r"ann_stops_after_kill +- +42$"),
    ("08", "only for some milliseconds", r"ann_stops_after_close +- +0$"),
    (
        "08",
        "the others continue to read",
        r"'cooperative assignor': 'ann stops for 0 s',\s+"
        r"'newer protocol, 4.4': 'ann stops for 0 s'",
    ),
    ("08", "no rebalance begins", r"'static member': 'ann stops for 0 s'"),
    (
        "08",
        "when the old\nsessions are over, at second 25",
        r"the group +14.0 s +25.0 s +PreparingRebalance",
    ),
    ("08", "Once ann reads, she never stops", r"ann_stops +- +0$"),
    ("08", "so the group is Stable 41 seconds after it", r"after_kill +- +41$"),
    ("08", "The classic group needs this long with the same session", r"^44$"),
    ("08", "and `inv-1` heard", r"54:21,235 +inv-1"),
    ("08", "6.7 seconds, less than the", r"54:14,491 +inv-2"),
    (
        "08",
        "It asks only for another poll. Before, it was a `CommitFailedException`",
        r"^\{'2.3': 'CommitFailedException', '3.9': 'RebalanceInProgressException'\}$",
    ),
    ("09", "It moved to 10 when `poll` returned", r"position +- +10$"),
    ("09", '"Committed 5" says: 0 to 4 are done', r"committed +- +5$"),
    ("09", "Here is bo's line about his start", r"FetchPosition\{offset=5'"),
    (
        "09",
        "a new group does not get the twelve orders",
        r"'latest': \('timestamp -1', '0 records'\)",
    ),
    ("09", "The commit counts", r"work, commit · commit on its way +111111111111 +8 "),
    ("09", "A member that\ncloses commits first: nothing is read twice", r"closed +- +0$"),
    ("09", "before it gives its partitions away: nothing is read twice", r"joined +- +0$"),
    ("09", "fewer repeats after a kill, but not none", r"'every 300 ms': \[1, 2\]"),
    ("09", "The orders 32 to 50 are lost", r"^\(\[32, 33, 34\], \[48, 49, 50\]\)$"),
    ("09", "Each wait costs about 25 ms", r"sync_each_record_ms +- +79\d\d$"),
    ("09", "bo does thirty orders again", r"position 50, committed 20$"),
    (
        "09",
        "breaks under the last commit of the loop",
        r"^\{'async only': 40, 'async, and sync at the end': 50\}$",
    ),
    ("09", "The offsets kept their numbers", r"left_of_the_first_four +- +1, 3$"),
    ("09", "so the cleaner keeps it", r"^\[\(1, 'K2', '7'\), \(2, 'K1', None\)\]$"),
    ("09", "Here ada commits 10 of 20 and closes", r"'day 8': 'the group is gone'"),
    ("09", "all 31 orders that she has done are done again", r"^twice_before +- +31$"),
    ("09", "And\nbo waits 8 seconds", r"^bo_waits +- +8$"),
    ("09", "At which offset did these two hours begin?", r"OffsetAndTimestamp\(offset=24,"),
    ("09", "The tool refuses while the group has members", r"the current state is Stable"),
    ("09", "How many orders does bo read?", r"^bo_reads +- +12$"),
    ("09", "gets nothing, not even the order that comes while it polls", r"^five_seconds +- +0$"),
    ("09", "joins the group", r"\(Re-\)joining group"),
    (
        "09",
        "Client 2.8 waits until the answer is there",
        (
            r"^\{'2.8': \['Sending synchronous auto-commit'\],\s+'3.9': \['Sending asynchronous "
            r"auto-commit',\s+'Completed"
        ),
    ),
    ("06", "It was not written", r"on +- +5$"),
    ("06", "`order 2` came twice and was written twice", r"off +- +6$"),
    ("06", "The last row repeats for all three", r"plain +- +4$"),
    ("06", "`read_uncommitted`, the default, gets everything", r"read_uncommitted +- +3$"),
    ("06", "They are behind `slow` and must wait for it", r"'read_committed': \['plain 0'\]"),
    ("06", "refuses the abort with an IllegalStateException", r"^IllegalStateException Cannot"),
    ("06", "The retried commit succeeds", r"^\['transfer'\]$"),
    ("06", "It came with epoch 0, and the leader refused it", r"epoch 0 .*INVALID_PRODUCER_EPOCH"),
    (
        "06",
        "With client 3.9 the epoch grows by one with each start, beginning with 0",
        r"'3.9': \[0, 1, 2\], '4.4': \[0, 4, 8\]",
    ),
    ("06", "So orders 0 and 1 are skipped", r"only_aborts +- +2$"),
    ("06", "must also seek to what the group has committed", r"goes_back +- +0$"),
    ("06", "That alone only makes the zombie *abortable*", r"first +- +abortable$"),
    ("06", "switches it off with one INFO line", r"INFO +Idempotence will be"),
    (
        "07",
        "There are three generations and seven moves",
        r"3 generations, 7 times a partition moved",
    ),
    ("07", "m1 decided", r"assigned_by +- +m1$"),
    ("07", "each member gets five", r"^\{5\}$"),
    ("07", "The next coordinator reads them and continues with generation 1", r"'generation': 1\}"),
    ("07", "**Six seconds.**", r"seconds +- +6$"),
    (
        "07",
        "Here this is m2, by four milliseconds",
        r"020 m2 JoinGroup failed due to non-fatal error",
    ),
    ("07", "Every order was billed twice", r"records_read +- +24$"),
    ("07", "RoundRobin moved twelve times, sticky four", r"round_robin +- +12$"),
    ("07", "They give up all six partitions", r"eager_partitions +- +6$"),
    ("07", "Then they wait 6.2 seconds for m2", r"^orders-8 +30.0 s +36.2 s +nobody$"),
    (
        "07",
        "Seven of nine partitions keep their owner all the time",
        r"cooperative_partitions +- +2$",
    ),
    ("07", "m4 reads its first record 33.4 seconds after its start", r"cooperative_wait +- +33.4$"),
    ("07", "its second partition is free only at 81 s", r"1 min 21.2 s +1 min 30.3 s +nobody$"),
    ("07", "The real m4 waited 20.7 seconds", r"'orders-4': 20.7, 'orders-8': 41.8"),
    ("07", "With the eager Range the real newcomer waited 4.4 seconds", r"'orders-7': 4.4"),
    ("07", "The coordinator waits 45 seconds for a heartbeat", r"'crash': 46\d\d\d"),
    ("07", "It asks for metadata every five minutes", r"'partitions': 28\d\d\d\d"),
    ("07", "names another leader", r"'leader before': 'm2', 'leader after': 'm1'"),
    ("07", "here for 46 seconds", r"'leader after': 'm1', 'seconds': 46\}"),
    ("07", "the group reads 12 of 32", r"'latest': \(32, 12\),\s+'earliest': \(32, 32\)"),
    ("07", "`by_duration:PT10M` begins ten minutes back", r"'by_duration:PT10M': \(32, 32\)"),
    ("07", "misses two records all the same", r"'latest, KIP-848': \(32, 30\)"),
    ("07", "The others do not notice", r"static +- +0$"),
    ("07", "nobody reads its partitions: three seconds", r"^orders-3 +20.0 s +23.0 s +nobody$"),
    ("07", "m4 waits 5.5 seconds, with a slow member beside it", r"'m4 waits, seconds': 5.5\}"),
    ("07", "The name `polygenelubricants` has this hash", r"^-2147483648$"),
    ("10", "After five minutes both clients have left", r"minutes +- +5$"),
    (
        "10",
        "1000 different orders",
        r"^3574 times an order was done, 1000 different orders, 0 committed$",
    ),
    ("10", "Work does not stop heartbeats", r"works +- +True$"),
    ("10", "A frozen process sends no heartbeat", r"freezes +- +False$"),
    ("10", "keeps its partitions for 54 seconds", r"static +- +54$"),
    ("10", "It does not ask the coordinator at all", r"requests +- +0$"),
    (
        "10",
        "First the poll timeout, then LeaveGroup",
        r"INFO  Failing OffsetCommit request since the consumer is not part of an active group",
    ),
    (
        "10",
        "returns without an error, sends nothing and saves nothing",
        r"'commit_sync\(\)': \{'result': 'no error', 'requests': 0, 'committed': 0\}",
    ),
    (
        "10",
        "With bo in the group it is refused",
        r"'names it, bo is a member': \{'result': 'CommitFailedException',\s+'requests': 1",
    ),
    ("10", "The third batch had the slow order, and she was out", r"one_takes_5_s +- +False$"),
    (
        "10",
        "Each wait is some milliseconds *longer* than 300,000",
        r"^ms between two polls: \[30000\d, 30000\d, 30000\d\]$",
    ),
    ("10", "With seed 3 it does not", r"'seed 2': True, 'seed 3': False"),
    ("10", "With 1200 s ada keeps her membership, and bo pays for it", r"with_1200 +- +980$"),
    ("10", "Now it is 40", r"'before': 100, 'the script': 'committed', 'after': 40"),
    (
        "10",
        "four threads work, four own nothing and wait",
        r"'threads that worked': 4,\s+'orders that were overtaken': 0",
    ),
    (
        "10",
        "The second has no such limit",
        r"'threads that worked': 8,\s+'orders that were overtaken': [1-9]",
    ),
    ("10", "All 400 orders wait in the first queue", r"^without +- +400$"),
    ("10", "With pauses 30 at most", r"^with_pauses +- +30$"),
    (
        "10",
        "The\nwork takes as long as before",
        r"'done without pauses': 400, 'done with pauses': 400",
    ),
    ("10", "Without a listener 36 orders are done twice", r"^without +- +36$"),
    ("10", "With it, none", r"^with_listener +- +0$"),
    ("10", "a check that throws", r"KafkaConsumer is not safe for multi-threaded access"),
    ("10", "Here orders 3, 6, 7 and 8 are not", r"commit +orders-0@9 +not done: 3, 6, 7, 8$"),
    (
        "10",
        "24, 27 and 28 are in dashed boxes, and 29 was still in the queue",
        r"commit +orders-0@30 +not done: 24, 27, 28, 29$",
    ),
    ("11", "at the very moment when more than three hundred orders are lost", r"'latest': 360"),
    ("11", "the lag stays a little above three", r"earliest +- +340$"),
    ("11", "Retention had deleted 30. The other 330", r"still_in_the_log +- +330$"),
    (
        "11",
        "In minute 35 it asks for the next orders",
        r"^minute 35: Fetch position FetchPosition\{offset=690, \.\.\.\} is out of range",
    ),
    ("11", "The lead does not fall at all", r"^lead_falls_by +- +0$"),
    ("11", "so 29 minutes are left", r"^minutes_to_recover +- +29$"),
    ("11", "It counts 48.", r"^counts +- +48$"),
    ("11", "The tool says 48, the client 0", r"'records-lag': 0"),
    ("11", "`records-lag` keeps its last value for ever: 0", r"^records_lag +- +0$"),
    ("11", "waiting for nine minutes longer", r"^slow_member +- +9$"),
    ("11", "The crash is the cure", r"^after_the_crash +- +down$"),
    (
        "11",
        "The session of m2 has to end first",
        r"^m2's session ends 31 s after the crash; the next commit is 52 s after it\.$",
    ),
    ("11", "None, and the lag is 400", r"^never_read +- +0$"),
    ("11", "None, and the lag is 400", r"^\{'lag': 400\}$"),
    ("11", "It stops in the minute in which the others jump", r"^stops_in_minute +- +35$"),
    ("11", "it skips nothing", r"^skips +- +0$"),
    ("11", "`latest` sends it to the end, and its lag is 0", r"^gets +- +0$"),
    ("11", "the tool can give the group a bookmark again", r"^billing +orders +0 +50 *$"),
    ("11", "Position 2, high watermark 2: lag 0", r" 2 +orders-3 +2 +0$"),
    ("13", "Now the 54 minutes", r"^minutes +- +54\b"),
    ("13", "with the orders of the minutes 41 to 61", r"50 min +0+41\.log +9 +active"),
    ("13", "More than 2,000", r"^bytes_left +- +2268$"),
    ("13", "All but three", r"^still_there +- +27$"),
    ("13", "Offset 4 is the last record of the key", r"^left_after_cleaning +- +4, 5, 6$"),
    ("13", "about four times as many cleanings", r"^with_a_tenth +- +47$"),
    ("13", "One record of the first 800, and the 100", r"^left +- +101$"),
    ("13", "Broker 2.3 still has the tombstone of milk, at offset 4", r"^2\.3 \[\(4, 'milk'\)"),
    (
        "11",
        "a search for the old words finds nothing",
        r"^\{'2.3': 'Fetch offset 3 is out of range',\s+'3.9': 'Fetch position",
    ),
    ("12", "Five prices are finished, 0 to 4", r"^finished +- +5$"),
    ("12", "begins at the committed offset, 5", r"^committed +- +5$"),
    ("12", "Three readers get three different values", r"'as sent': \[1234\]"),
    ("12", "`catch` finishes nothing more", r"^catch_finishes +- +5$"),
    ("12", "about a thousand times a", r"^catch_raises +- +14877$"),
    ("12", "loses the pill and nothing else", r"^seek_past_finishes +- +11$"),
    ("12", "None. The first member dies", r"^alive +- +0$"),
    ("12", "about eleven seconds for three members", r"^2 +10\.6\d+ +ada$"),
    ("12", "The old price comes last and wins", r"^in_the_end +- +10$"),
    ("12", "No error, only time", r"^\('15 seconds', \[61, 1008, "),
    ("12", "often no error for the program", r"'10 s': \('written', 3\)"),
    ("17", "Two groups, and not at the same time", r"^groups +- +more$"),
    ("17", "No. The loudest clients are two producers", r"^in_the_late_group +- +no$"),
    ("17", "Not one fewer", r"^fewer_warnings +- +no$"),
    ("17", "The records were deleted before they were read", r"^worked_faster +- +no$"),
    ("17", "None. The followers stop for eight seconds", r"^refusals +- +0$"),
    ("17", "It finds your five, and no other", r"^incidents +- +5$"),
    ("12", "From client 3.7 on the pause grows to a second", r"'60 s': \('TimeoutException', 23\)"),
    ("12", "the reader never gets it", r"^\(\[\], 0\)$"),
    ("12", "has been given everything before the pill", r"^0 +A +\d\d$"),
    ("14", "The leader's log end moved to 6 at once", r"^told +- +5$"),
    ("14", "It was", r"^seen_in_three_seconds +- +0$"),
    ("14", "The news about the watermark needs half a second", r"^followers_later_ms +- +501$"),
    ("14", "stays in sync: each fetch reaches the", r"^busy_in_sync +- +2$"),
    ("14", "lacks one record, and is out", r"^quiet_in_sync +- +1$"),
    ("14", "three of them are gone", r"^lost_ones_in_the_log +- +0$"),
    ("14", "All five were told as written", r"^told_as_written +- +5$"),
    ("14", "On 2.3 only the last member", r"^broker_2_back_in_2_3 +- +nobody$"),
    ("14", "On 4.4 broker 2 may lead", r"^broker_2_back_in_4_4 +- +2$"),
    ("14", "this is what came in about the last half minute", r"^left +5 +5 +10$"),
    ("14", "bo waits longer", r"^bo_ms +- +502$"),
    ("14", "The 3.9 client goes back to the leader", r"'3\.9': \{'asked the leader': 7"),
    ("14", "About 450 ms", r"03,407 +4\n.*03,861 +5$"),
    ("14", "30 seconds since 2.5 (KIP-537)", r"^\{'2\.3': '13 s', '4\.4': '43 s'\}$"),
    ("15", "Three threads read for all", r"^reading_threads +- +3$"),
    ("15", "The only I/O thread was free", r"^kiosk_ms +- +3$"),
    ("15", "The picture says 1 ms", r"^kiosk PRODUCE +101\.0 +0\.01 +0\.00 +0\.98 +0\.00 +0\.00"),
    ("15", "How many of the other five", r"^waiting_in_purgatory +- +5$"),
    ("15", "Seven jobs leave one I/O thread free", r"^with_seven_ms +- +3$"),
    ("15", "answer after 180 milliseconds", r"^with_nine_ms +- +182$"),
    ("15", "it grows long before the", r"18 +161 +19% +24\.0 +5\.0$"),
    ("15", "can do 200 orders a second", r"40 +200 +0% +121\.0 +5\.0$"),
    ("15", "The queue has four requests", r"'request queue': 4, 'network threads': 3, 'socket': 4"),
    ("15", "They change nothing about a remote time", r"^slow_follower_ms +- +56$"),
    ("15", "More threads empty the request queue", r"^slow_audits_ms +- +6$"),
    ("15", "Only one. While a request", r"^in_purgatory +- +1$"),
    (
        "15",
        "Two fetches waited their full 500 ms",
        r"30,091 +501\.9\n.*30,595 +501\.3\n.*30,704 +104\.0",
    ),
    ("15", "Its LocalTimeMs", r"30,704 +shop .*806\.8"),
    ("15", "The kiosk is answered first", r"response queue +1 +kiosk$"),
    (
        "15",
        "The controller of 2.3 is client `1`",
        r"'LEADER_AND_ISR'\): 1,\s+\('1', 'UPDATE_METADATA'\): 2",
    ),
    ("16", "In the consumer group eve owns the partition", r"^consumer_group +- +1$"),
    ("16", "In the share group all four work", r"^share_group +- +4$"),
    ("16", "The start offset is 1", r"^start_offset +- +1$"),
    ("16", "The next poll brings 1 and 4 again", r"^next_poll +- +2$"),
    ("16", "frees her records at once", r"^killed +- +6$"),
    ("16", "After 30 seconds bo gets the jobs", r"^slow +- +30$"),
    ("16", 'After 40 seconds she hears "ok"', r"^\{20: 'ok', 32: 'refused', 40: 'ok'\}$"),
    ("16", "Five times, then it is archived", r"^deliveries +- +5$"),
    ("16", "The five deliveries took four seconds", r"2054 +fetched(.*\n)+.*6080 +delivery limit"),
    ("16", "the start offset stays at 2", r"^@2 +yes +Acquired +2 +bo$"),
    ("16", "Even without a failure", r"^nobody_fails +- +not in order$"),
    ("16", "Even without a failure job 4", r"^\(\[0, 4, 2, 1, 3, "),
    ("16", "job 0 is the fifth one now", r"^ \[4, 2, 1, 5, 0, "),
    ("16", "so ada gets job 2", r"^\[0, 2, 1, 3\]$"),
    ("16", "99 jobs are done quickly", r"^after_20_s +- +99$"),
    ("16", "The lag is 201", r"^workers +jobs +0 +0 +201$"),
    ("16", "need nearly the same time", r"^2 +4 +classic +0\.328 +4\n3 +4 +share +0\.383 +32$"),
    ("16", "All eight come, under one lock", r"^\{'batch_optimized': 8, 'record_limit': 3\}$"),
    ("16", "No error: 0", r"35,446 +worker-1 +0$"),
)


@pytest.mark.parametrize("chapter", share(CHAPTERS, len(CHAPTERS), 1))
def test_a_chapter_built_again_is_the_same_bytes(chapter, tmp_path, monkeypatch):
    kept = HOME / "notebooks" / "release" / chapter / f"{chapter}.ipynb"
    (tmp_path / "source_py").symlink_to(HOME / "notebooks" / "source_py")
    (tmp_path / "nbgrader_config.py").symlink_to(HOME / "notebooks" / "nbgrader_config.py")
    monkeypatch.setattr(build, "notebooks", lambda: tmp_path)
    assert build.build(chapter).read_bytes() == kept.read_bytes(), (
        "the release is not what source_py says: run make course and commit"
    )


@pytest.mark.parametrize("chapter", few(CHAPTERS, 4))
def test_a_release_holds_no_answer_and_no_output(chapter):
    """Every statement of a solution, and every line of a model answer, is absent."""
    released = nbformat.read(
        HOME / "notebooks" / "release" / chapter / f"{chapter}.ipynb", as_version=4
    )
    text = "\n".join(cell.source for cell in released.cells)
    assert "SOLUTION" not in text
    assert all(
        not cell.get("outputs") and not cell.get("execution_count") for cell in released.cells
    )
    public = set().union(
        *(statements(cell.source) for cell in released.cells if cell.cell_type == "code")
    )
    for cell in sources.author_notebook(chapter).cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            if cell.cell_type == "markdown":
                shown = [line for line in map(str.strip, cell.source.splitlines()) if line in text]
            else:
                shown = sorted(statements(solution_of(cell.source)) & public)
            given_away = [part for part in shown if len(part) > 12]
            assert given_away == [], (
                f"{cell.metadata.nbgrader.grade_id}: {given_away[0]!r} is in the release"
            )


def solution_of(source: str) -> str:
    blocks = re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", source, re.DOTALL)
    return "\n".join(textwrap.dedent(block.rpartition("\n")[0]) for block in blocks)


def statements(source: str) -> set[str]:
    """Every statement of a cell, in one form however its lines are broken."""
    nodes = ast.walk(ast.parse(source))
    return {ast.unparse(node) for node in nodes if isinstance(node, ast.stmt)}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_cells_of_a_chapter_have_names_of_their_own(chapter):
    path = HOME / "notebooks" / "release" / chapter / f"{chapter}.ipynb"
    # nbformat gives a second cell of the same id a new one as it reads
    ids = Counter(cell["id"] for cell in json.loads(path.read_text(encoding="utf-8"))["cells"])
    twice = [id for id, number in ids.items() if number > 1]
    assert not twice, (
        f"cells of {chapter} share the ids {twice}: build it again, `course {chapter}`"
    )
    nbformat.validate(nbformat.read(path, as_version=4))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_exercises_stand_in_the_order_of_their_numbers_and_open_ones_at_the_end(chapter):
    ids = [id.partition(".")[2] for id in sources.exercises_of(chapter)]
    numbers = [int(id) for id in ids if id.isdecimal()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert all(id.startswith("open") for id in ids[len(numbers) :])


@pytest.mark.parametrize(
    "chapter", few([name for name in CHAPTERS if name[:2] in asked_chapters()], 4)
)
def test_an_open_question_stands_word_for_word_above_its_answer(chapter):
    cells = sources.author_notebook(chapter).cells
    for question in of_chapter(chapter[:2]):
        if question.kind == "open":
            place = next(
                i
                for i, cell in enumerate(cells)
                if cell.metadata.get("nbgrader", {}).get("grade_id") == question.grade_id
            )
            assert question.title in " ".join(cells[place - 1].source.split())


@pytest.mark.parametrize("chapter", RUN)
def test_a_chapter_runs_from_top_to_bottom(chapter):
    """With the reference answers every cell runs, nothing complains on stderr,
    every check says yes."""
    for cell in executed(chapter).cells:
        for output in cell.get("outputs", ()):
            assert output.output_type != "error", (
                f"{first_line(cell)}: {output.ename}: {output.evalue}"
            )
            assert output.get("name") != "stderr", f"{first_line(cell)}: {output.text}"
        if cell.cell_type == "code" and cell.source.startswith("check("):
            said = "".join(output.text for output in cell.outputs)
            told = [line for line in said.strip().splitlines() if line != MORE_CASES]
            assert told and all("✓" in line for line in told), said


@pytest.mark.parametrize("chapter", RUN)
def test_every_picture_of_a_chapter_says_in_words_what_it_shows(chapter):
    pictures = [
        output
        for cell in executed(chapter).cells
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", {})
    ]
    assert len(pictures) >= (2 if chapter[:2] in asked_chapters() else 1)
    for picture in pictures:
        assert (
            picture.metadata["image/png"]["alt"]
            and len(picture.data["text/plain"].splitlines()) >= 3
        )


@pytest.mark.parametrize(
    "chapter, words, printed",
    [pytest.param(*claim, marks=() if claim[0] == "00" else pytest.mark.slow) for claim in CLAIMS],
    ids=[f"{chapter}: {words[:40]}" for chapter, words, _ in CLAIMS],
)
def test_the_prose_says_what_the_cells_print(chapter, words, printed):
    book = executed(sources.name_of(chapter))
    prose = " ".join(
        " ".join(cell.source for cell in book.cells if cell.cell_type == "markdown").split()
    )
    assert " ".join(words.split()) in prose, (
        "the sentence is gone: take it from CLAIMS, or say what its new form rests on"
    )
    outputs = [
        text for cell in book.cells for output in cell.get("outputs", ()) for text in texts(output)
    ]
    stopped = [
        f"{first_line(cell)}: {output.ename}: {output.evalue}"
        for cell in book.cells
        for output in cell.get("outputs", ())
        if output.output_type == "error"
    ]
    assert any(re.search(printed, text, re.MULTILINE) for text in outputs), (
        f"no cell of chapter {chapter} prints {printed!r}; cells that stopped: {stopped or 'none'}"
    )


def texts(output) -> list[str]:
    return (
        [output.text]
        if output.output_type == "stream"
        else [output.get("data", {}).get("text/plain", "")]
    )


def first_line(cell) -> str:
    return cell.source.strip().splitlines()[0]


@cache
def executed(chapter: str):
    """The chapter with its reference answers, after a run from top to bottom in a kernel, in a
    folder where a learner's copy might lie."""
    book = (
        nbformat.reads(json.dumps(solved(chapter[:2])), as_version=4)
        if chapter[:2] in asked_chapters()
        else sources.author_notebook(chapter)
    )
    generated = HOME / "data" / "generated"
    generated.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=generated) as folder:
        # its own desk: guesses go there, not into the learner's
        desk = Path(folder) / "notebooks" / "mine" / chapter
        desk.mkdir(parents=True)
        # other tests may share the machine
        patient = {"timeout": 600, "startup_timeout": 600}
        # a slow kernel sends one cell's text in pieces, and a row of CLAIMS may fall between them
        patient["coalesce_streams"] = True
        NotebookClient(
            book, allow_errors=True, resources={"metadata": {"path": str(desk)}}, **patient
        ).execute()
    return book

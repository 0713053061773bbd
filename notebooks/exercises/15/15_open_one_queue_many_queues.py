# %% [markdown] items="N102 N103"
# A broker has one request queue for all threads, but one response queue for each network thread. Why
# this difference? And why does the request queue have a limited number of places?

# %% [markdown] answer
# Any I/O thread can do the work of any request. So all of them share one request queue: no I/O thread
# is idle while a request waits in another queue. A response is different.
# Only the network thread that owns a connection writes to its socket. So the response has to go to the
# queue of that network thread. Because one thread writes to a socket, no lock is needed, and the
# responses of a connection keep their order. The request queue is bounded, because otherwise a busy
# broker would collect requests until its memory is full. When the queue is full, the network threads
# stop reading, the sockets fill up, and the clients have to slow down.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: RequestChannel has one ArrayBlockingQueue of queued.max.requests; each Processor has its own
# response queue and its own selector, which owns the sockets; a connection is muted while one of its
# requests is in the broker.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_QUEUES = Lexicon(
    lists(
        """
worker: i/o thread*, io thread*, io-thread*, worker*, handler*, request handler*, thread*, I/O 线程,
    IO 线程, 工作线程, 处理线程, 线程
any: any, every, each, whichever, whoever, all, free, next, idle, 任何, 任意, 任一, 每个, 所有, 空闲, 都
share: share*, shared, common, balance*, spread*, distribut*, evenly, idle, free, busy, 共享, 分担, 均衡,
    分摊, 共用, 空闲, 闲着
work: work, works, request*, process*, handle*, handling, do, does, serve*, take*, task*, job*, 工作,
    请求, 处理, 任务, 取
network: network thread*, network-thread*, processor*, selector*, networking thread*, network
    worker*, 网络线程, 网络处理
owns: own*, belong*, only, same, register*, respons*, exclusiv*, its connection*, its socket*,
    responsible, in charge, 拥有, 属于, 负责, 只有, 只能, 同一个, 自己的
socket: socket*, connection*, channel*, client connection*, 套接字, 连接, socket
write: writ*, send*, sent, answer*, reply, replies, respon*, 写, 发送, 发回, 返回, 回复
order: order, ordering, in order, sequence, out of order, overtake*, reorder*, interleav*, mix*,
    lock*, synchroni*, race*, contention, 顺序, 乱序, 次序, 超过, 加锁, 锁, 竞争, 交错
bounded: bound*, limit*, full, maximum, max, places, capacity, finite, queued.max.requests, 500, 有界,
    上限, 有限, 限制, 满, 容量
slow: backpressure, back pressure, back-pressure, slow* down, stop* reading, not read*, no longer
    read*, stop* to read, pause* reading, block*, wait*, throttle*, push* back, unread, 反压, 背压,
    停止读取, 不再读取, 不读, 变慢, 放慢, 等待, 阻塞
memory: memory, oom, out of memory, heap, ram, crash*, overload*, overflow*, 内存, 过载, 溢出, 崩溃, 耗尽
"""
    )
)

Rubric(
    lexicon=_QUEUES,
    topic=("{worker}", "{network}", "{socket}", "{bounded}", "(queue*|队列)"),
    core=(
        "any I/O thread may do any request, so they share",
        "only the network thread that owns the socket writes to it",
    ),
    concepts=(
        Concept(
            "any I/O thread may do any request, so they share",
            says="any I/O thread can do any request, so a shared queue keeps all of them busy",
            gloss="任何 I/O 线程都能处理任何请求, 共享队列让它们都有活干",
            ways=(
                "~{any} .. {worker} .. {work}",
                "{worker} .. {share}",
                "{share} .. {worker}",
                "{work} .. {share}",
                "~(no|nobody|none) .. {worker} .. (idle*|waits|free)",
                "{worker} .. {any} .. (request*|work|task*|请求|任务|工作)",
                "(does not|doesn't|not|no) matter .. {worker}",
            ),
            against=(
                "{worker} .. (can only|may only|must only) .. (own|one client|certain)",
                "(not any|no) {worker} .. (can|may) .. {work} ^ (idle|stands|waits)",
            ),
            near=("{worker}",),
        ),
        Concept(
            "only the network thread that owns the socket writes to it",
            says="only the network thread that owns the connection may write to its socket",
            gloss="只有拥有该连接的网络线程才能写它的套接字",
            ways=(
                "{network} .. {owns} .. {socket}",
                "{owns} .. {network} .. {write}",
                "{owns} .. {network} .. {socket}",
                "{socket} .. {owns} .. {network}",
                "{network} .. {socket} .. {owns}",
                "{network} .. {write} .. {socket}",
                "{socket} .. (written|read|handled|served) .. {network}",
                "{write} .. (to|through|by|通过|由) .. {owns} .. {network}",
                "{network} .. {owns} .. {write}",
            ),
            against=(
                "(any|every|all) {network} .. (can|may) .. {write} ^ (not|no|cannot|only|if|would|otherwise)",
                "任何 网络线程 .. (都)? (可以|能) .. {write} ^ (不|如果)",
            ),
            near=("{network}", "{socket}"),
        ),
        Concept(
            "one writer keeps the order of a connection, without locks",
            says="one thread for a connection keeps its responses in order, and needs no lock",
            gloss="一个连接由一个线程写, 保持顺序, 不需要锁",
            ways=(
                "{order} .. ({socket}|{write}|client*|客户端)",
                "({socket}|{write}|{network}) .. {order}",
            ),
            against=(
                "(order|顺序) .. (does not|doesn't|isn't|not|不) (matter|important|kept|重要|保证)",
            ),
            near=("{order}",),
        ),
        Concept(
            "a full queue stops reading, so clients slow down",
            says="a full queue makes the network threads stop reading, and clients slow down",
            gloss="队列满时网络线程停止读取, 客户端变慢 (反压)",
            ways=(
                "{bounded} .. {slow}",
                "{slow} .. {bounded}",
                "{bounded} .. {memory}",
                "{memory} .. {bounded}",
                "{slow} .. (client*|客户端|producer*|sender*)",
                "(client*|客户端) .. {slow}",
                "(without|otherwise|unlimited|endless|否则|无限) .. {memory}",
            ),
            against=(
                "{bounded} .. (request*)? (is|are|gets|get) (dropped|rejected|refused|thrown|lost) ^ (not|no|never)",
                "满 .. (丢弃|拒绝|丢掉) ^ (不|没)",
            ),
            near=("{bounded}",),
        ),
    ),
    blunders=(
        Blunder(
            "direction_reversed",
            "it says that each I/O thread has a queue of its own for requests, or responses share one",
            "说反了: 请求队列共享, 响应队列各自独立",
            (
                "(each|every) (i/o|io) thread* (has|have|owns|gets) (its|a|an) (own)? _ request queue ^ (not|no|if|would|were|had)",
                "one (shared)? response queue (for all|is shared) ^ (not|no|if|would|were|had)",
                "每个 I/O 线程 (有|都有) 自己的 请求队列 ^ (不|如果)",
                "响应队列 (是)? (共享|共用) 的? ^ (不|如果|否则)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that a full request queue drops requests",
            "队列满时不丢弃请求, 而是停止读取",
            (
                "(full|limit) .. (drop*|discard*|throws away|reject*) .. request* ^ (not|no|never|instead of|without)",
                "request* (is|are) (dropped|discarded|thrown away|rejected) ^ (not|no|never)",
                "满 .. (丢弃|丢掉|拒绝) .. 请求 ^ (不|没)",
            ),
        ),
    ),
)

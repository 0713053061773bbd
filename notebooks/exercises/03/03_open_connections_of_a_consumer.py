# %% [markdown] items="C29"
# Two brokers, one topic with five partitions, each broker leads some of them. One consumer in a
# group, one bootstrap address, client 2.3. How many TCP connections does the consumer open? How many does it keep after the idle
# limit has passed? And why does the coordinator get a socket of its own?

# %% [markdown] answer
# The consumer opens four connections and keeps three. The first one goes to the bootstrap address,
# under the made-up id -1, to ask for the coordinator and for metadata. Nobody uses it afterwards,
# so the idle limit closes it. One connection goes to the group's coordinator. Two more go to the
# brokers that lead partitions: one for each leader broker, not one for each partition, so five
# partitions on two brokers need two. The coordinator has a socket of its own because a broker
# answers the requests on one socket in order: a heartbeat behind a long fetch would wait up to 500
# ms for it.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: one bootstrap socket (-1), one to the coordinator under an id of its own (2147483647 - n),
# one to each broker that leads something: 1 + 1 + 2 = 4. The bootstrap socket is closed by the idle
# limit and by nothing else, so 3 are kept.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_WORDS = Lexicon(
    lists(
        """
opened: open, opens, opened, opening, establish*, creat*, make, makes, made, in total, total, at
    first, initially, at start, start*, begin*, sum, up to, see, count, get, gets, 打开, 建立, 开, 总共,
    一共, 共, 建, 开始, 先, 开启, 连接数
kept: keep*, kept, persist*, carr* on, remain*, left, stay*, still, surviv*, retain*, maintain*,
    alive, live on, lives on, live, after _ idle, after _ minutes, after _ min, after _ limit, after
    _ timeout, after that, afterwards, later, eventually, finally, in the end, end* up, end* up
    with, ends with, then, thereafter, stays at, survivors, at the end, leaving, leave, leaves,
    persist*, long term, steady state, hold*, in use, go* down to, down to, reduced to, becomes,
    become, drops to, falls to, shrinks to, continues with, long lived, remain* open, stay* open,
    still open, kept open, keep* open, then only, only, past the idle, past idle, long run, 9
    minutes later, nine minutes later, once idle, permanent*, 保留, 保持, 剩, 剩下, 剩余, 还剩, 留下, 留, 维持, 存活,
    最后, 最终, 之后, 以后, 超时后, 空闲后, 后剩, 仍, 仍然, 只剩, 还有, 留着, 变成, 减到, 降到, 保有, 长期
closed: clos*, drop*, dies, expire*, goes away, terminat*, idles out, gone, 关闭, 断开, 关掉, 被关, 关了
four: 4, four, 四, 1 + 1 + 2
three: 3, three, 三
other: 5, 6, 7, 8, 10, five, six, seven, eight, ten, 五, 六, 七
or: or, to, -, perhaps
count: connection*, socket*, tcp, link*, 条, 个, 连接
of_others: partition*, broker*, minute*, min, leader*, topic*, node*, 分钟, 分区, 个分区, 台, 个 broker, 个
    leader
one: one, 1, a, an, single, the, first, its own, own, 一, 一个, 一条, 1 个, 单独
two: two, 2, both, each, every, per, 两, 两个, 两条, 2 个, 每个, 各, 二, 各一
bootstrap: boot, bootstrap, bootstrapping, -1, - 1, first one, 引导, 找协调者
idle: idle*, (nobody|no one|nothing|no data|no request|no requests|none) _
    (talks|talk|sends|send|sent|uses|use|used|needs|need|goes|go|flows|travels|runs|comes|passes|asks),
    unused, inactiv*, 9 minutes, nine minutes, 9 min, 9min, 540000, connections.max.idle.ms,
    timeout, time out, times out, no traffic, not used, never used, silent, quiet, limit, 空闲, 闲置, 9
    分钟, 九分钟, 超时, 没人用, 没有请求, 没用
closed_any: missing, clos*, drop*, dies, dead, expire*, expiry, go* away, terminat*, idle* out,
    time* out, gone, remov*, end, ends, discarded, 关闭, 断开, 关掉, 被关, 关了, 会关
leader: leader*, leads, lead, leading, lead* broker, broker, brokers, broker 0, data connection*,
    data socket*, 0 and 1, leader, broker, 数据连接, server, node
partition: partition*, 分区, partition
per: per, each, every, for each, for every, 每, 每个, 各, 按
coordinator: coordinator*, group coordinator, coordination, 协调者, 协调
heartbeat: heartbeat*, coordinator, commit*, join*, 心跳
fetch: fetch*, long poll*, poll*, data, record*, long wait*, fetch, 拉取, 长轮询, 拉取请求, 取消息, 轮询, poll, 数据
blocks: 拖延, 拖, get* in, detain*, park*, hold* (it|them|everything|heartbeats|all) up, block,
    blocking, delay, delaying, hold* up, slow, slows, prevent*, block*, keep* _ from, make* _ late,
    holds back, held, 阻塞, 堵住, 挡住, 卡住, 耽误, 延迟, 拖延, 拖慢, 影响, 堵, 卡
waits: detain*, parked, too late, wait*, queue*, queued, behind, stuck, sit* behind, held up,
    blocked, delayed, slowed, late, miss*, trapped, in line, suffer*, be held, hold* up, time* out,
    arrive late, get through, reach*, in time, pass, be answered, 等, 排在, 后面, 卡在, 卡住, 延迟, 超时, 阻塞, 堵住,
    堵在, 耽误, 堵
hol: head of line, hol, 队头
in_order: in order, in sequence, sequential*, 按顺序, 顺序, 先后
symmetric: isolat*, separat*, 独立
"""
    )
)

_PER_PARTITION = (
    "(one|1|a|single|一个|一条|separate|own|dedicated) (tcp|data|separate)? (connection*|socket*|one|连接)? (per|for each|for every|to each|to every|each) (single|individual|topic|of the|one of the)? (five|5)? {partition} ! (not|no|never|rather|instead|regardless|whatever|不|而|leader|how|many|would)",
    "(每个|每|各|各个) {partition} _ (一个|一条|单独|自己|独立|各自|一) ! (不|而|非|leader|没)",
    "~not _ _ {leader} but _ _ {partition}",
    "(each|every) (of the|of these|single|one of the)? (five|5)? {partition} _ (gets|has|needs|opens|uses|requires|with|got|receives|takes) _ (one|1|a|its own|own|separate|connection|socket) ! (not|no|never|would|if)",
    "(five|5|五) 个? 条? (data|fetch|partition|separate|数据|分区) (connections|sockets|连接) ! (not|no|instead|never|不)",
    "(five|5|五) 个? 条? tcp? (connections|sockets|连接) .. (for|because|since|as|one per|因为|对应) .. {partition} ! (not|no|instead|never|不|coordinator|协调)",
    "(five|5|each of the five) (partition|partitions) (need|needs|require|requires|mean|means|=|so|give|gives|->|get|hence|therefore) (five|5|ten|10|their own|own) (data|tcp|separate)? (sockets|connections|socket|connection|ones)? ! (not|no|never|do not)",
    "(5|five|五个|五条) (for|to|因为|对应|给) the? (5|five|五个|五)? (partitions|分区)",
)

Rubric(
    lexicon=_WORDS,
    topic=(
        "{bootstrap}",
        "{coordinator}",
        "{leader}",
        "{heartbeat}",
        "{fetch}",
        "(connection*|socket*|连接)",
        "(4|four) _ (3|three) .. {closed}",
    ),
    needed=("4 opened", "3 kept"),
    core=(
        "4 opened",
        "3 kept",
        "coordinator separate so heartbeats are not stuck behind a long fetch (head of line; requests on one socket answer in order)",
    ),
    concepts=(
        Concept(
            "4 opened",
            says="4 connections are opened",
            gloss="打开 4 个连接",
            ways=(
                "it (is|s)? {four}",
                "{three} _ (of|out of) {four}",
                "~not {other} but {four}",
                "{four} _ {opened} ^ ({kept}|{other}) ! {four} {of_others} {opened}",
                "{opened} _ {four} ^ ({kept}|{other}|{three})",
                "{four} {count}? (,|/|and|then|->|;|、|和|后|:|.)? (then|and|later|再)? {three}",
                "{four} {count} ! {four} {count} {kept}",
                "(=|->) {four}",
                "{four} .. ({bootstrap}|{leader}) .. {coordinator} ^ ({kept}|{closed_any})",
                "{four} .. (after|later|end|之后|以后|后) .. {three}",
                "{four} .. {count} .. ({closed_any}|{kept}) ^ {of_others}",
                "{one} .. {bootstrap} & {one} .. {coordinator} & {two} .. {leader}",
            ),
            against=(
                "{four} 个? {or} {other}",
                "({other}|{three}) 个? {or} {four}",
                "(open*|creat*|establish*) ({other}|{three}) ({count}|,|and|then)",
                "(打开|建立|创建|一共|总共|开|建) 了? ({other}|{three}) (条|个|根)",
                "({other}|{three}) {count}? (are|is|were|get)? (opened|created|established|in total)",
                "({other}|{three}|1|2|one|two|两) {count}? (opened|打开) ,? (and|then)? ({other}|{three}|1|2|one|two|两) {count}? (kept|保留)",
            ),
        ),
        Concept(
            "3 kept",
            says="3 of them are kept after the idle limit",
            gloss="空闲超时后保留 3 个",
            ways=(
                "{four} .. (one|1|一) (of|个|条|is)? _ {closed_any}",
                "{three} _ (of|out of) {four}",
                "{three} {count}? _ {kept} ^ (and|then|而) ! {three} {of_others} {kept}",
                "{kept} _ {three} ^ ({four}|{other})",
                "{closed_any} .. {three} ^ ({four}|{other}|{of_others})",
                "{four} {count}? (,|/|and|then|->|;|、|和|后|:|.)? (then|and|later|再)? {three}",
                "{three} (=|:|after|later|at the end|一直)",
                "{four} .. (after|later|end|之后|以后|后) .. {three}",
            ),
            against=(
                "({three}|{other}) {count}? (are|get|is|were|被)? {closed_any} ! not",
                "{three} 个? {or} ({other}|{four})",
                "(keep*|kept|remain*|stay*|left|保留|剩下|只剩) _ ({other}|{four}) {count} ^ {three}",
                "({other}|{four}) {count}? (are|is)? (kept|remain*|stay*|survive*) ! {three}",
            ),
        ),
        Concept(
            "bootstrap (-1) closed as idle",
            says="the bootstrap connection (-1) is the one that is closed, because it is idle",
            gloss="bootstrap 连接因空闲被关闭",
            ways=(
                "~{bootstrap} .. {closed_any}",
                "~{bootstrap} .. {idle} ! (not|never) idle",
                "~{idle} .. {bootstrap} ! (not|never) idle",
                "the (first|first one|initial|former) (one|socket|connection)? (is|gets|was|will be|then) _ {closed_any}",
                "(one|it|which|that|this|那条|那个|它) .. {idle} .. {closed_any} ! (coordinator|协调|not|data)",
            ),
            against=(
                "~{bootstrap} _ _ (never|not) (be|get|gets|being|been|actually|really|ever)? {closed_any} ! (until|before|immediately|because|right|only|by|at once)",
                "~{bootstrap} _ (不会|不会被|永远不会|没有被|没被|不被|不) {closed_any} ! (立即|才|马上|直到)",
                "{bootstrap} .. (stay*|remain*|kept|keeps|kept open|保持|保留|一直) _ (open|alive|forever|always|打开|连接)? ! (not|until|unless|only|{idle}|closed|coordinator|9|3|three|all)",
                "{bootstrap} (connection|socket|one)? (stays|stay|remains|is kept|survives|lives on|is never closed|still there|保留|留下|一直) ! (not|until|unless|how|only|untill|直到)",
                "{bootstrap} .. (reused|re used|reuse|复用|重用) ! (not|never|no|不|没|无法)",
                "(coordinator|协调者|协调器) .. (connection|socket|连接|it) .. {closed_any} .. idle ! (not|never|bootstrap|-1|if)",
                "{bootstrap} .. {closed_any} _ (immediately|at once|as soon as|right after|right away|立即|马上|立刻) ! (not|不)",
            ),
            near=("{bootstrap}", "{closed_any}"),
        ),
        Concept(
            "one per leader broker not per partition",
            says="data goes over one connection per broker that leads, not per partition",
            gloss="每个 leader broker 一个连接, 不是每个分区",
            ways=(
                "{leader} a .. {leader} b",
                "~(one|1|single|a|一个|一条|一) _ {per} _ {leader} ! not _ {per} {leader}",
                "{per} (of the|single|the|one)? (two|2)? {leader} .. (one|1|a|single|only|own|一个|一条|一)",
                "(two|2|both|两个|两|两条|两台|2 个) _ (leaders|leader|leading|leader*|领导|主副本)",
                "{leader} _ (=|->|so|means|mean|give|gives|need|needs|therefore|hence|两|各|所以|就) _ (two|2|one|1|a|两|两个|两条|一个|一条)",
                "(two|2|both) (data|fetch) (connections|sockets) .. (carry|serve|hold|cover|transport|handle) .. {partition}",
                "(number|count|many) of? (different|leading|leader)? {leader} .. (lead*|partition*|connection*|socket*|data) ! (five|5) (data|tcp)? (connections|sockets)",
                "leader 0 .. leader 1",
                "(one|1|一个|一条) (for|to|with|给|到) the? (broker|node|leader)? 0 .. 1",
                "(broker|node)? 0 (and|,|&|和|与) (one)? (for|to)? (broker|node)? 1 .. (data|lead*|fetch*|数据)",
                "~(not|rather than|instead of|irrespective of|regardless of|independent of|no matter|不是|而不是|并非|无关|跟|与|和|不按|不看) _ _ {partition} ! (leader of)",
                "~{partition} .. (share*|same|共用|共享|同一) .. (connection*|socket*|连接|it|one)",
                "~{partition} .. (not matter|irrelevant|do not|does not|no influence|no role|no effect|not count|无关|没关系|不影响|没有关系|不重要)",
            ),
            against=_PER_PARTITION,
            near=("{leader}", "{partition}"),
        ),
        Concept(
            "coordinator separate so heartbeats are not stuck behind a long fetch (head of line; "
            "requests on one socket answer in order)",
            says=(
                "the coordinator has a socket of its own so that heartbeats do not wait behind a "
                "long fetch"
            ),
            gloss="心跳不必排在长 fetch 后面 (队头阻塞)",
            ways=(
                "~{hol}",
                "~{heartbeat} .. {waits} .. {fetch}",
                "~{fetch} .. {heartbeat} .. {waits}",
                "~{heartbeat} .. {fetch} .. {blocks}",
                "~{heartbeat} .. (behind|after|后面|之后|by|because of|due to|under) .. {fetch}",
                "~{heartbeat} .. {waits} .. (behind|after|because|by|if|while|when) .. {fetch}",
                "~{heartbeat} .. {in_order}",
                "~{in_order} & {fetch}",
            ),
            against=(
                "(requests|answers|responses|replies|请求|响应) .. (one|same|single|a|同一) (connection|socket|连接) .. (any order|out of order|parallel|parallelly|concurrently|乱序|并行|并发) ! (not|never|no|不)",
            ),
            near=("{heartbeat}", "{fetch}", "{symmetric}"),
        ),
    ),
    blunders=(
        Blunder(
            "central_claim_wrong",
            "it says that there is one connection per partition",
            "认为每个分区一个连接, 不对",
            ways=_PER_PARTITION,
        ),
        Blunder(
            "central_claim_wrong",
            "it says that the coordinator shares a data connection",
            "认为协调者与数据共用连接, 不对",
            ways=(
                "~(heartbeat*|心跳) (has|have|had|with)? (nothing to do|no role|not matter|are not the reason|is not the reason|无关) ! (wait|behind|data)",
                "(coordinator*|协调者|协调器|heartbeat*|心跳) _ _ (shares|share|reuses|reuse|uses|use|共用|共享|复用|使用) _ _ (data|same|fetch|leader*|broker*|existing|bootstrap|数据|同一|已有) .. (connection|socket|one|channel|连接) ! (not|never|if|would|instead|otherwise|were|had|could|不|如果|否则|若|own|separate)",
                "(coordinator*|heartbeat*) _ (and|with) _ (data|fetch*|leader*) _ (share|shares|use|uses) _ (same|one|single|a|common|socket|connection) ! (not|never|if|would|instead|otherwise|were|had|could|own|separate)",
                "(协调者|协调器|心跳|coordinator) _ (跟|和|与|同) _ (数据|fetch|拉取|leader|broker) _ (共用|共享|复用|同用|用同一|走同一|合用) ! (如果|若|不|否则|要是|假如)",
                "~(coordinator*|协调者|协调器) (connection|socket)? (no|not need|not get|not have|does not (need|have|get|use|open|require)|needs no|has no|gets no|不需要|没有|不用) _ (separate|extra|own|dedicated|单独|独立|额外|second|additional) .. (connection|socket|one|连接) ! (if|without|would|question|why|如果)",
                "(coordinator*|heartbeat*|it) _ (uses|use|goes over|go over|runs over|rides on|piggybacks on) the? (connection|socket) (of|for|to) (the)? (data|leader|broker|fetch*) ! (not|if|would|otherwise|were|never|own)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that the bootstrap connection is used on for the data or the coordinator",
            "认为 bootstrap 连接会被复用, 不对",
            ways=(
                "{bootstrap} .. (is|gets|will be|can be|be|are|then|会被|被) (then|also|later|simply|just|always)? (reused|re used|复用|重用|becomes) ! (not|never|no|if|would|不|没|无法)",
                "(reuses|reuse|复用|重用) the? (bootstrap|first|initial|引导) .. (connection|socket|one|连接)? ! (not|never|no|if|would|can not|不|没|无法)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it closes the wrong connection",
            "关闭的是 bootstrap 连接, 不是协调者或数据连接",
            ways=(
                "~(all|every|alle|everything) (4|four|of them|connections|sockets) (are|is|get|gets|will be)? {closed_any} ! (but|except|not|never|other)",
                "(one|socket|connection) (that|which)? (is|s|gets|will be)? (closed|dropped) (is|:|=) _ (coordinator*|data) ! (not|bootstrap)",
                "(心跳|heartbeat*) .. (go|goes|run|sent|travel) (through|over|via|on) the? (leader*|broker*|data|fetch) .. (connection|socket) ! (not|if|would|otherwise|separate|own)",
                "(coordinator|协调者|协调器|data|数据) (connection|socket|one|连接) (is|gets|will be|being|closes|会|被|因为|因)? _ {closed_any} .. (idle|unused|空闲|闲置) ! (not|never|if|so|would|otherwise|bootstrap connection|不|如果)",
                "(coordinator|协调者|协调器) (connection|socket|one|连接) _ (closed|closes|dropped|disconnected|关闭|断开) .. {bootstrap} (connection|socket|one)? (stays|remains|is kept|survives|保留)",
            ),
        ),
        Blunder(
            "direction_reversed",
            "it has the fetch waiting for the heartbeats, where the heartbeats would wait for the "
            "fetch",
            "说反了: 是心跳等 fetch, 不是 fetch 等心跳",
            even_supposed=True,
            ways=(
                "~(fetch*|data|poll*|拉取|数据) _ _ (blocked|delayed|stuck|wait*|queue*|held up|slowed|slowed down|starved|stalled|interrupted|disturbed|late) _ (behind|by|for|on|after|because of|due to) _ _ (heartbeat*|heart beat*|心跳|coordinator|coordination|group|commit*|join*)",
                "~(heartbeat*|heart beat*) _ (block|blocks|delay|delays|slow|slows|slow down|hold up|stall|starve|disturb|interrupt|stop|blocking|delaying|slowing) (the|a|any|our|down|up|long|large)? (long|large|next|down|the)? (fetch*|data|poll*|record*)",
                "~(fetch*|拉取|数据|poll) _ _ (被|让) _ (心跳|协调者|协调器) _ _ (阻塞|卡住|堵|影响|耽误|延迟|拖)",
                "~(心跳|协调请求) (不会|会|不|可能|可能会)? (阻塞|卡住|堵住|耽误|影响|拖慢|延迟|挡住) (了|到|长|大)? (fetch*|拉取|数据|poll) ! (后面|之后)",
                "~(fetch*|拉取|数据) .. (排在|等|等待) 心跳",
            ),
        ),
    ),
)

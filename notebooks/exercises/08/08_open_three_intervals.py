# %% [markdown]
# What does heartbeat.interval.ms really control?

# %% [markdown] answer items="N109"
# It controls how soon a member learns of a rebalance. The coordinator cannot call a member; it puts
# REBALANCE_IN_PROGRESS into the answer to the member's next heartbeat. So with a short interval the
# members rejoin quickly, and the newcomer waits less. Whether a member is alive is not decided by
# the interval but by session.timeout.ms: only when no heartbeat has come for that long is the
# member removed. The interval should be at most a third of the session timeout, so that one or two
# lost heartbeats do not expel a member. A shorter interval gives the coordinator more requests and
# more work.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: REBALANCE_IN_PROGRESS travels in heartbeat answers (AbstractCoordinator), the coordinator
# expires a member after session.timeout.ms without a heartbeat (GroupCoordinator); "no higher than
# 1/3" is the advice of ConsumerConfig's own text.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_HEARTBEATS = Lexicon(
    lists(
        """
interval: heartbeat.interval.ms, heartbeat.interval, heartbeat interval*, beat interval, interval,
    intervals, interval.ms, heartbeat frequency, heartbeat rate, heartbeat period, 心跳间隔, 间隔, 心跳频率
beat: heartbeat*, heart beat*, beat, beats, beating, ping, pings, 心跳
session: session.timeout.ms, session.timeout, session timeout*, session time out*, session.ms,
    session clock, session window, session timer, session limit, session time, timeout of _ session,
    session, sessions, 会话超时, 会话时间, 会话过期, 会话, session 超时
alive: alive, live, lives, liveness, liveliness, dead, death, deaths, die, dies, died, dying,
    lifetime, evict*, eviction, kick*, remov*, expel*, expuls*, exclud*, throw* out, throw* _ out,
    thrown, drop, drops, dropped, out of the group, leave* the group, crossed off, cross* off, fail,
    failed, fails, failing, failure*, crash*, gone, vanish*, expire*, give* up, gave up, lost,
    unhealthy, unresponsive, health, declar*, ejected, eject*, bury, buried, timed out, times out,
    presumed, considered, 存活, 活着, 死亡, 死活, 生死, 判死, 死, 活, 踢, 移除, 剔除, 移出, 失效, 下线, 宕机, 故障, 失联, 离线, 挂掉,
    挂了, 挂没挂, 挂, 掉线, 驱逐, 淘汰, 离组
decides: decid*, determin*, control*, defin*, judg*, govern*, set, sets, rule*, say, says, tells,
    settle*, dictat*, regulat*, specif*, mean, means, measure*, limit*, 决定, 控制, 判定, 判断, 定义, 管, 看,
    取决于, 负责, 表示, 规定
learn: get informed, gets informed, be informed, is informed, are informed, informed, be told, is
    told, get told, learn*, know*, notic*, hear, hears, heard, hearing, find* out, finds, found out,
    discover*, aware, realiz*, realis*, detect*, see, sees, unnoticed, get* to know, gets the news,
    get the news, get* news, news, react*, reaction, pick* up, pick* _ up, wind of, observ*,
    perceiv*, sens*, get* the message, get* _ signal, reach*, 得知, 知道, 感知, 发现, 察觉, 获知, 了解, 知晓, 意识到,
    反应, 获悉, 觉察, 收到, 晓得, 感觉到
tell: tell*, told, inform*, notif*, signal*, says, say, announc*, communicat*, call*, repl*,
    answer*, respond*, response*, carr*, deliver*, piggyback*, ask*, propagat*, spread*, travel*,
    return*, 通知, 告诉, 告知, 回复, 响应, 返回, 传达, 带回, 回应, 应答
rebalance: rebalanc*, re balanc*, balance the group, regroup*, rejoin*, re join*, join again, group
    change*, change* in _ group, changes of _ group, change of _ group, group membership, membership
    change*, changes in membership, membership, reassign*, redistribut*, reshuffl*, new assignment*,
    new generation, others join*, others joined, others left, join* or left, join* or leav*,
    somebody join*, someone join*, new member*, group wants, group is chang*, group has chang*,
    group chang*, group news, group updates, group state, state of the group, shuffle, 重平衡, 再平衡,
    再均衡, 重均衡, 重新平衡, 重新均衡, 重新分配, 重新加入, 组变化, 成员变化, 组的变化, 分配变化
soon: soon, sooner, soonest, how fast, fast, faster, how quick*, quick, quicker, quickly, speed,
    latency, delay*, early, earlier, late, later, promptly, prompt, stale, at worst, reaction time,
    how long, time until, time to, lag, rapid*, immediately, slow, slowly, slower, time, minutes,
    seconds, 多久, 多快, 快慢, 速度, 延迟, 及时, 尽快, 更早, 越早, 越快, 多长时间, 快, 早, 慢, 迟, 时效
member: member*, consumer*, client*, participant*, instance*, it, they, everyone, others, pupils,
    成员, 消费者, 客户端, 消费端, consumer, member
broker: coordinator*, broker*, server*, group coordinator, kafka, cluster, 协调者, 协调器, 服务器, 服务端,
    broker, coordinator
third: third, thirds, 1 / 3, 1 / 3rd, 33 %, three times, 3 times, 3x, three beats, three heartbeats,
    3 heartbeats, 3 beats, / 3, / three, 1 : 3, divided by 3, divided by three, three chances, three
    tries, three attempts, 3 chances, three fold, threefold, factor of three, factor 3, factor
    three, ratio of three, 3 : 1, three of them, 三分之一, 三次心跳, 三个心跳, 三次, 三倍, 3 次, 3 倍, 3 个心跳, 除以 3,
    除以三
more: more, many, lots, lot of, number of, amount of, extra, additional, too many, frequent*,
    increas*, often, every, each, one, higher, high, large number, thousands, plenty, constant*, 更多,
    很多, 大量, 越多, 变多, 增加, 太多, 过多, 多, 频繁, 数量
requests: request*, message*, call, calls, packet*, rpc*, round trip*, 请求, 消息, 报文
load: load, loads, overload*, traffic, overhead, burden*, flood*, drown*, hammer*, bombard*, spam*,
    swamp*, chatty, chatter, noise, busy, stress, pressure, bandwidth, cpu, tire*, tiring,
    expensive, cost, costs, costly, network usage, resource*, wast*, strain*, price, work for, 负载,
    压力, 流量, 开销, 负担, 带宽, 成本, 资源, 浪费, 消耗
small: small*, low, lower, short*, tiny, tight*, frequent*, fast*, often, quick*, decreas*, reduc*,
    less, 小, 短, 低, 频繁, 快
big: larg*, big*, long*, high, higher, great*, increas*, rais*, 大, 长, 高
"""
    )
)

Rubric(
    lexicon=_HEARTBEATS,
    topic=(
        "{interval}",
        "{beat}",
        "{session}",
        "{rebalance}",
        "{requests}",
        "{load}",
        "{member}",
        "{broker}",
    ),
    core=("how soon a member learns of a rebalance", "session.timeout decides liveness"),
    concepts=(
        Concept(
            "how soon a member learns of a rebalance",
            says="the interval sets how soon a member learns that the group rebalances",
            gloss="间隔决定成员多久得知重平衡",
            ways=(
                "{member} .. {learn} .. {rebalance} ! {broker} (also|then|can|will|only)? {learn} ! {learn} _ (dead|crash*|fail*|lost)",
                "{soon} .. {learn} .. {rebalance} ! {broker} (also|then|can|will|only)? {learn} ! {learn} _ (dead|crash*|fail*|lost)",
                "{learn} _ _ {rebalance} ! {broker} (also|then|can|will|only)? {learn} ! {learn} _ (dead|crash*|fail*|lost)",
                "{rebalance} .. {learn} ! {broker} _ {learn} ! {learn} _ (dead|crash*|fail*|lost)",
                "{soon} .. {member} .. {rebalance} ! {broker} _ {learn}",
                "{tell} .. {member} .. {rebalance}",
                "{member} .. ({tell}|ask*) .. {rebalance} ! {member} _ (tells|informs|notifies|asks) the? {broker}",
                "{rebalance} .. {beat} .. (answer*|response*|repl*|响应|回复|回应)",
                "(answer*|response*|repl*|响应|回复|回应|返回) .. {rebalance}",
                "{rebalance} .. (answer*|response*|repl*|error|响应|回复|回应|返回)",
                "{beat} .. {tell} .. {rebalance} ! {member} _ (tells|informs|notifies) the? {broker}",
                "{rebalance} _ {tell} .. {member}",
                "{soon} .. {learn} .. (group|change*|组)",
                "~without .. {learn} .. {rebalance}",
                "(speed|latency|delay|速度|延迟|快慢) .. {rebalance}",
                "{rebalance} .. (speed|latency|delay|速度|延迟|快慢)",
            ),
            against=(
                "~not _ _ (influence*|affect*|control*|decide*|determine*|change*|concern*|matter*) .. {learn} .. {rebalance} ! but",
                "~(nothing to do with|no influence|no effect|no impact) .. {rebalance} ! {alive}",
                "~(不|没) (影响|决定|控制|能影响) .. {rebalance} ! 而",
                "{session} _ (decides|determines|controls|sets|决定|控制) _ _ {soon} .. {learn}",
                "{broker} (only|first|also)? (learns|notices|hears|finds out|knows) _ (from|of|about) the? {member} .. {rebalance}",
            ),
            near=("{rebalance}", "~{learn} .. (change*|group|news)"),
        ),
        Concept(
            "session.timeout decides liveness",
            says="whether a member is alive is decided by session.timeout.ms, not by the interval",
            gloss="是否存活由 session.timeout.ms 判定",
            ways=(
                "~(stop|stops|stopped|cease*|silent|silence|no more) .. {session} _ (that|which)? (counts|matters|decides|rules|kicks in|applies)",
                "~not (death|dead|liveness|the death|the liveness) _ {session}",
                "(struck|thrown|crossed|taken|put|kicked) (off|out) .. (another|other|different) (rule|setting|parameter|timer|clock|limit) , {session}",
                "{session} .. {alive} ! {session} _ (larger|smaller|shorter)",
                "{alive} .. {session} ! {interval} (is|must|should)",
                "~{alive} _ _ (by|but|that is|is|it|this|job of|task of|role of|up to|decided by|determined by|governed by|depends on|由|是|看|取决于|靠|归|根据) _ {session} ! not (by|the|via|through|up to|on|with) the? {session} ! {session} _ (nothing|not decide|not determine|not matter|does not)",
                "~{alive} .. (by|but by|rather|instead|that is|that the|而是) _ {session} ! not (by|the|via|through|up to|on|with) the? {session} ! (nothing to do|has nothing) ! not true",
                "~(not|never|no|不|没) .. {alive} .. {session} _ (does|do|is|has|decides|determines|决定|判定|负责)",
                "~{session} .. (no|without|not|nothing|none|没有|没|未) .. ({beat}|receiv*|heard|hears|seen|arriv*|收到) .. {alive} ! not _ {alive}",
                "{session} _ (decid*|determin*|judg*|detect*|判断|判定)",
            ),
            against=(
                "(it|{interval}) (is|s|=)? (the|a) (failure|death|crash|liveness) (detection|detector|timeout|check) ! (not|no|{session} .. (failure|death|crash|dead|liveness))",
                "~{session} _ (nothing to do|does not|do not|has no|is not|is irrelevant|never|不|没有|无关) _ (decid*|determin*|with|role|matter|control|the one|决定|判定|关|影响)? .. {alive} ! but ! 而是",
                "{session} _ {decides} _ _ (often|poll*|commit*|{soon}) .. ({beat}|poll*|{rebalance}|commit*)",
                "~not (decided|determined|governed|controlled|judged) by the? {session}",
                "~not _ (that|true) .. {session} _ {decides} .. {alive}",
            ),
            near=("{session}", "~not .. {alive}"),
        ),
        Concept(
            "at most a third of it",
            says="the interval should be at most a third of the session timeout",
            gloss="间隔不超过会话超时的三分之一",
            ways=(
                "~{third} .. {session} ! {session} .. (at most|should be|<=) a? third of .. {interval}",
                "~{session} .. {third} ! {session} _ (be|is|=|<=|at most|should be|shall be) _ third of _ {interval}",
                "(three|3) _ (or more|at least) (per|a|in one|within a|in a) session",
                "~{third} .. (of it|max|maximum|at most|or less|rule|beat*|heartbeat*)",
                "~(at most|no more than|not more than|no higher than|not higher than|maximum|max|less than|below|under|<|<=|lower than|within|不超过|小于|低于|最多|不大于) _ {third}",
            ),
            against=(
                "~{session} _ (be|is|=|<=|at most|should be|shall be) _ (third|1 / 3) of _ {interval}",
                "{interval} _ _ (at least|minimum|no less than|bigger than|larger than|greater than|higher than|more than|longer than|exceed*|大于|高于|超过) _ (third|1 / 3|三分之一|{session})",
                "{interval} .. (three times|3 times|3x|triple|三倍) _ (of|as|larger|longer|higher|bigger)? .. {session} ! {session} .. (three times|3 times|3x|triple|三倍)",
                "{third} of .. (max.poll.interval*|poll interval|request.timeout*|poll timeout)",
            ),
            near=(
                "{interval} .. (lower|less|smaller|below|under|fraction|小于|低于) .. {session}",
                "{session} .. (several|multiple|few|multiple of|几个|多个) .. {beat}",
            ),
        ),
        Concept(
            "request load",
            says="a shorter interval costs more requests at the coordinator",
            gloss="间隔越小请求越多, 负载越大",
            ways=(
                "{more} .. {requests} ! one request lost",
                "{requests} .. {more}",
                "{requests} .. (load|coordinator|broker*|协调者) .. (answer*|handle*|serve*|process*|pay*|处理)",
                "{load} ! no (load|overhead|traffic|extra)",
                "{more} .. {beat} .. (network|coordinator|broker*|协调者) ! ({learn}|{tell}|{alive}|miss*)",
                "(work|busy|talk*|chat*) .. (for|of) the? {broker}",
            ),
            against=(
                "{big} _ {interval} _ _ {more} _ ({load}|{requests}) ! (less|fewer|smaller|shorter|少|小)",
                "{interval} _ {big} .. {more} _ ({load}|{requests}) ! (less|fewer|smaller|shorter|少|小)",
                "{small} _ {interval} _ _ (less|fewer|reduces|少) _ ({load}|{requests})",
                "~(no|not|never|不|没有) _ _ (load|traffic|overhead|负载|压力|开销)",
            ),
            near=("{requests}", "network"),
        ),
    ),
    blunders=(
        Blunder(
            "central_claim_wrong",
            "it takes the interval for a limit on poll()",
            "与 poll 间隔混淆",
            ways=(
                "(time|how long|interval|period|max*) .. (between|without) _ (two|2|consecutive|calls)? _ poll* ! (not|max.poll.interval.ms|independent|thread|unlike|nothing|separate)",
                "(how long|time) .. (consumer|member|client) _ (be)? (busy|process*) ! (not|max.poll.interval.ms|independent|thread|unlike|nothing|separate)",
                "(coordinator|broker) is dead ! (not|if|when the)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that the interval decides whether a member is alive",
            "认为心跳间隔决定存活, 不对",
            ways=(
                "(it|this) (is|s|=)? (the|a)? (time|period|limit|deadline|timeout) (after|until|before|in|within) which .. {alive} ! (not|{session} .. which)",
                "{interval} (does|decides|determines|is what) ! ({alive}|session) (not|never) ^ x & {alive}",
                "¬{session} _ {decides} .. {alive} ! (but|rather|instead)",
                "(it|{interval}|this setting) (controls|decides|determines|sets|is|defines|tells) (how long|the time|time) _ {broker} (waits|wait|has to wait|needs) _ (before|until|till|to) .. {alive} ! not",
                "(this|the) (setting|interval|parameter|one) _ _ (decides|determines|controls) _ {alive} ! not",
                "(it|{interval}) (is|s|=|sets|means)? (the|a|its|our) (failure|death|crash|dead member|dead consumer|liveness) (detection|detector|timeout|check) ! (not|no|{session} .. (failure|death|crash|dead|liveness))",
                "{interval} _ {decides} _ _ {alive} ! ({interval} _ (not|never) {decides}) ! soon _ {member} _ {learn}",
                "{interval} .. (is|=) _ (time|timeout|limit|deadline|duration) _ _ _ {alive} ! {session}",
                "{decides} (whether|when|if|that|how long until|how long before|after which|的)? _ {member} _ _ {alive} ! {session} ! {learn} ! {tell}",
                "{decides} _ (liveness|death|dead|alive|存活|生死|死亡) ! {session} ! {learn}",
                "{interval} .. {alive} .. (if|unless|when|otherwise) .. (no|miss*|without) .. {beat} ! {session}",
                "~(no|miss*|without|not|fails to) .. ({beat}|{interval}) .. (within|in|after|during|for) (this|that|the|its|one)? _ {interval} .. {alive} ! {session} ! (is|are|it) not _ {alive} ! (not|never|no) _ (dead|evicted|removed|kicked|thrown)",
                "~(within|in|after|inside) (this|that|the|its|one)? {interval} .. {alive} ! {session} ! (not|never) _ (dead|evicted|removed|kicked|thrown)",
                "~(超过|超出|在) _ ({interval}|这个时间|该时间|这段时间|这么久) .. (没|无|不|未) .. ({alive}|认为|就) ! {session} ! 错",
                "(exceed*|miss|misses|overrun*) (it|this|that|the interval) .. (out|dead|removed|kicked|gone) ! {session} ! not",
                "(single|one|a|first|any|even one|一次|一个) _ {beat} _ (miss*|lost|late|skip*|fails|丢|没) .. {alive} ! {session}",
                "(removed|dead|evicted|kicked|thrown|out|expelled) _ (as soon as|when|once|if|after) _ (single|one|first|a) _ (miss*|late|lost|{beat}) ! {session}",
                "(miss*|skip*|losing|错过|丢了) (one|a|single|even one|even a single|just one|一次|一个) (heartbeat|beat|心跳) .. {alive} ! {session} ! (not|no|不)",
                "(detect*|notic*|discover*|find*|recogni*) _ _ (dead|fail*|crash*) _ _ (soon*|fast*|quick*|early|earlier) ! {session} ! not",
                "(fast*|soon*|quick*|early|earlier) _ _ (dead|fail*|crash*) .. (detect*|notic*|discover*|found|recogni*) ! {session} ! (not|no) .. (fast*|soon*|quick*)",
                "(it|{interval}) {decides} _ {soon} _ {broker} _ (notic*|detect*|discover*) _ _ (dead|died|crash*|fail*) ^ (not|{session})",
                "{small} _ {interval} .. (fail*|dead|crash*|故障|死亡) .. (detect*|notic*|discover*|发现|检测) ! {session} ! (not|不)",
                "(fail*|故障) (detection|检测) ! {session} ! (not|no|other|different|nothing|不)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it denies that session.timeout.ms decides liveness",
            "否认存活由会话超时判定, 不对",
            ways=(
                "~{session} _ (nothing to do|has no|does not|is irrelevant|不|没有|无关) _ _ (with|decide|determine|liveness|alive|dead|matter|control|决定|判定|关) ! but {session} does",
                "~not true that .. {session} _ {decides} .. {alive}",
                "{session} _ {decides} _ _ ({soon}|{learn}) .. ({learn}|{rebalance}) ! {interval} _ {decides} _ {soon}",
                "{session} 只? (影响|决定|控制) _ _ (多快|多久|何时) .. (重平衡|再均衡|再平衡)",
            ),
        ),
        Blunder(
            "direction_reversed",
            "it has the broker asking and the consumer answering; the consumer sends the "
            "heartbeats",
            "说反了: 心跳由消费者发给协调者",
            ways=(
                "{broker} _ (pings|ping|polls|probes|asks|checks) (every|each|all|the|its)? {member} ^ (not|never)",
                "{broker} .. (learns|hears|notices|finds out|knows) _ from _ {member} .. {rebalance} ! (not|never)",
                "{broker} _ (ping|pings|pinging|probe|probes|poll|polls|探测) _ _ ({member}|it) ! (not|never)",
                "{broker} _ (send|sends|sending|发送|发出|发) _ ({beat}|probe*|探测|检查) ! (answer*|response*|repl*|响应|回复|回应) ! (向|给|往) {broker}",
                "{beat} _ (sent|发送|发) (by|from|out by) the? {broker}",
                "({beat}|{interval}) .. {broker} (向|给|对) .. (发|探测|询问) ! ({beat}|心跳的|心跳请求的) (响应|回复|回应)",
                "{broker} (check*|ask*) .. {member} .. (every|each) _ {interval}",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it takes the interval for a limit on poll() or on commits",
            "与 poll 间隔或提交混淆",
            ways=(
                "(how often|must|have to|has to|need to|call*|between|two|maximum|within) _ _ (poll|polls|poll ()|polling) .. {interval} ! (not|max.poll.interval.ms)",
                "{interval} .. (how often|must|have to|has to|need to|between|two|maximum|longest|allowed) .. (poll|polls|poll ()|polling) ! (not|max.poll.interval.ms|thread|separate|background)",
                "(control*|decid*|how often|多久) .. (call*|invoke*|调用) _ poll* ! not",
                "(control*|decid*|how often|every) .. (offset*|位移) .. (commit*|提交)",
            ),
        ),
    ),
)

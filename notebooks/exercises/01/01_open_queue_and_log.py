# %% [markdown] items="N3"
# How can one system be both a queue and publish/subscribe?

# %% [markdown] answer
# The consumer group is the unit. Inside a group every partition has exactly one owner, so each
# record goes to one member and the members share the work: that is a queue. Every group sees all
# records, because each group keeps its own committed offsets and reads at its own pace: that is
# publish and subscribe. It works because reading removes nothing. The records stay in the log until
# retention deletes them, and a reader only moves its bookmark.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: a fetch reads and removes nothing, only retention (and compaction) moves the start of a log;
# inside a group every partition has one owner per generation; committed offsets are kept per (group,
# topic, partition).
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_WORDS = Lexicon(
    lists(
        """
group: consumer group*, group*, grp*, group.id, cg, team*, club*, department*, 消费者组, 消费组, 群组, 组, 团队,
    小组, 部门
each: each, every, all, any, both, other, another, different, several, many, multiple, more, two, 2,
    separate, second, third, independent, 每个, 每, 各, 各个, 不同, 不同的, 多个, 其他, 其它, 两个, 所有, 所有的, 别的, 任意, 任何
each_group: {each} _ {group}, group* _ (each|all|both), groups, (different|other|another|two)
    (ids|id|names|group.id*), 组与组, 组间, 组之间
member: consumer*, member*, reader*, worker*, process, processes, one person, somebody, owner*,
    colleague*, one of them, people, 消费者, 成员, 实例, 线程, 进程, 一个人, 其中一个, 人, 员工
reader: application*, app, subscriber*, service*, system*, reader*, everyone, everybody, consumer*,
    应用, 订阅者, 系统, 服务, 业务, 消费者, 大家, 谁
partition: section*, chapter*, partition*, shelf, volume*, its part, 分区, 分片, 书架, 分割
one: one, 1, single, sole, exactly one, only, just one, precisely one, own, a consumer, sole, 一个,
    唯一, 单个, 1 个, 某个, 一名, 单独, 一位, 只有, 只能, 只给, 仅
record: record*, message*, msg, msgs, data, datas, log, stream, topic*, copy, copies, letter*,
    paper*, task*, job*, 消息, 数据, 记录, 事件, 主题, 日志, 内容
whole: all, every, everything, whole, entire, full, fully, complete, each, same, a copy, total,
    total*, from the beginning, broadcast*, 全部, 所有, 全量, 完整, 整个, 每条, 每一条, 一份, 同样, 都能, 都会, 都可以, 都看,
    都读, 都收
sees: see*, get*, got, gives, give, receive*, read*, consum*, has, have, deliver*, send*, copy,
    fetch*, walk*, process*, goes, go, take*, hear*, served, view*, 看到, 看, 读, 收到, 消费, 得到, 获得, 拿到,
    接收, 处理, 有, 获取, 推送
offset: offset*, position*, bookmark*, cursor*, pointer*, progress, place, page, 位移, 偏移, 偏移量, 进度,
    位置, 游标, 书签
own: 各有, 各有各的, 各自的, own, owns, separate*, independent*, private, its, their, his, different, per,
    keeps, remember*, track*, 各自, 独立, 自己, 单独, 分别, 自身, 互不影响, 互不干扰, 专属, 不同, 维护, 记录
keep: kept, keep*, stay*, remain*, retain*, retention*, retention.ms, stor*, still there, still in,
    durab*, expir*, not lost, live, lives, too old, sit, lie, archive*, 保留, 保存, 留在, 过期, 存储, 保持, 还在,
    仍在, 仍然在, 依然, 持久化, 到期, 留着, 存着, 存在
time: retention*, retained, retain*, retention.ms, expir*, day, days, hour*, week*, period, time,
    while, until, till, age, aged, old, configured, size, durab*, after, even, archive*, regardless,
    whether, whoever, 保留, 过期, 到期, 天, 时间, 时长, 周期, 直到, 之后, 以后, 即使, 无论, 读完, 仍
taking: forget*, bin, eat, leaves the (log|topic|queue|partition), delet*, remov*, destroy*,
    destruct*, erase*, drop*, consum* away, taken off, disappear*, vanish*, gone, empt*, clear*,
    pop, dequeue*, lost, throw* away, thrown away, mutat*, clean*, shorten*, 删除, 删, 移除, 清除, 消失, 丢失,
    清空, 取走, 没了, 丢弃, 弹出, 清理, 丢掉, 销毁, 去掉, 不见, 拿走, 取走, 带走, 下架, 删掉
reading: read*, consum*, fetch*, look* at, looking, process*, seen, view*, used, acknowledg*, ack,
    acked, deliver*, 读, 消费, 拉取, 读取, 读完, 处理, 确认, 看过, 看完, 取过, 被读, 用过
not: not, never, no, non, nothing, nobody, without, neither, nor, 不, 没, 没有, 不会, 并不, 不是, 非
apart: independent*, not compete, 互不影响, 互不干扰, 不影响, 独立
inside: inside, within, in, of, same, one, single, a, share, with the same, 同一个, 同一, 同, 内, 里, 一个,
    组内, 相同
"""
    )
)

_OTHER_SYSTEMS = (
    "(unlike|classic*|tradition*|rabbit*|jms|ordinary|normal|usual|conventional|activemq|sqs|传统|"
    "普通|一般的队列|不像|(never|not) :)"
)

_DELETED = (
    (
        f"{{reading}} .. {{taking}} ^ "
        f"({{not}}|still|until|there|only|retention|kept|stay*|remain*|还在|才|仍|保留|过期|到期|"
        f"不) ! ({_OTHER_SYSTEMS}|{{taking}} .. "
        "(retention|expir*|age|time|old|过期|到期)|even|retention* alone)"
    ),
    (
        f"{{taking}} .. (after|once|when|by|on|upon|as soon as) .. ({{reading}}|commit*) ^ "
        f"({{not}}|retention|expir*|day|days|week|time|period|old|age|until|only|hours) ! "
        f"{_OTHER_SYSTEMS}"
    ),
    (
        f"(after|once|when|as soon as|if|upon) .. ({{reading}}|commit*) .. {{taking}} ^ "
        f"({{not}}|still|until|only|retention|kept|stay*|remain*) ! ({_OTHER_SYSTEMS}|even "
        "(after|when|if|once))"
    ),
    (
        f"({{reading}}|提交|提交位移) (了|过|完|后|之后|以后|就|一次|的|消息|被)? .. "
        f"(就|会|便|被|立即|马上) .. {{taking}} ^ (保留|过期|到期|还在|仍|才) ! "
        f"({_OTHER_SYSTEMS}|而是)"
    ),
)

Rubric(
    lexicon=_WORDS,
    topic=("{group}", "{partition}", "{offset}", "{record}", "{member}", "{keep}"),
    core=(
        "one owner per partition inside a group",
        "every group sees all records, with offsets of its own",
    ),
    concepts=(
        Concept(
            "consumer group as the unit",
            says="the consumer group, not the single consumer, is what a topic is delivered to",
            gloss="以消费者组为单位",
            ways=(
                "{group}",
                "{group} .. ({member}|{partition}|{record}|{offset}|{sees})",
                "({member}|{partition}|{record}|{offset}|{sees}) .. {group}",
            ),
            near=("{member}", "{reader}"),
        ),
        Concept(
            "one owner per partition inside a group",
            says="inside a group every partition is read by one member only",
            gloss="组内每个分区只有一个消费者",
            ways=(
                "{partition} _ (1 : 1|one to one|一一对应)",
                "{partition} .. {one} _ {member}",
                "{partition} .. {one} (of|in|inside|owner|at|is|has|person|reads|handles|takes|who|per)",
                "~(not|never|no) .. (share*|same) _ {partition}",
                "{partition} .. (belong*|own*|bound|tied|pinned|exclusive*|assigned) .. {one}",
                "(own*|exclusive*|独占|独享|归) .. {partition}",
                "{partition} .. (独占|独享|专属|归一个|只归)",
                "{partition} .. (divid*|split*|distribut*|dealt|deal|spread|shared out|assign*|hand*) .. (one|each|every|exclusive*|only|disjoint|single)",
                "(divid*|split*|distribut*|deal*|spread*|share* out|shares|share|assign*|partition*) _ {partition} .. (one|each|exclusive*|only|disjoint|single)",
                "~(no|not|never|nobody|without) .. {partition} .. (more than one|two|several|multiple|2|another) _ {member}",
                "~{partition} .. (no|not|never|nobody) .. (by|to|among|between|with) _ (two|2|several|multiple|more than one) _ {member} ! (different|other|another|between) _ {group}",
                "~{partition} .. (none|never|no one|not) .. (two|2|several) (hands|members|of them|places|owners)",
                "(disjoint|exclusive|exclusively|non overlapping|mutually exclusive|distinct|不相交|互斥) .. {partition}",
            ),
            against=(
                "(two|2|several|multiple|many|more than one) _ {member} .. (read*|shar*|consum*|own*|process*|get|gets|handl*|from) _ _ (same|one|every|each) _ {partition} ^ ({not}|{each_group}|only|exactly|just|ensures|to each) ! (different {group}|other {group}|unlike|would|no two|neither)",
                "{partition} .. (by|to|with|from|among) (two|2|several|multiple|many|more than one|all) _ {member} ^ ({not}|{each_group}|only|exactly|just|one (of|member|consumer)|divid*|split*|distribut*|dealt|spread|disjoint) ! (different {group}|other {group}|unlike|would|no partition)",
                "(多个|两个|几个|所有) _ {member} .. (同一个|同一|一个) {partition} ^ (只|各|不同)",
                "{partition} .. (被|由|给) (多个|两个|几个|所有) _ {member} ^ (只|不同)",
            ),
            near=(
                "{partition}",
                "{one} _ {member}",
                "(split*|shar*|divid*|distribut*|compet*|load|balanc*|分摊|竞争|均衡|负载|分担)",
            ),
        ),
        Concept(
            "every group sees all records, with offsets of its own",
            says="every group reads all the records, with offsets of its own",
            gloss="每个组都有自己的位移, 能读到全部消息",
            ways=(
                "~(many|several|all|different|any number of) _ {group} .. (can|may|could|都能) _ (read|see|get|consume)",
                "{each_group} .. {sees} .. {whole}",
                "{each_group} .. {own} _ {offset}",
                "{sees} .. {whole} .. {each_group}",
                "{offset} .. (per|for each|for every|by|of each|of every|under|belong*|按|以) _ {group}",
                "{group} .. (its own|own|independent|separate|own set of|independently|independent of|各自|独立|自己|independent*) .. {offset}",
                "{each_group} .. {apart}",
                "{each} _ {reader} .. {sees} .. {whole} ! {inside} _ {group}",
                "(everyone|everybody) .. {sees} .. {whole} ! {inside} same {group}",
                "{whole} _ {record} .. (to|by|for) _ (everyone|everybody|subscrib*|all subscrib*|each subscrib*|every subscrib*|every application|each application|every service)",
                "{each_group} .. (does|do|都能|都会|都可以)",
            ),
            against=(
                "{group} .. (share|shares|共享|共用) .. (one|global|single|same|a|common|同一个|一个|同一) _ {offset} ! ({not}|member*|partition*|own|would)",
                "(one|global|single|same|common) _ {offset} .. (for|between|across|among|of) _ (all|groups|every|the) _ {group} ! {not}",
            ),
            near=("{each_group}", "{offset}", "(broadcast*|subscri*|订阅|广播)"),
        ),
        Concept(
            "records stay until retention, reading does not remove them",
            says="records stay until retention removes them; reading removes nothing",
            gloss="消息保留到过期, 读取不会删除",
            ways=(
                "~(delet*|remov*|cut|discard*) _ (only)? (because of|due to|for|by) (its|their)? (age|old age|time)",
                "¬{reading} .. {taking}",
                "¬{taking} .. {reading}",
                "{keep} .. {time}",
                "~{taking} .. (retention*|expir*|过期|保留|到期)",
                "~{record} .. {not} .. {taking}",
                "{record} _ (go|goes|vanish|disappear|leave|expire) .. (when|after|once) .. (days|time|period|retention|age|hours|week)",
                "~(age|time|size|retention*|policy) (alone)? (decides|decide|governs|determines|triggers|removes|trims)",
                "(consumed|read|processed) .. (still|again|later|replay*) .. (there|available|read|avail*)",
            ),
            against=_DELETED,
            near=("{keep}", "{taking}"),
        ),
    ),
    blunders=(
        Blunder(
            "central_claim_wrong",
            "it makes the number of consumers decide, without groups",
            "由消费者组决定, 不是消费者个数",
            ways=("(queue*|pub*) .. by the number of consumers ! (not|group .. offset)",),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that reading takes the record away",
            "认为读取会删除消息, 不对",
            ways=_DELETED,
        ),
        Blunder(
            "direction_reversed",
            "it gives each record to one group only",
            "说反了: 每个组都能读到全部消息, 组之间不分摊",
            ways=(
                "(only|just|exactly|single) (to|by|in|for|one|a)? (one|a|single) _ {group} ^ {not} ! (partition*|all groups|{member})",
                "(one|a single|1) {group} (only|alone) ^ {not} ! (partition*|if|queue .. many)",
                "{record} .. (to|by) (one|a single|only one|the first) {group} ^ {not} ! (partition*|{member}|each {group}|all)",
                "(between|among|across) _ {group} .. (compet*|split*|divid*|share*|distribut*|one group) ^ {not} ! (all the|each|everything|independent*|own)",
                "(different|several|multiple|the|many|two|all) {group} (share|shares|compete|competes|split|splits|divide|divides|take turns) ^ (nothing|not) ! (members split|do not share|share (nothing|the log|one log|the same (log|records)))",
                "{record} .. (split|divided|shared|distributed|spread|partitioned) _ (between|among|across|over) _ (groups|consumer groups) ^ ({not}|inside|within|partition*)",
                "{group} .. (compete|competes) (for|with) .. {record} ^ {not} ! (inside|within|same|member*|partition*)",
                "(不同|不同的|多个|各个|各) {group} _ _ (分摊|竞争|瓜分|平分|抢) ^ (组内|独立|全部)",
                "(组与组|组之间|组间) _ _ (分摊|竞争|瓜分|平分|抢|共享消息)",
                "(消息|数据|记录) .. (只|仅) _ (被|给|发给|由) _ 一个 _ (组|消费者组|消费组|群组) ^ (不|成员|组内)",
                "~(换|其他|别的|另一个) _ 组 _ _ (收不到|读不到|看不到|拿不到)",
                "(只有|只|仅) _ 一个 _ 组 _ (能|可以|会)? _ (收到|读到|拿到|消费|得到) ^ (组内|成员)",
                "{record} (goes|go|is|are|belongs|belong) .. (only|just|exactly)? _ one of (them|the groups) ^ ({not}|partition*|{member}) ! (inside|within|in a group|in the group|members|partition*)",
            ),
        ),
        Blunder(
            "direction_reversed",
            "it gives every record to every member of a group",
            "说反了: 组内每条消息只给一个消费者",
            ways=(
                "(inside|within|same|in a|in one|of a|of the same|single|one|in the) _ {group} .. (every|each|all) _ ({member}|of them) .. {sees} .. (all|every|everything|each|whole|copy|same) ^ ({not}|partition*|(each|every|all|different|other) {group}|own|handed|assigned|one (member|consumer|reader|worker))",
                "(every|each|all) (member*|consumer*|reader*|worker*|instance*) (in|of|inside|within) (the|a|one|this|that|same) _ {group} .. {sees} .. (all|every|everything|each|whole|copy|same) ^ ({not}|only|partition*|put|queue|own|different|other|(each|every|all) {group})",
                "(inside|within) .. {group} .. (publish / subscribe|pub / sub|pubsub|broadcast*) ^ ({not}|between|across|queue|outside|different)",
                "(member*|consumer*|reader*|worker*|instance*) (in|of|inside|within) (the|a|one|this|that|same|single) _ {group} .. {sees} _ (all|every|the same|each|everything) _ ({record}|everything) ^ ({not}|partition*|different|other|own)",
                "(组内|组里|组里面|组中|同组) 的? (所有|全部|每个|各个) _ ({member}|人) .. (都|均|各) _ (会)? _ (收到|看到|得到|消费|读到|处理) ^ (各自|一部分|自己)",
                "{group} .. (all|every) (member|members|consumers) .. (get|gets|receive|receives|sees|see) _ (a)? (copy|copies|everything) ^ {not}",
                "(同一个|同一|同|一个) {group} .. (每个|所有|全部|每一个|各个) _ {member} .. 都 .. (全部|所有|每条|同样|相同|完整|一样) ^ (各自|一部分)",
                "组内 .. (每个|所有|全部|每一个) _ {member} .. 都 .. (全部|所有|每条|同样|相同)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it lets several members of one group read the same partition",
            "组内一个分区不能由多个消费者读",
            ways=(
                "(two|2|several|multiple|many|more than one) _ (consumer*|member*|reader*|worker*) .. (same|one|single) {group} .. (same|one|single|every) {partition} ^ ({not}|only|just|exactly|each|one of|different) ! (would|if)",
                "(same|one|single|within|inside) _ {group} .. (two|2|several|multiple|many|more than one) _ (consumer*|member*|reader*|worker*) .. (same|one|single|every) {partition} ^ ({not}|only|just|exactly|each|one of|different) ! (would|if)",
                "{partition} .. (read|consumed|shared|owned|processed) by (all|every|each) _ ({member}|of them) ^ ({not}|only|one of) ! (different {group}|other {group}|would|unlike)",
                "{partition} .. (read|consumed|shared|owned|processed) by (two|2|several|multiple|many) _ {member} ^ ({not}|only|one of) ! (different {group}|other {group}|{each} _ {group} _ (can|may|read)|would|if|unlike|no partition|neither)",
                "(two|2|several|multiple|many) (consumer*|member*|reader*|worker*|instance*) (of|in|inside|within) (a|the|one|that|same) _ {group} .. (one|same|a|single) _ {partition} ^ ({not}|only|just|exactly|each|one of|different|split*|divid*)",
                "(同一个|同一|同) {group} .. (多个|两个|所有) _ {member} .. (同一个|同一|一个) {partition} ^ 只能",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it takes queue and publish/subscribe for two kinds of topics or a setting",
            "不是两种主题, 也不是开关",
            ways=(
                "(two|2|different|separate|both) (kinds|types|sorts) of (topic*|queue*) ^ {not}",
                "(two|2|separate|different) topics .. (queue|pub*|topic) ^ {not} ! (no need)",
                "(of type|topic type|type =|mode =|setting|parameter|option|switch|flag|configuration) .. (queue|queues|pub*|broadcast) ^ ({not}|{group})",
                "(queue|queues|pub / sub|pubsub|publish) .. (of type|topic type|type =|mode =|setting|parameter|option|switch|flag|when you create) ^ ({not}|{group}|sharing|same)",
                "(queue|broadcast|pub / sub|pubsub) (mode|type|topic*|topics) ^ {not} ! group*",
                "{group} .. (need*|require*|must have|have to have|gets|get|has|wants) _ _ (copies of the topic|copy of the topic|topic of (its|their) own|own topic|separate topic*|topics of their own|own copy of the topic) ^ {not}",
                "(copy|duplicate|mirror*|send*|publish*|write*) .. (several|multiple|many|two|each|separate|different) _ topics ^ ({not}|{group} .. {own} _ {offset})",
                "(每个|一个|给) _ {group} .. (建|创建|新建) _ (主题|topic)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it has the groups share one offset",
            "各组的位移是独立的",
            ways=(
                "(share|shares|sharing|shared) .. (one|global|single|same|a|common) _ {offset} ^ ({not}|partition*|own|log) ! would",
                "(global|common|shared|one) _ {offset} .. (all|every|both|across|between|groups) ^ ({not}|partition*|per|each)",
                "{group} (共享|共用|使用同一个|用同一个) _ {offset}",
            ),
        ),
    ),
    doubts=(
        "{reading} .. {taking} ^ ({not}|retention*|age|only|until|expir*|by|still|过期|到期|才|保留|仍|还在|保持)",
        "{member} _ _ (share|shares|sharing) _ (a|one|same|single) _ {partition} ^ {not}",
        "(all|every|each) (consumer*|member*) .. (all|every|everything) ! ({not}|different|own|{each_group})",
    ),
)

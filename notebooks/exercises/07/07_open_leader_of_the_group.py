# %% [markdown] items="G14 G15 G16"
# Why did Kafka move partition assignment to a client and, in KIP-848, back to the broker?

# %% [markdown] answer
# It moved to a client, the group leader. So a new assignment strategy needs no upgrade of the
# brokers: the assignor is a plug-in of the consumer, and the coordinator passes the plan on without
# reading it. But in the classic protocol a rebalance is a barrier: all members must join again
# before anybody gets the new plan, so the slowest decides. Eager members stop reading meanwhile.
# And the clients became thick. The logic has to be implemented again in every language, and one bad
# client can harm the whole group. In KIP-848 the coordinator computes the target assignment.
# Members are moved towards it incrementally, one by one, while the others go on reading.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: in the classic protocol the group's leader (a client) computes the assignment and the
# coordinator passes it on unread; join and sync are a barrier for the whole group. In KIP-848 the
# coordinator computes a target assignment and every member moves to it by itself, told by its
# heartbeats.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_WORDS = Lexicon(
    lists(
        """
broker: broker*, server*, cluster*, coordinator*, head office, kafka, jar, brokers, 服务端, 服务器, 集群,
    协调者, 协调器, broker, brokers
client: client*, consumer*, member*, leader*, worker*, librar*, librdkafka, sarama, 客户端, 消费者, 成员,
    client
upgrade: upgrad*, updat*, redeploy*, re deploy*, deploy*, restart*, chang*, touch*, releas*,
    replac*, rebuil*, modif*, version*, rollout*, roll out, alter*, new _ version, recompil*,
    patch*, 升级, 更新, 重启, 修改, 改动, 版本, 发布, 改
free: nobody, no one, without, no need*, not need*, not need, not _ need, needn t, need not, need
    no, not have to, independen*, decoupl*, separat*, free, freely, regardless, unaware, opaque, not
    know*, need _ not, not _ know, no longer, not, untouched, unchanged, at will, loos*, isolat*, as
    they are, as it is, alone, in peace, 不用, 无需, 不需要, 不必, 解耦, 独立, 无关, 不依赖, 免去, 而不用, 不升级, 分离, 不改, 不动
strategy: strateg*, assignor*, assigner*, algorithm*, logic, way of sharing, way of, rule*, policy,
    policies, scheme*, duty roster*, rosters, assignment*, 策略, 算法, 分配器, 分配逻辑, 分配方式, 方案
new: new, custom*, own, plug*, pluggable, different, chang*, evolv*, flexib*, innovat*, ship,
    choose*, chosen, choos*, freely, 新, 自定义, 可插拔, 灵活, 不同, 自己
everyone: all, every, everyone, everybody, evry1, entire, whole, each, global*, group wide,
    groupwide, the group, a group, others, everything, 所有, 全部, 整个, 全组, 大家, 全体, 每个
halt: stop*, wait*, paus*, halt*, revok*, block*, freez*, frozen, standstill, idle, interrupt*, put
    down, barrier*, rejoin*, re join*, synchroni*, sync, held up, hold up, holds up, stall*, hang*,
    downtime, suspend*, lockstep, in step, down tools, 停, 停止, 暂停, 等待, 停顿, 停下, 停机, 阻塞, 同步, 屏障, 撤销, 等,
    中断
language: language*, python, go, c + +, golang, .net, rust, librdkafka, sarama, each client librar*,
    every client librar*, each client implement*, every library, non java, branch abroad, 语言, 各语言,
    多语言
again: re implement*, reimplement*, again, rewrit*, re writ*, duplicat*, implement*, port, ported,
    porting, repeat*, redo*, replicate*, reinvent*, re invent*, everywhere, same logic, translat*,
    written, write, develop*, maintain*, 重新实现, 重复实现, 各自实现, 都要实现, 重复, 实现, 重写, 重新
thick: thick*, fat, heavy, heavier, bloat*, complex*, complicated, too much logic, intelligen*,
    tricky, smart, difficult, hard, burden*, thin, thinner, simple, simpler, lean, leaner, light,
    太重, 复杂, 臃肿, 沉重, 厚, 胖, 重, 简单, 轻量, 负担, 变薄
bad: bad, buggy, misbehav*, faulty, broken, bug, bugs, wrong, rogue, defect*, incorrect*, mistake*,
    unstable, malicious, erroneous, flawed, crash*, poorly, badly, 有问题, 有 bug, 出错, 错误, 异常, 故障, 坏,
    不良, 不稳定
harm: hurt*, harm*, block*, break*, ruin*, stall*, disturb*, drag*, take* down, takes down, affect*,
    delay*, kill*, stop*, damag*, influence*, hold*, wreck*, spoil*, stuck, jeopardi*, destabili*,
    whole group, entire group, everyone, peers, others, all, 影响, 拖累, 拖垮, 阻塞, 卡住, 破坏, 整个组, 全组
incremental: incremental*, incrementa*, gradual*, step by step, stepwise, one by one, one at a time,
    one after another, one after the other, member by member, partition by partition, bit by bit,
    piece by piece, piecemeal, own speed, own time, own rhythm, own pace, member after member,
    piecewise, smoothly, little by little, reconcil*, converg*, only the affected, only some, only
    those, only the partition*, only what, without stopping the rest, others go on, rest continue*,
    rest keep*, others not, from one member to another, 增量, 逐个, 逐步, 渐进, 逐一, 一点一点, 一步一步, 逐渐, 一个一个,
    只移动, 只影响, 慢慢, 分步, 不停, 不用停, 收敛, 调和, 其他成员继续, 其他继续
apart: independently, individually, separately, on its own, on their own, by itself, by themselves,
    single, singly, 独立, 各自, 单独
new_protocol: kip 848, kip848, 848, new protocol*, new one, consumergroupheartbeat*, server side,
    broker side, kip - 848, 新协议, 新的协议, 新版
not: not, never, no, nothing, nobody, without, nor, neither, none, 不, 没, 没有, 不会, 并不, 不是, 非, 无, 无需,
    不用
"""
    )
)

Rubric(
    lexicon=_WORDS,
    topic=(
        "{broker}",
        "{client}",
        "{strategy}",
        "{halt}",
        "{incremental}",
        "rebalanc*",
        "{new_protocol}",
    ),
    core=("decoupled from broker upgrades", "global barrier"),
    concepts=(
        Concept(
            "decoupled from broker upgrades",
            says="at a client, new assignment strategies need no upgrade of the brokers",
            gloss="放到客户端, 新策略不必升级 broker",
            ways=(
                "~no {broker} _ (change|changes|upgrade|upgrades|release|rollout|redeploy)",
                "~{free} _ _ _ {upgrade} .. {broker}",
                "~{free} .. {broker} _ _ {upgrade}",
                "~{broker} .. {free} .. {upgrade}",
                "~{broker} .. {upgrade} .. {free}",
                "~{strategy} .. {free} .. {broker}",
                "~{new} .. {strategy} .. {broker} _ _ (as they are|as it is|alone|untouched|in peace)",
                "~(decoupl*|independen*|separat*|解耦|独立|分离|无关) .. {broker}",
                "~{broker} .. (decoupl*|independen*|解耦|独立|无关|untouched|unchanged|unaware)",
                "{new} _ {strategy} .. {client}",
                "{client} .. {new} .. {strategy}",
                "~(broker|brokers|服务端) _ (不|不用|不需要|无需|不必) _ (了解|知道|关心|理解) .. (分配|策略|逻辑|assign*)",
                "~不 (升级|改|修改|更新|动|重启|upgrade|change|touch|restart) .. (broker|服务端|集群)",
                "~{new} .. {strategy} .. {upgrade} .. {broker}",
                "~(avoid*|spare*|sav*|instead of|rather than|免) .. {broker} .. {upgrade}",
                "~(without|no|not) .. (broker*|server*|服务端) .. {strategy}",
                "(plug*|pluggable|custom*|own|自定义|可插拔) _ {strategy}",
                "~(free|freed|unaware|ignorant|knowledge|know*) .. {strategy}",
            ),
            against=(
                "(back|return*|848) _ _ (to|with|in)? (the)? (broker*|server*|coordinator*) .. (so that|because|in order|to allow|lets|enables|allows) .. (plug*|custom*|own|new strateg*|upgrad*|flexib*) ! ({client} .. back|barrier|incremental*|stop*|not)",
            ),
            near=("{upgrade}", "{strategy}", "(flexib*|灵活|independen*|decoupl*|解耦)"),
        ),
        Concept(
            "global barrier",
            says=(
                "a rebalance of the classic protocol is a barrier at which the whole group stops "
                "and waits"
            ),
            gloss="旧协议的再平衡是全局屏障, 全组停下等待",
            ways=(
                "~(everybody|everyone|all|every member|each member) .. (must|has to|have to|had to) (attend|be present|join*|meet|take part|show up|gather)",
                "~{everyone} .. {halt}",
                "~{halt} .. {everyone}",
                "~(stop the world|stop the wrold|stop world|stop - the - world|barrier*|屏障|全停|停顿|停摆)",
                "~(slowest|slow) .. (member*|one|consumer*|colleague|client*|成员)",
                "(wait*|等) .. (slowest|last|others|each other|everyone|最慢|其他)",
                "(rebalance*|再平衡|重平衡) .. (stop*|halt*|paus*|停|暂停)",
                "(group|整个组|全组) _ _ (stop*|halt*|paus*|停|暂停)",
            ),
            against=(
                "{new_protocol} .. (introduc*|add*|has|bring*|creat*|need*|requir*|uses) .. (barrier*|stop the world|all members stop|stop at the same time) ! ({not}|remov*|no longer|old|classic*|instead|replac*|get rid)",
                "{new_protocol} .. (all|every|each) _ (member*|consumer*) .. (stop*|revok* all|wait*) ! ({not}|instead|remov*|no longer|old|classic*|own|avoid*|eliminat*|only)",
            ),
            near=("{halt}", "(rebalance*|再平衡)"),
        ),
        Concept(
            "thick client re-implemented per language / one bad client",
            says=(
                "thick clients: the logic is written again in every language, and one bad client "
                "hurts the group"
            ),
            gloss="客户端太重, 各语言重复实现, 一个坏客户端影响全组",
            ways=(
                "~(each|every|all) _ (librar*|client librar*|client*|sdk*) (need*|must|has to|have to|had to|carr*|contain*|know*|includ*) .. (logic|how|it|algorithm*|strateg*|this)",
                "{language} .. ({bad}|lag*|behind|outdated|slow to|late|differ*|diverg*|inconsisten*|落后|不一致)",
                "~{language} .. {again}",
                "~{again} .. {language}",
                "{language} .. (librar*|client*|implement*|复杂|不同)",
                "~{thick} .. {client}",
                "~{client} .. {thick}",
                "{bad} _ _ {client}",
                "{client} .. {bad} .. {harm}",
                "{client} .. (re implement*|reimplement*|rewrit*|re writ*|duplicat*|port|ported|redo*|reinvent*|重新实现|重复实现|各自实现|重写)",
                "(each|every|all|各|每) _ _ (client*|librar*|客户端) .. {again}",
            ),
            against=(
                "(back|return*|848) .. (make*|making|makes|becomes|get) _ _ client* _ (thick*|fat|heav*|complex*) ! {not}",
                "{new_protocol} .. (thick*|fat|heavier) _ client* ! ({not}|instead|no longer|remov*|avoid*|away)",
            ),
            near=("{thick}", "{language}", "{bad}", "(client*|客户端) .. (logic|逻辑)"),
        ),
        Concept(
            "incremental reconciliation",
            says=(
                "with the broker in charge, members are moved to the target one by one, "
                "incrementally"
            ),
            gloss="broker 增量协调, 成员逐个调整",
            ways=(
                "(tells|told|instruct*|gives|sends) each (member|client|consumer) (its|only|just|his) .. (step|part|change*|share|own)",
                "{incremental}",
                "{client} .. {apart} ^ (strateg*|assignor*|algorithm*|broker*|upgrad*|策略)",
                "~{incremental} .. {client}",
                "~(no need|not need|not have|without|need not|nobody has|no one has) _ _ (stop*|paus*|halt*|interrupt*|disturb*) _ _ (others|rest|other|everyone|all|group|whole)",
            ),
            against=(
                "(client*|classic*|old|leader*) .. (incremental way|incrementally|incremental) .. (broker|848) .. (barrier|all|stop*) ! not",
            ),
            near=("{new_protocol}", "(target|heartbeat*|目标|partial*)"),
        ),
    ),
    blunders=(
        Blunder(
            "central_claim_wrong",
            "it gives ZooKeeper, lag or trust as the reason",
            "原因与 ZooKeeper 等无关",
            ways=(
                "(because|since|as) .. {broker} _ (slow|slower|too slow|cheaper|overloaded|weak) ! (not|never)",
                "client* (are|were|is) (untrusted|not trusted|insecure|malicious) ! (one|a bad|buggy)",
                "(both|also|too) _ (have|has) (a|the)? barrier ! not",
                "(because|since|due to|as|when) .. (zookeeper|kraft) ! (not|nothing to do|unlike|independent)",
                "(because|since|so that) the? (coordinator|broker) _ (must|has to|needs to|can) know (the|each)? _ (lag|lags) ! not",
                "rebalance* (to|=|became|becomes) (zero|0) ! (not|no)",
            ),
        ),
        Blunder(
            "direction_reversed",
            "it gives the reason of one move to the other",
            "理由说反了",
            even_supposed=True,
            ways=(
                "(to|at|on|in) (the|a|one)? (client*|leader*|member*|consumer*) _ _ (because|since|as|in order to avoid|to avoid|to remove|to get rid) .. (barrier*|stop* the|stopped|wait*|all members|whole group|every member|entire group) ^ (back|return*|then|later|but|without|not|upgrad*|strateg*|in kip)",
                "(to|at|on|in) (the|a|one)? (client*|leader*|member*|consumer*) _ _ (because|since|as|in order|so that|for|to get|to have) .. (incremental*|step by step|one by one|gradual*|reconcil*) ^ (back|return*|then|later|but|without|not|upgrad*|strateg*|in kip|848)",
                "~(back|return*|returned) _ _ (broker*|server*|coordinator*) .. (so that|so|because|since|in order to|to let|to allow|for|as) .. (plug*|custom*|own _ {strategy}|own strateg*|without upgrad*|without a broker*|upgrad* not|new strateg* without|decoupl*|independent of broker*|flexib*) ! (not that|barrier*|incremental*|stop*)",
                "(移到|放到|交给) (客户端|消费者|client) _ _ (是因为|因为|由于|是为了|为了) .. (停止|屏障|停顿|等待) ^ (移回|后来|但)",
                "~(移回|回到|交回|收回) _ (broker|服务端|协调者) _ (是为了|为了|以便|因为) .. (自定义|不升级|不用升级|无需升级|解耦|灵活) ^ 不是",
            ),
        ),
        Blunder(
            "direction_reversed",
            "it has KIP-848 move the assignment to the client",
            "说反了: KIP-848 把分配交回 broker",
            even_supposed=True,
            ways=(
                "{new_protocol} .. (hands|gives|gave|moves|moved|move|handed|puts|put|delegates|shifts|shifted|transfers) (it|assignment|this|them|the assignment|partition assignment|the job)? _ to (the|a)? (group)? (client*|leader*|consumer*|member*) ^ {not} ! (from|back|away|broker .. to)",
                "{new_protocol} .. from (the)? (broker*|server*|coordinator*) _ to (the|a)? (group)? (client*|leader*|consumer*|member*) ^ {not}",
                "(to|at) (the|a)? (client*|group leader|leader) (in|with|by|under) (the)? {new_protocol} ^ {not} ! (back|from)",
                "{new_protocol} .. (done|computed|calculated|made|decided|performed|handled) by (the|a|one)? (group)? (leader|leaders|client|clients|consumer|consumers|member|members) ^ ({not}|no longer|before)",
                "{new_protocol} .. (让|由) _ (客户端|消费者|leader|组长|某个消费者) _ (自己)? _ (决定|计算|分配|负责) ^ (不再|旧|以前)",
                "{new_protocol} _ (gives|give|lets|allows|hands|grants) (the|all)? (client*|consumer*|member*) _ _ _ (assign|decide|compute|choose|calculate) ^ {not}",
                "(broker|协调者|服务端) _ 只 _ (负责|是)? _ (转发|传递|存储|转交|邮箱)",
                "(coordinator|broker) (only|just|merely) (stores|store|forwards|relays|passes) ^ {not} ! (classic*|old|before|was|at first|opaque|used to|(plug* in|plugin*|assignor*) .. passes .. without reading)",
                "(以前|之前|原来) _ 是? (broker|服务端|协调者) (分配|计算|决定) ^ (最早|最初)",
                "{new_protocol} .. (group leader|leader) .. (comput*|calculat*|decid*|assign*) ^ ({not}|no longer|instead|was|before|old|classic*|from|had)",
                "{new_protocol} .. (client*|consumer*|member*) (are|is|become|becomes)? responsible ^ ({not}|no longer)",
                "{new_protocol} .. broker* .. (is|becomes) _ (only|just|merely) _ (mailbox|postbox|post box|relay|messenger|postman|forward*|store) ^ {not}",
                "{new_protocol} .. (the)? (group leader|leader|client) (now)? (computes|decides|assigns|calculates|does) ^ {not} ! (no longer|instead|was|before|old)",
                "(classic*|old) (protocol|one|way)? .. (the)? (coordinator|broker) (computes|computed|calculates|calculated|decides|decided|assigns|assigned|did|does) ^ {not} ! (opaque|first|{client} .. (computes|decides)|assigned the leader|848)",
                "{new_protocol} _ _ _ (交给|放到|移到|给了) _ (客户端|消费者|leader) ^ 从",
                "(classic*|经典|旧) _ (协议)? _ (由)? (协调者|broker|服务端) (计算|分配|决定) ^ (早期|最初)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it has KIP-848 stop all members",
            "KIP-848 不再让全组停止",
            even_supposed=True,
            ways=(
                "{new_protocol} .. (introduc*|adds|add|has|brings|creates|needs|requires|uses|added) _ _ (barrier*|stop the world|global) ^ {not} ! (remov*|no longer|old|classic*|instead of|replac*|get rid|without)",
                "{new_protocol} .. (all|every|each) _ (member*|consumer*) _ (stop*|stops|revok*|wait*|pause*|give* up everything|give* up all) ^ {not} ! (instead|remov*|no longer|old|classic*|avoid*|eliminat*|only|before|used to|had to|incremental*|where)",
                "~{new_protocol} .. not _ (remov*|abolish*|eliminat*|drop*|get rid*) .. barrier* ! (only|just)",
                "{new_protocol} .. (revoke*|revoking) all ^ {not} ! (instead|no longer|old|classic*|avoid*)",
                "{new_protocol} .. (引入|增加|需要) _ (屏障|全局|全部停) ^ (去掉|取消)",
                "(移回|回到|交回) .. (为了|让|使) .. (所有|全部) _ 成员 _ (同时|一起|都)? _ 停",
                "{new_protocol} .. (所有|全部|每个) _ (成员|消费者) _ (停|停止|都停|暂停|等待) ^ (无需|去掉|避免|旧)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it has the move back make the clients thicker",
            "移回 broker 是为了让客户端变薄",
            even_supposed=True,
            ways=(
                "(back|return*|848) .. (makes|making|make|so that) _ _ (client|clients) _ (thicker|fatter|heavier|more complex|thick|fat|smarter) ^ {not} ! (less|avoid*)",
                "(back|returned|848) .. (because|so that|since|as) .. (client|clients) _ _ _ (more logic|more control|more power|more responsib*|smarter|thicker) ^ {not}",
                "(back|returned|848) .. clients can .. (own language|own way|themselves) ^ {not}",
            ),
        ),
    ),
    doubts=(
        "{new_protocol} .. (barrier*|stop the world) ! ({not}|remov*|no longer|replac*|get rid|eliminat*|avoid*|without)",
        "{new_protocol} .. (to|给|交给) (the|a)? (client*|leader*|客户端) ! (from|not)",
        "(broker|brokers|coordinator) (is|are|was|were) (faster|slower)",
    ),
)

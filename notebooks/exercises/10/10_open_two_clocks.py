# %% [markdown]
# Compare the two designs of a multi-threaded consumer: one consumer per thread, and one polling
# thread with a pool of workers.

# %% [markdown] answer
# A KafkaConsumer is not thread-safe: only one thread may use it, so both designs keep it to one
# thread. With one consumer per thread the order within a partition is kept and the program is
# simple. But its scaling is limited by the number of partitions, since more threads than partitions
# stay idle, and slow work delays poll() and risks eviction from the group. With one polling thread
# and a pool of workers, processing scales independently of the partitions, and the polling thread
# polls in time. The price of the pool: the order is lost, because a quick worker overtakes a slow
# one, and committing is hard, since only a position below which everything is finished may be
# committed, or records are lost or repeated after a crash.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: KafkaConsumer refuses a second thread with ConcurrentModificationException
# (KafkaConsumer.acquire); a member that does not poll within max.poll.interval.ms leaves the group; a
# commit covers all records below it.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_THREADS = Lexicon(
    lists(
        """
consumer: kafkaconsumer, kafka consumer, consumer*, client, object, instance*, it, 消费者, consumer
not_safe: no es thread safe, not thread safe, not threadsafe, not _ thread safe, not _ safe, not
    safe, no thread safety, thread unsafe, unsafe, non thread safe, lack* thread safety, single
    threaded, singlethreaded, concurrentmodificationexception, concurrent modification, 不是线程安全,
    非线程安全, 线程不安全, 不是 thread safe, 不 thread safe, 并非线程安全, 不具备线程安全, 没有线程安全, 不支持多线程, 不能多线程
order: order, ordering, ordered, sequence, sequential*, in order, 顺序, 次序, 有序
keeps: kept, keep*, preserv*, guarant*, maintain*, retain*, stay*, remain*, respect*, intact, safe,
    ok, okay, fine, unchanged, natural*, ensur*, for free, come* in order, good, easy, holds, hold,
    保证, 保持, 保留, 不变, 维持, 有保证, 有保障, 确保, 不会乱, 不乱
in_order: in order, in sequence, ordered, sequential*, in the right order, in the same order, in
    their order, one after another, one after the other, one by one, in the order, 有序, 按顺序, 依次, 按序
loses: cost of, price of, expense of, price is, sacrifice of, lose, loses, losing, lost, gone,
    break*, broke, broken, mess*, mix*, random*, destroy*, sacrific*, give* up, gave up, giving up,
    goes away, go away, shuffl*, scrambl*, violat*, different, any, arbitrary, wrong, no longer, out
    of, disappear*, unpredictable, not, no, without, can not, problem*, issue*, never, undefined, 乱,
    打乱, 丢失, 失去, 丧失, 无法, 不能, 不保证, 难以, 没有, 不了, 破坏, 不再, 没法, 混乱, 很难
unordered: wrong way round, order _ suffer*, (not|n't) expect .. order, unordered, reorder*, re
    order*, disorder*, overtak*, out of order, out of sequence, no order*, no particular order, any
    order, random order, different order, another order, arbitrary order, not in order, not _ in
    order, wrong order, without order, either order, later record .. before .. earlier, mixed up, no
    sequence, (finish*|complet*|end*|done) .. (before|earlier|first) ..
    (earlier|older|previous|first), 乱序, 无序, 顺序 .. (乱|无法|不能|不保证|丢|打乱|没|破坏|难),
    (不能|无法|不|难以|没有|失去|打乱|丧失) .. 顺序, 没有顺序
simple: simple, simpler, simplest, simplicity, easy, easier, easiest, straightforward, plain,
    trivial, clean, uncomplicated, clear, no coordination, nothing to coordinate, 简单, 容易, 简洁, 方便,
    易于, 直观
partition: partition*, 分区, partition
cap: limit*, cap, caps, capped, capping, bound*, ceiling*, maximum*, max, at most, only as many, as
    many, so many, so much, no more, not more, more than, more .. than, beyond, can not exceed, not
    exceed, exceed*, up to, restrict*, tied, depend*, stops at, stop at, ends at, end at, idle,
    useless, nothing to do, number of, count, determin*, dictat*, constrain*, equal*, same number,
    not pass, can not pass, per partition, one for each, 不能超过, 不超过, 超过, 上限, 受限, 受, 限制, 取决于, 最多, 个数,
    数量, 多于, 等于, 闲置, 空闲, 受制, 限于, 不能多, 空转
limits: limit, limits, limited, limiting, limitation, cap, caps, capped, capping, bound, bounds,
    bounded, ceiling*, maximum, max, at most, up to, only as many, as many, so many, restrict*,
    tied, depend*, stops at, stop at, ends at, end at, idle, nothing to do, number of, determin*,
    dictat*, constrain*, equal*, same number, one for each, upper bound, < =, <, 上限, 受限, 限制, 取决于,
    最多, 等于, 闲置, 空闲, 受制, 限于, 受
exceeds: more than, more _ than, more _ _ than, more .. than, beyond, exceed*, pass, outgrow, no
    more, not more, so many, so much, 超过, 多于, 不能多, 大于
breaks: lose, loses, losing, lost, break, breaks, broke, broken, mess* up, mixes, mixed, destroy*,
    sacrific*, scrambl*, shuffl*, violat*, gone, 打乱, 乱, 丢失, 失去, 无法保证, 不能保证, 不保证, 难以保证, 破坏
slow: slow*, long, longer, heavy, expensive, time consuming, blocks, block, blocking, takes too, too
    much time, delay*, stall*, hang*, busy, processing time, 慢, 耗时, 太久, 过长, 长时间, 阻塞, 超时
evict: evict*, kick*, remov*, rebalanc*, max.poll.interval.ms, max.poll.interval, poll interval,
    expel*, thrown, throw*, dropp*, leave the group, out of the group, lose* _ partitions, take* _
    partitions, takes over, fired, timed out, timeout*, time out, poll late, late poll*, poll* too
    late, delay* poll*, dead, 踢, 重平衡, 再均衡, 再平衡, 超时, 移出, 剔除, 驱逐
pool_word: pool, worker*, handler*, processing, processor*, thread*, work, 线程池, 工作线程, 处理, 线程
scales_surely: independent*, as many .. as, as big as, as large as, any number, any size, arbitrar*,
    decoupl*, untie*, unlimited, lifts _ limit, go beyond, goes beyond, beyond it, 想开多, 想 .. 多少 ..
    多少, 开多大, lift* _ limit, not limited by, not bound to, without more partitions, beyond ..
    partitions, 独立, 任意, 解耦, 不受分区, 单独扩展
scales: scal*, independent*, separate*, as many .. as, as big as, as large as, any number, any size,
    number of workers is, free, freely, arbitrary, arbitrarily, decoupl*, unti*, grow, grows,
    growing, add, adding, adds, added, more workers, many workers, workers can be many, can be many,
    increase*, unlimited, lift*, beyond .. partitions, for itself, by itself, on its own, not
    limited, not _ limited, not bound*, not tied, not capped, no limit, throughput, parallel*,
    parallelism, elastic*, flexib*, grow as, more than .. partitions, larger than .. partitions,
    exceed*, 扩展, 独立, 任意, 随意, 伸缩, 扩充, 增加, 不受, 自由, 扩容, 单独, 解耦, 分离, 吞吐, 灵活, 可以很多, 想要多少, 水平扩展, 并行
commit: commit*, offset*, position*, acknowledg*, tick* _ off, 提交, 位移, 偏移, offset, commit
hard: hard, harder, difficult, difficulty, tricky, trickier, complicated, complex, complexity,
    complicat*, tough, headache*, nightmare, pain, painful, problem*, issue*, trouble*, challeng*,
    careful*, delicate, bookkeeping, book keeping, track*, not know*, not _ know, not knowing, no
    idea, unclear, hardly know*, who commits, who, wait, waits, waiting, only after, only when, only
    the, must not, too early, too soon, prematur*, before .. (finish*|process*|done|complet*|work*),
    danger*, risk*, unsafe, messy, mess, error prone, wrong, safe to, safely, which offset, which
    position, up to which, what .. commit, what to, contiguous, gap, gaps, coordinat*, synchroni*,
    not easy, not simple, not trivial, not clear, can not simply, problematic, fiddly, suffer*, 困难,
    难, 麻烦, 复杂, 不容易, 不好, 棘手, 挑战, 问题, 不知道, 必须等, 容易出错, 不易, 头疼, 小心, 风险, 过早, 之前
lost_or_twice: (lose*|lost|losing|loss|skip*|miss*|duplicat*|repeat*|twice|again) ..
    (message*|record*|data|event*|it|them|one), (message*|record*|data|event*) ..
    (vanish*|lost|loss|skip*|missed|missing|duplicat*|repeat*|twice|again), data loss, loss of data,
    loss or, loss and, duplicates, never eats, 丢消息, 丢失消息, 消息丢失, 丢数据, 数据丢失, 重复消费, 重复处理, 遗漏, 漏掉,
    丢失或重复, 丢失
"""
    ),
    scopes={
        "pool": (
            "(pool|pools|worker*|second "
            "(design|one|approach|option|variant|case|version|solution|way|model|method)|the "
            "second|the latter|latter|design (2|two|b)|option (2|b|two)|approach (2|b|two)|2 "
            "\\)|variant (2|b)|b :|b \\)|single (polling|poll) thread|(one|1) "
            "(polling|poll|poller|fetching)|(one|single|1) poller|poller|polling "
            "thread|decoupl*|(hand|hands|handing) "
            "(the|over|off|out|on|records|batches|messages|them|work)|other "
            "(one|design|approach)|dispatcher|splitting|the "
            "other|kitchen|waiter|线程池|工作线程|worker|方案二|第二种|第二个|后者|另一种|方案 "
            "2|方案 b|设计二|单独的? poll 线程|一个轮询线程|单一轮询线程|一个线程 "
            "poll|一个线程拉取|工作池|多 worker)"
        ),
        "own": (
            "(per thread|(each|every) (thread|of them)? _ (own|a|its) _ consumer|each thread _ "
            "(own|owns|has|have|does|do|poll*)|own consumer*|consumer per|consumer _ each "
            "thread|consumer for (each|every)|thread per consumer|consumer / thread|thread / "
            "consumer|one thread per|(1|one) thread (=|:|->) (1|one) consumer|(1|one) consumer "
            "(=|:|->|-|per|each|every|for) _ thread|(consumer|consumers) in each thread|first "
            "(design|one|approach|option|variant|case|version|solution|way|model|method)|the "
            "first|the former|former|design (1|one|a)|option (1|a|one)|approach (1|a|one)|1 "
            "\\)|variant (1|a)|a :|a \\)|per consumer|replicat* (the|it)|several cooks|n "
            "independent loops|independent loops|multiple consumers|many consumers|several "
            "consumers|每个线程|每线程|各线程|一个线程一个|一线程一|方案一|第一种|第一个|前者|方案 "
            "1|方案 a|设计一|多 consumer|多个 consumer|多个消费者|每个 thread|每个 consumer)"
        ),
    },
)

_POOL_ORDER_KEPT = (
    "@pool! {order} _ _ {keeps} ! (not|no|never|hard|difficult|only if|unless|不|无法|难|没)",
    (
        "@pool! (keep*|preserv*|guarant*|maintain*|retain*) _ _ {order} ! "
        "(not|no|never|hard|difficult|only if|unless|if|can not)"
    ),
    "@pool! (keep*|preserv*|maintain*|retain*) _ {in_order} ^ (not|no|never|out)",
    "@pool! (能|可以|可|能够) _ (保证|保持|确保) _ {order} ! (不|无法|难)",
    "@pool! {order} _ (能够|能|可以|有) _ (保证|保持) ! (不|无法|难|没)",
    "@pool! (no|without) _ (problem*|trouble|issue*) _ (with|about) _ {order}",
)

_OWN_ORDER_LOST = (
    "@own! (out of order|unordered|reorder*|no order*|乱序|无序|没有顺序) ! (between|across)",
    "@own! {breaks} _ {order} ! (between|across|different partitions|global)",
    (
        "@own! {order} (is|gets|will be|would be|can be|may be|are)? (not|no longer|never) {keeps} "
        "! (between|across|different partitions|global|total)"
    ),
    (
        "@own! {order} (is|gets|will be|would be|can be|may be|are|会|被|就)? {breaks} ! "
        "(between|across|different partitions|global|total)"
    ),
    (
        "@own! ~(not|never|can not) (keep*|preserv*|guarant*|maintain*|retain*) _ {order} ! "
        "(between|across|different partitions|global|total)"
    ),
    "@own! (不能|无法|不) (保证|保持) _ {order} ! (之间|全局|跨)",
)

Rubric(
    lexicon=_THREADS,
    topic=(
        "{order}",
        "{partition}",
        "{commit}",
        "{scales}",
        "{not_safe}",
        "{evict}",
        "(thread*|线程|worker*|pool|consumer*)",
    ),
    concepts=(
        Concept(
            "KafkaConsumer is not thread-safe",
            says="a KafkaConsumer may be used by one thread only",
            gloss="KafkaConsumer 不是线程安全的",
            ways=(
                "{consumer} .. {not_safe} ! (commit*|offset*) .. {not_safe}",
                "{not_safe} .. {consumer} ! {commit}",
                (
                    "~(only|just|exactly|single|一个) _ (one|a single|single|1)? thread _ _ "
                    "(may|can|must|should|is allowed|allowed|use|uses|used|call*|touch*|access*)"
                ),
                (
                    "~{consumer} .. (may|can|must|should|belongs|belong|is|be|only|只能) .. "
                    "(only|just|to|by|被|由)? _ (one|a single|single|1|一个|same) (thread|线程) ! "
                    "(poll* thread|one consumer per thread|has|per)"
                ),
                (
                    "~(not|never|no|不能|不可|不要|无法) _ "
                    "(share*|sharing|used|use|access*|共享|共用|call*) _ _ "
                    "(kafkaconsumer|consumer*|instance|it|consumer|消费者) _ _ "
                    "(thread*|线程|concurrent*)"
                ),
                (
                    "~(consumer*|instance|it|kafkaconsumer|消费者) .. (not|never|不能|不可|无法) _ "
                    "(shared|share|used|accessed|called|touched|共享|共用|使用|调用) .. "
                    "(thread*|线程|concurrent*)"
                ),
                "~(不能|不可以|不允许|不可) _ 被 .. 线程 .. (使用|访问|调用|共享|共用)",
                (
                    "~(not|never|no|不能|不可) .. (two|several|multiple|many|other|more than "
                    "one|两个|多个) (threads|线程) .. {consumer}"
                ),
                (
                    "~(threads|多个线程|多线程) .. (not|never|不能|不可|无法) _ "
                    "(share|use|共享|共用|使用) _ _ (consumer|kafkaconsumer|instance|消费者)"
                ),
                "~(not|never) _ (share|shared) .. {not_safe}",
            ),
            against=(
                "{consumer} is (fully|completely|a)? (thread safe|threadsafe) ! (not|if|only)",
                "(kafkaconsumer|消费者|consumer) 是 (线程安全|thread safe)",
            ),
            near=("thread safe", "线程安全", "(share|shared|共享)"),
        ),
        Concept(
            "per thread: order kept, simple",
            says="one consumer per thread keeps the order and is simple",
            gloss="每线程一个消费者: 有序且简单",
            ways=(
                "(每线程|每个线程|一个线程) .. (保证|保持) _ {order} ^ (不|无法|线程池)",
                "@own {order} .. {keeps} ! {unordered}",
                "@own {keeps} _ _ {order} ! {unordered}",
                "@own {in_order}",
                "@own {simple}",
                "@own no _ (reorder*|overtak*|disorder)",
            ),
            against=(
                *_OWN_ORDER_LOST,
                "@own! {commit} _ _ {hard} ! (not|never|no|slow|rebalanc*|long)",
            ),
            near=("{order}",),
        ),
        Concept(
            "per thread: scaling capped by the number of partitions, slow work risks eviction",
            says=(
                "with one consumer per thread, threads are capped by the partitions, and slow work "
                "risks eviction"
            ),
            gloss="每线程一个: 线程数受分区数限制, 处理慢会被踢出组",
            ways=(
                "@own parallelism _ (limited|capped|bounded|at most|max*|<|=|up to) .. {partition}",
                (
                    "@own {limits} .. {partition} ! (inside|within|per) (a|the|each|one)? "
                    "{partition} .. {order}"
                ),
                "@own {partition} .. {limits} ! {partition} .. (independent*|freely|free)",
                "@own ~{exceeds} .. {partition} ! not (limit*|capped|bounded)",
                "@own ~{partition} .. {exceeds} ! not (limit*|capped|bounded)",
                (
                    "@own ~(more|additional|extra|多) .. ({partition}) .. "
                    "(idle|useless|nothing|waste*|空闲|闲置)"
                ),
                (
                    "(limit*|capped|caps|bound*|restrict*|tied|ceiling|受限|上限|不能超过) .. "
                    "{partition} ! (worker*|pool) (is|are) (limit*|cap*|bound*)"
                ),
                "@own ~{slow} .. {evict}",
                "@own ~{evict} .. {slow}",
                "~{slow} .. (poll|kicked|evict*) .. ({evict})",
            ),
            against=(
                "@own! (without|no) (limit*|cap|bound*|ceiling) ! (pool|worker*)",
                (
                    "@own! (not|never) (limit*|capped|bounded|restricted) _ _ {partition} ! "
                    "(pool|worker*)"
                ),
                "@own! as many _ as you (like|want|wish|need) ! (pool|worker*|partition*)",
            ),
            near=("{partition}", "{evict}"),
        ),
        Concept(
            "pool: processing scales on its own",
            says="with a pool, processing scales independently of polling and of the partitions",
            gloss="线程池: 处理能力独立扩展",
            ways=(
                (
                    "@pool {scales_surely} ! (order*|commit*) (is|are|can|also|be|not|becomes)? "
                    "{scales_surely} ! (process*|consum*) independently of each other"
                ),
                (
                    "@pool! {scales} ! (order*|commit*) (is|are|can|also|be|not|becomes)? {scales} "
                    "! {partition} .. limit* ! can not scale"
                ),
                (
                    "@pool ~(not|no longer|不|never) _ _ "
                    "(limit*|bound*|tied|capped|restrict*|受|取决于|depend*) .. "
                    "({partition}|分区|by (them|it|that))"
                ),
                "@pool ~(no|without) (limit*|cap|ceiling|bound)",
                (
                    "@pool (polling|poll thread|poller|it) .. (prompt*|fast|in time|on "
                    "time|regular*|never blocked|quick*)"
                ),
            ),
            against=(
                (
                    "@pool! (worker*|pool|线程池) .. (limit*|capped|bounded|can not exceed|not "
                    "exceed|at most|tied|no more|受限|不能超过) .. {partition} ! (not|no|never) _ "
                    "(limit*|capped|bounded|tied) ! (first|consumer per|per thread|whereas|while)"
                ),
                "@pool! (not|never|can not|无法|不能) (scale*|扩展) ! (per thread|first|own)",
            ),
            near=("@pool (faster|fast|performance|throughput|more|many|快|效率)",),
        ),
        Concept(
            "pool: order is lost",
            says="with a pool, the order of records is lost",
            gloss="线程池: 顺序无法保证",
            ways=(
                (
                    "@pool ~{unordered} ! (not|never|no|不会) (get|gets|be|become|becomes)? "
                    "{unordered}"
                ),
                (
                    "@pool ~{loses} _ _ {order} ! (not|never|does not|不会) _ "
                    "(lose|loses|break*|destroy*) ! no (problem*|trouble) _ {order}"
                ),
                (
                    "@pool ~{order} _ _ {loses} ! (not|never|不会) _ "
                    "(lost|broken|lose|destroyed|gone) ! no (problem*|trouble)"
                ),
                (
                    "@pool ~{order} .. (not|no longer|never|无法|不能|不) _ {keeps} ! {order} "
                    "(not|never) (lost|broken)"
                ),
                "@pool ~(not|no longer|never|can not|无法|不能|不) _ {keeps} .. {order}",
            ),
            against=_POOL_ORDER_KEPT,
            near=("@pool {order}",),
        ),
        Concept(
            "pool: committing the right position is hard (loss or repeats)",
            says=(
                "with a pool, committing the right position is hard: records may be lost or "
                "repeated"
            ),
            gloss="线程池: 位移提交困难, 可能丢失或重复",
            ways=(
                "@pool ~{commit} .. (难|麻烦|困难|复杂)",
                (
                    "@pool ~{commit} .. {hard} ! (not|never|no) "
                    "(hard|difficult|tricky|complicated|problem*|complex) ! {commit} _ "
                    "(easy|easier|simple|no problem)"
                ),
                (
                    "@pool ~{hard} .. {commit} ! (not|never|no) "
                    "(hard|difficult|tricky|complicated|problem*|complex) ! {commit} _ "
                    "(is|are|was|become*)? (easy|easier|simple)"
                ),
                (
                    "@pool ~{commit} .. (unfinished|not finished|unprocessed|not processed|not "
                    "done|still in work|没处理|未处理)"
                ),
                (
                    "@pool! ~{lost_or_twice} ! (not|never|no|不会) _ (lost|lose|loss|duplicat*) ! "
                    "(order|ordering|sequence|顺序) _ {lost_or_twice}"
                ),
                "@pool ~{commit} .. {lost_or_twice}",
                "@pool ~{lost_or_twice} .. {commit}",
                (
                    "@pool ~{commit} .. (after|until|once|when|等) .. "
                    "(all|every|worker*|finished|done|complete*|全部|所有)"
                ),
            ),
            against=(
                (
                    "@pool! {commit} _ (is|are|stays|remains|becomes|很|也)? "
                    "(easy|easier|simple|simpler|no problem|trivial|safe|简单|容易|方便) ! (not|no "
                    "longer|never|不|难|容易 (丢|重|出|漏|导|造|错))"
                ),
                (
                    "@pool! (easy|easier|simple|simpler|简单|容易) _ _ {commit} ! easy to "
                    "(lose|miss|duplicate|skip|forget|get) ! (not|no longer|never|不|丢|重复)"
                ),
                "@pool! (no|without) _ (problem*|trouble|issue*) .. {commit}",
            ),
            near=("{commit}",),
        ),
    ),
    blunders=(
        Blunder(
            "central_claim_wrong",
            "it exchanges the limits of the two designs",
            "两种设计的上限说反了",
            ways=(
                (
                    "@own! ~(scale*|scaling|grows) .. (without|no|un) (limit*|cap|bound) ^ "
                    "(not|never|no more|pool|worker*|partition*)"
                ),
                (
                    "@own! (unlimited|limitless|infinite) ! (not|never|no "
                    "more|pool|worker*|partition*)"
                ),
                (
                    "@pool! (limited|capped|bounded|restricted|limit*) (by|to) (the)? (number of)? "
                    "{partition} ! (not|never|n t|no longer|per thread|first|own)"
                ),
            ),
        ),
        Blunder(
            "direction_reversed",
            "it says that a pool of workers keeps the order",
            "说反了: 线程池不能保证顺序",
            (
                *_POOL_ORDER_KEPT,
                "@pool! {in_order} ! (not|no|never|out|hard|if|unless|不|无法) ! (first|one "
                "consumer per|per thread)",
            ),
            forgiven_by=("@pool! ~{unordered} ! (not|never|no) _ {unordered}",),
        ),
        Blunder(
            "direction_reversed",
            "it says that one consumer per thread loses the order",
            "说反了: 每线程一个消费者能保证分区内顺序",
            _OWN_ORDER_LOST,
        ),
        Blunder(
            "central_claim_wrong",
            "it says that a KafkaConsumer is thread-safe",
            "认为 KafkaConsumer 线程安全, 不对",
            (
                "{consumer} is (fully|completely|a)? (thread safe|threadsafe) ! (not|if|only)",
                "(kafkaconsumer|消费者|consumer) 是 (线程安全|thread safe)",
                (
                    "(threads|they|workers) (can|may) (all)? (share|use) (one|the same|a single) "
                    "(consumer|kafkaconsumer|instance) ! (not|if|no|lock|synchron*)"
                ),
                (
                    "(threads|workers) share (one|the same|a single) "
                    "(consumer|kafkaconsumer|instance) ! "
                    "(not|if|no|lock|synchron*|exception*|concurrentmodification*|throw*|refus*|"
                    "error*|unsafe|wrong|never)"
                ),
                (
                    "线程 可以? (共用|共享) (一个|同一个) (kafkaconsumer|消费者|consumer) ! "
                    "(不|无法|难|如果|异常|错)"
                ),
            ),
        ),
        Blunder(
            "direction_reversed",
            "it says that the pool is capped by the partitions and the consumers are not",
            "说反了: 受分区数限制的是每线程一个消费者",
            (
                (
                    "@pool! (worker*|pool|线程池) .. (limit*|capped|bounded|can not exceed|not "
                    "exceed|at most|受限|不能超过) .. {partition} ! (not|no|never) _ "
                    "(limit*|capped|bounded|tied) ! (first|consumer per|per thread|whereas|while)"
                ),
            ),
        ),
    ),
)

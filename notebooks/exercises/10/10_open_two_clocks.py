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
consumer: kafkaconsumer, consumer*, client, object, it, 消费者, consumer
not_safe: not thread safe, not _ thread safe, not _ safe, single threaded, 不是线程安全, 非线程安全
order: order, ordering, ordered, sequence, in order, 顺序, 有序
keeps: kept, keep*, preserv*, guarant*, stay*, safe, ok, for free, good, easy, 保证, 不变, 有保证, 不会乱
in_order: in order, ordered, in the order, 有序, 按顺序
loses: cost of, lose, loses, lost, gone, broken, mess*, mix*, destroy*, give* up, different, any,
    wrong, out of, not, no, without, can not, never, 乱, 丢失, 失去, 无法, 不能, 没有, 没法, 很难
unordered: wrong way round, order _ suffer*, unordered, overtak*, out of order, no order*, any
    order, either order, 乱序, 无序, 顺序 .. (乱|无法|不能|不保证|丢|打乱|没|破坏|难), (不能|无法|不|难以|没有|失去|打乱|丧失) .. 顺序
simple: simple, simpler, simplicity, easy, easier, straightforward, plain, clear, no coordination,
    简单, 容易
partition: partition*, 分区, partition
limits: limit, limits, limited, cap, capped, bound, bounded, ceiling*, max, at most, up to, as many,
    depend*, stops at, ends at, number of, < =, <, 上限, 受限, 限制, 最多, 等于, 限于, 受
exceeds: more _ than, more _ _ than, more .. than, beyond, exceed*, pass, no more, not more, so
    much, 超过
breaks: lose, loses, lost, broken, mixed, destroy*, gone, 乱, 丢失, 失去, 无法保证, 不能保证
slow: slow*, long, heavy, blocks, blocking, delay*, busy, 慢, 过长, 超时
evict: evict*, kick*, remov*, max.poll.interval.ms, max.poll.interval, throw*, fired, delay* poll*,
    踢, 超时
scales_surely: independent*, as many .. as, any number, any size, decoupl*, unlimited, beyond it,
    想开多, 开多大, 独立, 任意, 不受分区
scales: scal*, independent*, separate*, as many .. as, any number, any size, number of workers is,
    free, freely, decoupl*, unti*, grow, add, adding, added, many workers, can be many, unlimited,
    lift*, by itself, on its own, throughput, parallel*, exceed*, 扩展, 独立, 任意, 随意, 伸缩, 扩充, 增加, 不受,
    单独, 分离, 吞吐, 并行
commit: commit*, offset*, position*, 提交, 位移, offset, commit
hard: hard, difficult, tricky, headache*, painful, trouble*, delicate, bookkeeping, track*, who,
    wait, waits, only after, only when, only the, must not, too early, before ..
    (finish*|process*|done|complet*|work*), danger*, risk*, wrong, safely, which offset, up to
    which, gaps, coordinat*, not clear, suffer*, 困难, 难, 麻烦, 不好, 不知道
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
    "@pool! (keep*|preserv*|guarant*|maintain*|retain*) _ _ {order} ! (not|no|never|hard|difficult|only if|unless|if|can not)",
    "@pool! (keep*|preserv*|maintain*|retain*) _ {in_order} ^ (not|no|never|out)",
    "@pool! (能|可以|可|能够) _ (保证|保持|确保) _ {order} ! (不|无法|难)",
    "@pool! {order} _ (能够|能|可以|有) _ (保证|保持) ! (不|无法|难|没)",
    "@pool! (no|without) _ (problem*|trouble|issue*) _ (with|about) _ {order}",
)

_OWN_ORDER_LOST = (
    "@own! (out of order|unordered|reorder*|no order*|乱序|无序|没有顺序) ! (between|across)",
    "@own! {breaks} _ {order} ! (between|across|different partitions|global)",
    "@own! {order} (is|gets|will be|would be|can be|may be|are)? (not|no longer|never) {keeps} ! (between|across|different partitions|global|total)",
    "@own! {order} (is|gets|will be|would be|can be|may be|are|会|被|就)? {breaks} ! (between|across|different partitions|global|total)",
    "@own! ~(not|never|can not) (keep*|preserv*|guarant*|maintain*|retain*) _ {order} ! (between|across|different partitions|global|total)",
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
                "~(only|just|exactly|single|一个) _ (one|a single|single|1)? thread _ _ (may|can|must|should|is allowed|allowed|use|uses|used|call*|touch*|access*)",
                "~{consumer} .. (may|can|must|should|belongs|is|be|only|只能) .. (only|just|to|by|被)? _ (one|a single|single|1|一个|same) (thread|线程) ! (poll* thread|one consumer per thread|has|per)",
                "~(not|never|no|不能|不可|不要|无法) _ (share*|sharing|used|use|access*|共享|共用|call*) _ _ (kafkaconsumer|consumer*|instance|it|consumer|消费者) _ _ (thread*|线程|concurrent*)",
                "~(consumer*|instance|it|kafkaconsumer|消费者) .. (not|never|不能|不可|无法) _ (shared|share|used|accessed|called|touched|共享|共用|使用|调用) .. (thread*|线程|concurrent*)",
                "~(不能|不可以|不允许|不可) _ 被 .. 线程 .. (使用|访问|调用|共享|共用)",
                "~(not|never|no|不能|不可) .. (two|several|multiple|many|other|more than one|两个|多个) (threads|线程) .. {consumer}",
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
                "@own {limits} .. {partition} ! (inside|within|per) (a|the|each|one)? {partition} .. {order}",
                "@own {partition} .. {limits} ! {partition} .. (independent*|freely|free)",
                "@own ~{exceeds} .. {partition} ! not (limit*|capped|bounded)",
                "@own ~{partition} .. {exceeds} ! not (limit*|capped|bounded)",
                "(limit*|capped|caps|bound*|restrict*|tied|ceiling|受限|上限|不能超过) .. {partition} ! (worker*|pool) (is|are) (limit*|cap*|bound*)",
                "@own ~{slow} .. {evict}",
            ),
            against=(
                "@own! (without|no) (limit*|cap|bound*|ceiling) ! (pool|worker*)",
                "@own! (not|never) (limit*|capped|bounded|restricted) _ _ {partition} ! (pool|worker*)",
                "@own! as many _ as you (like|want|wish|need) ! (pool|worker*|partition*)",
            ),
            near=("{partition}", "{evict}"),
        ),
        Concept(
            "pool: processing scales on its own",
            says="with a pool, processing scales independently of polling and of the partitions",
            gloss="线程池: 处理能力独立扩展",
            ways=(
                "@pool {scales_surely} ! (order*|commit*) (is|are|can|also|be|not|becomes)? {scales_surely} ! (process*|consum*) independently of each other",
                "@pool! {scales} ! (order*|commit*) (is|are|can|also|be|not|becomes)? {scales} ! {partition} .. limit* ! can not scale",
                "@pool ~(no|without) (limit*|cap|ceiling|bound)",
            ),
            against=(
                "@pool! (worker*|pool|线程池) .. (limit*|capped|bounded|can not exceed|not exceed|at most|tied|no more|受限|不能超过) .. {partition} ! (not|no|never) _ (limit*|capped|bounded|tied) ! (first|consumer per|per thread|whereas|while)",
                "@pool! (not|never|can not|无法|不能) (scale*|扩展) ! (per thread|first|own)",
            ),
            near=("@pool (faster|fast|performance|throughput|more|many|快|效率)",),
        ),
        Concept(
            "pool: order is lost",
            says="with a pool, the order of records is lost",
            gloss="线程池: 顺序无法保证",
            ways=(
                "@pool ~{unordered} ! (not|never|no|不会) (get|gets|be|become|becomes)? {unordered}",
                "@pool ~{loses} _ _ {order} ! (not|never|does not|不会) _ (lose|loses|break*|destroy*) ! no (problem*|trouble) _ {order}",
                "@pool ~{order} _ _ {loses} ! (not|never|不会) _ (lost|broken|lose|destroyed|gone) ! no (problem*|trouble)",
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
                "@pool ~{commit} .. {hard} ! (not|never|no) (hard|difficult|tricky|complicated|problem*|complex) ! {commit} _ (easy|easier|simple|no problem)",
                "@pool ~{hard} .. {commit} ! (not|never|no) (hard|difficult|tricky|complicated|problem*|complex) ! {commit} _ (is|are|was|become*)? (easy|easier|simple)",
                "@pool ~{commit} .. (unfinished|not finished|unprocessed|not processed|not done|still in work|没处理|未处理)",
            ),
            against=(
                "@pool! {commit} _ (is|are|stays|remains|becomes|很|也)? (easy|easier|simple|simpler|no problem|trivial|safe|简单|容易|方便) ! (not|no longer|never|不|难|容易 (丢|重|出|漏|导|造|错))",
                "@pool! (easy|easier|simple|simpler|简单|容易) _ _ {commit} ! easy to (lose|miss|duplicate|skip|forget|get) ! (not|no longer|never|不|丢|重复)",
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
                "@own! ~(scale*|scaling|grows) .. (without|no|un) (limit*|cap|bound) ^ (not|never|no more|pool|worker*|partition*)",
                "@own! (unlimited|limitless|infinite) ! (not|never|no more|pool|worker*|partition*)",
                "@pool! (limited|capped|bounded|restricted|limit*) (by|to) (the)? (number of)? {partition} ! (not|never|n t|no longer|per thread|first|own)",
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
                "(threads|they|workers) (can|may) (all)? (share|use) (one|the same|a single) (consumer|kafkaconsumer|instance) ! (not|if|no|lock|synchron*)",
                "(threads|workers) share (one|the same|a single) (consumer|kafkaconsumer|instance) ! (not|if|no|lock|synchron*|exception*|concurrentmodification*|throw*|refus*|error*|unsafe|wrong|never)",
                "线程 可以? (共用|共享) (一个|同一个) (kafkaconsumer|消费者|consumer) ! (不|无法|难|如果|异常|错)",
            ),
        ),
        Blunder(
            "direction_reversed",
            "it says that the pool is capped by the partitions and the consumers are not",
            "说反了: 受分区数限制的是每线程一个消费者",
            (
                "@pool! (worker*|pool|线程池) .. (limit*|capped|bounded|can not exceed|not exceed|at most|受限|不能超过) .. {partition} ! (not|no|never) _ (limit*|capped|bounded|tied) ! (first|consumer per|per thread|whereas|while)",
            ),
        ),
    ),
)

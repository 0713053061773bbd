# %% [markdown]
# A topic with 12 partitions holds the events of customers. The key is the customer, and a customer's
# events must be processed in their order. Each event takes two seconds. A colleague says: "Take a
# share group with 200 workers; it is a queue, so it is faster." What do you answer? What would you do
# instead, and what would a share group do with a slow or a failed event?

# %% [markdown] answer
# No. A share group keeps no order: two workers can hold two events of the same customer at the same
# time, and a released event comes back behind later ones. A consumer group keeps the order of a
# key, because all its events are in one partition and one member reads it. Its parallelism is the
# number of partitions, so at most 12 members have work. I make more partitions, for example 200, or
# I let each member work on different keys in parallel. In a share group a worker holds an event for
# 30 seconds. When the lock ends, another worker gets it, so it may be processed twice. After five
# deliveries a failed event is archived, and by default nobody is told. A share group fits jobs that
# do not depend on each other.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: a share group keeps no order, not even of a key; the parallelism of a consumer group is the
# number of partitions, so more partitions (or a pool by key) is the way; an acquisition lock of 30 s
# by default, after which another member gets the record, so it may be processed twice; after five
# deliveries it is archived.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_SHARE = Lexicon(
    lists(
        """
share: share group*, shared group*, share consumer*, queue, queues, 共享组, 共享消费组, 队列
order: order, ordered, ordering, sequence, in sequence, out of order, mixed up, overtake*, 顺序, 次序,
    有序, 乱序, 保序
not: no, not, never, lose*, loses, lost, losing, break*, broken, without, cannot, can not, gone,
    destroy*, does not keep, no longer, nobody, any, out of, mixed, overtake*, violat*, 不, 没有, 无法,
    失去, 破坏, 打乱, 乱序, 不能, 不保证
sametime: same time, at once, parallel, in parallel, simultaneous*, concurrent*, two workers,
    different workers, several workers, another worker, other worker*, 同时, 并行, 两个, 不同的, 并发
customer: customer*, key, keys, client*, same customer, same key, 客户, 键, 用户, 同一客户, 同一个键
partitions: partition*, 分区
more: more, add, increase*, raise*, enough, 200, 24, 48, many, additional, create, grow, 更多, 增加, 加,
    扩, 提高, 足够, 多
limit: parallelism, at most, maximum, max, limit*, 12 members, 12 workers, 12 consumers, twelve,
    idle, one member, one consumer, one owner, only 12, as many as, 并行度, 最多, 上限, 闲置, 只有, 一个成员, 一个消费者
pool: pool, threads, thread, by key, per key, each key, different keys, 线程, 线程池, 按键, 每个键, 不同的键
lock: lock, locks, locked, lock duration, 30 s*, 30s, 30 seconds, thirty seconds, timeout, time out,
    times out, expire*, acquisition, 锁, 锁定, 30 秒, 三十秒, 超时, 过期, 到期
again: again, twice, second time, redeliver*, re-deliver*, delivered again, another worker, other
    worker*, somebody else, someone else, retried, retry, retries, comes back, come back, at least
    once, duplicate*, double, 再次, 重新, 重复, 两次, 重投, 重试, 另一个, 至少一次
five: five, 5, five deliveries, 5 deliveries, delivery count, delivery limit, count limit, archived,
    archive*, given up, gives up, gives it up, dropped, drops, rejected, 五次, 5 次, 投递次数, 归档, 放弃, 丢弃
"""
    )
)

Rubric(
    lexicon=_SHARE,
    topic=("{share}", "{order}", "{partitions}", "{lock}", "{again}"),
    core=(
        "a share group keeps no order, not even for one key",
        "partitions are the parallelism: more partitions, or work by key",
    ),
    concepts=(
        Concept(
            "a share group keeps no order, not even for one key",
            says="a share group keeps no order: two workers may hold two events of one customer",
            gloss="共享组不保证顺序, 同一个键也不保证",
            ways=(
                "~{share} .. {not} .. {order}",
                "~{order} .. {not} .. {share}",
                "~{order} (is|gets|are|was) {not}",
                "~{not} _ _ {order} .. {share}",
                "~{sametime} .. {customer}",
                "~{customer} .. {sametime}",
                "~{share} .. {order} .. {not}",
            ),
            against=(
                "{share} _ (keeps|keep|guarantees|preserves|保证|保持) _ _ {order} ^ (not|no|never|不|没)",
            ),
            near=("{order}",),
        ),
        Concept(
            "partitions are the parallelism: more partitions, or work by key",
            says="a consumer group has as many workers as partitions: add partitions, or work by key",
            gloss="消费组的并行度是分区数: 增加分区, 或按键并行",
            ways=(
                "~{more} .. {partitions}",
                "~{partitions} .. {more}",
                "~{limit} .. {partitions}",
                "~{partitions} .. {limit}",
                "~{pool} .. {customer}",
                "~{customer} .. {pool}",
            ),
            against=("(no|nothing|not) _ {more} {partitions} (help|needed|need) ^ (share|共享)",),
            near=("{partitions}",),
        ),
        Concept(
            "a lock ends after 30 seconds, and another worker gets the record",
            says="a worker holds an event under a lock of 30 seconds; then another worker gets it",
            gloss="记录锁定 30 秒, 到期后由另一个工作者获得",
            ways=(
                "~{lock} .. {again}",
                "~{again} .. {lock}",
                "~(slow|慢) .. {lock}",
                "~{lock} .. (available|free|freed|released|可用|释放)",
            ),
            against=("{lock} .. (for ever|forever|never ends|永远) ^ (not|no|不)",),
            near=("{lock}",),
        ),
        Concept(
            "events are delivered again, up to five times, then archived",
            says="a failed event is delivered again, at most five times, so it may be processed twice",
            gloss="失败的事件会重新投递, 最多五次, 可能被处理两次",
            ways=(
                "~{five} .. {again}",
                "~{again} .. {five}",
                "~{five} .. (deliver*|tries|try|attempt*|times|投递|尝试)",
                "~(failed|fails|fail|failure|失败) .. {again}",
                "~{again} .. (failed|fails|fail|failure|失败)",
                "~(processed|done|handled|处理) .. (twice|again|两次|重复)",
            ),
            against=(
                "(exactly once|恰好一次) .. {share} ^ (not|no|never|不|没)",
                "{share} .. (exactly once|恰好一次) ^ (not|no|never|不|没)",
            ),
            near=("{again}", "{five}"),
        ),
    ),
    blunders=(
        Blunder(
            "direction_reversed",
            "it says that a share group keeps the order of a key",
            "共享组不保证顺序",
            (
                "{share} _ _ (keeps|keep|preserves|guarantees) _ _ {order} ^ (not|no|never|nor|neither)",
                "{order} _ _ (is|are|stays) (kept|preserved|guaranteed) _ _ {share} ^ (not|no|never)",
                "{share} _ _ (保证|保持|能保) _ _ {order} ^ (不|没|无法)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it agrees that the share group with 200 workers is right here",
            "这里不应该用共享组",
            (
                "(yes|good idea|agree|correct|he is right|she is right|colleague is right) .. {share} ^ (not|no|but|do not|dis*)",
                "(take|use) _ {share} _ _ (200|here) ^ (not|no|never|do not|would not|instead|says|should not)",
                "(应该用|可以用|选) _ {share} ^ (不|没|不应该|不应|不可以|不同意|如果)",
            ),
        ),
    ),
)

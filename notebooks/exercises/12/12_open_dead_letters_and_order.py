# %% [markdown]
# When is a dead-letter topic the wrong answer to a record that cannot be processed?

# %% [markdown] answer
# When the order of the records of a key matters, as for payments or for changes of one account. The
# bad record is parked, and the later records of the same key go on without it. They overtake it, so
# the state that they build is wrong. When somebody sends the parked record again, it comes after
# newer ones and may overwrite them. In such a case stop the partition until the cause is repaired,
# or park the later records of that key together with it. A dead-letter topic is also wrong where
# nobody looks into it: then it only hides a loss. Somebody must be alerted, repair the records and
# send them again.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: Kafka keeps order within one partition only, and a dead-letter topic is another partition.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_DEAD = Lexicon(
    lists(
        """
order: order, ordering, ordered, sequence, sequential, in order, out of order, reorder*, 顺序, 有序, 次序,
    乱序, 先后
key: key, keys, same key, per key, account*, customer*, payment*, entity, entities, item*,
    partition*, ledger, balance, 键, 账户, 客户, 支付, 分区, 同一个, 每个 key
matter: matter*, important, must, need*, depend*, require*, kept, keep*, preserv*, guarantee*,
    strict, break*, broken, violat*, lose*, lost, 重要, 必须, 需要, 依赖, 保持, 保证, 打乱
later: later, next, following, subsequent, behind, newer, after it, others, rest, 后面, 后续, 之后, 新的,
    较新, 其他
overtake: overtak*, over take*, pass, passes, passed, ahead, jump*, first, before it, go on, goes
    on, continue*, without it, processed before, done before, processed first, 超过, 越过, 先处理, 继续,
    先被处理, 抢先
wrong: wrong, inconsistent, incorrect, corrupt*, overwrit*, over writ*, stale, old value, older,
    false state, bad state, 错, 错误, 不一致, 覆盖, 旧值
stop: stop*, pause*, block*, wait*, halt*, hold*, retry in place, until ..
    (repaired|fixed|works|succeed*), 停, 暂停, 等待, 阻塞, 等
park: park*, send*, move*, put*, route*, divert*, quarantin*, 放到, 一起, 转移, 送到, 搁置
with_it: together, with it, too, also, as well, behind it, after it, same key, 一起, 也, 连同, 跟着
look: look*, watch*, read*, monitor*, alert*, alarm*, inspect*, notic*, check*, repair*, fix*,
    replay*, resend*, re send*, send* _ again, reprocess*, handl*, owner, 查看, 监控, 告警, 报警, 处理, 修复,
    重放, 重新发送, 关注
dead: dead letter*, dead-letter*, dlq, dlt, parked, 死信, 死信主题, 死信队列
"""
    )
)

_KEEPS_ORDER = (
    "{dead} .. (keep|keeps|preserve|preserves|guarantee|guarantees|maintains) _ {order} ^ "
    "(not|no|never|cannot|n't)",
    "{dead} .. (保持|保证|维持) _ (每个|同一个|同一|一个)? (key|键|账户|分区)? 的? {order} ^ (不|无法|没|未|才能)",
    "{dead} .. (里|中|主题|队列) .. 顺序 (不变|不乱|不会乱|仍然正确)",
)

Rubric(
    lexicon=_DEAD,
    topic=("{order}", "{dead}", "{key}", "{park}", "{stop}", "{look}"),
    core=("order of a key matters", "later records overtake"),
    concepts=(
        Concept(
            "order of a key matters",
            says="it is wrong where the order of the records of a key matters",
            gloss="同一个键的顺序重要时不合适",
            ways=(
                "{order} .. {matter}",
                "{matter} .. {order}",
                "{order} .. {key}",
                "{key} .. {order}",
            ),
            against=(
                "~{order} .. (does not|doesn't|never|isn't|is not) (matter|important|needed) ! "
                "(metric*|指标)",
                "~顺序 _ (不重要|并不重要|无所谓)",
                *_KEEPS_ORDER,
            ),
            near=("{order}",),
        ),
        Concept(
            "later records overtake",
            says="later records go on without the parked one, and the state becomes wrong",
            gloss="后面的记录先处理, 结果不对",
            ways=(
                "{later} .. {overtake}",
                "{later} .. {wrong}",
                "{key} .. (is|are|gets|get) (done|processed|applied|handled|booked) (before|first)",
                "{overtake} .. {later}",
                "(parked|old|older|it|死信|旧) .. (after|last|late|later than) .. (newer|new|later)",
                "{wrong} .. {later}",
                "(replay*|resend*|sent again|重放|重新发送) .. {wrong}",
            ),
            near=("{overtake}", "{wrong}"),
        ),
        Concept(
            "stop or park the key",
            says="stop the partition, or park the later records of the key as well",
            gloss="停下来, 或把同一键的后续记录一起搁置",
            ways=(
                "{stop} .. ({key}|reader|consumer|消费者)",
                "({key}|reader|consumer|消费者) .. {stop}",
                "{stop} .. (instead|until|better|直到)",
                "{park} .. {with_it}",
                "{later} .. {park} .. {with_it}",
                "{with_it} .. {park} .. {later}",
            ),
            near=("{stop}",),
        ),
        Concept(
            "somebody must look",
            says="somebody must be alerted, repair the parked records and send them again",
            gloss="要有人查看并重放死信",
            ways=(
                "~(nobody|no one|no body|没人|无人|没有人|没) .. {look}",
                "(somebody|someone|must|team|person|people|有人|必须) .. {look}",
                "{look} .. {dead}",
                "{dead} .. {look}",
                "~(nobody|no one|never|not|without|没人|无人|没有) .. (alert*|alarm*|monitor*|watch*|告警|报警|监控)",
                "(hide*|hidden|hiding|forgot*|black hole|隐藏|掩盖) .. (loss|lost|data|record*|丢失)?",
            ),
            against=(
                "~(nobody|no one|somebody|someone|one) _ (has to|needs to|need to|must) .. {look} ! "
                "(somebody|someone|and|but|else|otherwise)",
                "~没人 .. (没关系|无所谓|也行|也可以|不要紧)",
                "~(不必|不用|不需要|无需) 有? 人? {look}",
            ),
            near=("{look}",),
        ),
    ),
    blunders=(
        Blunder(
            "central_claim_wrong",
            "it says that a dead-letter topic keeps the order",
            "死信主题并不保持顺序",
            _KEEPS_ORDER,
        ),
    ),
)

# %% [markdown] items="N53 N55"
# Most topics delete their records by age. Why is `__consumer_offsets` compacted instead?

# %% [markdown] answer
# Of all commits for one group, topic and partition only the last one matters, and the key of a
# record is just these three. Compaction keeps the last record of each key and drops the older ones.
# So the topic stays small: its size depends on the number of keys, not on how often the groups
# commit, and a new coordinator that loads the partition has little to read. Deletion by age would
# also remove the last commit of a group that was quiet for longer than the retention, and the group
# would lose its place. Without any deletion the disk would fill with old values.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: the key of a commit is (group, topic, partition) (GroupMetadataManager); the cleaner keeps the
# last record of each key; a coordinator reads its whole partition when it becomes leader; offsets of
# an empty group expire by offsets.retention.minutes, as tombstones, not by the log's retention.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_OFFSETS = Lexicon(
    lists(
        """
last: last, latest, newest, most recent, current, final, up to date, 最后, 最新, 最近, 当前
value: value*, commit*, offset*, record*, message*, entry, entries, position*, one, bookmark*, 值,
    提交, 位移, 消息, 记录, 一条, 偏移量, 书签
key: key*, group, partition*, triple, group topic partition, each group, per group, each partition,
    键, 组, 消费组, 消费者组, 分区, 三元组
matters: matter*, need*, count*, interest*, relevant, useful, used, keep*, kept, stay*, remain*,
    leave*, left, valid, importan*, enough, 重要, 需要, 有用, 保留, 留下, 有效, 有意义, 关心, 足够
old: old, older, earlier, previous, former, outdated, stale, superseded, obsolete, overwritten, 旧,
    旧的, 之前, 以前, 过时, 较早
drops: drop*, delet*, remov*, clean*, discard*, throw* away, forget*, forgot*, los*, lost, gone,
    expire*, disappear*, erase*, 删除, 删, 丢失, 丢, 丢弃, 清理, 清除, 忘记, 消失, 过期
age: age, time, retention*, retention.ms, days, hours, week*, by time, period, 时间, 按时间, 保留时间, 保留期,
    天, 过期时间, 到期
quiet: quiet, idle, inactive, silent, slow, rare*, seldom, sleeping, not commit*, no commit*,
    stopped, paused, does not commit, has not committed, without new, long ago, for a long time,
    holiday, 空闲, 闲置, 不活跃, 很久, 长时间, 没有提交, 不提交, 安静, 停止, 长期, 暂停
place: place, position*, offset*, bookmark*, where, start*, begin*, progress, commit*, 位置, 位移, 进度,
    书签, 偏移, 提交
small: small*, bounded, limited, bound, compact, constant, not grow*, never grow*, stop growing,
    stays short, fixed, save* space, saves disk, little space, less space, less disk, 小, 有限, 有界,
    不会增长, 不会无限增长, 不会一直增长, 不会膨胀, 节省空间, 省空间, 节省磁盘空间, 节省磁盘, 省磁盘, 不膨胀, 固定, 稳定
grows: grow*, fill*, full, infinite*, unbounded, huge, endless*, for ever, forever, explode*, too
    large, too big, run* out of (disk|space), 增长, 膨胀, 填满, 占满, 无限, 爆, 撑满, 很大, 满
disk: disk*, topic*, log, space, storage, size, file*, it, 磁盘, 空间, 主题, 日志, 存储
load: load*, read*, replay*, restor*, rebuild*, recover*, scan*, start*, fail over, failover, take*
    over, cache, 加载, 读取, 重放, 恢复, 重建, 启动, 故障转移, 读, 缓存
coordinator: coordinator*, broker*, leader*, new broker, 协调者, 协调器, broker, 新的 leader, 节点
number: number of (keys|groups|partitions|groups and partitions), how many (keys|groups), (per|for
    each|one for each|one per) (key|group|partition), 键的数量, 组的数量, 每个 (键|组|分区)
often: how often, frequency, every (second|five seconds|few seconds), often, number of commits, many
    commits, each commit, 频率, 频繁, 多次, 每次提交, 次数
"""
    )
)

_WRONG_LAST = (
    "compact* .. (keeps|keep|leaves) .. (first|oldest|all|every) .. {value} ! (not|no|never)",
    "compact* .. (zip|gzip|compress*|smaller bytes) ! (not|no|never|nothing)",
    "压实 .. (保留|留下) .. (第一|所有|全部)",
)

Rubric(
    lexicon=_OFFSETS,
    topic=("{key}", "compact*", "{drops}", "{last}", "{disk}", "{age}", "压实", "压缩"),
    core=(
        "only the last value of each key matters",
        "deletion by age would forget a quiet group",
    ),
    concepts=(
        Concept(
            "only the last value of each key matters",
            says="only the last commit of each group, topic and partition matters",
            gloss="每个组、主题、分区只有最后一次提交有用",
            ways=(
                "(only|just|仅|只|只有|只需) .. {last} .. {value} ! (not|no) only",
                "{last} .. {value} .. {matters}",
                "{matters} .. {last} .. {value}",
                "{last} .. {value} .. (per|each|every|of a|for a|for one|for each|每个) .. {key}",
                "(per|each|every|for one|每个|同一) .. {key} .. {last}",
                "{old} .. {value} .. (useless|meaningless|no longer|not needed|nobody|没用|无用|不需要)",
                "{value} .. (replaces|overrides|supersedes|overwrites|取代|覆盖) .. {old}",
            ),
            against=_WRONG_LAST,
            near=("{last}",),
        ),
        Concept(
            "deletion by age would forget a quiet group",
            says="deletion by age would remove the last commit of a group that is quiet",
            gloss="按时间删除会丢掉长时间不提交的组的位移",
            ways=(
                "{quiet} .. (group*|组|member*|consumer*|消费) .. {drops}",
                "{quiet} .. {drops} .. {place}",
                "(group*|组|consumer*) .. {quiet} .. {drops}",
                "{age} .. {drops} .. {quiet}",
                "{drops} .. {quiet}",
                "{age} .. {drops} .. {last}",
                "{drops} .. {last} .. {value} ! (older|before|except|but the) _ {last}",
                "(group*|组|consumer*|消费者) .. {drops} _ _ (its|their|the)? {place}",
                "{age} .. {quiet} .. {place}",
            ),
            against=(
                "{quiet} group* .. (no longer needs|does not need) .. {place}",
                "~(按|根据) (时间|年龄) 删除 (也|并)? (不会|不至于) (丢|删|忘|影响)",
                "deletion by age (is|would be) (safe|fine|enough|the same) ! (not|no|never)",
            ),
            near=("{quiet}", "{age} .. {drops}"),
        ),
        Concept(
            "the size is bounded",
            says="so its size depends on the number of keys, not on the number of commits",
            gloss="大小取决于键的数量, 不会无限增长",
            ways=(
                "{disk} .. {small}",
                "{small} .. {disk}",
                "(节省|省) (磁盘|存储)? 空间",
                "~{disk} .. (不会|不再) (无限|一直|不断)? (增长|膨胀|变大)",
                "{disk} .. {grows}",
                "{grows} .. {disk}",
                "size .. {number}",
                "{number} .. {often}",
                "{often} .. {disk} .. {grows}",
                "{often} .. {old} .. {drops}",
            ),
            against=(
                "~(大小|size) (并不|不|isn't|is not|doesn't|does not) (取决于|bounded|depend) (by|on)? "
                "(the)? (number of)? (keys|groups|键|组)",
                "compact* .. (grows|fills) .. (for ever|without end|forever) ! (not|no|without)",
            ),
            near=("{small}", "{grows}"),
        ),
        Concept(
            "a coordinator reads it all",
            says="a new coordinator reads the whole partition, so it must be short",
            gloss="新的协调者要读完整个分区, 所以要短",
            ways=(
                "{coordinator} .. {load}",
                "{load} .. {coordinator}",
                "{load} .. (fast|quick*|short*|little|less|快|少|短)",
            ),
            against=(
                "{coordinator} .. (never|not) .. {load} ! (long|much|all of)",
                "~(协调者|协调器) (也|并)? (不用|不需要|无需|不必) (读|加载|读取) (整个|它|这个)",
            ),
            near=("{coordinator}",),
        ),
    ),
    blunders=(
        Blunder(
            "central_claim_wrong",
            "it takes compaction for compression of bytes",
            "把压实当成了压缩, 不对",
            ways=(
                "compact* .. (is|means|=) .. (compress*|gzip|zip|lz4|zstd) ! (not|no|never|unlike)",
                "(compress*|gzip|zip) .. (saves|save|smaller) .. (bytes|space) ! (not|no|unlike)",
            ),
        ),
        Blunder(
            "direction_reversed",
            "it has compaction keep the first or all values; it keeps the last",
            "说反了: 压实保留最后一个值",
            _WRONG_LAST,
        ),
    ),
)

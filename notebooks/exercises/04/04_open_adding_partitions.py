# %% [markdown]
# When does adding partitions to a topic break a promise that producers and consumers relied on, and
# what would you do instead?

# %% [markdown] answer
# It breaks a promise when records have keys. The partition of a key is its hash modulo the number
# of partitions. With another number most keys go to another partition. So the order of the records
# of one key is lost across the change: the older ones are in the old partition, the newer ones in
# the new one, and different members read them. State or joins that are kept by partition no longer
# match either. I would create a new topic with more partitions, copy or migrate the records, and
# move the producers and consumers over. Better still is to choose enough partitions from the start.
# Without keys no order is lost. But a second promise can break, with or without keys: consumers
# find the new partitions a little later. With auto.offset.reset=latest, the default, they start at
# the end and never read what was written before. So set earliest before you add partitions.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: the partition of a record with a key is (murmur2(key) & 0x7fffffff) % n over all n
# partitions; records already written never move; a topic's partitions can be added and not taken
# away; Kafka promises order inside a partition only. A group has no committed offset in a new
# partition: with auto.offset.reset=latest, the default, it skips what was written before it found
# the partition, with and without keys (KAFKA-12261). To say so is right, never a blunder.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_WORDS = Lexicon(
    lists(
        """
key: key*, keyed, customer*, user, users, id, ids, account*, name*, entity, entities, same messages,
    键, 用户, 客户, 键值, key
hash: hash*, murmur*, sum made, checksum*, digest*, 哈希, 散列, hash
modulo: mod, modulo, modulus, modulu*, %, remainder, divid*, toppositive, 取模, 取余, 求余, 余数, 模
count: number, numbers, count*, n, p, how many, size, amount, nr, num, quantity, 数, 数量, 个数, 总数
partition: partition*, shard*, bucket*, hole, holes, pigeonhole*, slot*, box, boxes, drawer*, lane*,
    分区, 分片
elsewhere: another, other, others, different*, elsewhere, else, new, new one, wrong, move*, jump*,
    change*, differ*, land*, two, no longer, not the same, shift*, switch*, remap*, scatter*,
    spread, migrat*, reassign*, not agree, disagree*, 其他, 另一个, 别的, 不同, 另外, 新的, 变, 改变, 变化, 两个, 不一样,
    不再
maps: map*, goes, go, going, land*, assign*, route*, routing, sent, send*, end* up, put, placed,
    place, arriv*, calculat*, comput*, determin*, depend*, choos*, chosen, picks, pick, belong*,
    falls, fall, fell, home*, partitioner*, find*, live, lives, direct*, stick*, 映射, 进入, 落到, 落在, 去,
    发到, 发送, 分配, 计算, 决定, 路由, 分散, 分到, 写到, 写入, 到
order: 有序性, order, orders of, ordered, ordering*, orderly, sequence*, sequential*, chronolog*, in
    turn, overtak*, out of order, before the (old*|earlier|previous), (later|newer|new) ..
    (before|first|earlier), earlier ones, reorder*, mixed up, 顺序, 有序, 次序, 先后, 乱序, 顺序性, order
broken: break*, broke, broken, lost, lose*, loss, losing, gone, destroy*, violat*, disturb*,
    vanish*, disappear*, fail*, damage*, undefined, mess*, mixed, jumbl*, scrambl*, ruin*,
    interrupt*, overtak*, out of order, at risk, ends, end, invalid*, void, shuffl*, wrong, suffer*,
    reorder*, matter*, not guarante*, not ensur*, not _ preserv*, not _ kept, not _ hold, not _
    holds, not _ defined, not _ valid, not _ true, no longer, no order*, no guarantee*, not _ any
    more, not _ anymore, nobody guarantee*, nothing guarantee*, can not guarantee*, without order*,
    打破, 破坏, 破坏了, 丢失, 没有, 无法保证, 不能保证, 不再, 乱, 打乱, 丧失, 失去, 不保证, 没有保证, 混乱, 失效, 没法保证, 不能, 无法
kept: stable, kept, keep*, preserv*, unchang*, unaffected, maintain*, guarante*, intact, stays,
    stay, remain*, still, hold, holds, valid, ensur*, defin*, 不变, 保持, 保留, 不受影响, 保证
state: state store*, state, stateful*, statefull, local store*, rocksdb, (its|their|the)
    (store|stores), stores (sit|are|do|no|for), join*, aggregat*, co partition*, copartition*,
    window*, cache*, caches, cached, totals, total, running total*, counter*, ktable*, k table*,
    changelog*, materiali*, local data, local store*, in memory, lookup table*, enrich*, notes,
    remember*, kept _ per partition, accumulat*, session data, 状态, 聚合, 关联, 连接, 缓存, 窗口, 本地, 累计, 统计
mismatch: wrong, not match*, mismatch*, misalign*, misplac*, no longer, not _ fit, not _ match, not
    _ agree, not _ align*, not _ correct, not _ valid, not _ there, different, other, elsewhere,
    another, break*, broke, broken, fail*, invalid*, inconsisten*, incorrect*, lost, lose*, stale,
    incomplete, split, beside, old, find nothing, finds nothing, not _ find, not _ next to, not _
    help, separat*, stays behind, left behind, stay, stays, die, dies, corrupt*, useless, gone,
    orphan*, need*, require*, have to, must, same number, matter*, mess*, problem*, 不匹配, 不一致, 对不上,
    失效, 错误, 错乱, 不对, 丢失, 不再, 破坏, 不同, 失败, 出错, 无法, 找不到, 混乱, 不正确, 不准
new_topic: new topic*, second topic*, fresh _ topic*, another topic*, separate topic*, bigger
    topic*, wider topic*, larger topic*, different topic*, (new|second|fresh) _ _ topic*, other
    topic, v 2, version 2, topic 2, new wall, replacement topic*, successor*, parallel topic*,
    recreat* _ topic*, re create _ topic*, new one, 新 topic, 新的 topic, 新建 topic, 新建一个 topic, 新主题,
    新的主题, 新建主题, 新建一个主题, 另一个 topic, 另建, 另起, 新建
migrate: migrat*, move* (everything|over|to|there|all|producers|consumers|them), moving
    (everything|over|to|there|all), copy*, copies, replay*, cut over, cutover, switch* over, switch,
    dual write*, double write*, mirror*, re partition*, repartition*, drain*, carry everything,
    carry _ over, transfer*, reload*, republish*, 迁移, 搬迁, 切换, 双写, 复制, 重放, 搬到, 转移, 迁到, 导入
enough: enough, plenty, sufficient*, over partition*, overpartition*, over provision*,
    overprovision*, more than needed, more partitions, many, large, larger, big, high, higher,
    generous*, ample, lots, lot, spare, headroom, reserve*, right number, right count, plan*, size,
    sized, sizing, think about, estimate*, choose*, provision*, pick*, future, 足够, 充足, 更多, 较多, 多一些,
    预留, 规划, 多建, 多设, 富余, 多分配, 估算, 预估, 合理
start: start, beginning, begin, outset, creation, create*, creat*, day one, day 1, first place,
    upfront, up front, advance, ahead, beforehand, initial*, at first, originally, before, early,
    design*, from now, first, in the future, later, growth, never have to, 一开始, 开始, 提前, 预先, 事先, 创建,
    最初, 预留, 起初, 初期, 未来, 之前, 设计
not: not, never, no, nothing, nobody, without, nor, neither, 不, 没, 没有, 不会, 并不, 不是, 非, 无
skipped: latest, auto.offset.reset, offset reset, reset policy, skip*, discover*, find the new,
    finds the new, found the new, never read, unread, refresh*, by_duration, earliest, 跳过, 发现新,
    最新位移, 读不到
keyless: 没有 key, 无 key, 不带 key, 没有键, 无键, 空 key, without keys, without a key
old: old, older, existing, already, previous*, earlier, written, stored, present, past, historic*,
    旧, 已有, 原有, 老, 历史, 现有, 以前, 之前, 原来
record: record*, message*, msg*, event*, data, datas, letter*, entry, entries, row*, 消息, 数据, 记录, 事件
system: kafka, broker*, it, controller*, cluster, server*, system, partitioner*, automatic*, 自动, 系统,
    会
"""
    )
)

_MOVES = (
    (
        "{system} (automatically|then|also|will|would|does|can|simply|just|internally)? "
        "(automatically|then|also|simply)? (move*|reassign*|re partition*|re "
        "assign*|relocat*|shift*|rehash*|re hash*|redistribut*|re distribut*|rebalanc*|migrat*|re "
        "sort*|reorgani*|relocat*|reshuffl*|repartition*|sort*|copies|copy|spread*|transfer*) _ "
        "(old|older|existing|all|record*|data|message*|previous*|stored|written|them|events|what) "
        "! ({not}|i would|we|should|mirror*|script*|replay*|new topic|tool)"
    ),
    (
        "(old|older|existing|stored|written|previous) _ {record} .. (is|are|get|gets|will "
        "be|be|being|become) (automatically|then|also|all|simply)? "
        "(moved|reassigned|relocated|shifted|rehashed|redistributed|rebalanced|migrated|re "
        "sorted|relocated|reshuffled|repartitioned|re distributed|spread|copied|transferred) ! "
        "({not}|i would|we|should|new topic|{new_topic}|mirror*)"
    ),
    "自动 .. (移动|迁移|重新分布|重分布|重新分配|重新哈希|均衡|搬) ^ (消费者|再均衡|再平衡)",
    (
        "(会|将|把|能) _ _ {old} .. (移动|迁移到新分区|重新分布|重分布|重新分配|重新哈希|搬到) ^ "
        "(应该|我|新 topic|新主题|新建)"
    ),
)

_ORDER_KEPT = (
    (
        "{order} _ _ (is|stays|remains|will be|still|keeps|are|remain|stay|gets) _ "
        "(kept|preserved|unchanged|unaffected|same|intact|guaranteed|maintained|safe|fine) ^ "
        "({not}|no longer|only|within|inside|hard*|difficult) ! (until|as long "
        "as|promise*|relied|rely|relies|assum*|contract|before the|so "
        "far|must|should|need*|want*|wish*|would|in order to|so that|new topic|if "
        "you|were|was|used to|expect*|instead)"
    ),
    (
        "(keeps|preserves|maintains|guarantees|keep|leaves|ensures) _ _ {order} ^ "
        "({not}|only|within|inside|per partition) ! (until|as long "
        "as|promise*|relied|rely|relies|assum*|contract|before the|so "
        "far|must|should|need*|want*|wish*|would|in order to|so that|new topic|if "
        "you|were|was|used to|expect*|instead)"
    ),
    (
        "~{order} .. (not|n t|never) "
        "(lost|broken|affected|influenced|changed|touched|break|suffer) ! (until|as long "
        "as|promise*|relied|rely|relies|assum*|contract|before the|so "
        "far|must|should|need*|want*|wish*|would|in order to|so that|new topic|if "
        "you|were|was|used to|expect*|instead)"
    ),
    "(顺序|有序) .. (不变|不受影响|仍然保证|保持不变|不会变|还是一样|不会乱) ! (新建|应该|承诺|{keyless})",
    "(仍然|仍|还是|依然) (有序|保持顺序|按顺序) ! (新建|应该|承诺)",
    "{order} .. unaffected ^ {not}",
)

Rubric(
    lexicon=_WORDS,
    topic=(
        "{partition}",
        "{key}",
        "{order}",
        "{state}",
        "{enough} .. {start}",
        "{hash}",
        "topic*",
        "{new_topic}",
        "{record}",
    ),
    core=(
        "order per key is lost across the change",
        "new topic and migration, or enough partitions from the start",
    ),
    concepts=(
        Concept(
            "key to partition by hash modulo the number of partitions",
            says=(
                "a key finds its partition by its hash modulo the number of partitions, so another "
                "number sends it elsewhere"
            ),
            gloss="key 的哈希对分区数取模, 分区数变了就去别的分区",
            ways=(
                "~{hash} .. {modulo}",
                "~{modulo} .. {hash}",
                "~{key} _ {modulo}",
                "~{hash} .. {count}",
                "~{count} .. {partition} .. {hash}",
                "{key} .. {maps} .. {elsewhere} .. {partition}",
                "{key} .. {maps} .. {elsewhere}",
                "~{key} .. (no longer|not) .. same .. {partition}",
                "{key} .. {elsewhere} .. {partition}",
                "{elsewhere} .. {partition} .. (for|of) _ _ {key}",
                "{modulo} .. {count}",
                "{modulo} .. {partition}",
                (
                    "(mapping|assignment|routing|partitioning|partitioner|映射) .. "
                    "(depend*|change*|function|differ*|based|of how many|变|改变|变化)"
                ),
                (
                    "{partition} .. (depend*|function|determin*|calculat*|comput*) .. ({count}|how "
                    "many)"
                ),
                "because .. {modulo}",
                "because _ {modulo}",
                "(取模|取余|哈希)",
                "(sums|homes|home*) .. (change*|differ*)",
                (
                    "(mapping|assignment|routing|placement|formula) .. "
                    "(depend*|change*|involv*|different|unstable|shift*|move*)"
                ),
                (
                    "~(mapping|assignment|routing|placement) .. (not|no longer) _ "
                    "(stable|same|hold|valid|constant)"
                ),
                "(mod|modulo|modulus|modulu*|remainder|余数)",
                (
                    "{key} .. (switch*|jump*|move*|shift*|land*|end* up|hop*) .. "
                    "({partition}|elsewhere|somewhere|another|other)"
                ),
                "(f|function) _ key .. {count}",
                (
                    "(chang*|affect*|alter*|shift*|改变|影响) _ _ (which|what|the|到|哪个) _ "
                    "{partition} _ _ {key}"
                ),
                "used to .. {partition} .. (now|then) .. {partition}",
                (
                    "(用来|key) .. (和|与|到|跟) _ (分区|partition) .. (关系|映射|对应) .. "
                    "(变|改变|变化|打破|不同)"
                ),
                "(关系|映射|对应关系|对应) .. (变|改变|变化|打破|不同)",
            ),
            near=("{key}", "{hash}", "partitioner*"),
        ),
        Concept(
            "order per key is lost across the change",
            says="the order of one key's records is lost across the change",
            gloss="同一个 key 的顺序在变更前后不再保证",
            ways=(
                "{order} .. {broken}",
                "{broken} .. {order}",
                "{order} .. {key}",
                "{key} .. {order}",
                "~(no|not|nobody|nothing|never|without) .. {order}",
                "~{order} .. {not} .. {kept}",
                "~{order} .. ({not}) .. (any more|anymore|there|guarantee*|保证)",
                (
                    "(new*|later|younger) .. (before|earlier than|ahead of|first) .. "
                    "(old*|earlier|previous|one|ones)"
                ),
                "(old*|earlier|previous) .. (after) .. (new*|later)",
                (
                    "(old*|earlier|previous) .. {partition} .. (new*|later) .. "
                    "(other|another|different|elsewhere|{partition}) & "
                    "(promise|order*|first|before|overtak*)"
                ),
                "overtak*",
                "(new*|later) _ (first|before|earlier|overtak*)",
                "(one after the other|one after another|in turn) ! {new_topic}",
                "~{record} .. (wrong|different|mixed|random|any|undefined|unclear) order",
                (
                    "(split|spread|scatter*|two|both|different|several|分散|两个) _ _ "
                    "(partition*|places|lanes|streams|parts|分区) & {order}"
                ),
                "(乱序|打乱|先后)",
            ),
            against=(
                (
                    "{order} .. (is|stays|remains|will be|still|keeps|are|remain|stay) _ "
                    "(kept|preserved|unchanged|unaffected|same|intact|guaranteed|maintained|not "
                    "affected|not broken) ! (not (kept|preserved|guarante*|maintain*|the "
                    "same|intact|unchang*)|no "
                    "longer|never|nobody|nothing|only|within|inside|until|must|should|if|were|was|"
                    "without)"
                ),
                (
                    "(keeps|preserves|maintains|guarantees) .. {order} ! "
                    "({not}|only|within|inside|until|if|relied|promise*|per partition|new topic)"
                ),
                "顺序 .. (不变|不受影响|仍然保证|保持不变|不会变|还是一样) ^ (不能|无法|没) ! {keyless}",
                (
                    "(global|total|overall|whole|all messages|entire) _ _ {order} ! "
                    "({not}|only|never|key)"
                ),
            ),
            near=("{order}", "(before|after|先|后)"),
        ),
        Concept(
            "state or joins kept by partition no longer match",
            says="state or joins kept by partition no longer match the keys that arrive",
            gloss="按分区保存的状态或 join 不再匹配",
            ways=(
                "~{state} .. {mismatch}",
                "~{mismatch} .. {state}",
                "{state} .. {partition}",
                "{partition} .. {state}",
                "{state} .. {key}",
                "stateful*",
                "(join*|co partition*|copartition*|state store*|ktable*)",
                "~{not} (have|has|find*|hold*|own*|know*|with) _ _ {state}",
                "(lack*|miss*) .. ({state}|{record}) & {state}",
                "~(without|lacks|missing) _ _ {state}",
                (
                    "~(balance*|total*|counter*|sum|sums|aggregat*) .. "
                    "(wrong|incorrect|incomplete|off|split|twice|false|inconsist*)"
                ),
                (
                    "~({key}|{record}) .. (wrong|other|different|another) "
                    "(consumer*|worker*|owner|instance*|clerk|place)"
                ),
            ),
            against=(
                (
                    "{state} .. (is|are|stays|stay|remains|remain|gets|get|will|will be) _ "
                    "(kept|fine|ok|unaffected|correct|safe|intact|preserved|valid|moved|migrated|"
                    "follow*|unchanged) ^ ({not}|no longer|here|there) ! (until|as long "
                    "as|would|new topic|so that|kept (by|per) partition* (no longer|not) match*)"
                ),
                "~{state} .. (not|n t) (affected|lost|touched|broken|influenced) ! {new_topic}",
                "{state} _ (follow*|move*|migrat*) _ (automatically|along|with|too) ^ {not}",
                "~{state} .. (不受影响|自动迁移|不影响|自动跟|保持不变)",
            ),
            near=("{state}", "streams"),
        ),
        Concept(
            "new topic and migration, or enough partitions from the start",
            says="instead: a new topic and a migration, or enough partitions from the start",
            gloss="新建 topic 并迁移, 或一开始就留够分区",
            ways=(
                "{new_topic}",
                "{new_topic} .. {migrate}",
                "{migrate} .. (old|into|across|over to|to it)",
                "{migrate} .. {new_topic}",
                "{enough} .. {partition} .. {start}",
                "{start} .. {enough} .. {partition}",
                "{enough} .. {start}",
                "{start} .. {enough}",
                (
                    "(enough|plenty of|sufficient|ample|more|lots of|spare|足够|更多|充足|多) _ "
                    "{partition} ^ too"
                ),
                "~(over partition*|overpartition*|over provision*|overprovision*)",
                "(预留|规划|预估|提前|一开始) .. 分区",
                "(create*|make*|build*|set up|creating|making|建|创建) .. {new_topic}",
                "(begin|start) with (enough|more|many|plenty)",
            ),
            against=(
                (
                    "(delet*|remov*|reduc*|shrink*|decreas*|drop*|减少|删除|缩减) _ _ {partition} "
                    "! ({not}|impossible|can not|could|old topic|never)"
                ),
                (
                    "~{new_topic} .. (not|unnecessar*|no need|superfluous|needless) _ _ "
                    "(need*|necessary|required|useful)?  ^ (only|just)"
                ),
                (
                    "~(不需要|不用|没必要|无需|no need|not need|need not|unnecessary|superfluous) "
                    ".. {new_topic}"
                ),
            ),
            near=("{migrate}", "{enough}", "(instead|rather|better|应该|建议)"),
        ),
    ),
    blunders=(
        Blunder(
            "central_claim_wrong",
            "it has existing partitions or offsets change",
            "已有分区和位移不变",
            even_supposed=True,
            ways=(
                (
                    "(delet*|remov*|drops|destroys) (the)? (old|existing|former) partition* ! "
                    "(not|never|no|can not)"
                ),
                "~(offset*|位移) .. (invalid|no longer valid|失效) ! (not|never)",
                (
                    "(offset*|位移) _ _ (restart*|reset*|start again|start over|begin again|set "
                    "back|重置|清零|从 0) ! (not|never|no|不)"
                ),
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that records with a key are not affected",
            "受影响的正是有 key 的消息",
            even_supposed=True,
            ways=(
                (
                    "~(keyed|with (a|the)? key*|key) .. (never|not|no) _ "
                    "(affected|concerned|changed|a problem|problem|touched) ! "
                    "(without|keyless|null|no key|until|unless|guarantee*|as long)"
                ),
                "~(不会破坏|不影响) .. (因为|由于) .. key ! (没有 key|无 key|空 key|null)",
                "只 _ 影响 _ (新的|新) _ (key|键) ! 不",
                (
                    "(because of|with|for) (round robin|keyless|null key*) .. (promise|even "
                    "distribution|break*) .. key* (are|is)? (never|not) ! (no order)"
                ),
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it has Kafka move the records that are already written",
            "Kafka 不会移动已写入的数据",
            ways=_MOVES,
            even_supposed=True,
        ),
        Blunder(
            "central_claim_wrong",
            "it says that a key stays in its partition",
            "分区数变了, key 就会换分区",
            ways=(
                (
                    "{key} .. (always|still|forever|permanently) .. (same|its|their|original|old) "
                    "_ {partition} ^ {not} ! (until|as long "
                    "as|promise*|rely|relied|assum*|contract|guarantee*|before|so "
                    "far|must|should|only if|need*|want*)"
                ),
                (
                    "{key} _ (stick|sticks|stay|stays|remain|remains) _ _ "
                    "(same|its|their|original|old|to|in|on|where) ^ {not} ! ({old} _ {record}|new "
                    "ones|{old} ones|until|as long "
                    "as|promise*|rely|relied|assum*|contract|guarantee*|before|must|should|only "
                    "if|need*|want*)"
                ),
                "(only|just) (the|some)? new key* .. (new|added|additional|other) ^ {not}",
                (
                    "~{key} .. (not|never) (move*|change*|switch*|leave*) .. {partition} ! (no "
                    "longer|any more|if|unless|until|without|as "
                    "long|assum*|promise*|rely|relied|must|should)"
                ),
                (
                    "(key|键) .. (一直|始终|仍然|永远|总是|还是) .. (原来|同一|相同|原|固定) ^ "
                    "(不|没|无) ! (承诺|依赖|假设|之前)"
                ),
                "(只有|只|只会|仅) _ 新的? (key|键)",
                (
                    "(key|键) _ _ (总是|一直|始终|永远|仍然|还是) _ _ (相同|同一|原来|原) ^ "
                    "(不|无) ! (承诺|依赖|假设)"
                ),
            ),
            even_supposed=True,
            forgiven_by=(
                "{key} .. {maps} .. (different|another|other|new|wrong) _ {partition}",
                "{key} .. (different|another|other) _ {partition}",
                "({hash}|{modulo}|mapping) .. (is|gets|becomes|are) _ (different|changed|other)",
                "~(no longer|not) .. same _ {partition}",
                "key .. (其他|另一个|不同|别的|另外) 的? _ (分区|partition)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that adding partitions leaves the places of the keys alone",
            "加分区会改变 key 到分区的映射",
            ways=(
                (
                    "~(not|never|n t) (change*|affect*|influence*|alter*|touch*) _ _ "
                    "(where|which|mapping|place*|routing|assignment|{key}|partition of) ! "
                    "(custom|own partitioner|explicit*|would|if|so that|must|should|unless)"
                ),
                (
                    "(kafka|partitioner|default) .. consistent hash* ^ {not} ! "
                    "(own|custom|could|would|instead|i d|use a)"
                ),
                "consistent hash* _ (is|are) (used|applied|done|by) ^ {not}",
                "{key} .. (together|along) with (its|their|the) {record} ! (new topic|migrat*)",
                "~(不会|不) (改变|影响) _ _ (key|映射|分配)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that nothing breaks",
            "加分区会破坏同 key 的顺序",
            ways=(
                *_ORDER_KEPT,
                (
                    "~it (never|does not|do not) (break|breaks|harm|hurt|hurts) ! "
                    "(unless|without|if|only|as long|null|keyless)"
                ),
                (
                    "~(never|not) _ (break*|harm*|hurt*|affect*|violat*) _ "
                    "(anything|any|promise*|order*|contract*|consumers|producers|guarantee*) ! "
                    "(unless|without|no key*|only|if|keyless|null|as long as|new "
                    "topic|would|old|enough|so that|must)"
                ),
                (
                    "(always|completely|totally|perfectly|absolutely) (safe|harmless|fine|ok) ^ "
                    "{not} ! (if|unless|without)"
                ),
                (
                    "~(nothing|not|no) (changes|change|is "
                    "affected|breaks|happens|breaks|problem*|impact*|effect*|issue*) .. "
                    "(key*|with|because|as|since|kafka) ! (unless|without|no "
                    "key*|only|if|keyless|null|as long as)"
                ),
                (
                    "~(没有任何|没有|无|没|不会有) (影响|问题|任何影响|任何问题) ! (如果|没有 "
                    "key|除非|无 key)"
                ),
                "~(不会|不) (破坏|影响) .. (顺序|任何|承诺) ! (如果|没有 key|除非|无 key|这样|新)",
                "~promise .. not (broken|break*|violat*) ! (unless|if|without|only)",
            ),
        ),
        Blunder(
            "direction_reversed",
            "it has the records without a key lose their order, and those with a key keep it",
            "说反了: 有 key 的消息才受影响",
            ways=(
                (
                    "~(without|null|keyless|unkeyed|with no|have no|has no|having no) _ "
                    "(key|keys|key*) .. (break*|lose|loses|lost|order*|problem*|affected|matter*) "
                    "! ({skipped}|nothing|no promise|no order*|only if you use|safe|fine|harmless|no "
                    "problem|rest|have|had|round|never|no guarantee*)"
                ),
                (
                    "~(breaks|break|problem|affected|lost|lose) .. "
                    "(without|null|keyless|unkeyed|with no|have no|has no) (a)? (key|keys) ! "
                    "({skipped}|{not} (break*|problem|affect*)|nothing|safe|fine)"
                ),
                (
                    "~(with|have|having|use|using) (a)? (key|keys) .. (nothing changes|not "
                    "affected|unaffected|safe|stays|no problem|not change) ! ({skipped}|without|no key*|not "
                    "safe)"
                ),
                "~(没有|无|不带) (key|键) .. (打乱|丢失|破坏|受影响|乱序) ! ({skipped}|不受影响|不丢)",
                (
                    "~(keyed {record}|{record} with a key) _ "
                    "(keep|keeps|retain|retains|preserve|preserves) _ {order} ^ "
                    "({not}|only|within|inside) ! (until|as long as|promise "
                    "that|relied|rely|must|should|so that|new topic|would|before)"
                ),
                (
                    "~(without|with no|have no|no) (a|any)? (key|keys) _ they _ hash* ! (with a "
                    "key|keyed ones are)"
                ),
            ),
        ),
    ),
    doubts=(
        "(automatic*|自动)",
        "(delet*|remov*|reduc*|decreas*|减少|删除) _ {partition}",
        "(global|total|overall) _ {order}",
        (
            "{key} _ (always|stays|stay|sticks|始终|一直) .. {partition} ! ({old} _ {record}|new "
            "ones|promise*|relied|rely)"
        ),
        "(sort*|timestamp*|时间戳) .. {order}",
    ),
)

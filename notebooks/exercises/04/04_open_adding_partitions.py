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
key: key*, customer*, 用户
hash: hash*, murmur*, sum made, 哈希
modulo: mod, modulo, %, 取模, 模
count: number, count*, n, how many, 数
partition: partition*, 分区
elsewhere: another, other, elsewhere, else, new, wrong, move*, change*, two, no longer, switch*,
    migrat*, 另一个, 别的, 新的, 变, 改变, 两个
maps: map*, goes, go, land*, place, comput*, depend*, choos*, belong*, partitioner*, 进入, 去, 到
order: ordered, ordering*, sequence*, overtak*, before the (old*|earlier|previous),
    (later|newer|new) .. (before|first|earlier), earlier ones, 顺序, 有序, 先后, 乱序, order
broken: break*, broken, lost, gone, mess*, wrong, matter*, no longer, not _ any more, 破坏, 丢失, 没有, 乱,
    不能
kept: kept, keep*, guarante*, stays, still, defin*, 保证
state: state, stateful*, stores (sit|are|do|no|for), join*, aggregat*, co partition*, totals, total,
    counter*, ktable*, local store*, notes, 状态, 本地
mismatch: wrong, no longer, different, other, elsewhere, another, break*, broken, fail*, lost,
    split, old, stays, gone, need*, mess*, problem*, 对不上, 丢失, 破坏
new_topic: bigger topic*, (new|second|fresh) _ _ topic*, v 2, 新的 topic, 另建, 新建
migrate: migrat*, move* (everything|over|to|there|all|producers|consumers|them), copy*, replay*, cut
    over, switch, 迁移
enough: enough, over partition*, more partitions, many, large, plan*, choose*, provision*, pick*, 多建
start: start, beginning, begin, creat*, day one, up front, ahead, initial*, before, first, later,
    一开始, 开始
not: not, never, no, nothing, without, nor, 不, 没
skipped: latest, auto.offset.reset, offset reset, reset policy, skip*, discover*, find the new,
    finds the new, found the new, never read, unread, refresh*, by_duration, earliest, 跳过, 发现新,
    最新位移, 读不到
old: old, older, existing, earlier, historic*, 旧
record: record*, message*, event*, data, 消息, 数据
system: kafka, broker*, it, partitioner*, 会
keyless: 没有 key, 无 key, 不带 key, 没有键, 无键, 空 key, without keys, without a key
"""
    )
)

_MOVES = (
    "{system} (automatically|then|also|will|would|does|can|simply|just|internally)? (automatically|then|also|simply)? (move*|reassign*|re partition*|re assign*|relocat*|shift*|rehash*|re hash*|redistribut*|re distribut*|rebalanc*|migrat*|re sort*|reorgani*|reshuffl*|repartition*|sort*|copies|copy|spread*|transfer*) _ (old|older|existing|all|record*|data|message*|previous*|stored|written|them|events|what) ! ({not}|i would|we|should|mirror*|script*|replay*|new topic|tool)",
    "(old|older|existing|stored|written|previous) _ {record} .. (is|are|get|gets|will be|be|being|become) (automatically|then|also|all|simply)? (moved|reassigned|relocated|shifted|rehashed|redistributed|rebalanced|migrated|re sorted|reshuffled|repartitioned|re distributed|spread|copied|transferred) ! ({not}|i would|we|should|new topic|{new_topic}|mirror*)",
    "自动 .. (移动|迁移|重新分布|重分布|重新分配|重新哈希|均衡|搬) ^ (消费者|再均衡|再平衡)",
    "(会|将|把|能) _ _ {old} .. (移动|迁移到新分区|重新分布|重分布|重新分配|重新哈希|搬到) ^ (应该|我|新 topic|新主题|新建)",
)

_ORDER_KEPT = (
    "{order} _ _ (is|stays|remains|will be|still|keeps|are|remain|stay|gets) _ (kept|preserved|unchanged|unaffected|same|intact|guaranteed|maintained|safe|fine) ^ ({not}|no longer|only|within|inside|hard*|difficult) ! (until|as long as|promise*|relied|rely|relies|assum*|contract|before the|so far|must|should|need*|want*|wish*|would|in order to|so that|new topic|if you|were|was|used to|expect*|instead)",
    "(keeps|preserves|maintains|guarantees|keep|leaves|ensures) _ _ {order} ^ ({not}|only|within|inside|per partition) ! (until|as long as|promise*|relied|rely|relies|assum*|contract|before the|so far|must|should|need*|want*|wish*|would|in order to|so that|new topic|if you|were|was|used to|expect*|instead)",
    "~{order} .. (not|n t|never) (lost|broken|affected|influenced|changed|touched|break|suffer) ! (until|as long as|promise*|relied|rely|relies|assum*|contract|before the|so far|must|should|need*|want*|wish*|would|in order to|so that|new topic|if you|were|was|used to|expect*|instead)",
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
                "~{hash} .. {count}",
                "{key} .. {maps} .. {elsewhere}",
                "~{key} .. (no longer|not) .. same .. {partition}",
                "{key} .. {elsewhere} .. {partition}",
                "{modulo} .. {partition}",
                "{partition} .. (depend*|function|determin*|calculat*|comput*) .. ({count}|how many)",
                "(mapping|assignment|routing|placement|formula) .. (depend*|change*|involv*|different|unstable|shift*|move*)",
                "~(mapping|assignment|routing|placement) .. (not|no longer) _ (stable|same|hold|valid|constant)",
                "(mod|modulo|modulus|modulu*|remainder|余数)",
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
                "(new*|later) _ (first|before|earlier|overtak*)",
                "(one after the other|one after another|in turn) ! {new_topic}",
            ),
            against=(
                "{order} .. (is|stays|remains|will be|still|keeps|are|remain|stay) _ (kept|preserved|unchanged|unaffected|same|intact|guaranteed|maintained|not affected|not broken) ! (not (kept|preserved|guarante*|maintain*|the same|intact|unchang*)|no longer|never|nobody|nothing|only|within|inside|until|must|should|if|were|was|without)",
                "(keeps|preserves|maintains|guarantees) .. {order} ! ({not}|only|within|inside|until|if|relied|promise*|per partition|new topic)",
                "顺序 .. (不变|不受影响|仍然保证|保持不变|不会变|还是一样) ^ (不能|无法|没) ! {keyless}",
                "(global|total|overall|whole|all messages|entire) _ _ {order} ! ({not}|only|never|key)",
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
                "stateful*",
                "(join*|co partition*|copartition*|state store*|ktable*)",
                "~{not} (have|has|find*|hold*|own*|know*|with) _ _ {state}",
            ),
            against=(
                "{state} .. (is|are|stays|stay|remains|remain|gets|get|will|will be) _ (kept|fine|ok|unaffected|correct|safe|intact|preserved|valid|moved|migrated|follow*|unchanged) ^ ({not}|no longer|here|there) ! (until|as long as|would|new topic|so that|kept (by|per) partition* (no longer|not) match*)",
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
                "{migrate} .. (old|into|across|over to|to it)",
                "{enough} .. {start}",
                "{start} .. {enough}",
                "(enough|plenty of|sufficient|ample|more|lots of|spare|足够|更多|充足|多) _ {partition} ^ too",
            ),
            against=(
                "(delet*|remov*|reduc*|shrink*|decreas*|drop*|减少|删除|缩减) _ _ {partition} ! ({not}|impossible|can not|could|old topic|never)",
                "~{new_topic} .. (not|unnecessar*|no need|superfluous|needless) _ _ (need*|necessary|required|useful)?  ^ (only|just)",
                "~(不需要|不用|没必要|无需|no need|not need|need not|unnecessary|superfluous) .. {new_topic}",
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
                "(delet*|remov*|drops|destroys) (the)? (old|existing|former) partition* ! (not|never|no|can not)",
                "~(offset*|位移) .. (invalid|no longer valid|失效) ! (not|never)",
                "(offset*|位移) _ _ (restart*|reset*|start again|start over|begin again|set back|重置|清零|从 0) ! (not|never|no|不)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that records with a key are not affected",
            "受影响的正是有 key 的消息",
            even_supposed=True,
            ways=(
                "~(keyed|with (a|the)? key*|key) .. (never|not|no) _ (affected|concerned|changed|a problem|problem|touched) ! (without|keyless|null|no key|until|unless|guarantee*|as long)",
                "~(不会破坏|不影响) .. (因为|由于) .. key ! (没有 key|无 key|空 key|null)",
                "只 _ 影响 _ (新的|新) _ (key|键) ! 不",
                "(because of|with|for) (round robin|keyless|null key*) .. (promise|even distribution|break*) .. key* (are|is)? (never|not) ! (no order)",
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
                "{key} .. (always|still|forever|permanently) .. (same|its|their|original|old) _ {partition} ^ {not} ! (until|as long as|promise*|rely|relied|assum*|contract|guarantee*|before|so far|must|should|only if|need*|want*)",
                "{key} _ (stick|sticks|stay|stays|remain|remains) _ _ (same|its|their|original|old|to|in|on|where) ^ {not} ! ({old} _ {record}|new ones|{old} ones|until|as long as|promise*|rely|relied|assum*|contract|guarantee*|before|must|should|only if|need*|want*)",
                "(only|just) (the|some)? new key* .. (new|added|additional|other) ^ {not}",
                "~{key} .. (not|never) (move*|change*|switch*|leave*) .. {partition} ! (no longer|any more|if|unless|until|without|as long|assum*|promise*|rely|relied|must|should)",
                "(key|键) .. (一直|始终|仍然|永远|总是|还是) .. (原来|同一|相同|原|固定) ^ (不|没|无) ! (承诺|依赖|假设|之前)",
                "(只有|只|只会|仅) _ 新的? (key|键)",
                "(key|键) _ _ (总是|一直|始终|永远|仍然|还是) _ _ (相同|同一|原来|原) ^ (不|无) ! (承诺|依赖|假设)",
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
                "~(not|never|n t) (change*|affect*|influence*|alter*|touch*) _ _ (where|which|mapping|place*|routing|assignment|{key}|partition of) ! (custom|own partitioner|explicit*|would|if|so that|must|should|unless)",
                "(kafka|partitioner|default) .. consistent hash* ^ {not} ! (own|custom|could|would|instead|i d|use a)",
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
                "~(without|null|keyless|unkeyed|with no|have no|has no|having no) _ (key|keys|key*) .. (break*|lose|loses|lost|order*|problem*|affected|matter*) ! ({skipped}|nothing|no promise|no order*|only if you use|safe|fine|harmless|no problem|rest|have|had|round|never|no guarantee*)",
                "~(breaks|break|problem|affected|lost|lose) .. (without|null|keyless|unkeyed|with no|have no|has no) (a)? (key|keys) ! ({skipped}|{not} (break*|problem|affect*)|nothing|safe|fine)",
                "~(with|have|having|use|using) (a)? (key|keys) .. (nothing changes|not affected|unaffected|safe|stays|no problem|not change) ! ({skipped}|without|no key*|not safe)",
                "~(没有|无|不带) (key|键) .. (打乱|丢失|破坏|受影响|乱序) ! ({skipped}|不受影响|不丢)",
                "~(keyed {record}|{record} with a key) _ (keep|keeps|retain|retains|preserve|preserves) _ {order} ^ ({not}|only|within|inside) ! (until|as long as|promise that|relied|rely|must|should|so that|new topic|would|before)",
                "~(without|with no|have no|no) (a|any)? (key|keys) _ they _ hash* ! (with a key|keyed ones are)",
            ),
        ),
    ),
    doubts=(
        "(automatic*|自动)",
        "(delet*|remov*|reduc*|decreas*|减少|删除) _ {partition}",
        "(global|total|overall) _ {order}",
        "{key} _ (always|stays|stay|sticks|始终|一直) .. {partition} ! ({old} _ {record}|new ones|promise*|relied|rely)",
        "(sort*|timestamp*|时间戳) .. {order}",
    ),
)

# %% [markdown] items="N27"
# Why is replication.factor = min.insync.replicas + 1 advised, and not equal?

# %% [markdown] answer
# If the two were equal, a single replica that is down would stop all writes with acks=all: the
# in-sync replicas would be fewer than min.insync.replicas, and the producer would get
# NotEnoughReplicas. With one more replica the partition survives one failure, and writing goes on.
# Durability is kept all the same, because an acknowledgement still needs min.insync.replicas
# copies.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: min.insync.replicas refuses writes with acks=all only (NOT_ENOUGH_REPLICAS); reads
# go on; an acknowledged record is on every in-sync replica, so on at least min.insync.replicas of
# them; the leader counts as one of them.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_WORDS = Lexicon(
    lists(
        """
equal: equal*, eqaul, same, identical, equality, match*, no slack, no spare, no reserve, no margin,
    without spare, without the extra, only two, otherwise, rf = 2, 2 and 2, 2 / 2, 3 and 3, if both
    are, both are, 相等, 相同, 一样, 等于, 同样大, 都是, 一致, 否则
plus: +, plus, one more, extra, additional, more, spare, third, three, rf = 3, 加一, 多一, 大一
replica: replica*, broker*, follower*, copy, isr, one, any, leader, 副本, 机器, 一台, 一个
down: down, die, dies, died, dead, fail*, falls, fall, lost, lose*, losing, loss, crash*, gone,
    goes, out, missing, unavailab*, offline, restart*, reboot*, maintenance, leave*, left, ill,
    away, absent, absence, holiday, slow, lag*, outage*, broken, breaks, break, unreachable, shut*,
    drop*, disappear*, remov*, patch*, upgrad*, stop working, behind, shrink*, hiccup*, pause, sick,
    breakdown, kaput, goner, 宕机, 挂, 挂掉, 下线, 故障, 失效, 崩溃, 掉, 离线, 不可用, 停机, 宕, 坏, 重启, 维护, 丢失, 落后, 少
nowrite: 停写, 写不, no produce, 不足, turn* _ away, write* 就 (fail*|stop*|block*|error*), not _ write,
    not produce*, no (more|further|new)? write*, no cheques, write*
    (stop*|fail*|halt*|block*|hang*|blocked|refused|rejected|break*|end|ends|cease*), write*
    (is|are|get|gets|will|would|will be|would be|be|being) _
    (stop*|fail*|refus*|reject*|block*|halt*|impossible|unavailable|denied|interrupt*|suspend*|broken|off),
    (stop*|block*|refus*|reject*|halt*|prevent*|den*|break*|interrupt*|kill*|suspend*) _ _
    (write*|writing|produc*|append*|record*|message*|traffic|batch*), produc* _ _
    (stop*|fail*|block*|reject*|refus*|stuck|error*|exception*|halt*|denied|turned
    away|suffer*|hang*|down), producer* .. (get|gets|receive*|see|sees|has|have|face*|throw*) ..
    (error*|exception*|notenough*), read only, notenough*, not open*, blocked, refuse*, reject*,
    refusal*, (不能|无法|不可以|不可) (write|produce), 无法写, 不可写, 拒绝, 没法写
paralysed: nobody can, nothing (works|goes|can)?, no quorum, 中断
tolerate: tolerat*, surviv*, afford*, can lose, may fail, can fail, may be, can be, lose one, one
    failure, single failure, slack, spare, reserve, availability, 容忍, 允许, 承受, 扛
one: one, 1, a, single, an, any, 一
goon: still write, is ok, still work*, keep* going, continu*, go on, carry on, write* (is|are)?
    (still)? (ok|possible|fine|working|accepted|available), writable, not interrupt*, 还能写, 正常写, 照写,
    fly on
ack: acked, acknowledg*, confirm*, guarantee*, durab*, safe*, acks = all, 确认, 安全
copies: min.insync*, min insync, min isr, minimum, copies, copy, replicas, two, 2, in sync,
    min.insync.replicas, 副本, 份
same: same, keep*, still, 不变, 仍
not: not, no, nothing, nobody, without, none, 不
min: min.insync.replicas, min.insync*, min insync*, min isr
rf: replication.factor, rf
beyond: +, plus, one more, extra, additional, 加一, 多一
lossy: lost, lose, loss, 丢
data: data, record*, message*, write*, 数据, 消息
system: kafka, broker*, it, leader, controller, cluster
"""
    ),
    scopes={
        "equal": (
            "((only|just) (two|2)|with (two|2) "
            "(replicas|brokers|copies|machines|keyholders|engines|members|people|keys)|equal*|"
            "eqaul*|equality|{rf} = {min}|{rf} = = {min}|(= 2 , _ = 2)|(= 3 , _ = "
            "3)|(quorum|minimum) is (every|all)|(are|is|be|were|both|the|being) (the)? "
            "same|identical|same (number|value)|no "
            "(surplus|slack|spare|margin|reserve|headroom|extra)|without "
            "(the|a|any|that|this|one)? (surplus|slack|spare|margin|reserve|extra|additional|+ "
            "1)|otherwise|相等|相同|一样|等于|否则)"
        ),
        "plus": (
            "(+ 1|plus one|plus 1|one more|one extra|one additional|an "
            "(extra|additional)|(the|one|a) (extra|additional|spare|surplus) "
            "(replica|broker|copy|one|node)?|(surplus|slack|margin|reserve|spare|buffer|headroom) "
            "of (one|1)|with (a|one|some) (surplus|slack|margin|reserve|spare|buffer)|on "
            "top|(with|having|give me|giving|take|employ|hire|use|becomes|become|is|=) "
            "(three|four|3 replicas|4|4 replicas)|变成 (3|三|三个)|三个副本|3 个副本|one "
            "(bigger|higher|greater|larger)|one _ more than|加一|加 1|多一|额外|多出)"
        ),
    },
)

_WRITES_GO_ON = (
    "@equal! {down} .. {goon} ^ {beyond} ! ({nowrite}|+|plus|more|extra|additional|third|spare|加一|多一)",
    "@equal! {tolerate} .. (one|a|single|1|一个|一台|一次) _ ({down}|{replica}) ^ {beyond} ! ({nowrite}|+ 1 .. {nowrite}|zero|no|not|plus one|one more|extra|without losing avail*)",
    "{rf} = {min} _ (survives|survive|tolerates|tolerate) ^ {not}",
    "{equal} .. (writes|write|producers|producer|writing) _ _ (continue|continues|go on|goes on|keep|keeps|still|succeed|succeeds) ^ ({not}|+|plus|more|extra|third|spare|three|stop*|refus*|block*|fail*|reject*|but|whereas|while)",
    "@equal! (accept*|take|takes|allow*) _ (write*|record*|produc*) .. (even|although|though|despite) ^ {beyond}",
    "@equal! ~(writes|producers|writing) (do|does|will|would|are) not _ (stop*|fail*|block*|affected|refused|rejected) ^ ({beyond}|+|plus) ! (not that|two)",
    "@equal! ~{down} .. (not|never) _ (stop*|block*|prevent*|affect*|hinder*) _ _ (write*|writing|produc*) ^ {beyond}",
    "@equal! {down} .. (也能|还能|仍能|照样|照常|依然能|也可以|还可以) _ 写 ^ {beyond}",
    "{equal} .. (写入|写) _ _ (继续|仍然|仍会|仍|照样|还会|可以|成功) ! (不|失败|无法|停|加一|加 1|多一|拒绝)",
)

Rubric(
    lexicon=_WORDS,
    topic=(
        "(replica*|broker*|副本)",
        "(cop*|ack*|isr|in sync)",
        "(need*|require*) .. (two|three|2|3)",
        "(one|1) .. (may|can|could) .. (stay*|be|leave|sleep)",
        "{min}",
        "(write*|writing|produc*|写)",
        "{rf}",
        "notenough*",
        "{tolerate} .. {down}",
        "{down}",
    ),
    concepts=(
        Concept(
            "equal: one replica down stops writes (NotEnoughReplicas)",
            says="with equal values one replica down stops the writes (NotEnoughReplicas)",
            gloss="相等时一个副本下线就不能写入",
            ways=(
                "@equal ~not (lose|miss|spare|afford|do without) .. (or|otherwise|else) .. {nowrite} ^ {beyond}",
                "(all|every|each|both) _ _ (must|have to|has to|need*) _ _ (in sync|up|alive|there) .. (else|otherwise|or) .. (exception*|error*)",
                "{equal} .. {nowrite} ^ (+|plus|one more|extra|additional|加一|多一)",
                "@equal {replica} .. {nowrite} ^ {beyond}",
                "{equal} .. {paralysed} ^ (+|plus|one more|extra|additional|加一|多一)",
                "~(no|zero|without|not any) _ (room|slack|tolerance|margin|reserve|surplus|headroom|spare|redundancy) ! {not} lost",
                "notenough*",
                "~(equal*|equality) .. (zero|0|none)",
                "~(tolerat*|surviv*|allow*|afford*) (zero|0|none)",
                "(every|all|each|全部|所有|每个) _ {replica} .. (must|have to|has to|need*|required|in sync|up|alive|必须|都要|都在)",
                "@equal {down} .. {replica} .. {nowrite} ^ {beyond}",
            ),
            against=(
                *_WRITES_GO_ON,
                (
                    "~(writes|producers|writing|写入) (are|is)? (not|never|n t) "
                    "(affected|influenced|stopped|stop) ! (+|plus|extra|more|spare|third)"
                ),
            ),
            near=("{nowrite}", "{down}", "{equal}"),
        ),
        Concept(
            "+1 survives one failure",
            says="with one more, one failure is survived and writes go on",
            gloss="多一个副本可以容忍一次故障, 写入继续",
            ways=(
                "~(nobody|no one|nothing|none) _ (notices|notice|noticed|happens|sees|seen|feels|changes) ^ =",
                "~{down} _ (go|goes|pass|passes) (by)? (unnoticed|unseen|without notice) ^ {equal}",
                "@plus {tolerate} .. {down} ^ (zero|0|no|none|{nowrite})",
                "@plus {one} .. {replica} .. {tolerate} ^ (zero|0|no|none|{nowrite})",
                "@plus {down} .. {goon} ^ {nowrite}",
                "@plus {goon} .. {down} ^ {nowrite}",
                "{plus} .. {goon} ^ ({nowrite}|{equal})",
                "@plus {down} .. {tolerate} ^ (zero|0|no|none|{nowrite})",
                "{plus} .. {tolerate} ^ (zero|0|no|none|{nowrite}|{equal} _ {tolerate})",
                "@plus {one} .. (can|may|could|is allowed to|可以|能) _ {down} ^ (zero|0|no|none|{nowrite})",
                "@plus (can|able to) _ (lose|reboot) _ one ^ not",
                "@plus (may|can|could) (be)? (missing|absent|away|out|off|stay|lost) ^ none",
                "(rolling|roll) (restart*|upgrade*|update*|maintenance|patch*|deploy*)",
                "@plus! ~{down} .. (not|notice* nothing|nothing|no|harmless|unnoticed|business as usual|没关系|不会|照样)",
                "(room|tolerance|margin|slack|surplus|price|reserve) (for|of) (one|1|a single) ^ no",
                "(plus one|plus 1|+ 1) (means|->|=|gives|:) .. (one|1) ^ ({nowrite}|two)",
                "~(restart*|maintenance|maintain*|patch*|rolling|reboot*|重启|维护) .. (without|still|possible|one by one|不影响|不中断|no downtime)",
                "~(多一个|加一|加 1|多一|多一台|多一份) _ (就)? _ (不会|没事|没问题|不受影响|不怕)",
            ),
            against=(
                "{plus} .. (two|2|both|any number of) _ (broker*|replica*|node*|failure*) .. (fail*|die*|down|lost|may|can|surviv*|tolera*) ! {not}",
                "(surviv*|tolerat*|when|if) .. (two|2|both) (of the)? (broker*|replica*|failures) (fail*|die*|down|lost|are down|may)? .. (still|go on|continue|fine|ok|write) ! {not}",
            ),
            near=("{tolerate}", "{plus}", "{goon}"),
        ),
        Concept(
            "durability kept: an ack still needs min.insync copies",
            says="durability is kept: an acknowledgement still needs min.insync.replicas copies",
            gloss="持久性不变: 确认仍需 min.insync 个副本",
            ways=(
                "~(nothing|no|not|never|nobody) .. (ack|acked|acknowledg*|confirm*) .. (below|under|with less|with fewer|on fewer) .. ({copies}|{min})",
                "~{ack} .. {same}",
                "(ack|acked|acknowledg*|confirm*|cheque*|commit*|确认) .. {copies}",
                "{copies} .. (ack|acked|acknowledg*|confirm*|cheque*|commit*|before|确认) ^ {lossy}",
                "~(nothing|no|not|never|nobody) .. (ack|acked|acknowledg*|confirm*) .. (before|until|unless|without|fewer) .. ({copies}|have it)",
                "(acks|acknowledgements|confirmations) _ (still|come|comes|only|arrive|are sent|sent|need|require) .. {copies} ^ =",
                "(still|仍|依然) _ (carr*|bear*|need*|has|have) .. (two|three|2|3|same)",
                "still (has|carries|bears|gets|needs) _ (required|needed|same|full) number of",
                "~(data|records|nothing|message*|write*) .. {not} .. (lost|at risk|lose)",
            ),
            against=(
                "{equal} .. {data} .. {lossy} ! ({not}|nothing)",
                "(more|better|higher|greater|only adds|improves|increases|adds) (the)? durab* ! ({not}|availab*|for more)",
            ),
            near=("{ack}", "(safe*|durab*|reliab*|可靠|安全|持久)"),
        ),
    ),
    blunders=(
        Blunder(
            "central_claim_wrong",
            "it has the extra replica change what an acknowledgement needs, or data deleted",
            "多出的副本是为了可用性, 确认数不变",
            even_supposed=True,
            ways=(
                "{ack} .. (stronger|wait* for (rf|more|{rf})) .. (rather than|instead of|not just) .. {min} ! (fewer|less)",
                "(make*|makes) {ack} (stronger|safer|better)",
                "{ack} .. (need*|require*|want*|wait*) (one|1|a) (more|extra|additional) (replica*|cop*)? than _ {min} ^ {not}",
                "(never|not) lose availab* .. (two|2) ! (left|remain)",
                "(delet*|discard*|remov*|los*) the? (unreplicated|un replicated|not replicated) (data|record*|message*) ^ {not}",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it lets the writes go on with equal values and one replica down",
            "相等时一个副本下线写入会停止",
            ways=_WRITES_GO_ON,
            even_supposed=True,
        ),
        Blunder(
            "central_claim_wrong",
            "it makes data loss the reason, where the writes are refused",
            "相等的问题是写不了, 不是丢数据",
            even_supposed=True,
            ways=(
                "{equal} .. {data} _ _ {lossy} ^ ({not}|nothing|never|as safe|+|plus|one more) ! (not lose|nothing|not lost|no loss|not about|not that)",
                "{equal} .. {lossy} _ {data} ^ ({not}|nothing|never|as safe|+|plus|one more) ! (not lose|nothing|not lost|no loss|not about|not that)",
                "(if|when|with|because) .. {equal} .. (data|record*|message*) (would|will|could|can|may|might|gets|is|are)? (be|get)? (lost|disappear*|vanish*) ^ {not} ! nothing",
                "{equal} .. (会|就|可能|将|容易) .. (丢失|丢数据|丢消息|丢) ^ (写不|写入失败|无法写|不能写)",
                "~(not|never) _ (notice*|see*) .. {lossy}",
                "{equal} .. (durability|durable|safety) _ (is|gets|be)? _ (gone|lost|broken|lower*|reduc*|weaken*) ^ ({not}|+|plus)",
                "{equal} .. (leader alone|only the leader|leader only|leader by itself|single replica is enough) ^ {beyond}",
                "{system} (lowers|reduces|decreases|lower|reduce) _ {min}",
                "{equal} .. (fewer|less) (copies|replicas) ^ ({not}|refus*|reject*|than asked) ! {nowrite}",
            ),
        ),
        Blunder(
            "direction_reversed",
            "it wants min.insync.replicas greater than the replication factor",
            "说反了: 副本数要大于 min.insync",
            even_supposed=True,
            ways=(
                "{min} .. (greater|larger|higher|bigger|more|above|exceed*) _ {rf} ^ {not} ! (would|{rf} .. {min} .. than)",
                "{rf} .. (smaller|less|lower|below|fewer) _ {min} ^ {not} ! (would|never|if|impossible)",
                "{min} .. (大于|超过|高于|比) _ {rf} ! (不|没|如果)",
            ),
        ),
        Blunder(
            "direction_reversed",
            "it has the writes stop with one replica more",
            "说反了: 多一个副本时写入继续",
            even_supposed=True,
            ways=(
                "@plus! {down} .. {nowrite} ^ ({not} _ (stop*|block*|fail*)|{equal}|second|two|2|another|without|until|instead) ! (second|two (fail*|replicas|brokers|failures)|without|before|avoid*|prevent*|instead|so that|advised|because|since)",
                "@plus! {nowrite} .. {down} ^ ({equal}|second|two|2|another|without|until|instead|only) ! (second|two (fail*|replicas|brokers|failures)|without|before|avoid*|prevent*|instead|so that|advised|because|since)",
                "(+ 1|plus one|plus 1) (means that|means|and|:|=)? (the)? (writes|producers) (are|get|will be)? (stop*|block*|fail*|refused|rejected)",
                "(+ 1|plus one|plus 1) (stops|blocks|refuses|halts) (the|all)? (writes|producers|writing|producing) ^ {not}",
                "~(加一|加 1|多一个副本) .. (写入失败|写不了|停止写|无法写) ! (不|相等|否则|两)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it makes the reads stop",
            "停止的是写入, 不是读取",
            even_supposed=True,
            ways=(
                "~{equal} .. (consumer*|reads|reading|read) .. (not|no longer|stop*|block*|fail*|unable|refus*) .. (read*|consum*|fetch*)? ! (still|only writes|go on|continue|works|possible|producers|write|writing)",
                "(reads|consumers|reading) (need*|require*|want|demand*) .. ({min}|in sync|two|cop*|replica*) ^ {not}",
                "@equal! ~(consumers|reads|readers|reading) (can not|can|could not|stop|stops|fail|are blocked|no longer) ^ ({beyond}|still|continue|go on|work) ! (still read|can still|go on reading|continue to read|only writes)",
                "(make|makes) (the)? (consumers|reads) (stop|fail|block)",
                "(keeps|keep) (the)? (consumers|reads|readers) (going|running|alive|working)",
                "~(相等|一样) .. (消费者|读取|消费) .. (无法|不能|不了|失败) ! (写不|写入失败|写入停)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it lets two failures pass, or takes min.insync.replicas for the number of failures",
            "min.insync 不是可容忍的故障数; +1 只容忍一次",
            even_supposed=True,
            ways=(
                "@plus! (failure*|loss|outage|death) of (two|2|both|{min}) _ ({replica})? _ (tolerated|survived|allowed|fine|ok|possible|no problem) ^ {not}",
                "({min}|two|2|both) (broker*|node*|failure*|replica*|machine*) _ (can|may|could|are|is) _ (tolerated|survived|lost|missing|down|failing|fail|die) ^ ({not}|left|remain*|in sync|equal*|stop*)",
                "(two|2|both|three|min.insync.replicas|as many as) (other|more|of the)? (broker*|replica*|node*|failures|machines) .. (may|can|could|fail|fails|die|dies|be down|are down|lost) .. (write*|still|go on|continue|fine|tak*|available|down|fail) ^ {not} ! (with two left|in sync|must|need*|remain*|equal*|alive|block*|stop*|refus*|rf = 4|would|one may|one can|left)",
                "(when|if|surviv*|tolerat*) (two|2|both) (broker*|replica*|node*|failures) (fail|die|are down|are lost|go down)? ^ {not} ! (stop*|refus*|block*|no longer|fails|alive|in sync|left|would)",
                "@plus! (surviv*|tolerat*|withstand*) _ (two|2|both|{min}) ^ ({not}|left|remain*|in sync)",
                "@plus! (two|2|both) _ {replica} _ (may|can|could) _ {down} ^ {not}",
                "(surviv*|tolerat*|withstand*) as many .. {min} ^ {not}",
                "(surviv*|tolerat*|withstand*) _ _ _ {min} (broker*|node*|failure*) ^ ({not}|minus|-)",
                "(with|=) 2 .. (surviv*|tolerat*|lose) (two|2) ^ {not}",
                "(surviv*|tolerat*|withstand*|allow*) {min} (failure*|broker*|replica*|fault*|node*) ^ {not}",
                "@plus! (容忍|允许|可以) _ (两个|两台|2 个|2 台)",
                "({min}|it) .. (is|means|gives|tells) (the)? number of (failures|brokers that (can|may)|faults|replicas that (can|may)) ^ {not}",
                "(容忍|允许|可以) .. (两个|两台|2 个|2 台) _ (副本|节点|broker|机器)? _ (故障|宕机|挂|下线) ! (不|无法)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it asks all replicas, also the dead one, for the acknowledgement",
            "acks=all 只等同步副本",
            even_supposed=True,
            ways=(
                "~leader _ _ (not|never) (counted|included|part|count|in) _ (isr|in sync|replica*|it)?",
                "(all|every|each) (of the)? (three|3)? (replicas|copies|brokers) (including|even|also) .. {down} ^ {not}",
                "(three|3|all three|one more|more) (cop*|replica*|broker*) (have to|has to|must|need to|will|would)? (ack*|confirm*|acknowledg*) ^ {not} ! only",
                "(only|just) (adds|add|gives|improves|increases|for) (more|better)? (durab*|safety|reliab*) ^ {not}",
                "(counts|count|counting|means) _ (followers only|only followers|only _ followers)",
                "without (counting)? (the)? leader",
                "~(leader) (is|does) not (count*|in sync|part of|one of|included|belong*) ! (would|if)",
                "~(leader|主副本) (不算|不计|不包括) .. (同步|isr)",
                "{equal} .. (more available|better availab*|higher availab*|is fine|safer for avail*) ^ ({not}|plus|+)",
                "(waits|wait) for (all|every) _ (replicas|replica|copies) .. (dead|down|failed|crashed|offline) ^ {not}",
            ),
        ),
    ),
    doubts=(
        "{ack} _ _ (fewer|less) _ (copies|replicas|copy) ^ {not}",
        "(slack|margin|headroom|reserve|leeway) ! ({down}|{goon}|{nowrite}|one|1)",
        "{data} .. {lossy} ! ({not}|nothing)",
        "(consumer*|reads|reading|read requests|读取|消费者)",
        "(two|2|both) _ (broker*|replica*|node*|failures) _ {down}",
    ),
)

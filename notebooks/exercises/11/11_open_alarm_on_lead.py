# %% [markdown]
# Why raise an alarm on lead as well as on lag?

# %% [markdown] answer
# Lead is the distance from the log start offset to the position of the consumer, lag the distance
# from there to the log end. When the lead comes near zero, retention is about to delete records
# that have not been read. Once they are gone the position is out of range, and auto.offset.reset
# decides: with latest the consumer jumps to the end and loses all that lay between, with earliest
# it goes on at the new start and has lost what was deleted. Lag alone does not show this. It looks
# at the other end of the log: it can be the same with a week of room or with none, and after the
# loss it even looks better.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: records-lead = position - log start offset, records-lag = high watermark - position
# (SubscriptionState); a position below the log's start is OFFSET_OUT_OF_RANGE and is answered by
# auto.offset.reset.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_LEADS = Lexicon(
    lists(
        """
lag: lag, lags, records lag, lag metric, lagging, 滞后, 滞后量, 积压, 延迟量, lag
position: position*, offset*, consumer*, reader*, current, you, your, i, we, reading, read, consum*,
    fetch position, where, pos, 位置, 位移, 消费, 消费者, 消费位置, 当前, 读到, 偏移
log_start: log start offset*, log start, log.start.offset, logstartoffset, log startoffset, start
    offset*, start of, starts of, start*, beginning*, begin of, begin, oldest, earliest, first
    offset*, first record*, first message*, first available, first existing, first retained, first
    still, first one, lowest, lowest offset*, tail, front edge, head of the log, low watermark, low
    end, bottom, retention edge, retention's edge, edge, deletion point, 起始, 开头, 起点, 最早, 开始位移, 开始,
    最旧, 最老, 头部, 起始位移, 第一条, 最小位移, log start
distance: distance*, difference*, diff, gap, margin, how far, how many, how close, how near, how
    much, room, space, minus, less, subtract*, number of records, count of records, records between,
    between, headroom, buffer, away, behind, above, ahead, far, 距离, 差, 差值, 差距, 多远, 之间, 减去, 减, 多少,
    间隔, 离, 相差
retention: retention, retention.ms, retention.bytes, log.retention*, cleaner, cleanup, clean up,
    deletion, expir*, log cleaner, retention time, retention policy, housekeeping, broker, kafka,
    保留策略, 保留期, 保留, 清理, 过期, 日志清理, retention
deletes: delet*, remov*, cut*, cuts off, discard*, throw* away, throw* _ away, purg*, drop*, eat*,
    ate, gone, gon na, expir*, eras*, vanish*, disappear*, truncat*, clean*, destroy*, wip*, trim*,
    los*, lose, lost, take* away, taken away, swallow*, fall* off, fell off, age out, ages out,
    catch* up with, catches up, caught up by, overtak*, reach*, bit*, bites, pull*, shred*,
    reclaim*, chop*, 删除, 删掉, 删, 清理, 清除, 丢失, 丢掉, 丢, 过期, 清掉, 移除, 消失, 抹掉, 截断
unread: unread, un read, unconsumed, not read*, not _ read, not _ _ read, not consumed, not _
    consum*, not _ _ consum*, not processed, not _ process*, not _ seen, not seen, not _ fetch*, not
    _ got to, never read, never consumed, never _ consum*, never seen, never processed, nobody read,
    yet to read, yet to be read, yet to consume, still to read, still to be read, still need*, still
    wait*, to be read next, next to be read, next record*, next message*, missing, before ..
    (read*|consum*|process*|fetch*|get*|got|see|saw|reach*), without being
    (read|consumed|processed), without _ (read|reading|consuming|seeing), 未读, 没读, 没有读, 还没读, 尚未读,
    未消费, 没消费, 没有消费, 还没消费, 还没有消费, 还没有读, 尚未消费, 尚未读取, 没来得及, 来不及, 消费之前, 消费前, 读取之前, 未处理, 没处理, 未被消费, 还未,
    没被消费, 没有被消费, 没有被读, 没读的, 读到之前
near: near*, close*, zero, 0, small*, low, shrink*, melt*, approach*, tiny, about to, soon, drop*,
    fall*, goes down, going down, decreas*, vanish*, reaches, hits, disappear*, on your heels,
    almost, nearly, shortly, next, threaten*, danger*, -> 0, risk*, 接近, 趋近, 趋于, 变小, 很小, 太小, 为 0, 零,
    小, 快要, 马上, 即将, 就要, 快被, 靠近, 逼近
reset: auto.offset.reset, auto offset reset, offset.reset, offset reset, reset policy, reset rule,
    reset strategy, reset setting, reset configuration, auto.reset, auto reset, auto offset, 重置策略,
    自动重置, 位移重置, auto.offset.reset
acts: decid*, determin*, appl*, used, uses, use, kick* in, take* over, takes, jump*, skip*, latest,
    earliest, lost, lose*, miss*, choos*, chose, pick*, say, says, tell, tells, control*, settle*,
    set, sets, sent, send*, move*, put, lands, continue*, goes on, go on, restart*, start*, fall*
    back, falls to, comes into play, come into play, happens, trigger*, forces, again, re read,
    reread, where, follow*, resort*, dictat*, governs, 决定, 跳, 最早, 最新, 重新, 重复, 重读, 触发, 生效, 丢, 继续, 从哪,
    开始, 选择, 处理, 按照, 根据, 依据, 依照
show: show*, see, sees, seen, tell*, say*, reveal*, know*, indicat*, measur*, look*, watch*, warn*,
    enough, sufficient, suffic*, captur*, express*, detect*, notic*, mean*, reflect*, visible,
    hide*, hid, hidden, matter*, helps, help, answer*, recogn*, find out, describe*, cover*, 看出, 看到,
    显示, 反映, 体现, 知道, 表示, 说明, 发现, 看不出, 看不到, 不够, 足够, 告诉, 得知
log_end: log end*, end offset, end of the log, end of log, high watermark, producer*, newest, latest
    offset, last offset, last record, leo, logendoffset, 末尾, 最新位移, 日志末端, 生产者, 高水位, log end offset
good: good, fine, great, healthy, ok, okay, harmless, up to date, caught up, no problem, safe,
    perfect, ideal, everything, nothing to worry, 正常, 健康, 很好, 没问题, 追上, 跟上, 安全, 好事
"""
    )
)

_LEAD_MEANS_ELSE = (
    "lead (is|=|means|shows|tells|says|measures|:) _ _ (how far|distance|difference|gap|number|between) .. {log_end} ! ({log_start}|lag)",
    "(consumer|reader|it) (leads|is leading|is ahead of|runs ahead of) the? producer*",
    "lead (of|at|is|=|near|close to) (zero|0) (tells|means|shows|says|indicates|is)? .. ({good}|(processed|read|consumed) (everything|all)) ! (not|no|never|lag)",
    "lead .. (ahead of|in front of|faster than|before) _ (producer*|log end|end of)",
    "lead _ (is|=) _ (log end|end offset|end of the log) _ (minus|-)",
)

_LEAD_WRONG = (
    "lead 是? .. (领先|超过|超前) .. (生产者|末尾|最新)",
    "lead .. (距离|离|到|与|和) .. {log_end} .. (距离|差|多远|多少)? ! ({log_start}|lag)",
    "(large|larger|big|bigger|high|higher|growing|huge|increasing) lead _ _ (danger*|bad|problem*|risk*|alarm*|harm*|critical) ! (not|no|never)",
    "lead .. (grows|rises|increases|gets bigger|gets larger|too high|too large|too big|高|大) .. (danger*|bad|problem*|risk*|critical|too fast|危险|丢) ! (not|no|never|不)",
    "lead (越大|很大|过大|太大|变大) .. (危险|丢|问题|报警|不好|慢) ! 不",
    "(lead|it) _ (near|close to|of|at|goes to|->|=|is|接近|为|等于) (zero|0|零) _ (means|is|shows|says|indicates|表示|说明|意味着|,) _ _ (consumer|it|消费者)? _ _ {good} ! (not|no|never|不|lag)",
    "(low|small|zero|tiny) lead _ (is|means|shows) _ _ {good} ! (not|no|never|lag)",
    "(near|close to) zero .. (read|consumed|processed) (everything|all|every) ! (not|no|never|lag)",
    "(lead|lag) _ (and|plus|+) (lead|lag) _ (is|are|always)? _ (constant|same (thing|information|value|number)|equal) ! (not|no|never)",
    "(lag|one alarm|alarm on lag|lag alone) _ (is|are) (sufficient|enough) ! (not|no|never|n't)",
    "lag .. measured from the? (log)? (start|beginning)",
)

Rubric(
    lexicon=_LEADS,
    topic=(
        "(lead|lag|领先|滞后|积压)",
        "{retention}",
        "{deletes}",
        "{log_start}",
        "{reset}",
        "{unread}",
    ),
    core=("near zero, retention is about to delete unread records", "lag alone does not show it"),
    concepts=(
        Concept(
            "lead is the distance from the log's start to the position",
            says="lead is the distance from the log's start to the consumer's position",
            gloss="lead 是日志起始到消费位置的距离",
            ways=(
                "{distance} .. {log_start} ! {distance} .. (log end|end of) .. (minus|-) .. {log_start}",
                "{log_start} .. {distance} .. {position}",
                "{position} .. {distance} .. {log_start}",
                "{position} .. {log_start} .. {distance} ! {log_end} .. {distance}",
                "lead .. {log_start} .. {distance}",
                "{position} .. (minus|-|less|to|from|vs|over|and) .. {log_start} ! (out of range|outofrange*|resets? to|reset to|jump*) ! {reset}",
                "{log_start} .. (to|and|till|until|up to|到|和|与) .. {position}",
                "lead _ (is|=|:|watches|looks|counts|measures) .. {log_start} ! {log_end} .. {log_start}",
                "(behind you|behind me|behind us|behind the position|behind the consumer|behind it) & lead",
                "{distance} .. (last|first|oldest|earliest) .. (still|available|stored|kept|exist*|left|there)",
                "离 _ {log_start}",
            ),
            against=_LEAD_MEANS_ELSE,
            near=("{log_start}", "lead (is|=|means)"),
        ),
        Concept(
            "near zero, retention is about to delete unread records",
            says="a lead near zero means that retention is about to delete records nobody has read",
            gloss="接近零时, 保留策略即将删除未读记录",
            ways=(
                "lead? (越小|很小|太小|快到 0|小) .. (越危险|危险|被删|会删|要删|丢)",
                "~{retention} .. {deletes} .. {unread} ! (not|never|不会) _ {deletes}",
                "~{deletes} .. {unread} ! (not|never|不会) _ {deletes} ! no (danger|risk)",
                "~{unread} .. {deletes} ! (not|never|不会) {deletes} ! no (danger|risk) ! {reset} deletes",
                "~{near} .. {retention} .. {deletes}",
                "~{retention} .. {deletes} .. {near} ! lead .. near zero is",
                "~{retention} .. {deletes} _ _ {position}",
                "lead .. {near} .. (消息|数据|message*|record*|data) .. {deletes} ! {reset} .. {deletes} ! high lag",
                "lead .. {near} .. {deletes} _ _ (消息|数据|message*|record*|data) ! {reset} .. {deletes} ! high lag",
            ),
            against=(
                "(large|larger|big|high|bigger|大|高) _ lead _ _ _ {deletes} ! (not|no|never|不)",
                "lead _ (near|close to|at) (zero|0) _ (good|fine|harmless) ! (not|no)",
                "(low|small) lead is (harmless|fine|good|safe)",
                "high lag leads? to (deletion|delet*)",
                "lead _ _ (ahead of|in front of) .. producer*",
            ),
            near=("{retention}", "{deletes}"),
        ),
        Concept(
            "then auto.offset.reset decides what is lost or read again",
            says="once the records are gone, auto.offset.reset decides what is lost or read again",
            gloss="之后由 auto.offset.reset 决定丢失还是重读",
            ways=(
                "~{reset} .. {acts} ! {reset} (deletes|removes) ! {reset} _ not _ (decide|apply|matter)",
                "~{acts} .. {reset} ! {reset} (deletes|removes) ! {reset} _ not _ (decide|apply|matter)",
                "(by|with|per|through|按|由|根据|通过|看) _ {reset}",
                "{reset} (puts|sets|drops|places|sends|throws) _ (somewhere|elsewhere|down|back|forward|to)",
                "(out of range|outofrange*|offset_out_of_range|offsetoutofrange*|invalid|越界|无效) .. ({reset}|earliest|latest|最早|最新)",
                "(jump*|reset*|moved|sent|put|skip*|fall*|restart*|continue*|lands|goes|跳到|重置|回到|从) .. (earliest|latest|newest|end of the log|new start|最早|最新|末尾)",
                "(earliest|latest) .. (or|/|and|vs|还是|或) .. (earliest|latest|none)",
            ),
            against=(
                "{reset} (deletes|removes|will delete|删除|清理)",
                "{retention} (decides|determines|决定) where .. (continue*|goes on|reading|restart*|继续)",
                "~{reset} .. (nothing to do|does not matter|not apply|is irrelevant)",
            ),
            near=("{reset}", "(out of range|越界|outofrange*)"),
        ),
        Concept(
            "lag alone does not show it",
            says="lag alone does not show it: it looks at the other end of the log",
            gloss="只看 lag 看不出来",
            ways=(
                "~{lag} .. (has|have|gives|carries|contains|holds) no _ (info*|clue|idea|word|hint|warning|knowledge)",
                "~(can not|not|never|不能|无法) _ (be)? (deduced|derived|inferred|computed|read off|calculated|guessed|known|推出|得出|算出) .. (other|lag|另一个)",
                "~{lag} .. (as usual|as before|usual|unchanged|the same|normal|harmless|unremarkable|calm) ! lead _ (as usual|the same)",
                "{lag} .. (another|opposite|other|wrong|different) (end|side|direction|way)",
                "~{lag} .. (not|never|nothing|no|can not|without) _ _ _ {show} ! (lag and lead|not only)",
                "~(not|never|nothing|can not|no|无法|不能|不会|没法) .. {show} .. {lag} ! not (read|consum*|process*)",
                "~{lag} .. (only|just|merely|alone|仅|只|单) .. ({show}|end|other end|left|how much|how many|forward|distance|backlog|距离|末尾|多远)",
                "~(alone|only|just|single|single metric|只|光|单|仅|仅仅) _ _ {lag} .. ({show}|不|无法)",
                "~{lag} (alone|only|by itself|on its own) .. (not|never|can not|n't|nothing|no|not enough|不)",
                "~{lag} .. (看不出|看不到|反映不出|体现不出|无法|不能|不会|不够|不足)",
                "~{lag} (can|may|might|could|would) .. (constant|same|stable|fine|stay*|harmless|normal|equal|low|small|still|steady|quiet|either|both)",
                "~(same|constant|stable|equal|quiet|steady|flat|growing|large|big|high) _ {lag} .. ((different|quite different) lead*|not|fine|harmless|hide|nothing|doesn't|no)",
                "~{lag} .. (says|said|tells|shows|is|was|looks) .. (same|fine|constant|nothing|stable)",
                "~{lag} .. (fine|harmless|ok) .. (or|and|but|if) .. (fatal|horrible|bad|terrible|deadly|dangerous|catastroph*|if)",
                "~{lag} _ (is|looks|watches|measures|counts|relative|refers|shows|tells) .. (other end|end of|to the end|head|forward|{log_end}|in front|ahead|how much|left to) ! lead _ (is|=) _ same",
                "~{lag} (is not|isn't|are not|是不|并不) (enough|sufficient|够|足)",
            ),
            against=(
                "{lag} _ (is|are) (sufficient|enough) ! (not|no|never)",
                "(only|just) (high|large)? {lag} (matters|leads|is dangerous|counts)",
                "{lag} alone (shows|tells|decides|is enough|suffices|says)",
                "只看 lag 就 (足够|够)",
            ),
            near=("{lag}",),
        ),
    ),
    blunders=(
        Blunder(
            "central_claim_wrong",
            "it has lead wrong: it is measured from the log start, and small is dangerous",
            "lead 是到日志起始的距离, 越小越危险",
            even_supposed=True,
            ways=(
                "lead 小 .. (快|好事|正常|健康|没问题) ^ (不|危险)",
                "lead (大|高|变大) (才|就|要|会|时)? _ (报警|危险|告警|丢) ^ (不|小)",
                "(large|larger|big|bigger|high|higher|growing|huge) lead (means|is|=|shows|says) .. {deletes} ^ (not|never|no|safe|small)",
                "lead .. (ahead of|in front of|before) (the)? (slowest|other|others|another|average|rest) ^ not",
                "lead (is|near|at|close to|=|goes|->) _ _ (zero|0) .. (caught up|nearly caught|up to date|almost caught|at the end of|reached the end) ! (not|retention .. caught|start .. caught|cleaner|delet*|it catches)",
                "(delet*|danger*|alarm|lose|loss) _ _ (if|when|because) lead (is|gets|grows)? (high|large|big|higher|larger|bigger) ^ not ! (not|safe|no|fine|good|far|plenty|harmless|never|low|small)",
                "lead _ (becomes|grows) (too)? (large|high|big) .. {retention} ^ (not|safe|no)",
                "alarm* (on|for|at) (a)? (large|high|big) lead ! not",
                "lead (很大|过大|太大) .. (保留策略|删除) ^ (不|没)",
                "lead 是 .. (日志末尾|末尾|末端) 的? 距离",
                "alarm .. (when|if) (it|lead) (s|is|gets|grows)? _ (large|high|big|larger|higher|bigger) ^ (lag|small|low|not)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it has lead wrong: lead is the distance to the log's start, and small is dangerous",
            "lead 理解错了: 是到日志起始的距离, 越小越危险",
            (*_LEAD_MEANS_ELSE, *_LEAD_WRONG),
        ),
        Blunder(
            "direction_reversed",
            "it exchanges retention and auto.offset.reset",
            "保留策略与 auto.offset.reset 说反了",
            (
                "{reset} (deletes|removes|will delete|删除|清理)",
                "{retention} (decides|determines|决定) where .. (continue*|goes on|reading|restart*|继续)",
            ),
        ),
    ),
)

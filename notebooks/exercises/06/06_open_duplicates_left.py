# %% [markdown]
# Does Kafka's exactly-once cover sending an e-mail for each record? Why or why not, and what would
# you do?

# %% [markdown] answer
# No. Kafka's exactly-once covers Kafka's own records and offsets only. A transaction binds what is
# written to topics and the committed offsets. An e-mail is outside of Kafka. It cannot be taken back
# when the transaction is aborted. If the program crashes after sending and before it commits, it
# starts again, and the mail is sent twice. I would give each mail a unique id made of topic,
# partition and offset. The mail service drops an id that it has already seen, so sending is
# idempotent. Or I would write the mail into an outbox table in a database and store the offset in
# the same database transaction. The program that empties the outbox can repeat a mail, too, so the
# receiver still drops ids that it has seen.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: a transaction binds records and committed offsets, both of them in Kafka's own logs; what
# leaves Kafka cannot be aborted, and a crash between the effect and the commit repeats it. Cures: a
# receiver that knows what it has seen, or the position kept in the same store and transaction as the
# effect.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_WORDS = Lexicon(
    lists(
        """
eos: exactly once*, eos, transaction*, guarantee*, semantic*, atomic*, promise*, kafka, it, scope,
    protect*, 精确一次, 恰好一次, 事务, 语义, 保证, 承诺, kafka, exactly once
kafka: kafka, broker*, topic*, partition*, log, logs, cluster, own records, own data, list, itself,
    主题, kafka
mail: mail, mails, e mail*, email*, smtp, gateway*, provider*, letter*, message, external*, side
    effect*, effect*, outside, outside world, other system*, foreign system*, api, http, call,
    calls, action*, sms, delivery, deliveries, 邮件, 外部, 副作用, 第三方, 外部系统, 操作
only: only, just, limited, inside, within, internal*, ends, end, stops, stop, restrict*, confined,
    covers, cover, between, range, reach, closed world, own stuff, own things, own records, own
    data, bounded, boundary, boundaries, border*, edge, applies, scope, concern*, about, remain*,
    valid, 只, 仅, 内部, 限于, 之内, 范围, 里面, 到, 为止
outside: outside, external, beyond, not part, not _ part, not include*, not _ include*, not belong*,
    not cover*, not span*, not reach*, not control*, not extend*, not protect*, not know*, not
    touch*, not undo*, not call back, not _ back, not roll*, not _ inside, not _ in _ kafka, not in,
    not _ resource manager, no rollback, no control, no influence, no two phase, no 2pc, neither,
    not kafka, out of, foreign, third party, not stretch*, not help*, not apply, not applies, not
    involve*, not take part, not enlist*, not transactional, not _ transactional, leaves kafka, left
    the house, not revoke*, not recall*, not unsend*, not unsent, not abort*, can not be undone,
    irreversibl*, 外部, 之外, 不属于, 不包括, 不包含, 不在, 无法控制, 控制不了, 无法回滚, 不能回滚, 管不到, 管不了, 不能撤回, 无法撤回, 不覆盖, 不涉及,
    覆盖不到, 不参与, 不受, 以外, 保证不了
twice: twice, again, repeat*, duplicat*, two times, 2 times, 2 x, 2 nd, several times, multiple
    times, many times, second mail, second e mail, second email, a second time, second copy, another
    mail, another e mail, another email, more than once, re send*, resend*, resent, re sent, re
    execut*, re process*, reprocess*, redeliver*, re deliver*, re run*, replay*, retr*, at least
    once, double, doubles, doubled, doubly, not once, dupes, dup, anew, two mails, two e mails, two
    emails, two copies, twofold, re read, 重复, 两次, 第二封, 第二次, 两遍, 再一次, 又一次, 再次, 多次, 再发, 重发, 重新发送, 重试,
    又发, 两封, 不止一次, 再执行, 重新处理, 重新消费, 再处理, 又会
crash: crash*, fail*, die, dies, died, restart*, kill*, abort*, rebalanc*, before commit*, before
    the commit*, before it commits, retry*, retries, replay*, breakdown, faint*, zombie*, 崩溃, 失败,
    宕机, 重启, 重试, 故障, 挂
unique: unique, uniq*, dedup*, de dup*, idempot*, same id, id, ids, key, keys, message id*,
    identifier*, uuid, number, numbers, token*, hash, event id*, fingerprint*, coordinates, 唯一, 去重,
    幂等, 编号, 标识, 主键, id, 键
known: seen, already, sent, processed, handled, done, remember*, stored, mailed, known, before,
    duplicat*, repeat*, dup, dupes, second, again, twice, existing, exist*, past, earlier, old, 已,
    已经, 发过, 处理过, 重复, 过, 是否
filter: drop*, ignore*, skip*, filter*, discard*, reject*, refus*, detect*, check*, look* up,
    compar*, remov*, eliminat*, throw* away, suppress*, prevent*, recogni*, avoid*, deduplicat*,
    dedup*, test, tests, verify, verif*, swallow*, weed*, make sure, not send*, 去重, 丢弃, 忽略, 跳过, 过滤,
    检查, 判断, 拒绝, 避免, 校验, 查
noted: remember*, recorded, recording, keep* _ (track|list|table|log|record|note*), table, list,
    note*, memori*, journal, registry, store*, sav*, persist*, database, 记录, 保存, 表, 记住
progress: offset*, position*, progress, bookmark*, cursor, consumed _ position, tick*, where it was,
    how far, 位移, 偏移, 偏移量, 进度, 位置
store: database, data base, db, table, row, postgres*, mysql, sql, ledger, outbox, store, storage,
    same place, same transaction, one transaction, single transaction, same system, one act,
    effect*, result*, status, sent flag, flag, redis, external store, own store, own storage,
    transactional store, same commit, one commit, one step, 数据库, 表, 同一个事务, 同一事务, 一个事务, 结果, 效果, 发送状态,
    发送结果, 发送记录, 本地表, 外部存储
together: together, same, atomic*, along, one, single, with, both, and, in, at once, alongside,
    transaction*, beside, next to, 一起, 同一, 原子, 同时, 和, 与, 一个事务, 同一个, 事务
not: not, never, no, nothing, nobody, without, nor, neither, none, 不, 没, 没有, 不会, 并不, 不是, 非, 无, 无法,
    不能
"""
    )
)

_UNDONE = (
    "{mail} (is|are|gets|get|will be|would be|be|being) _ (rolled back|undone|aborted|reverted|withdrawn|recalled|taken back|cancelled|canceled|unsent|revoked) ! ({not}|only if|may|think*|believe*)",
    "(roll|rolls|rolled|rolling) back (the)? {mail} ! {not}",
    "(undo|undoes|revert|reverts|abort|aborts|recall|recalls|withdraw*) (the|an|each|all)? {mail} ! {not}",
    "邮件 (也|都|就)? (会|能|可以|被) _ (撤回|回滚|取消|撤销) ^ (不|没|无法)",
)

Rubric(
    lexicon=_WORDS,
    topic=(
        "(mail|mails|e mail*|email*|邮件|smtp|external*|外部)",
        "(kafka|exactly once|事务|transaction*)",
        "{unique}",
        "{progress}",
        "(sent|send*|发送)",
    ),
    core=("external effect can repeat", "idempotent sink or dedupe key"),
    concepts=(
        Concept(
            "scope ends at Kafka",
            says="exactly-once reaches as far as Kafka's own records and offsets",
            gloss="exactly-once 的范围只到 Kafka 内部",
            ways=(
                "{only} .. {kafka}",
                "{kafka} .. (only|internal*|internally|内部|范围|为止)",
                "{eos} .. {outside}",
                "{mail} .. {outside}",
                "{outside} .. {kafka}",
                "¬{eos} .. (cover*|span*|includ*|extend*|reach*|protect*|appl*|覆盖|包括|包含|保证) .. {mail}",
                "~{not} .. (beyond|outside|past) _ _ {kafka}",
                "{outside} .. {mail}",
                "~{not} .. {mail} .. (part|inside|within|in) .. ({kafka}|transaction*)",
                "{outside} .. (transaction*|事务)",
                "~(not|不) (it)? (cover*|覆盖)",
                "(ends|end|stops|stop) _ {kafka}",
                "~(no|not|nothing|nil|never) _ (power|control|say|influence|knowledge|know*|idea|grip|hold|authority) .. ({mail}|outside)",
                "~{mail} .. (knows|know|knew|hears|understands) (nothing|not)",
                "~(not|never|un) _ (undo*|undone|unsen*|un sent|un send|taken? back|take back|call back|called back|recall*|revok*|roll*|retract*)",
                "{mail} .. (leave*|left|exit*) _ _ ({kafka}|system|world|house)",
                "(exactly once|eos|transactions|guarantee*|promise*) _ (is|are|holds|works|applies|valid|made) _ (for|about|in|inside|within|of|between) _ {kafka}",
            ),
            against=(
                "(extend*|stretch*|reach*|cover*|includ*) .. (external|e mail*|email*|mail*|邮件) ! ({not}|only|nope|whether|beyond|how|neither|ends|would need|partly)",
            ),
            near=("{kafka}", "{outside}", "{only}"),
        ),
        Concept(
            "external effect can repeat",
            says=(
                "the mail can go out again, for example when a crash comes between sending and "
                "committing"
            ),
            gloss="外部副作用 (邮件) 可能重复",
            ways=(
                "{mail} .. {twice} ! {filter} .. {twice}",
                "{twice} .. {mail} ! {filter} _ _ {twice}",
                "~{crash} .. {twice} ! (never|not|won t|no) _ _ (again|twice|repeat*|duplicat*|more than once)|(不会|不再|避免|防止) (重复|再|被重复)",
                "~{twice} .. {crash} ! (never|not|won t|no) _ _ (again|twice|repeat*|duplicat*|more than once)|(不会|不再|避免|防止) (重复|再|被重复)",
                "(会|可能|将|被) (重复|再次|再|多次|又) (发|发送|执行|处理|消费)",
                "(send*|sent|post*|goes|go out|deliver*|发送|发) .. {twice} ! {filter} _ _ {twice}",
                "{twice} .. (send*|sent|post*|goes|go out|deliver*) ! {filter} _ _ {twice}",
                "(crash*|fail*|die*|restart*|kill*|崩溃|宕机) .. (after|between|before|之后|之前|前) .. (send*|sent|commit*|post*|tick*|mail*|e mail*|email*|提交|发)",
            ),
            against=(
                "~{mail} _ (not|never|不会|不再) _ _ (sent|send|repeat*|duplicat*|go out|goes out|leave*|发|重复) _ (twice|again|two times|more than once|重复)? ! ({unique}|if|so that|because we|check*|make sure|can not guarantee|guarantee|去重|幂等)",
            ),
            near=("{twice}", "{crash}"),
        ),
        Concept(
            "idempotent sink or dedupe key",
            says=(
                "make the receiver idempotent or give each mail a key by which repeats are dropped"
            ),
            gloss="下游幂等或用去重键",
            ways=(
                "~(dedup*|de dup*)",
                "~(去重|去除重复|排重)",
                "~{filter} .. {known} ^ {progress}",
                "~{noted} .. (seen|already|sent|processed|mailed|handled|已|发过|处理过|是否) ^ {progress} ! {progress} .. (status|sent|flag|row|result|state|状态)",
                "~(remember*|stor*|sav*|keep*|not* down|记录|记住|保存) _ _ (the|which|all|processed|sent|event|message|record|mail|these)? _ (id|ids|keys|key|numbers|编号) ^ {progress}",
                "~(idempot*|幂等) .. (sink|receiver*|consumer*|key*|mail*|e mail*|email*|service|send*|handler*|token*|operation*|processing|downstream|effect*|side|处理|操作|下游|消费|性|键|发送|接收)",
                "~(make*|sink|receiver*|mail*|service|gateway*|provider*|downstream|effect*|send*|step|下游|做|接收方|发送|实现|保证|要|需要) .. (idempot*|幂等)",
                "(idempotent|幂等) _ (consumer|receiver|sink|mailer|sender|处理|消费)",
                "(unique|uniq*|唯一) _ (id*|key*|number*|constraint*|index*|token*|标识|键|编号|约束)",
                "~{unique} .. {filter}",
                "~{filter} .. {unique}",
                "~{unique} .. {known}",
                "(message id|idempotency key|dedup* key|dedupe|event id|request id|幂等键)",
            ),
            against=(
                "(enable.idempotence|idempotent producer|idempotence) .. (enough|suffic*|solve*|prevent*|makes sure|ensure*) ! {not}",
            ),
            near=("(idempot*|幂等)", "{unique}", "{filter}"),
        ),
        Concept(
            "store offset with the effect",
            says="keep the offset in the same store and transaction as the effect",
            gloss="把位移和结果放在同一个事务里保存",
            ways=(
                "{progress} .. {together} .. {store} ! sendoffsetstotransaction",
                "{store} .. {together} .. {progress} ! sendoffsetstotransaction",
                "(stor*|sav*|keep*|writ*|persist*|put*|commit*|record*|updat*|保存|存储|写入|存|记录) .. {progress} .. {store}",
                "{progress} (and|with|plus|和|与|及) _ _ (effect*|result*|output*|status|outcome|结果|业务|状态|业务结果) .. (atomic*|together|same|one|原子|一起|同一)",
                "(transactional)? outbox ! transaction* outbox not",
                "{progress} .. (with|together|alongside|along with|beside) .. (effect*|result*|mail*|e mail*|email*|sent|outbox|outcome)",
            ),
            against=(),
            near=("{progress}", "(database|table|数据库)", "atomic*"),
        ),
    ),
    blunders=(
        Blunder(
            "central_claim_wrong",
            "it says that the mail cannot be repeated",
            "邮件可能被重复发送",
            ways=(
                "(mail*|email*) _ (lost|missed) if _ (consumer|process|app|it) (crashes|dies|fails) ! (commit*|at most|after|before)",
                "~({mail}|it|they) .. (may|can|might|could) be (lost|missed) .. (never|not) _ (repeat*|twice|duplicat*|sent again) ! (at most|if you commit|if we commit|when you commit|commit before|would)",
                "~exactly once never (repeat*|duplicat*|sends) ! inside",
                "~exactly once .. (never|不会) _ (repeat*|retri*|resend*) _ (anything|a message|mails)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says yes, the e-mail is covered",
            "不包括: 邮件在 Kafka 之外",
            even_supposed=True,
            ways=(
                "yes .. (exactly once|cover*|every e? mail*|each e? mail*|mail*|email*|kafka|transaction*|set|only|once|rolled|works|possible) ! (yes but|but not|not cover*|yes and no|not the|only inside|only within|it does not|only for kafka)",
                "(kafka* exactly once|exactly once|eos|transaction*|guarantee*|it) (semantics)? (does|do|will|also|really|of course)? (also)? (covers|cover|includes|include|extends|extend|reaches|protects|protect) _ _ (e mail*|email*|mail*|external|outside|side effect*|sending) ^ ({not}|nope|only|whether|neither|nor|no|wrong|myth|ends)",
                "it (covers|cover) (it|this|that|them|e mails|mails) ^ {not}",
                "(it|this|that) (is)? (fully|also|automatically)? covered (if|when|as long|because|by|since|as) ^ {not}",
                "duplicates _ (are|get) (dropped|removed|filtered|discarded|ignored|detected) by (the)? broker* ! (but|only|producer retries|inside)",
                "(端到端|每条消息) .. (只|仅) _ (处理|发送|发) 一次 ^ (无法|不能)",
                "~(所以|因此|就) 邮件 _ (不会|不再) _ (重复|再发) ! (去重|幂等|唯一)",
                "(yes|yep|yeah|yup|indeed) ! (but|no|not|partly|inside|within|for kafka|n t)",
                "(side effect*|mail|mails|e mail|email) .. (happens|happen|sent|executed|goes out|delivered) .. (one time only|exactly once|only once|once only|just once) ^ {not} ! ({unique}|if|would|make sure|want|need|can not|whether|so that)",
                "(e mail*|email*|mail*|sending) _ (is|are|gets) _ (covered|included|protected|guaranteed|part of the transaction) ^ {not} ! (only if|wrong|whether)",
                "(每封|每个|每条) 邮件 .. (只|仅|恰好|刚好|精确) .. 一次 ^ (不|没|无法) ! (去重|幂等|唯一)",
                "邮件 .. (只|仅|恰好|刚好|精确) _ (会|被)? (发送|发) 一次 ^ (不|没|无法) ! (去重|幂等|唯一)",
                "(可以|能|能够|会) (覆盖|保证|包括|涵盖) ^ (只|仅|吗|如果) ! 吗",
                "(可以|能够|包括|覆盖) , _ .. (事务|邮件|kafka|开启|只要) ^ (不|没|无法|仅|吗)",
                "~(no problem|of course|certainly|sure|definitely|absolutely) .. (exactly once|transaction*|cover*|kafka|mail*) ^ {not}",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it has Kafka take an e-mail back",
            "Kafka 无法撤回已发送的邮件",
            ways=_UNDONE,
        ),
        Blunder(
            "central_claim_wrong",
            "it trusts a setting of Kafka to keep the mail from being repeated",
            "Kafka 的参数不能防止邮件重复",
            even_supposed=True,
            ways=(
                "~(enable.idempotence*|idempotent producer*|idempotence|isolation.level*|read committed|transactional.id*|transactional producer*|acks = all) .. (not|never|no|only|exactly) _ _ (twice|again|duplicat*|repeat*|once) ! (not help*|does not|not enough|only inside|only within|useless|nothing|no use|not prevent*|not cover*|not protect*|within kafka|in kafka|can not|not _ mail*|do not)",
                "(enable.idempotence*|idempotent producer*|transactional.id*|transactional producer*|read committed) .. (prevent*|avoid*|ensure*|guarantee*|make sure|makes sure|solve*|part of the transaction|enough|suffic*) ^ {not}",
                "(coordinator*|broker*|kafka) (remembers|knows|remember|tracks|notes|records) .. (mail*|e mail*|email*|sent) ^ {not}",
                "~(enable.idempotence*|幂等生产者|事务) .. 邮件 .. (就)? (不会|不再) (重复|再发|被重复) ^ (不能|无法|不足)",
                "~{mail} .. {not} _ (sent|send|repeated|repeat|go out) _ (twice|again) .. because .. (transaction*|kafka|exactly once|coordinator*|broker*|committed) ! ({unique}|can not)",
            ),
        ),
        Blunder(
            "direction_reversed",
            "it commits before sending and calls that exactly-once",
            "先提交后发送是至多一次",
            even_supposed=True,
            ways=(
                "~commit* _ _ _ before .. (send*|mail*|e mail*|email*) .. (exactly once|no duplicat*|never twice|covered|only once) ! (at most|may be lost|lost|lose|miss*)",
                "~先提交 .. (再|后) .. 发 .. (一次|不会重复) ^ (丢|至多|最多)",
            ),
        ),
    ),
    doubts=(
        "(yes|sure|of course|可以|能)  ! {not}",
        "(rolled|roll|rolls) back ! {not}",
        "(enable.idempotence*|isolation.level*|acks = all)",
    ),
)

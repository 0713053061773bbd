# %% [markdown]
# Why must commitAsync not retry by itself?

# %% [markdown] answer items="N61"
# Because it does not wait. While the failed commit of offset 100 is tried again, the program has
# gone on and has already committed 200. The retry of 100 may arrive after it, out of order, and the
# older offset overwrites the newer one, since the coordinator keeps whatever comes last. After a
# restart or a rebalance the next reader starts at 100 and reads 100 to 199 again. A lost
# asynchronous commit does no harm, because the next one says more. At the end, before closing, no
# next one comes, so the last commit is a commitSync, which waits and may retry.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: the coordinator keeps the last commit it was sent, whatever its offset; commitSync may retry
# because nothing newer is on the way while it blocks (ConsumerCoordinator).
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_COMMITS = Lexicon(
    lists(
        """
retry: retry, retries, retried, retrying, re try*, resend*, re send*, re sent, resent, reissu*,
    send* _ again, sent again, once more, try* again, tries again, tried again, try it again,
    attempt, attempts, repeated, repeat*, again, second try, second attempt, delayed, late, 重试, 重发,
    再次, 重新提交, 再提交, 重新发送, 再发, 重复提交, 重提
older: older, old, oldest, stale, earlier, previous, outdated, out of date, out dated, obsolete,
    smaller, lower, past, former, first, prior, expired, superseded, 旧, 旧的, 较旧, 较早, 更早, 以前, 之前, 较小,
    更小, 小的, 过期, 过时, 先前, 早先, 老的, 老, 前面, 小
newer: newer, new, newest, later, more recent, recent, latest, bigger, larger, higher, greater,
    younger, fresher, fresh, next, subsequent, following, current, up to date, more advanced,
    advanced, 新, 新的, 较新, 更新的, 后面, 之后, 后来, 更大, 较大, 大的, 最新, 后续, 后一次, 后发, 晚
thing: offset*, commit*, position*, value*, one, ones, number*, 位移, 提交, 偏移, 偏移量, 值, 位置, offset,
    commit
overwrite: overwrit*, over write*, overrid*, over rid*, replac*, undo*, undid, clobber*, stomp*, on
    top of, over, reset*, revert*, roll* back, wip* out, eras*, cancel*, supersed*, beats, trump*,
    push* back, put* back, destroy*, shadow*, 覆盖, 盖掉, 覆写, 替换, 改回, 冲掉, 取代, 抹掉, 盖过, 顶掉, 改成, 变成, 盖
overwrites: overwrite, overwrites, overwriting, override, overrides, overriding, replace, replaces,
    replacing, clobber, clobbers, supersede, supersedes, 覆盖, 盖掉, 替换, 取代
back: 改小, 变小了, 调小, back to, go* back, went back, going back, set* back, sets it back, set _ back,
    set _ _ back, backward*, jump* back, move* back, moved back, fall* back, step back, roll* back,
    put* _ back, push* _ back, turn* _ back, back from, rewind*, rewound, regress*, decreas*, back
    in time, into the past, to the past, in the past, says _ again, shrink*, go* down, 回退, 倒退, 退回,
    变回, 改回, 回到, 往回, 后退, 倒回, 回滚, 变小, 退到, 拨回
reread: (record*|message*) .. repeated, repetition*, re consume, re read*, reread*, reprocess*, re
    process*, replay*, duplicat*, dupe*, dups, redeliver*, re deliver*, reconsum*, re consum*,
    (read*|process*|consum*|deliver*|handl*|get|gets|see|sees|receiv*|come|comes|fetch*|work*|do|does)
    .. (again|twice|second time|once more|two times|more than once), twice, doubly, repeat*
    (work|record*|message*|processing|consumption|them|what), same (messages|records|work)
    (again|twice|more than once), at least once, 重复消费, 重复读, 重读, 重复处理, 重新消费, 再次消费, 重新处理, 再消费, 重复, 再读,
    消费两次, 重新读, 重新拉取, 又消费, 又读, 消费一遍, 再处理
lose: lost, lose, loses, losing, loss, skip, skips, skipped, skipping, missed, 丢失, 丢消息, 丢数据, 跳过, 漏掉,
    丢
order: order, ordering, ordered, sequence, in order, 顺序, 次序, 先后
disorder: no ordering between, unordered, 后发先至, 先发后至, 后来居上, out of order, wrong order, different
    sequence, wrong sequence, other order, any order, reorder*, re order*, disorder*, no order, not
    in order, not ordered, no guarantee* .. order, order .. not guarant*, order .. not _ guarant*,
    not _ order*, not .. ordered, (break*|breaks|broke|mess* up|mix*
    up|violat*|chang*|destroy*|los*|shuffle*) _ _ (order|ordering|sequence), overtak*, race, races,
    race condition, racing, arrive* .. after, land* after, come* .. after, too late, 乱序, 顺序 ..
    (乱|错|无法|不能|没|不|打乱|颠倒), 打乱, 先后 .. (不|乱|颠倒), 没有顺序, (不|无法|没法|不能|难以) 保证 .. (顺序|先后), 不保证顺序, 无法保证顺序,
    次序 .. (乱|不), 竞态, 不按顺序, 晚到, 后到, 才到达
sync: commitsync, commit sync, commitsync (), synchronous, synchronously, sync commit, sync one, the
    sync, sync, blocking commit, blocking one, in person, 同步提交, 同步, commitsync
final: final, finally, last, end, ending, close, closes, closing, closed, shutdown, shut down, shuts
    down, shutting down, exit, exits, exiting, stop, stops, stopping, terminat*, leave*, leaving,
    before closing, finish*, revoke*, revoked, onpartitionsrevoked, rebalance, 最后, 关闭, 退出, 结束, 停止,
    收尾, 最终, 关机, 停机, 之前
done: succe*, success*, went through, gone through, acknowledged, accepted, committed, arrived,
    done, ok, okay, stored, written, in, made it, in place, 成功, 完成, 提交, 生效
commitasync: commitasync, commitasync (), async, asynchronous*, commit async, 异步提交, 异步
subject: offset*, group*, position*, committed, it, store, stored, kafka, coordinator, pointer,
    bookmark, commit*, we, you, 位移, 偏移, 组, 位置, 提交, 它, 进度, 书签
"""
    )
)

_REVERSED = (
    "(newer|new|newest|later|more recent|latest|bigger|higher|larger) {thing} (would|could|can|will|may|might|then|simply|just|always)? {overwrites} (the|an|a|any|its|our)? (old|older|earlier|previous|stale|smaller|lower) ! (by|with|否)",
    "(newer|new|latest|bigger|higher|larger) {thing} .. comes last .. {overwrites} (the|an)? (old|older|earlier|previous|smaller|lower)",
    "(新|新的|较新|更大|较大|后面) 的? {thing} _ (覆盖|盖掉|替换|取代) _ (旧|较旧|较早|之前|前面|更小|较小|以前) ! (被|把)",
    "(older|old|earlier|previous|stale|smaller|lower) {thing} _ (be|is|gets|get|being|been) (overwritten|overridden|replaced) (by|with) _ (newer|new|later|latest|bigger|higher|larger|more recent) ! (good|right|fine|want*|as it should)",
    "(旧|较旧|较早|之前) 的? {thing} 被 _ (新|较新|更大|后面) _ {thing}? _ (覆盖|盖掉|替换|取代)",
    "{overwrite} _ {thing} (with|by) (a|an|the)? (newer|higher|bigger|larger|later|greater) ! (older|stale|not)",
    "(let|lets|allow|allows|make|makes|letting) _ (newer|new|later|bigger|higher) {thing}? {overwrites} _ (older|old|earlier|smaller)",
)

Rubric(
    lexicon=_COMMITS,
    topic=("{retry}", "{thing}", "{overwrite}", "{reread}", "{sync}", "{order}", "{commitasync}"),
    core=("out of order", "older overwrites newer"),
    concepts=(
        Concept(
            "out of order",
            says="a retried commit may come after later ones, out of order",
            gloss="重试的提交可能乱序到达",
            ways=(
                "(meanwhile|in the meantime|by then|since then|in between) .. #b .. (ok|succeed*|success*|done|through|committed|accepted)",
                "~{disorder} ! (order|顺序) _ (always|is kept|kept|preserved) ! not because of ! not about",
                "{newer} _ {thing}? .. (already|meanwhile|by then|since|in between|before|may have|might have|could have|has|have|had) .. {done}",
                "(may|might|could|can|will|have|has) (already|well)? (have|has|been)? _ (committed|sent|stored|succeeded) .. {newer} ! {sync}",
                "~(when|if|only|unless|while) .. no _ {newer} .. ({done}|sent|pending|in flight)",
                "{newer} .. (已经|已|早已) .. (成功|提交|完成)",
                "{retry} .. (after|behind|later than|following) .. ({newer}|200|next)",
                "#a .. #b .. {retry} [a<b]",
                "{retry} .. #a .. (after|when|once|while|behind) .. #b [a<b]",
                "#b .. {retry} .. #a [a<b]",
                "(written|arrive*|come*|land*|stored|applied|sent|win*) _ (last|later|late) .. {older}",
                "{older} .. (written|arrive*|come*|land*|stored|applied|win*) _ (last|later|late)",
            ),
            against=(
                "(order|顺序|ordering) (is|are|was|always|总是|一直) _ (kept|guarantee*|preserved|safe|保证|不变) ! (not|no|never|不|if|无法)",
                "~not (because of|about|due to|a matter of|a question of) _ (order|ordering|sequence)",
            ),
            near=("{order}", "{retry} .. {newer}"),
        ),
        Concept(
            "older overwrites newer",
            says="so the older offset would overwrite the newer one",
            gloss="旧位移会覆盖新位移",
            ways=(
                "{newer} .. {retry} .. (undo*|overwrit*|replac*|revert*) (it|that|them)",
                "(after|later than|behind|following) .. {newer} .. {overwrites} (it|that|them|this)",
                "{newer} .. {older} .. (把|将) (它|其) {overwrite}",
                "#a .. (in place of|instead of|over|on top of|覆盖|盖掉|替换) _ #b [a<b]",
                "{older} .. {overwrite} .. {newer}",
                "{overwrite} _ _ {newer}",
                "{overwrite} .. {thing} .. (with|by|to) .. {older} ! {overwrite} .. {older} .. (with|by)",
                "{older} .. (把|将) .. {newer}",
                "{older} .. {newer} .. (undo*|overwrit*|replac*|reset*|cancel*|覆盖) ! {newer} _ {overwrites} _ {older}",
                "{older} .. {back}",
                "{subject} .. {back}",
                "{retry} .. {overwrite} .. {newer}",
                "{retry} .. {back}",
                "#a .. #b .. {retry} .. #a .. (committed|stored|makes it|again|in place|wins|counts) [a<b]",
                "(last write wins|last one wins|last commit wins|whoever (comes|writes) last)",
            ),
            against=(
                *_REVERSED,
                "(broker|coordinator|kafka|server|协调者) _ "
                "(refus*|reject*|ignor*|discard*|drops|拒绝|忽略) _ "
                "(older|old|smaller|lower|stale|旧|较小|小) ! (not|no|never|不|若|if)",
            ),
            near=("{overwrite}", "{older} .. {thing}", "{back}"),
        ),
        Concept(
            "re-read/duplicates after restart",
            says="after a restart or rebalance, records are read again",
            gloss="重启后会重复消费",
            ways=(
                "{reread} ! (commit*|offset*|位移) (again|twice)",
                "~{reread} & (restart*|crash*|rebalanc*|fail*|重启|崩溃|takes over|new owner)",
                "(restart*|crash*|rebalanc*|new owner|takes over|next start|starts|重启|崩溃|重平衡) .. (from|at|with|从|在) _ {older} ! {lose}",
            ),
            against=(
                "(message*|record*|data|消息|数据|记录) _ (would|will|could|can|may|might|are|is|be|get|会|被|就|可能)? _ (lost|skipped|missed|丢失|丢|跳过) ! (not|no|never|不|没)",
                "{lose} _ (message*|record*|data|消息|数据|记录) ! (not|no|never|不|没|rather|instead)",
                "duplicat* .. (in the topic|into the topic|in the log|producer)",
            ),
            near=("(restart*|crash*|重启|崩溃|rebalanc*)",),
        ),
        Concept(
            "final commitSync",
            says="the last commit, before closing, should be a commitSync",
            gloss="关闭前最后一次用 commitSync",
            ways=(
                "~{sync} .. {final} ! not (use|call|do|need)? _ {sync} ! {commitasync} .. {final} .. instead ! {sync} (can|may|could|does|will) (retry|be retried|retries) .. (because|since|as) _ block* ! 异步 _ {final}",
                "~{final} .. {sync} ! {final} _ {commitasync} ! (not|never|no need) _ {sync}",
            ),
            against=(
                "{final} _ _ (use|call|do|用|调用) _ commitasync ! {sync}",
                "~(no need|not need*|never|unnecessary|avoid|不需要|不要|没必要) .. commitsync ! (in the loop|each|every|循环)",
            ),
            near=("{sync}",),
        ),
    ),
    blunders=(
        Blunder(
            "central_claim_wrong",
            "it says that a retry would block or need another thread",
            "认为重试会阻塞, 不对",
            even_supposed=True,
            ways=(
                "~{retry} _ (be|is|run|runs|executed|happen*) _ (in|on|by) (another|other|a second|different|background) thread ! (commitsync|sync)",
                "(because|since|as) .. (single threaded|not thread safe|thread safe) ! (commitsync|sync)",
                "retrying _ _ (block*|hang*|stall*|freez*) _ _ (poll|loop|thread|consumer) ! (commitsync|sync|never|without|同步)",
                "(thread|loop|consumer|poll) .. (would|could|will) (hang|block|freeze|stall|be blocked|be stuck) ! (commitsync|sync|not|never|同步)",
                "~(heartbeat*|心跳) .. (not|could not|发不|无法) .. (send|sent|出去|evict*|kick*|踢)",
                "重试 _ 阻塞 ! (commitsync|同步|不)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that the commit is retried already",
            "commitAsync 并不会自动重试",
            even_supposed=True,
            ways=(
                "~(commitasync|client|broker|it|kafka) already (retries|retried|retry)",
                "(second|another|double) retry .. (double|twice) ! not",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that the broker would ignore an older offset",
            "协调者不会忽略较旧的位移",
            even_supposed=True,
            ways=(
                "retr* _ (be|is|gets) (simply|just)? (ignored|refused|rejected|dropped) by? ! (not|if|should|could|would be better)",
                "(broker|coordinator|server|kafka) _ (refuses|rejects|ignores|discards|drops) _ (offset|offsets|commit|commits)? _ {older} ! (not|no|never|if|would|should|could)",
                "(commit*|offset*) (are|is) (ordered|sorted) by offset (at|in|on|by) the? (broker|coordinator|server) ! not",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it has a retry commit records nobody has handled",
            "重试提交的是旧位移, 不是未处理的位置",
            even_supposed=True,
            ways=(
                "~(消息|数据) .. (丢失|丢) .. (因为|由于) .. 重试 .. (还没|未|没有) (处理|消费) ! (不会|不是|旧)",
                "~(因为|由于) .. 重试 .. (还没|未|没有) (处理|消费) 的? 位置 ! (不会|不是|旧)",
            ),
        ),
        Blunder(
            "direction_reversed",
            "it has the newer offset overwriting the older one, where the older one would "
            "overwrite the newer",
            "说反了: 是旧位移覆盖新位移",
            _REVERSED,
            even_supposed=True,
        ),
        Blunder(
            "central_claim_wrong",
            "it says that a retry would block",
            "认为重试会阻塞, 不对",
            ways=(
                "({retry}|it) _ _ (block*|阻塞|卡住|freez*|stall*|hang|hangs) ! (commitsync|sync|同步|not|no|never|不|without)",
                "{retry} .. (block*|阻塞|卡住|stall*) .. (poll|loop|thread|heartbeat*|线程|心跳|消费) ! (commitsync|sync|同步|not|no|never|不)",
                "(heartbeat*|心跳) .. (not|could not|发不|无法) .. (sent|send|发|evict*|kick*|踢)",
            ),
            forgiven_by=(
                "{older} .. {overwrite} .. {newer}",
                "{subject} .. {back}",
                "{overwrite} _ _ {newer}",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that records would be skipped or lost, where they would be read again",
            "认为会丢消息, 其实是重复消费",
            ways=(
                "~{retry} .. (too high|too far|higher) .. (never|not|skip*|lost|miss*) ! ({older} .. {overwrite})",
                "{retry} .. (newer|unprocessed|not processed) (message*|record*) .. (consumed|processed|read) ",
                "{retry} .. (message*|record*|consumer) .. (skip|skips|skipped|lost|lose|loses) ! ({older} .. {overwrite} .. {newer}) ! (not|no|never|rather)",
                "{overwrite} .. (higher|newer|bigger|larger) .. skip* ! (older|stale|lower|smaller) .. {overwrite}",
            ),
            forgiven_by=("{older} .. {overwrite} .. {newer}", "{subject} .. {back}", "{reread}"),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that commitAsync already retries, or that a retry could do no harm",
            "认为 commitAsync 已自动重试或重试无害, 不对",
            ways=(
                "(commitasync|it|client|异步提交) (already|does|itself|automatically|internally|always|will|已经|会自动|自动) (retry|retries|retried|重试) ! (not|no|never|不|without|if|would)",
                "(broker|coordinator|kafka|server|协调者) _ (refus*|reject*|ignor*|拒绝|忽略) _ (an|the|any)? (older|old|smaller|lower|stale|旧|较小|小) ! (not|no|never|不|if)",
                "(is|are|be|would be|its|perfectly|quite) (fine|safe|harmless|no problem|ok) _ _ {retry} ! (not|never|if|only|when|because nothing|sync*|commitsync)",
                "offset* (only|ever|always|only ever) (grow*|increase*)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it speaks of records written twice; a commit writes no records",
            "提交不会写入消息, 与生产者混淆",
            ways=(
                "(producer|produce*) .. (again|twice|duplicat*) ! (not|no|like|unlike)",
                "duplicat* _ (message*|record*)? (in|into|to) the (topic|log|partition)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it denies that the order is the reason",
            "否认顺序问题, 不对",
            ways=(
                "~not (because of|about|due to|a matter of) _ (order|ordering|sequence)",
                "order (is|are) always (kept|guaranteed|preserved|right)",
                "~{disorder} (is not|is no|not|isn) (a|the)? problem",
            ),
        ),
    ),
)

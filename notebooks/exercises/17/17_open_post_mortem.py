# %% [markdown]
# Write the post-mortem of 03:12, one page at most. What was seen, and when? What started it? What did
# that do to the group, and why? Which lines prove it? What was it not? Which change prevents it, and
# how do you know? How will you notice the next one early?

# %% [markdown] answer
# From 03:12 on the lag of one group rose, from a few records to more than a hundred, and stayed high
# for minutes. The trigger was a deploy: at 03:12 all four members were closed and started again with
# a new build. In the new build the work on some batches takes 16 seconds. That is longer than
# max.poll.interval.ms, which was 12 seconds. So a member did not poll in time, and its client left
# the group. Each time the group rebalanced, the partitions moved to other members, and these were put
# out as well. Meanwhile nobody read. The evidence is the WARN line "consumer poll timeout has
# expired", nineteen times in this group, the first some seconds after the restart and none before it.
# It was not the session timeout: the heartbeats went on, and the story played again with a session of
# 60 seconds is the same. It was also not the missing replicas, which came at 03:15. With
# max.poll.interval.ms at 20 seconds the story played again has no eviction. We set it, and measure the
# work of a batch. From now on we roll out to one member first, and alert on each poll timeout and on
# more than five rebalances in a minute. The team of the group does this by Friday.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: the trigger of 03:12 is a deploy; the work of a poll takes longer than max.poll.interval.ms.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_NIGHT = Lexicon(
    lists(
        """
lag: lag, lags, lagged, lagging, backlog, behind, 积压, 滞后, 延迟, 堆积
rise: rise*, rose, risen, grew, grow*, climb*, jump*, increas*, higher, went up, going up, shot up,
    spike*, 上升, 升高, 增长, 增加, 飙升, 上涨, 变大
deploy: deploy*, rollout, roll out, rolled out, release*, new build, new version, restart*, started
    again, started anew, upgrade*, 部署, 上线, 发布, 新版本, 重启, 升级
work: work, works, worked, working, process*, batch*, handl*, job, jobs, between _ polls, poll gap,
    poll, polls, polled, 处理, 工作, 批, 轮询, 两次 poll
long: longer, too long, slow, slower, too slow, too late, late, exceed*, over, more than, above, not
    in time, in time, beyond, 超过, 太久, 太慢, 过长, 超时, 更长, 变慢, 大于
limit: max.poll.interval.ms, max.poll.interval, max poll interval, poll interval, poll timeout, poll
    limit, 轮询间隔
out: leave*, left, leaving, evict*, put out, thrown out, kicked out, kick*, remov*, expel*, drop*
    out, 离开, 踢出, 被踢, 移出, 退出, 剔除
rebalance: rebalanc*, reassign*, moved to, move to, moves to, handed to, generation*, nobody read*,
    no one read*, 再平衡, 重平衡, 重新分配, 没人读, 无人读取
proof: line, lines, log, logs, warn, warning*, evidence, prove*, proof, proven, show*, message*, 日志,
    证据, 证明, 警告, 显示, 表明, 行
other: session*, heartbeat*, replica*, isr, broker*, retention, storm, producer*, network, other
    group*, other finding*, 会话, 心跳, 副本, 网络, 生产者, 其他组, 保留
not_it: not, n't, no, never, neither, nor, nothing to do, unrelated, ruled out, rule out, excluded,
    innocent, went on, continued, later, after, 不是, 无关, 排除, 没有, 正常, 之后
fix: raise*, raising, increas*, set, sets, setting, longer, larger, 20 seconds, 20 s, 20000, 20,
    000, shorten*, faster, fewer, smaller, roll* back, 调大, 提高, 设为, 设置, 改为, 增大, 调到, 缩短, 回滚
replayed: played again, play* _ again, play* it again, play* the story, replay*, re played, re run,
    rerun, ran again, run again, tested, verified, in the lab, simulat*, 重放, 重演, 重跑, 再跑, 验证, 重新运行,
    实验
next: alert*, alarm*, monitor*, dashboard, canary, one member first, one instance first, page,
    notify, notif*, step by step, gradual*, owner, by friday, action item*, 告警, 报警, 监控, 灰度, 金丝雀,
    先上一台, 负责人, 逐步
"""
    )
)

_WRONG_CAUSE = (
    "(because|since|cause|reason|root cause) .. (heartbeat*|session*) .. (stop*|expired|ended|lost|missing|"
    "timed out|too short) ^ (not|no|never|n't|neither|nor)",
    "(heartbeat*|session*) .. (stop*|expired|ended|lost|timed out|too short) .. (so|therefore|caused|which) "
    "^ (not|no|never|n't|neither|nor)",
    "(because|cause|reason|root cause) .. (replica*|isr|retention) ^ "
    "(not|no|never|n't|neither|nor|unrelated|later)",
    "(因为|原因是|由于) .. (心跳|会话|副本) .. (停|超时|过期|不足|太短|丢失) ^ (不是|没|无关|并非)",
)

Rubric(
    lexicon=_NIGHT,
    topic=("{lag}", "{deploy}", "{limit}", "{rebalance}", "{out}"),
    core=("the work is too long", "a deploy started it"),
    concepts=(
        Concept(
            "lag from 03:12",
            says="the lag of one group rose from 03:12 on",
            gloss="从 03:12 起一个组的积压上升",
            ways=(
                "{lag} .. {rise}",
                "{rise} .. {lag}",
                "{lag} .. (03:12|3:12)",
                "(03:12|3:12) .. {lag}",
            ),
            near=("{lag}",),
        ),
        Concept(
            "a deploy started it",
            says="all members were started again in a new build",
            gloss="触发因素是部署: 所有成员换新版本重启",
            ways=(
                "{deploy} .. (member*|instance*|consumer*|all|build|version|成员|实例|消费者)",
                "(member*|instance*|consumer*|all|trigger*|成员|实例|触发|起因) .. {deploy}",
                "(after|since|with) .. {deploy}",
                "{deploy} .. (后|之后|以后)",
            ),
            against=("~(no|not|without) _ (a|any)? (deploy*|restart*|rollout) ! (after|since)",),
            near=("{deploy}",),
        ),
        Concept(
            "the work is too long",
            says="the work between two polls took longer than max.poll.interval.ms",
            gloss="两次 poll 之间的处理时间超过 max.poll.interval.ms",
            ways=(
                "{work} .. {long} .. {limit}",
                "{long} .. {limit}",
                "{limit} .. {long}",
                "{work} .. {limit}",
                "(did not|didn't|does not|doesn't|without|not|没有|没能|未) .. poll .. (in time|及时|按时)",
            ),
            near=("{work} .. {long}", "{limit}"),
        ),
        Concept(
            "out of the group, again and again",
            says="members left the group, and each time it rebalanced and partitions moved",
            gloss="成员离开组, 组反复再平衡",
            ways=(
                "{out} .. {rebalance}",
                "{rebalance} .. {out}",
                "{out} .. (group|组)",
                "(group|组) .. {rebalance}",
            ),
            near=("{out}", "{rebalance}"),
        ),
        Concept(
            "lines that prove it",
            says="the WARN lines of the expired poll timeout, with their number or time",
            gloss="证据: poll 超时的 WARN 日志",
            ways=(
                "{proof} .. (expired|poll timeout|poll timeouts|warn|times|超时|次|条)",
                "(expired|poll timeout|warn|超时) .. {proof}",
                "(\\d+) .. (warn|warning*|lines|行|条)",
            ),
            near=("{proof}",),
        ),
        Concept(
            "what it was not",
            says="it was not the session or the heartbeats, and not the other findings",
            gloss="不是会话或心跳, 也不是别的问题",
            ways=(
                "~{not_it} .. {other}",
                "~{other} .. {not_it}",
                "(ruled out|unrelated|innocent|nothing to do|排除|无关)",
            ),
            near=("{other}",),
        ),
        Concept(
            "the change, played again",
            says="max.poll.interval.ms above the work, and the story played again has no eviction",
            gloss="调大 max.poll.interval.ms, 重放验证",
            ways=(
                "{fix} .. {replayed}",
                "{replayed} .. {fix}",
                "{limit} .. {replayed}",
                "{replayed} .. {limit}",
                "{replayed} .. (no|0|none|zero|没有|无) .. (eviction*|expired|warn*|{out})",
            ),
            near=("{fix} .. {limit}", "{limit} .. {fix}"),
        ),
        Concept(
            "the next time",
            says="an alert, a slow rollout, and somebody who does it",
            gloss="以后: 告警, 灰度, 负责人",
            ways=("{next}",),
            against=(
                "~(no|not|without|n't) _ (need|necessary)? .. (alert*|alarm*|monitor*)",
                "~(不需要|不必|无需) .. (告警|监控|报警)",
            ),
        ),
    ),
    blunders=(
        Blunder(
            "central_claim_wrong",
            "it names another cause than the long work of a poll",
            "原因不是心跳, 会话或副本",
            _WRONG_CAUSE,
        ),
    ),
)

# %% [markdown] items="N98 N99"
# All replicas in sync are down. One that is not in sync is up. Would you let it lead, for a topic
# with payments? For a topic with metrics? What do you gain and lose, and where do you set it?

# %% [markdown] answer
# For payments I keep unclean election off. The partition stays offline until an in-sync replica
# comes back, because losing acknowledged payments is worse than a stop. For metrics I switch unclean
# election on: a gap in the metrics is tolerable, and it is more important that the topic stays
# available. An unclean leader loses the acknowledged records that it has not copied yet, and the old
# leader cuts them off when it comes back. unclean.leader.election.enable is set for each topic, so
# both kinds can live in one cluster.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: with unclean.leader.election.enable=false (the default) a partition without a live in-sync
# (or eligible) replica has no leader; with true the first live replica leads and the records that it
# lacks are lost, acknowledged or not; it is a topic setting with a broker default. From 4.1 on, when
# none is in sync or eligible, the last known leader leads as soon as it is back (KIP-966).
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_ELECTION = Lexicon(
    lists(
        """
payments: payment*, pay, money, bank*, orders, financial, transactions, transfers, account*, 支付, 付款,
    金融, 钱, 交易, 订单
metrics: metric*, telemetry, statistic*, monitoring, clicks, counters, measurements, sensor*, 指标,
    监控, 度量, 统计
off: off, clean, disabled, disable, disallow*, forbid*, forbidden, false, wait*, offline, stop,
    stops, stopped, stand* still, unavailab*, not allow*, no unclean, not let, consisten*, 关闭, 禁止,
    等待, 离线, 停止, 不允许, 一致性, 不可用, false
on: on, unclean, enabled, enable, allow*, true, go on, goes on, continu*, availab*, elect it, let it
    lead, keep running, up, 开启, 允许, 继续, 可用, 可用性, true
loss: los*, lose*, lost, loss, losing, missing, gone, vanish*, disappear*, cut*, truncat*, throw*
    away, thrown away, drop*, 丢, 丢失, 丢弃, 截断, 消失, 没了
acknowledged: acknowledg*, acked, ack, confirmed, committed, told, promised, 已确认, 确认, 已提交, 承诺
lacking: not copied, not yet copied, has not, have not, did not have, does not have, lacks, lack,
    behind, lag*, not replicated, only the (old|dead|in sync), never copied, 没有复制, 未复制, 落后, 缺少, 没有的
tolerable: gap*, hole*, tolera*, accept*, does not matter, not matter, harmless, no problem, few
    points, approximate*, not important, unimportant, fine, 缺口, 容忍, 接受, 无所谓, 不重要, 没关系
worse: worse, must not, may not, never, unacceptable, not acceptable, more important, cannot, can
    not, expensive, cost*, better, 更严重, 更糟, 不能, 不可接受, 更重要, 宁可, 宁愿
setting: setting, set, config*, switch*, unclean.leader.election.enable, option, decid*, decision,
    choose, chosen, 设置, 配置, 决定, 选择
each: each topic, per topic, topic level, by topic, every topic, for a topic, on the topic, at the
    topic, topic config*, topic setting, 每个主题, 按主题, 主题级, 每个 topic, 按 topic, topic 级
"""
    )
)

Rubric(
    lexicon=_ELECTION,
    topic=("{payments}", "{metrics}", "{loss}", "{each}", "(unclean|elect*|leader|选举|领导)"),
    core=(
        "payments: off, because lost acknowledged records are worse than a stop",
        "metrics: on, because a gap is tolerable",
    ),
    concepts=(
        Concept(
            "payments: off, because lost acknowledged records are worse than a stop",
            says="for payments keep it off: losing acknowledged records is worse than a stop",
            gloss="支付: 关闭, 丢失已确认的记录比停止更糟",
            ways=(
                "~{payments} .. {off}",
                "~{off} .. {payments} ! {metrics} .. {payments}",
                "~{payments} .. {loss} .. {worse}",
                "~{payments} .. {worse} .. {loss}",
            ),
            against=("{payments} .. (unclean election|it) (is|to|switched)? on ^ (off|not|不)",),
            near=("{payments}",),
        ),
        Concept(
            "metrics: on, because a gap is tolerable",
            says="for metrics allow it: a gap is tolerable, and the topic stays available",
            gloss="指标: 允许, 缺口可以容忍, 主题保持可用",
            ways=(
                "~{metrics} .. {on}",
                "~{metrics} .. {tolerable}",
                "~{tolerable} .. {metrics}",
            ),
            against=("{metrics} .. (switched|keep|kept|it)? off ^ (on|not|不)",),
            near=("{metrics}",),
        ),
        Concept(
            "an unclean leader loses acknowledged records that it lacks",
            says="an unclean leader loses the acknowledged records that it has not copied",
            gloss="非安全选举的领导者丢失它没有复制的已确认记录",
            ways=(
                "~{loss} .. {acknowledged}",
                "~{acknowledged} .. {loss}",
                "~{loss} .. {lacking}",
                "~{lacking} .. {loss}",
            ),
            against=(
                "(nothing|no record*) (is|are|will be|gets)? lost ^ (off|clean|wait*)",
                "unclean .. (loses|lose) (nothing|no) ^ (off|not)",
            ),
            near=("{loss}",),
        ),
        Concept(
            "it is a setting of each topic",
            says="unclean.leader.election.enable is set for each topic",
            gloss="这个设置按主题配置",
            ways=(
                "~{setting} .. {each}",
                "~{each} .. {setting}",
                "~{each} .. (different|own|both|separate*|不同|分别)",
                "(主题|topic) .. (分别|各自|单独) .. {setting}",
            ),
            near=("{setting}",),
        ),
    ),
    blunders=(
        Blunder(
            "direction_reversed",
            "it allows an unclean election for payments and forbids it for metrics",
            "说反了: 支付应关闭, 指标可允许",
            (
                "{payments} .. (unclean election|let it lead|unclean) (is|to|switched)? (on|allowed|enabled) ^ (not|no|never|off|不)",
                "(allow*|enable*|允许|开启) _ _ (for)? {payments} ^ (not|no|never|不|metrics)",
                "(支付|付款|交易) _ (要|应该|应|必须|可以) (允许|开启|打开|启用) ^ (不|指标|监控|unclean.leader.election.enable)",
                "(指标|监控) _ (要|应该|应|必须) (禁止|关闭|关掉|禁用) ^ (不|支付|交易)",
                "(forbid*|disable*|禁止|关闭) _ _ (for)? {metrics} ^ (not|no|never|不|payments)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that an unclean election loses nothing",
            "非安全选举会丢失数据",
            (
                "unclean (election|leader*)? (loses|lose|lost) (nothing|no (data|record*)) ^ (not|never)",
                "(no|without) (data)? loss .. unclean ^ (off|clean election|not)",
            ),
        ),
    ),
)

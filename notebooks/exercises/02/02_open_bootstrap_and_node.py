# %% [markdown] items="P16 P17"
# A producer first connects to a bootstrap server as node -1 and later opens a second connection to
# the very same host and port as node 0. Why can the first connection not simply be reused, and
# would comparing host:port instead of the id fix it?

# %% [markdown] answer
# The first connection is kept under the made-up id -1, because the client did not know the broker
# yet. The client finds its connections by node id, so a request for node 0 does not find this one.
# Comparing host and port would not really fix it. The address in bootstrap.servers may differ from
# the advertised listener, one name may belong to several brokers, and a load balancer may be in
# between. The price of the simple rule is one idle connection. The idle limit closes it after nine
# minutes. So it is a trade-off, and a cheap one.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: node ids and idle closing as in the chapter (bootstrap nodes are numbered -1, -2, ... by the
# client; sockets are keyed by the id's text; still so in 4.x). On `this` escaping and safe
# publication: Java Language Specification 17.4-17.5.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_CONNECTIONS = Lexicon(
    lists(
        """
first_node: bootstrap, - 1, -1, negative, first connection, first socket, first one, first node,
    first id, seed, 引导, 负数, 负一, 负 1, 第一个, 第一条, 最初, 初始
id: id, ids, identity, number, numbers, node id, 编号, 标识, 身份, 号码, 节点号, 序号, 节点 id
fake: fake*, pretend*, just made, not real, 代号, 代替, 顶替, 先记作, 记作, crutch, only a label, not an
    identity, not _ identity, unknown caller, some server, not any broker, no _ real id,
    placeholder*, dummy, made up, make* up, invent*, synthetic, artificial*, temporar*,
    provisional*, pseudo*, bogus, stand in, virtual, temp, phony, stub, anonymous, mock, 假的, 假 id,
    假节点, 假编号, 假身份, 假, 虚假, 虚构, 虚拟, 伪, 占位, 临时, 编造, 编出来, 捏造, 杜撰, 随便, 人为, 暂时, 代号
real_id: who, whom, whose, behind, is broker 0, 谁, 几号, 对面, 是哪, 身份, real _ id, real _ ids, true _ id,
    broker id, real _ number, which broker, what broker, 真实 _ id, 真正 _ id, 真实编号, 真实节点, 真实身份, 真 id,
    broker 的 id, broker id, 哪个 broker, 哪个节点, 哪台
unknown: no clue, has not met, not _ identity, lack of, not know*, (nobody|no one|nothing) _
    (told|tells|knows|said), not _ known, anonymous, not yet know*, unknown, no idea, not known, can
    not know, before _ know*, not tell, knows nothing, knew nothing, 不知道, 不知, 未知, 不了解, 还没拿到, 没有拿到,
    不清楚, 不认识, 无法知道, 尚未获得, 还没获得, 没法知道, 才知道, 才能知道
metadata: metadata, metadata response, 元数据, 元信息
keyed: looks, look, go* by, going by, look* _ up, hang* on, keyed, key, keys, index*, identif*,
    look* up, lookup*, looked, store*, stored, map, maps, hashmap, hash map, dict, filed, organi*,
    distinguish*, recogni*, match*, bookkeeping, kept by, decide*, compare*, find*, found,
    identified, tied to, tag*, labelled, names, goes by, asks for, searches, search*, refer*,
    records, 键, key, 索引, 标识, 查找, 查, 寻找, 区分, 识别, 管理, 映射, 存储, 存放, 保存, 登记, 辨认, 判断, 匹配, 缓存, 认定, 比较, 按,
    依据, 根据, 为准, 认的是, 只认, 认 id, 对应, 记录, 绑定, 字典, 检索
by_id: idstring, belong* to ids, by id, by _ id, on _ id, on _ ids, using _ id, use* _ id, id
    string, id only, per id, by _ ids, by _ number, node ids, with _ id, under _ id, under -1, under
    0, by _ identity, from id, id to, id ->, id as, the node id, the id, of _ id, 按 id, 用 id, 以 id,
    靠 id, 按节点 id, 按 node id, 以节点 id, 用节点 id, 根据 id, id 为, id 来, 是 id, id 做, 按编号, 节点 id, node id, 的
    id, 只认 id, 以编号, 节点的 id
connection: connection*, socket*, channel*, tcp, client, selector, networkclient, network client,
    kafka, producer, state*, 连接, 套接字, 链接, 通道, 客户端, 生产者, selector, 状态, socket
different_ids: different _ id, ids differ, ids are different, ids do not match, two _ ids, two ids,
    two names, new id, id 不一样, 编号不同
different_node: another node, different node*, different broker*, two nodes, two brokers, separate
    node*, unrelated, stranger*, two different, two separate, 另一台, 不同的节点, 不同节点, 两个节点, 两个不同, 新的节点,
    新节点, 不是同一个, 别的节点, 当作不同, 无关, 没有关系, 两台
no_entry: not find, finds nothing, found nothing, not found, no entry, miss, no match, no socket,
    not there, not in the, comes up empty, 找不到, 没有找到, 查不到, 没有 0, 没有对应, 不存在, 没有连接, 没找到
hostport: host : port, host and port, ip / port, address*, addr, hostname, host, comparing host*,
    comparison, compare*, 主机名, 地址, host 和 port, 主机端口, 端口, 比较
advertised: advertised, advertise*, advertised listener*, advertised.listeners, advertised name*,
    listener, listeners, announce*, 广播地址, 公布, 通告, 对外地址, 对外公布, 监听器, 对外暴露, 宣告, 公告地址, 广告地址, 宣称, 对外监听,
    返回的地址
indirect: load balancer*, balancer, vip, virtual ip*, dns, proxy, proxies, nat, alias*, several
    brokers, many brokers, several machines, multiple ips, different brokers, docker, k8s, round
    robin, port forward*, resolve* to, 127.0.0.1, different host*, other name, another name, another
    address, several names, two names, several addresses, front, 负载均衡, 代理, 域名, 别名, 解析, 多台, 多个
    broker, 网关, 转发, 端口映射, 容器, 不同地址, 地址不同, 名字不同, 内网, 外网, 多个节点, 多个地址, 反向代理
differ: differ*, different*, not _ same, not match, not equal, another, not necessarily, vary,
    several, many, multiple, behind, hide*, change*, not what, ambiguous, unreliable, not reliable,
    not always, 不同, 不一样, 不一致, 不等于, 未必, 不一定, 可能是, 另一个, 多个, 背后, 后面, 变化, 改变, 不相同, 不相等, 对不上, 不匹配, 不可靠,
    不唯一, 不总是
idle: idle*, unused, inactiv*, inactivity, nine minutes, 9 minutes, 9 min, 9min, 9 m, 9m, 540,
    540000, 540 s, timeout, time out, timer, connections.max.idle.ms, without traffic, without use,
    quiet, silent, lru, 空闲, 闲置, 不活跃, 9 分钟, 九分钟, 超时, 没人用, 无人使用, 没有流量, 不再使用, 不用了, 没用了, 没有请求, 闲着, 最大空闲,
    无活动, 用不到
closed: clos*, die, dies, died, dead, expire*, cleaned, reap*, remov*, kill*, disconnect*, goes
    away, terminat*, shut*, cut, vanish*, disappear*, end, ends, time out, gone, hang* up, thrown
    away, get rid of, idle* out, 关闭, 断开, 回收, 关掉, 关了, 清理, 清除, 释放, 断掉, 销毁, 淘汰, 被关, 会关, 关上, 消失, 自动关,
    掉线, 踢掉, 切断, 断, 断开连接
forever: never, always, 永远, 一直, 永久, 不会关闭, 从不, 始终
cost: cost*, price, waste*, cheap*, small, negligible, little, only one, one extra, extra socket,
    one idle, one socket, one connection, tiny, just one, spare, redundant, surplus, 代价, 成本, 开销, 浪费,
    便宜, 只是多, 只多, 多一个, 多一条, 多余, 资源, 一个空闲, 一条空闲, 可以接受, 很小, 不大, 损失, 消耗, 可忽略, 无所谓, 无伤大雅
benefit: save*, saving, avoid*, spare*, gain*, benefit*, help*, remove*, get rid, dedupl*, win,
    wins, 节省, 省, 避免, 减少, 好处, 收益, 省去, 优点, 省下, 少一个, 少一条, 省掉
risk: risk*, wrong broker, wrong machine, bug*, mistake*, complex*, complicat*, confus*, mis*,
    unsafe, danger*, error*, fail*, problem*, trouble*, unreliable, ambiguous, lose, more code,
    extra code, mess*, new problem*, not robust, hard, mix* up, merge*, issue*, bookkeeping, care,
    风险, 错误, 出错, 复杂, 混淆, 问题, 不可靠, 认错, 误判, 麻烦, 连错, 发错, 脆弱, 困难, 坏处, 缺点, 危险, 弄错, 搞错, 失效, 出问题, 混乱
tradeoff: trade off*, tradeoff*, trade, trades, worse than, paying for, worth*, not worth, pay*
    with, pay* for, balance, simplicity, cheaper than, cheaper to, buys, buy, small gain, living
    with, justif*, 权衡, 取舍, 折中, 得不偿失, 不值得, 值得, 不划算, 划算, 换取, 换来, 利弊, 宁可, 宁愿, 平衡, 妥协, 简单, 更安全, 更稳妥,
    有得有失, 有利有弊, 交换
would_fix: fix*, solve*, resolve*, work, works, help*, enough, reuse, allow*, 解决, 修复, 可行, 有效, 可以复用,
    奏效, 能用, 管用, 够了, 足够
partly: only if, only for, sometimes, in this case, in the simple case, not always, not in general,
    not necessarily, not reliabl*, some setups, half, here, not a full, not a real, often, might,
    may, could, 部分, 有时, 某些情况, 简单情况, 这种情况, 不能完全, 不一定, 并不总是, 不总是, 不完全, 只有在, 只在, 一般情况, 有些情况, 个别, 在这里,
    在本例, 本例中, 此时, 特定情况, 多数情况, 表面上, 看似, 可以避免, 不彻底, 不可靠, 单机
but: but, yet, though, while, whereas, until, as long as, once, as soon as, when, only, 但, 但是, 然而,
    不过, 可是, 除非, 却, 只是, 虽然, 一旦, 如果
completely: completely, fully, entirely, totally, perfectly, always, definitely, certainly,
    absolutely, of course, obviously, surely, simply, exactly, 100 %, easily, indeed, for sure,
    without any, 完全, 彻底, 完美, 一定, 肯定, 绝对, 总是, 百分之百, 当然, 就能, 就可以, 即可
bootstrap_like: bootstrap, configured address, bootstrap.servers, seed, what you typed, 引导, 配置里
"""
    )
)

ONLY_HALF_A_CURE = (
    "~{advertised} .. {differ}",
    "~{differ} .. {advertised}",
    "~{hostport} .. {indirect}",
    "~{but} .. {indirect}",
    "~{but} .. {advertised}",
    "~(not|n) (a|the|completely|fully|entirely|really|always|in|reliabl*|solve|fix|help|work|sufficient|enough) .. ",
    "~(不能|不会|不一定|未必|并不) .. {would_fix}",
)

Rubric(
    lexicon=_CONNECTIONS,
    topic=(
        "{connection}",
        "{id}",
        "{hostport}",
        "{first_node}",
        "{metadata}",
        "{advertised}",
        "{indirect}",
    ),
    core=("keyed by id", "advertised listener differs"),
    concepts=(
        Concept(
            "fake id",
            says=(
                "-1 is an id the client made up, because it does not know the broker's real one yet"
            ),
            gloss="-1 是客户端编的假 id",
            ways=(
                "~{unknown} .. (wrote|writes|write|put|puts|label*|call*|noted|notes|used|uses|took|takes) _ {first_node}",
                "{first_node} .. {fake} ! 0 (is|are) .. {fake}",
                "{fake} .. {id}",
                "{fake} .. {first_node}",
                "{id} .. {fake}",
                "(it|that|this|which|它|这) (is|was|s|being|是)? (just|only|merely|simply|只是|只)? (a|an|as)? {fake}",
                "~{unknown} .. {real_id}",
                "~{unknown} .. {id}",
                "~{id} .. {unknown}",
                "~{first_node} .. {unknown}",
                "{first_node} .. (picked|chosen|assigned|given|made|created|invented|set|issued|generated) by the? (client|producer)",
                "~no {id} _ (known|available|assigned)",
                "~(not have|not got|has no|have no|have none|has none|had no|without|lacks|lacking|not yet have) _ _ {id}",
                "(label*|call*|name*|dub*|tag*|record*|save*) _ _ (-1|negative)",
                "~{first_node} .. (client|producer|itself|客户端|自己|生产者) .. (assign*|give*|gave|pick*|number*|choose*|chose*|generat*|creat*|count*|分配|生成|给的|起的|编|取的|定的|自己)",
                "~(client|producer|客户端|生产者) .. (assign*|give*|gave|number*|choose*|chose|generat*|invent*|分配|生成|给|起) .. {first_node}",
            ),
            against=(
                "(first|bootstrap) (connection|server|node|one)? (has|have|gets|with|is) the? (real|true|actual|genuine) {id} ! (not|no|without|until|unknown)",
                "(second|node 0|0) _ (has|have|gets|get|is) (a|the)? {fake} (one|id|ids|number)? ! (not|no)",
                "{first_node} {id}? (is|are|是) the? (real|actual|true|genuine|真实|真正)",
                "-1 _ _ (assigned|given|分配) _ by the? (broker|server|controller|cluster) ! (client|0|producer|config*)",
                "broker .. (assign*|给|分配) .. -1",
            ),
            near=("{fake}", "-1"),
        ),
        Concept(
            "keyed by id",
            says="connections are looked up by node id, so -1 and 0 are two different ones",
            gloss="连接按节点 id 查找",
            ways=(
                "(state|everything|bookkeeping|all|状态) _ (is|are|goes|kept|held)? (by|under|per|按) _ {id} ! not by",
                "{connection} .. {keyed} .. {by_id}",
                "{keyed} _ {by_id}",
                "(table|map|list|registry|cache|pool) .. (key|under|for) (-1|0)",
                "{connection} _ (stored|filed|kept|saved|registered|recorded|listed|indexed) _ under",
                "{id} (that|which|what|is what|alone)? (counts|matters|decides)",
                "{by_id} .. {keyed}",
                "{id} .. (is|are|as|being|是|作为|作|做|为) .. (key|keys|键|handle|index|name)",
                "(map|table|maps|dictionary|registry|pool|cache|hashmap|selector) .. {id}",
                "~{different_ids} .. {connection}",
                "~-1 .. 0 .. {different_node}",
                "~{no_entry} .. (0|id)",
                "~(0|id) .. {no_entry}",
                "(client|kafka|producer|it) (only|just|really|actually)? (sees|knows|understands|cares|认识|看) .. {id}",
                "~(only|just|purely|alone|只|仅) .. {id}",
            ),
            against=(
                "{connection} .. (keyed|identified|indexed|stored|tracked|looked up|compared|managed) by (the|its|their)? (host|address|hostname|ip|port) ! (not|instead|would|if|could|were)",
                "(kafka|client|producer|selector) (internally|always|also)? (compares|identifies|keys|tracks|stores|manages|matches|looks up) _ _ (host|address|ip) ! (not|instead|would|if|could|were|new|future|only|node id|by id)",
                "连接 .. (按|以|用|根据) (host|地址|主机|ip) .. (索引|查找|区分|标识|管理) ! (如果|若|不|而|id)",
            ),
            near=("{id} .. {connection}", "{connection} .. {id}", "{different_node}"),
        ),
        Concept(
            "advertised listener differs",
            says=(
                "the bootstrap address and the broker's advertised listener may differ, or one "
                "address may stand for several brokers"
            ),
            gloss="bootstrap 地址与 advertised listener 可能不同",
            ways=(
                "~{advertised} .. {differ}",
                "~{differ} .. {advertised}",
                "~{bootstrap_like} .. {indirect}",
                "{advertised} & {indirect}",
                "~(if|only if|only when|need|needs|requires|provided|unless|as long as|只有|除非) .. (advertis*|{advertised})",
                "~(load balancer*|balancer|vip|virtual ip*|proxy|proxies|nat|alias*|k8s|docker|port forward*|dns|switchboard|负载均衡*|代理|域名|别名|网关|端口转发|内网|虚拟)",
                "~(advertis*|advertised.listeners|广播地址|公布|通告|宣告|对外地址) ! (same|always|identical|equal|irrelevant|相同|一样|总是|一定)",
                "~{hostport} .. {indirect}",
                "~{indirect} .. {differ}",
                "~{indirect} .. (broker*|machine*|node*|server*|节点|机器|服务器)",
                "~{hostport} .. {differ} .. (broker*|machine*|node*|server*|节点|机器)",
            ),
            against=(
                "{advertised} .. (always|must be|is always|总是|一定|必然|永远) .. (same|equal*|identical|match*|相同|一样|一致)",
                "{advertised} .. (irrelevant|does not matter|no role|not matter|无关)",
                "(bootstrap|引导) .. (always|总是|一定) .. (same|equal|identical|match*|相同|一样|一致) .. {advertised}",
            ),
            near=("{advertised}", "{indirect}"),
        ),
        Concept(
            "idle close",
            says="the unused first connection is closed by the idle limit (9 minutes by default)",
            gloss="第一个连接空闲超时后会被关闭",
            ways=(
                "{idle} .. {closed} ! {forever}",
                "{closed} .. {idle} ! {forever}",
                "~{closed} .. (after|when|once|until|as soon as|by|through) .. {idle}",
                "(leftover|left over|old|spare|extra|redundant|surplus|unused|orphan*) _ (connection|socket|one|channel|it) _ _ ({closed}|expire*) ! {forever}",
                "connection (that|which) (is|s)? (left|left over|unused|not used) _ {closed}",
                "~idle (timeout|time out|limit|timer|check|expiry|reaper|cleanup|time|period|close)",
                "(connections.max.idle.ms|connection.max.idle.ms|max.idle|max idle)",
                "(first|bootstrap|old|-1|it|that|第一|旧|它) .. {idle} .. {closed}",
                "{closed} .. (9|nine|540000|540|九) (minutes|min|mins|m|ms|s|seconds|分钟)",
                "(9|nine|九) (minutes|min|mins|m|分钟)",
            ),
            against=(
                "~(first|bootstrap|-1|old|it|第一|它) _ _ (is|will|would|be|gets)? (never|not ever|永远不|永不|从不|不会) _ {closed} ! (-1|disabled|off|zombie*|unless|until|if|immediately|right)",
                "(first|bootstrap|-1|old|it|第一|它) .. (stay*|remain*|kept|keep*|保持|留) _ (open|alive|连接)? _ (forever|for ever|permanently|indefinitely|永远|永久|一直) ! (-1|disabled|off|unless|until|if|idle)",
                "{closed} _ (immediately|at once|instantly|right away|as soon as|立即|马上|立刻) ! {idle}",
            ),
            near=("{closed}", "{idle}"),
        ),
        Concept(
            "trade-off",
            says=(
                "it is a trade-off: one idle socket saved against complexity and the risk of "
                "taking the wrong broker"
            ),
            gloss="权衡: 省一个空闲连接, 换来复杂和误判",
            ways=(
                "(cost|costs) (very|only a|so|too)? (little|nothing|next to nothing) .. (left|leave*|keep*|kept|accept*|fine|bother*)",
                "(code|complexity|work|effort|complicated|trouble) .. (to|just to|only to|for) _ (save|saving|spare|avoid|get rid) .. {connection}",
                "~{tradeoff} ! same price",
                "~{cost} .. {risk}",
                "~{risk} .. {benefit}",
                "~{benefit} .. {but} ! help* .. but not (when|if|with|in)",
                "(connection|socket|it) costs (little|nothing|next to nothing|almost nothing|hardly anything|not much)",
                "{cost} .. (idle|unused|extra|excess|one|a single|redundant|surplus|spare|superfluous|unnecessary|second|空闲|多) .. (connection|socket|连接)",
                "~(idle|unused|extra|one|空闲) .. (connection|socket|连接) .. {cost}",
            ),
            against=(
                "(no|without|没有|无) (any|a)? (cost|downside*|drawback*|trade off|tradeoff|disadvantage*|代价|缺点|坏处|副作用) ! (idle|keeping)",
            ),
            near=("{cost}", "{benefit}", "{risk}", "{partly}"),
        ),
    ),
    blunders=(
        Blunder(
            "direction_reversed",
            "it takes 0 for the made-up id and -1 for the real one",
            "把真假 id 说反了",
            ways=(
                "(first|bootstrap) (connection|server|node|one)? (has|have|gets|with|is) the? (real|true|actual|genuine) {id} ^ (not|no|without|until|unknown|nor)",
                "(second|node 0|0) (one|connection|node)? (has|have|gets|get|is) (a|the)? {fake} (one|id|ids|number)? ^ (not|no|nor)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that comparing host:port settles it",
            "认为比较 host:port 就够了",
            even_supposed=True,
            ways=(
                "(完美|完全|直接) _ (复用|重用) ! (为什么|不能|无法)",
                "~{hostport} .. (problem|issue|trouble) .. (gone|solved|fixed|over)  ! (not fix|only|but)",
                "(comparing|comparison|compare) .. (host*|port|address*) {would_fix} (it|this|that|the problem)? ! (not|n t|only|but|partly|unless|if|would|some*|in this|simple|here|case|though|although|however|except|while|unreliabl*|risk*)",
                "~({hostport}|区分连接) .. (完全没问题|没有任何问题|就没问题|不会有任何问题|完美) ! (不一定|未必|但)",
                "(problem|issue|trouble|it|matter) (would|will) be (entirely|completely|totally|fully|all|wholly) (gone|solved|fixed|over|settled) ! (not|n t|but|only)",
                "same (address|host*|port|ip) always (means|is|gives|belongs|identifies) _ same (broker|node|machine|server) ! not",
            ),
            forgiven_by=ONLY_HALF_A_CURE,
        ),
        Blunder(
            "central_claim_wrong",
            "it says that connections are found by host:port, or that the existing one is taken",
            "连接不是按 host:port 查找, 也不会被复用",
            ways=(
                "(identif*|key*|index*|look* up|find*|stor*|track*) (its|the|all)? connection* by (its|the)? (host*|address*|ip) ! (not|if|would|were|instead|rather|unlike|never|could)",
                "(kafka|client|it) (checks|compares|looks at) _ (host*|address*) .. (take|takes|use|uses|reuse|reuses|keep|keeps) .. (existing|first|old|same|it) ! (not|if kafka|would|never|could|instead|why)",
                "(you|one|we|it|client|kafka) (can|could be|can be|may) _ (reuse|reused) (it|them|the (first|old|existing) (one|connection))? ! (not|if|would|never|only|why|in principle|but|though|although|however|unless|risk*|compar*|code|complex*)",
                "~(发现|如果) _ (相同|一样|一致) _ 就 _ (复用|重用) ! (不|没|未) (会|能|必)? (复用|重用)",
                "(第一个|第一条|旧|原来) _ 连接 _ (可以|能|会|就) _ (直接|立刻)? (复用|重用) ! (为什么|不能|无法|如果)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that the broker closes the first connection at once",
            "第一个连接不是立即被关闭的",
            ways=(
                "(client|producer|it|kafka) (closes|drops|closed|disconnects) the? (first|bootstrap|old|-1) (connection|socket|one)? (and|then|before) .. (open*|connect*|new|fresh) ^ (idle|minutes|unused|not)",
                "(after|once) _ {metadata} .. (closes|drops|disconnects) the? (first|bootstrap|old) (socket|connection|one) ! ({idle}|not|never)",
                "(broker*|server*) _ (close*|closed|drops|dropped|cut|cuts|terminates|kills|关闭|断开) .. ({first_node}|connection) .. (right|immediately|at once|directly|as soon as|straight|立即|马上|立刻) ! ({idle}|9|nine|not|never)",
                "(broker|服务器|服务端) .. (立即|马上|立刻|就) _ (关闭|断开) ! ({idle}|不)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that comparing host:port would simply fix it",
            "认为比较 host:port 就能完全解决, 不对",
            even_supposed=True,
            ways=(
                "(host*|address*|port|hostport|compar*|that|this|it) .. {completely} .. {would_fix} ! (only|not|but|unless|however|when|if|otherwise|some|sometimes)",
                "(host*|port|compar*|that|this|it|yes) .. {would_fix} _ _ {completely} ! (only|not|but|unless|however|if|when|otherwise|some|sometimes)",
                "yes , .. (host*|port|compar*|it|that|this) .. {would_fix} ! (only|not|but|unless|however|partly|partially)",
                "(比较|用|按|换成|改成|改用) .. (host|端口|地址) .. {completely} .. {would_fix} ! (不|但|只|未必|部分)",
                "(比较|用|按|换成|改成|改用) .. (host|port|端口|地址) .. (可以|能|会|能够|就) .. {would_fix} ! (不|但|只|未必|部分|有时|如果)",
                "(comparing|compare|using|comparison) .. (host*|port|address*) .. (would|will|does|can) {completely}? {would_fix} ! (only|not|but|unless|however|partly|partially|some*|if|when|otherwise|as long as|provided)",
            ),
            forgiven_by=ONLY_HALF_A_CURE,
        ),
        Blunder(
            "central_claim_wrong",
            "it says that comparing host:port would completely fix it",
            "认为比较 host:port 能彻底解决, 不对",
            even_supposed=True,
            ways=(
                "(host*|address*|port|hostport|compar*|that|this|it) _ (would|will|does|can) {would_fix} _ _ (completely|fully|entirely|totally|perfectly|100|in all cases|in every case)",
                "(would|will|does|can) (completely|fully|entirely|totally|perfectly) {would_fix}",
                "(completely|fully|entirely|totally|perfectly|彻底|完全|完美) (fixes|solves|fix|solve|fixed|solved|解决|修复|可以解决|能解决)",
                "(fixes|solves|fix|solve|fixed|solved) (it|this|that|the problem|everything) (completely|fully|entirely|totally|perfectly)",
                "(可以|能|会|就) (彻底|完全|完美) .. 解决",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it calls comparing host:port a complete solution",
            "认为比较 host:port 是完整的解决办法, 不对",
            even_supposed=True,
            ways=(
                "{hostport} .. (is|be|as|would be) (a|the) (complete|full|perfect|entire|total|final|proper|correct|right|real|simple|easy|good) (fix|solution|cure|answer|remedy) ! (but|only|unless|if)",
                "(host*|port|address*) .. (always|一定|总是) (identif*|point*|mean*|refer*|belong*|unique*|唯一|对应) .. (one|exactly|same|single|a|unique*|一个|唯一) ! not",
                "{hostport} .. (all|every|the|this|that)? (problems|problem|issue|issues|trouble*) (is|are|would be|will be|would|will) _ (gone|solved|fixed|over|away|history|disappear|vanish) ! (not|only|but|unless|if|some|in this case)",
                "(everything|all) (would|will) be (ok|okay|fine|good|solved|fixed) ! (not|if only)",
            ),
            forgiven_by=("~{indirect} .. {differ}", "~{but} .. {advertised}"),
        ),
        Blunder(
            "central_claim_wrong",
            "it says that the first connection is reused",
            "认为第一个连接会被复用, 不对",
            ways=(
                "(first|bootstrap|-1|same) (connection|socket|one)? .. (is|gets|will be|can be|are|be) (simply|just|actually|always|also|later)? reused ! (not|never|why|if|instead|would|could|cannot)",
                "(kafka|client|producer|it) (simply|just|actually|always|does|later)? (reuses|reuse) .. (first|bootstrap|same|-1) ! (not|never|why|if|would|could)",
                "(可以|能|会|就|然后) 直接 (用|使用|复用) _ (第一个|第一条|原来|已有|之前|原有) ! (不|无法|为什么|如果)",
                "可以 复用 , (因为|kafka) ! (不|无法|如果|但)",
                "(第一个|第一条|bootstrap|-1) .. (连接)? .. (会被|可以|能|被|直接|就是) (复用|重用) ! (不|没|无法|如果|为什么|未)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it has the network forbid what nothing but another id stands in the way of",
            "复用不了只因 id 不同, 不是网络禁止",
            ways=(
                "~(tcp|protocol|operating system|socket) _ (forbid*|prohibit*|not allow*|not permit*) _ _ (reus*|using|same|shar*)",
                "advertised* _ (is|equals) always _ {bootstrap_like}",
            ),
        ),
        Blunder(
            "direction_reversed",
            "it takes 0 for the made-up id and -1 for the real one",
            "把真假 id 说反了",
            ways=(
                "(node|id)? 0 (is|being|was|as|是) (a|an|the|just|only|一个)? {fake}",
                "(node|id)? -1 {id}? (is|being|was|是) (a|an|the|broker s|一个)? (real|actual|true|genuine|真实|真正|真)",
            ),
        ),
    ),
)

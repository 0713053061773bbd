# %% [markdown] items="P8"
# KafkaProducer's constructor starts its Sender thread. Why is starting a thread inside a
# constructor risky, and what is the safe order?

# %% [markdown] answer
# The new thread can see the object before its constructor has finished: `this` escapes, and some
# fields may still be unset. `Thread.start()` promises that the thread sees what was written before
# it. For everything written after it, in this constructor or in that of a subclass, nothing orders
# the two threads: there is no safe publication. The safe order is to build the object completely
# first. The thread is started afterwards, in a factory method or in a start() method that is called
# after construction.

# %% question
from autograder.cell.kinds import Open

Open(points=4)

# %% rubric
# Facts: node ids and idle closing as in the chapter (bootstrap nodes are numbered -1, -2, ... by the
# client; sockets are keyed by the id's text; still so in 4.x). On `this` escaping and safe
# publication: Java Language Specification 17.4-17.5.
from autograder.written.scorer import Blunder, Concept, Lexicon, Rubric, lists

_THREADS = Lexicon(
    lists(
        """
thread: thread*, sender, worker, run, daemon, 线程, sender, 后台, 子线程
object: object*, instance*, producer*, kafkaproducer, this, it, class, reference, 对象, 实例, 生产者, 引用,
    this, producer
constructor: constructor*, construct*, ctor, new, init, initiali*, creation, creating, 构造函数, 构造方法,
    构造器, 构造, 初始化, 创建
half_built: in the making, on the assembly line, half made, intermediate state, unfinished, garbage,
    not finish, not done, broken invariant*, missing, not all there, (not|never) _
    (constructed|built|initiali*|ready|complete|completed|finished|created|assigned|set|there|done|exist|in
    place|filled), half built, half constructed, half initiali*, half made, half finished, half
    baked, half ready, partially constructed, partially initiali*, incomplete*, unfinished, not
    fully, not completely, not finished, not complete*, not ready, uninitiali*, not initiali*, not
    set, still null, see null, sees null, be null, null field*, nullpointer*, npe, default value*,
    default values, under construction, still being built, being built, invalid state, 半成品, 半构造,
    半初始化, 未完成, 没有完成, 没完成, 还没完成, 尚未完成, 未初始化, 没有初始化, 没初始化, 还没初始化, 尚未初始化, 未构造完, 没构造完, 没有构造完, 还没构造,
    还没有构造, 不完整, 不完全, 没有准备好, 没准备好, 还没准备, 构造到一半, 构造了一半, 建到一半, 一半, 空指针, null, 默认值, 还没有赋值, 没有赋值, 未赋值,
    还没赋值, 尚未赋值, 没建好, 没造好, 还没建好, 没有建好, 未完全, 没有完全, 还没完全, 还没有完全, 尚未完全, 部分构造, 部分初始化, 构造未, 没写完, 没设置好,
    没有构建完, 没构建完
before_end: before _ constructor _ (finish*|return*|end*|complete*|done|ran|run*|over|exit*), before
    _ object _ (finish*|ready|complete*|built|constructed|initiali*|done|exists), before _ fields,
    before it _ (finish*|ready|complete*|built|constructed|initiali*|done), while _ constructor _
    still, while _ constructor _ run*, constructor _ not _ (finish*|return*|complete*|end*|done),
    constructor is still, subclass*, 构造完成前, 构造函数返回之前, 构造函数还没, 构造还没, 构造没, 构造函数没, 构造函数未, 对象还没, 对象还,
    对象没, 对象未, 对象尚未, 初始化之前, 完成之前, 子类, 执行完之前, 还在构造
sees: see*, seen, saw, access*, use*, using, read*, observe*, touch*, get*, work* with, look* at,
    view*, run*, start*, call*, visible, find*, hit*, meet*, 看到, 看见, 访问, 使用, 读到, 读取, 用到, 拿到, 接触, 操作,
    运行, 跑, 启动, 执行, 见到
escape: giv* away this, this 会 泄, this 就逃, 泄露出, 泄漏出, publish* a reference, this escape*, escape*,
    escaping, this leak*, leak* this, leaks, leaking, reference to this, this _ escape*, this _
    leak*, publish* this, this 逃逸, this 逸出, 逃逸, 逸出, 溢出, this 引用, 引用逃, 引用泄, 把 this
publication: safe publication, safely publish*, unsafe publication, publish* safely, publication,
    publish*, memory model, java memory model, jmm, happens before, memory order*, memory barrier*,
    barrier*, visibility, not _ visible, not be visible, be visible, reorder*, final field*, final _
    guarantee*, freeze, volatile, stale, flushed, synchroni*, ordering, jls, lock, 安全发布, 安全地发布, 发布,
    内存模型, 可见性, 可见, 内存顺序, 内存序, 重排, 重排序, 指令重排, 有序性, 内存屏障, 屏障, 先行发生, happens before, final 字段,
    volatile, 同步, 数据竞争, 竞态, 缓存, jmm, 竞争条件, 内存一致
weak_publication: stale, lock, 竞态, 数据竞争, 竞争条件
build: build*, built, construct*, creat*, initiali*, set, sets, assign*, finish*, complete*, make,
    fill*, set up, setup, ready, done, new 完, 构造, 创建, 初始化, 建好, 造好, 完成, 赋值, 构建, 准备, 设置, 建完, 写好, new 出
completely: completely, fully, full, complete, entirely, entire, all, everything, whole, finish*,
    done, every, properly, first, 完全, 全部, 所有, 完整, 完成, 完, 好, 先, 都, 彻底
too_early: before _ constructor, before _ construct*, before it is, before the object, before _
    finish*, while, may see, might see, could see, can see, may use, might use, half, not yet,
    still, too early, may read, might read, may run, 之前, 还没, 尚未, 未, 可能, 半, 没
built_done: finish*, complete*, returned, return, returns, ready, done, built, initiali*, fully,
    ended, ends, over, exits, been constructed, are set, been set, is set, assigned, exists,
    everything, all _ fields, 完成, 完毕, 结束, 返回, 执行完, 构造完, 构造好, 初始化完, 建好, 完, 好了, 都
then: then, and then, before, after*, only then, next, afterwards, later, finally, second, once, and
    only, last, 再, 然后, 之后, 以后, 后, 才, 接着, 最后, 之前
start: start*, launch*, begin*, began, set* _ going, kick* off, spawn*, fire* up, fire up, fork*,
    trigger*, schedule*, 启动, 开启, start, 拉起, 调用 start, 开线程, 起线程, 启线程
factory: t.start, p.start, thread.start (), factory, factory method*, static create*, static
    factory, builder, start method, thread.start, producer.start, separate method, separate start,
    own method, init method, lifecycle method, create method, call start, calls start, second step,
    caller start*, lazily, lazy, first send, from outside, outside _ constructor, out of _
    constructor, not in _ constructor, 工厂, 工厂方法, 静态工厂, start 方法, 单独的方法, 单独方法, 独立的方法, 独立方法, start 函数,
    另外的方法, 显式调用, 显式启动, 显式, 单独调用, 构造函数外, 构造函数之外, 构造方法外, 构造器外, 外部调用, 外面, init 方法, 启动方法, 两步, 静态方法,
    延迟启动, 惰性, 建造者
after_construction: after _ constructor*, after _ construction, after new, after all, after that,
    afterwards, (started|start|starting) (it|the thread|thread)? later, once _ construct*, once all,
    once it, only then, and then, then, later, only after, only once, 构造完成后, 构造完成之后, 构造之后, 构造后,
    构造函数返回后, 构造函数返回之后, 构造函数结束后, 构造函数执行完, 构造完, 构造好, 对象构造完, 创建完成后, 创建之后, 创建完, 创建后, 初始化完成后, 初始化完,
    初始化之后, 初始化后, 建好之后, 建好后, 完成之后, 完成后, 之后再, 再启动, 然后再, 然后, 再, 才启动, 才能启动, 才可以启动, 最后
no_risk: nothing can go wrong, see no risk, no risks, not risky, no risk, not dangerous, no danger,
    no problem, perfectly safe, is safe, is fine, harmless, no issue, is ok, is okay, thread safe,
    没有风险, 没风险, 没有问题, 没问题, 没有危险, 是安全的, 很安全, 无风险, 不危险, 最佳实践, 推荐做法, 无害
"""
    )
)

Rubric(
    lexicon=_THREADS,
    topic=("{thread}", "{constructor}", "{object}"),
    core=(
        "the thread can see a half-built object (this escapes)",
        "start after construction (factory or start method)",
    ),
    concepts=(
        Concept(
            "the thread can see a half-built object (this escapes)",
            says="the new thread can see the object while it is still half built (`this` escapes)",
            gloss="线程可能看到半成品对象 (this 逃逸)",
            ways=(
                "{escape}",
                "~{thread} .. {half_built}",
                "~{half_built} .. {thread}",
                "~{sees} .. {half_built}",
                "~{half_built} .. {sees}",
                "~{object} .. {half_built}",
                "~(field*|member*|state|variable*|propert*|dependenc*|everything|字段|成员|状态|变量|属性) .. {half_built}",
                "~{half_built} .. {object}",
                "~{thread} .. {sees} .. {before_end}",
                "~{before_end} .. {thread} .. {sees}",
                "~{sees} .. {before_end}",
                "~{thread} .. {before_end}",
                "~{before_end} .. {sees}",
                "this (gets|get|got|is|goes) (out|away|published|shared|visible|known|exposed|handed|given|leaked)",
                "{sees} .. before (they|it|these|those|all|its|the) _ (set|assigned|initiali*|there|ready|filled|written|exist*|done|finished|complete*|built)",
            ),
            against=(
                "{thread} .. (always|guaranteed to|certainly|总是|一定) .. (see*|get*|看到|拿到) .. (complete|full*|finished|ready|完整|初始化好) ! (not|only|if|then|after)",
            ),
            near=("{before_end}", "{sees}"),
        ),
        Concept(
            "safe publication / memory ordering",
            says=(
                "without safe publication nothing orders the constructor's writes before the other "
                "thread's reads"
            ),
            gloss="安全发布 / 内存可见性",
            ways=(
                "~{publication} ! {weak_publication}",
                "~{weak_publication} .. (value*|copy|copies|field*|memory|state)",
                "~guarantee* .. (see*|visible|write*|value*|order*|observe*)",
                "~(write*|assignment*|store*) .. (not|never|may|might) .. (see*|visible|seen|reach*|arrive*)",
            ),
            against=(
                "(memory|visib*|publication|happens before|ordering|可见性|内存模型) .. (not matter|irrelevant|no role|no problem|not an issue|无关|没有关系|不重要)",
            ),
            near=("{weak_publication}", "order"),
        ),
        Concept(
            "build completely first",
            says="the object is built completely first",
            gloss="先把对象完全构造好",
            ways=(
                "{build} _ (completely|fully|entirely|entire|everything|all|whole|properly|completed|完全|全部|所有|完整) .. {then} .. {start} ! {too_early}",
                "{build} .. {then} .. {start} ! {too_early}",
                "{build} _ _ (completely|fully|entirely|first|先|首先|whole|完整|完全) ! {too_early}",
                "(first|first of all|at first|首先|step 1) .. {build} ! {too_early}",
                "先 _ {build}",
                "(must|should|needs to|need to|has to|have to|let|make sure|ensure|要|应该|应当|必须|确保|保证) .. {build} .. (fully|completely|entirely|all|everything|every|whole|entire|first|before|完全|全部|所有|完整|完|好)",
                "all _ (parts|fields|members|variables|pieces) (must|should|have to|need to) be .. (place|first|before|set|assigned|ready|there|initiali*)",
                "(set|assign|initiali*|fill|finish|complete|build|construct) (all|every|everything|the object|the instance|the producer|the constructor|construct*|the entire|the whole|the thing|it|completely|fully|object|producer|ctor|thing) ! {too_early}",
                "{start} .. (after|once|when|only after|only when|only once|as soon as) .. {built_done}",
                "(wait|waits|waiting) .. (until|till|for) .. {built_done}",
                "(after|once|when|only after|only when|等|待|当) .. {built_done} .. {start}",
                "{build} _ -> .. {start}",
                "{constructor} .. (only|just|should only|只|应该只|仅|只负责) _ (set*|assign*|initiali*|field*|赋值|初始化|设置)",
                "(construct|build|create|complete|finish) .. (then|and only then|before) _ _ ({start}|run|publish*|hand)",
            ),
            against=(
                "{start} .. {thread} .. (first|先) .. {then} .. {build} ! (not|never|wrong|risk*|danger*|bad|problem|不|错)",
                "(first|先) .. {start} .. {thread} .. {then} .. {build} ^ first and to? {start} ! (not|never|wrong|risk*|danger*|bad|problem|不|错)",
            ),
            near=("{completely} .. {build}", "{build} .. {completely}"),
        ),
        Concept(
            "start after construction (factory or start method)",
            says="the thread is started after construction, by a factory or a start method",
            gloss="构造完成后再启动 (工厂或 start 方法)",
            ways=(
                "{factory}",
                "~{start} .. {after_construction}",
                "{start} (the|a|it|its)? (sender)? (thread)? (after|afterwards|later|last)",
                "{after_construction} .. {start}",
                "{build} .. (then|-> ) .. {start}",
                "{build} .. (完|好|后|之后|完毕|完成) .. {start}",
                "(in|into|via|by|with|through|using|call|calls|calling|invoke|invokes|invoking|调用|放在|放到|放进) (a|the|its|own|another|separate|public|an|explicit|单独的)? (a|own|separate|explicit)? (start|init|open|run|launch|begin|lifecycle) ! (constructor|构造)",
                "(leave|leaves|exit|exits|finish|return from|end) the? {constructor} .. {start}",
                "{constructor} .. (then|only then|afterwards|after that|再) .. (go|run|let|switch|turn|release|set|work)",
                "(finish|complete|build|construct) .. (then|-> ) .. (go|run|code|thread)",
            ),
            against=(
                "{start} .. (in|at|as|on) the (last|final|very last|end|bottom) (line|statement|instruction|step|of)? (of|in)? (the|its)? (constructor|ctor) ! (not|still|even|but|subclass*|too)",
                "在? (构造函数|构造方法|构造器) 的? (最后|末尾|最后一行) _ {start} ! (不|也|仍|还是|错)",
                "{start} .. (first|before) .. (then|and) .. {build} ! (not|never|wrong|risk*|danger*|bad|problem|不|错)",
                "(safe|correct|right|solution|order) .. {start} .. (at|as|in|on) the (end|last|bottom) .. constructor ! (not|still|even|but|subclass*)",
            ),
            near=("{start}",),
        ),
    ),
    blunders=(
        Blunder(
            "central_claim_wrong",
            "it explains the risk by a deadlock or by waiting, where the thread may see an "
            "unfinished object",
            "风险不是死锁",
            even_supposed=True,
            ways=(
                "(there|will|would|may|can|could|leads|cause*|get) _ _ (deadlock|dead lock) ! (also|another|not|even|too)",
                "constructor (is|must|has to|will|would)? (waiting|wait|waits) _ thread ! not",
                "(会|导致|造成) _ 死锁 ! (也|还|不)",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says there is no risk",
            "认为没有风险, 不对",
            even_supposed=True,
            ways=(
                "~(not|n t|never) (dangerous|risky|a risk|unsafe|a problem) _ (because|since|the jvm|java|as) ! (if|once|when|then)",
                "(jvm|java) (starts|runs|lets|executes) .. thread* .. only (after|when|once) .. {constructor} ! (not|should|must)",
                "~(no risk|no problem|harmless|not risky|no danger|no problem at all|not dangerous|perfectly safe|completely safe) _ _ (because|since|as long as) ! (not perfectly|not completely|after construction|if it|when it|once)",
                "~(not|n t|never) _ (think|see|believe) .. (risky|risk|danger*|problem) ! (if|once|after|when|then)",
                "~see no (risk|danger|problem) ! (if|once|after|when|then)",
                "~constructor* (is|are) _ (atomic|synchroni*|thread safe)",
                "~no (special|particular)? (order|sequence) (is)? (necessary|needed|required) ",
            ),
        ),
        Blunder(
            "central_claim_wrong",
            "it says there is no risk",
            "认为没有风险, 不对",
            ways=(
                "{constructor} .. {no_risk} ! (if|unless|only|after|once|then|when|but|until|如果|除非|只有|后|但)",
                "(nothing can go wrong|see no risk|see no problem|see no danger|there is no risk|no risk at all|no danger at all|nothing to worry|not risky at all|perfectly safe|completely safe|完全没有风险|完全安全) ! (if|unless|then|but|until|not perfectly|not completely|如果|除非)",
                "{no_risk} .. {constructor} ! (if|unless|only|after|once|then|when|but|until|如果|除非|只有|后|但)",
                "(it|this|that|there|这|其实) _ {no_risk} ! (if|unless|only|after|once|then|when|but|until|如果|除非|只有|后|但)",
            ),
            forgiven_by=("~{escape}", "~{sees} .. {half_built}"),
        ),
        Blunder(
            "direction_reversed",
            "it puts the thread's start before the building of the object",
            "把顺序说反了: 先启动线程再构造",
            ways=(
                "thread _ (be|is|gets) (started|launched|start) first ! (not|never|wrong|risk*|unsafe|last)",
                "{start} (it|the thread|thread) , (and|then|and then) _ {build} ! (not|never|wrong|risk*|if|when|unsafe)",
                "(safe|correct|right|proper|should|must|better|solution|order|first) .. {start} .. thread _ (first|before) _ _ (the|all|its|and|then|initiali*|build*|construct*|creat*) ! (not|never|wrong|risk*|danger*|bad|problem|unsafe|after)",
                "{start} the? (sender)? thread first .. {then} .. {build} ! (not|never|wrong|risk*|danger*|bad|problem|unsafe)",
                "(order|should|must|therefore|correct|safe|right|better|so) .. {start} (the|a|its)? (sender)? thread (first|,|->|and|then|before) (and|then|,)? (then|later|it|the|we|to)? _ {build} ! (not|never|wrong|risk*|danger*|bad|problem|unsafe|after|last)",
                "{start} (the|a|its)? (sender)? thread before (calling|running|entering|building|creating|constructing|initialising|initializing|the constructor|constructor|the object|construct*|anything) ! (not|never|wrong|risk*|danger*|bad|problem|unsafe|constructor (has|is|ends|finishes|returns|completes)|fully|ready|finished|complete|done|can|may|might)",
                "{start} _ thread (at|in|on) the (beginning|start|top|very beginning|very start) .. (then|afterwards|later|after|and) ! (not|never|wrong|risk*|danger*|bad|problem|unsafe)",
                "{build} _ _ (after|once) (the|a|its)? (sender)? thread _ _ {start} ! (not|never|wrong|risk*|danger*|bad|problem|unsafe)",
                "(set|assign|initiali*) _ fields (after|once) (the|a|its)? (sender)? thread ! (not|never|wrong|risk*|danger*|bad|problem|unsafe|may|might|can)",
                "first {start} .. thread .. then .. {build} ! (not|never|wrong|risk*|danger*|bad|problem|unsafe)",
                "so {start} (the|a|its)? (sender)? thread first , then _ {build} ! (not|never)",
                "(应该|应当|安全的顺序|正确的顺序|顺序是|顺序) .. 先 _ {start} .. 线程 .. (再|然后|之后) .. {build} ! (不|错|危险|风险)",
                "先 (启动|开启|start) .. 线程 .. (再|然后|之后) .. (构造|初始化|创建|赋值) ! (不要|不能|不应|错|危险|风险|会导致|问题)",
            ),
        ),
        Blunder(
            "direction_reversed",
            "it says the constructor sees an unfinished thread, where it is the thread that sees "
            "an unfinished object",
            "看到半成品的是线程, 不是构造函数",
            even_supposed=True,
            ways=(
                "(constructor|object|producer|main thread|caller) _ (see*|use*|access*|find*|read*|get*) (the|a|an)? (sender)? thread (before|while|when) _ _ (created|built|constructed|ready|started|finished|complete)",
                "(constructor|object|producer|main thread|caller) _ (see*|use*|access*|find*|read*|get*) _ (half|partially|partly|unfinished|incomplete|not yet) _ _ (thread|sender)",
                "(the)? (thread|sender|sender thread) (is|was|may be|might be|can be|could be) _ (half built|half constructed|half initiali*|partially built|partially constructed|incomplete|half started|not fully started|not fully built|half created)",
                "(构造函数|对象|主线程) .. (看到|访问|使用|拿到) .. (半成品|未完成|没启动|不完整|未初始化) .. 线程",
            ),
        ),
    ),
)

"""Wording of stances: Chinese and English words and phrases in common classes, and counts of them in a clause.

Each class lies on the side of "go ahead, it is so, all is well" (+1) or on the opposite side (−1). A preceding negation reverses
the sign of a word's count: 不是不需要 is needless −1.
"""

from __future__ import annotations

import re

from stcollection.studies.answers.agreement.cues import pattern

# Side; Chinese words | English phrases. Longer phrases are matched first, and each word only once.
SIDES: dict[str, tuple[int, str]] = {
    "permit": (1, "照常进行 不拦 可以 可行 允许 准许 许可 随便 尽管 没人管 放行 照样 照常 行的 能行 成的 吃得 喝得 用得 使得"
        " 但吃 可食 可饮 不限 准带 能带"
        "|can|could|may|allowed|permitted|permissible|fine|okay|ok|go ahead|go for it|all right|alright|by all means"
        "|acceptable|welcome"
        "|feel free|free to|enjoy|suitable|legal|why not|nothing against|nothing speaks against|carry on|keep them|let him"
        "|let her|let them|please do|don't mind|doesn't mind|leave it in|leave it on"),
    "forbid": (-1, "劝你别 收起来 免了吧 万万不可 打住 不赞成 反对 且慢 不要 最好别 别再 千万别 禁止 严禁 禁 禁用 禁食 避免"
        " 避开 切忌 忌 忌口 忌讳 戒 戒掉 远离 慎 慎用 少碰 拒绝 杜绝 停掉"
        " 不宜 不准 不许 不让 不得 不行 不成 不能 不可 不可以 不应该 不应 不建议 不推荐 不提倡 不主张 不鼓励 碰不得"
        " 使不得 要不得 吃不得 喝不得 沾不得"
        " 违法 违规 违反 犯法 罚款 算了 免谈 休想 没门 想都别想 劝退"
        "|better not|had better not|rather not|avoid|avoided|refrain|stay away|keep away|keep off|stay clear|steer clear"
        "|hands off|leave it"
        "|give up|forbidden|prohibited|banned|ban|illegal|out of the question|no way|off limits|not a good idea|bad idea"
        "|against the law"
        "|please don't|i'd wait|not advisable|inadvisable|taboo|fined|cannot|can't|mustn't|may not|should not|shouldn't"
        "|advise against|advises against|advised against|strongly against|i'm against|forget it|forget the|stay home"
        "|stay at home|leave it off|leave it out|never ever|under no circumstances|don't even|not under|keep your hands off"
        "|hold off|wait until"),
    "harmless": (1, "问题不大 关系不大 不成问题 没多大问题 没大问题 没啥大问题 没有大碍 无伤大雅 虚惊一场 不值一提"
        " 没关系 没有关系 没事 没啥事 没问题 没有问题 无妨 不妨 不碍事 无碍 不要紧 不打紧 无大碍 没大碍 不伤"
        " 不影响 没影响 没有影响 无影响"
        " 影响不大 无害 没坏处 没有坏处 没害 没有害 安全 安心 无毒 没毒 放心 不必担心 不用担心 无需担心 别担心 不担心 不用怕"
        " 别怕 不怕 不用慌 多虑 过虑 好得很 健康 平安 稳妥 可靠"
        " 好好的 没出事 没坏 没生过病 没生病 无须紧张 不用紧张 别紧张 不必惊慌"
        "|no problem|not a problem|no harm|not harmful|harmless|safe|safely|no worries|don't worry|no need to worry"
        "|nothing wrong"
        "|nothing to worry about|no cause for|no danger|no risk|not dangerous|isn't dangerous|nothing happens"
        "|nothing will happen|does no damage"
        "|does not hurt|doesn't hurt|won't hurt|doesn't matter|does not matter|never had a problem|never had any"
        "|without any trouble"
        "|without trouble|without problems|without any problem|good for|unharmed|reliable|non-toxic"
        "|perfectly|no reason to worry|nobody has ever|we all|nothing to fear|negligible|no ill effects|keeps well"),
    "harm": (-1, "折寿 添堵 遭罪 伤眼 吃亏 麻烦 大忌 有害 危害 害处 坏处 害了 害人 伤害 损伤 损害 伤 伤身 伤肝 伤胃 危险 有毒"
        " 中毒 毒 毒素 风险 致癌 癌 致命 送命 丢命 要命 恶化 加重 隐患 不利 副作用"
        " 出事 出问题 坏掉 坏了 烧坏 毁 糟 糟糕 后果 受罪 爆炸 起火 着火 死 自杀 感染 发炎 拉肚子 腹泻 难受 流产 滑胎"
        " 畸形 生病 得病 变质 滋生 细菌 超标 损坏"
        " 报废 老化 缩短 影响 刺激 不安全 不健康 不好 没好处"
        "|harmful|harm|harms|danger|dangerous|unsafe|toxic|poison|poisonous|poisoning|risk|risks|risky|hurt|hurts|damage"
        "|damages|damaged|damaging"
        "|ruin|ruins|ruined|bad for|bad|kill|kills|deadly|fatal|cancer|infection|unhealthy|explode|fire|injury|injuries|worse"
        "|worsens|spoil|spoils"
        "|destroy|destroys|wears out|wear out|sick|ill|trouble|regret|side effects|cracks|breaks|weakens|shortens|backfire"
        "|backfires|unhygienic|unpleasant|cost you|costs you|strain|strains|contaminates"),
    "need": (1, "标配 好习惯 养成习惯 最好还是 也要 都要 得去 要去 别省 不省 先要 尽早 及早 按时 一个都不能少"
        " 否则 要不然 加分项 需要 必须 须 必需 务必 应该 应当 该 有必要 必要 少不了 离不开 缺一不可 必备 必不可少 不可缺少"
        " 不可少 不能少 不能省 省不了 省不得 免不了 硬性 强制 规定 要求 一律"
        " 得先 还得 都得 要先 还是要 要的 非得 不得不 不能不 不可不 才行 才能 记得 一定要 必做 早晚得"
        "|need|needs|needed|must|have to|has to|had to|ought|required|requires|require|requirement|necessary|essential"
        "|mandatory|compulsory"
        "|obligatory|should|a must|without fail|make sure|be sure to|there is no way around|no way around"
        "|not optional|be sure|a habit|otherwise|or else|it's best to|best to|do it|by law|every time|remember to|is a must"
        "|insist|insists|expected|without exception"),
    "needless": (-1, "何必 何苦 添乱 犯得着 不碍 空手 没啥必要 没什么必要 没多大必要 不是必须 不是必需 并非必须 不是强制"
        " 形式主义 不用 不必 无需 无须 毋须 不需要 不需 没必要 没有必要 无必要 用不着 用不上 犯不着 不着急 不急 多余 多此一举"
        " 白费 白忙 白做 免了 免办 可省 省了 省掉 可选 自愿 看心情"
        " 随意 可有可无 不强制 取消 多花 冤枉钱 画蛇添足"
        "|no need|not necessary|unnecessary|unnecessarily|needless|needlessly|not needed|isn't needed|not required"
        "|isn't required|not have to"
        "|don't have to|doesn't have to|do not have to|does not have to|needn't|need not|don't need|doesn't need|do not need"
        "|does not need|optional"
        "|voluntary|overkill|skip it|skip|up to you|do without|does without|get by without|get along without"
        "|straight away|redundant|don't bother|never bother|never bothered|bother|leave them alone|leave it alone|just leave"
        "|waste of time|a waste of|why would you|do it without|can be skipped|can skip|spare yourself|save yourself"
        "|no obligation|merely a suggestion"),
    "normal": (1, "正常 常见 常有 普遍 没毛病 自然现象 常态 通病 合理 生理性 都这样 都会这样 人人都 家家 很多人都 不算病"
        " 不是病 不是故障 并非故障 见怪不怪"
        "|normal|normally|ordinary|common|commonly|usual|natural|naturally|as it should|as they should|nothing unusual"
        "|quite usual|healthy"
        "|in the best of health|all do|everybody does|they all|part of|typical|to be expected"),
    "abnormal": (-1, "不正常 异常 反常 故障 毛病 质量问题 有问题 疾病 病变 警惕 当心 小心 检查 就医 就诊 看医生 去医院 尽快"
        " 检修 维修 送修 返修 售后 退货 偏高 偏低 超出 征兆 信号 不对劲 不该"
        "|abnormal|unusual|not normal|isn't normal|fault|faulty|defect|defective|broken|wrong|something is wrong|emergency"
        "|vet|doctor|alarming"
        "|warning sign|sign of|malfunction|repair|repaired|check|checked|clinic|mechanic|symptom"),
    "useful": (1, "去味 去油 省劲 有奇效 神器 变好 降下来 有用 有效 管用 见效 奏效 灵验 好使 有帮助 有助 有助于 起作用"
        " 效果好 效果明显 明显改善 改善 缓解 好转 治好 好多了 有好处 有益 好处 受益 立竿见影 亲测 能去 去得掉 确有"
        "|works|work|worked|effective|helps|help|helped|useful|does the trick|did the trick|made a difference"
        "|makes a difference|improves"
        "|improved|cured|relieves|benefit|benefits|beneficial|success|successful|like a charm|reliably|proven|removes|removed"
        "|eases|ease|soothes|swear by|saved|grateful|absorbs|absorb|takes away|did it for|keeps away|calms|does wonders"
        "|a treat|noticeably|effect is"),
    "useless": (-1, "白费劲 没变化 没啥变化 照旧 没感觉 没差 没起色 照涨 没用 无用 没有用 无效 没效 没效果 没有效果 无济于事"
        " 白搭 心理作用 心理安慰 安慰剂 不管用 不顶用 不起作用 没作用 没有作用 作用不大 作用有限 收效甚微 没什么用"
        " 没啥用 徒劳"
        " 忽略不计 杯水车薪 于事无补 噱头"
        "|useless|ineffective|placebo|pointless|no effect|no use|no good|in vain|does nothing|did nothing|makes no difference"
        "|made no difference"
        "|no evidence|no proof|no benefit|hardly any effect|gimmick|no point|fails|failed|futile|do nothing|achieves nothing"
        "|achieve nothing|no better than|won't do|won't help|not help|no more than|no difference in|won't improve|a myth"
        "|made it worse|didn't change"),
    "worth": (1, "很值 值了 值回 赚 回本快 真值 买对 不心疼 性价比高 值得 划算 划得来 合算 物超所值 推荐 安利 首选 适合"
        " 合适 支持 强烈建议 早买早享受 回本 不亏 不后悔 真香 省心 好用 满意 超值"
        "|worth|worth it|worthwhile|pays off|pays for itself|paid for itself|pay off|recommend|recommended|money well spent"
        "|well spent|good investment"
        "|bargain|never regretted|wouldn't be without|glad|happy with|good value|advisable|makes sense|good idea|sensible"
        "|wise|pays|good buy|good deal|better deal|best buy|do it again|buy it again|again any time|every cent|every penny"
        "|come out on top|comes out ahead|already ahead|investment|wouldn't give|wouldn't miss|best money|indispensable"),
    "worthless": (-1, "白花 打水漂 冤枉 智商税 没必要买 用不上几次 退了 转手 吃力不讨好 划不来 不划算 不合算 不值 不值得 亏"
        " 亏本 浪费 鸡肋 吃灰 闲置 交学费 得不偿失 不如 没意义 后悔 冲动 花架子 败家"
        "|waste|wasted|a waste|overpriced|not worth|hardly worth|rip-off|regretted|gathers dust|gathering dust"
        "|never pays|too expensive"
        "|save your money|save the money|money down|no sense|makes no sense|not recommended|expensive|another penny"
        "|down the drain|better off|put the money|money aside|sold it|better spent|isn't worth|never again|did not pay"
        "|doesn't pay|not pay|superfluous|collecting dust|nice to have|cheaper"),
    "enough": (1, "用得完 够使 够住 吃得饱 不在话下 来得及 够 够用 足够 够了 充足 绰绰有余 管够 满足 用不完 富余 有余 宽裕"
        " 完全够 刚好 足矣 不缺"
        "|enough|plenty|sufficient|suffices|suffice|ample|more than enough|adequate|easily lasts|will do|to spare|comfortably"
        "|covers|all you need|leaves room|in time|easily|no trouble|won't need more|don't need more|never ran out"),
    "lacking": (-1, "来不及 不够用 不够吃 捉襟 勉强 塞不下 至少要 起码要 起码得 不够 不足 太少 欠缺 差得远 差远 缺 缺乏"
        " 不满足 紧巴 捉襟见肘 太小 太短 偏少 撑不 不过来 吃紧 远远不"
        "|too little|too few|too small|too short|insufficient|inadequate|not enough|isn't enough|falls short|fall short"
        "|far from enough|runs out"
        "|ran out|lacks|lacking|barely|tight|more than that|not nearly|nowhere near|at least|minimum|less than|fills up"
        "|too tight|missed|want more|cramped|won't be enough|too slow"),
    "same": (1, "一样 相同 同样 没区别 没有区别 无区别 没差别 没有差别 没两样 没有两样 无差 一回事 同一 等同 等于 通用 互换"
        " 只是名字 换个名 叫法 别名 俗称 同义 一码事 一个东西 同种"
        "|same|identical|no difference|not different|equal|equivalent|interchangeable|one and the same|another name"
        "|just a name|different names|alike"
        "|synonym|synonyms|both names|no real difference"),
    "different": (-1, "不一样 不同 有区别 有差别 区别 差别 差异 两码事 两回事 两种 不等于 不是一回事 混为一谈 有别 各是各"
        " 截然 不能互换 不能替代 大不相同 另一种"
        "|different|differ|differs|distinct|difference|differences|not the same|aren't the same|isn't the same|two different"
        "|two things|unrelated"
        "|not interchangeable|confuse|confused|mix up|another thing|unlike"),
}  # fmt: skip
# On the side that the question leans to.
REPLIES: dict[str, tuple[int, str]] = {
    "affirm": (
        1,
        "科学依据 依据 证据 千真万确 果真 真会 真能 一点不假 就是这样 就是这么 可不是 可不 有这回事 有科学依据 没错"
        " 不错 不假 是真的 真的 属实 真事 确实 的确 正确 当然 肯定 事实 没说错 说得对 是的 对的 对呀 对啊 必然 毫无疑问"
        " 有道理 有根据 有依据 果然 亲眼 证实"
        "|yes|yep|yeah|yup|sure|certainly|indeed|true|correct|right|definitely|of course|absolutely|undoubtedly|no doubt"
        "|exactly|really do|really does"
        "|a fact|confirmed|confirms|well known|evidence|proof|i'm afraid so|it is so|quite so|so it is|i can confirm|proved"
        "|no myth|not a myth|no joke|you bet|without doubt|spot on",
    ),
    "deny": (
        -1,
        "无关 没关系的说法 没那回事 没这回事 哪能 不科学 没听说过 两码 乱讲 以为 假的 谣言 谣传 辟谣 误区 误解 误会"
        " 迷信 胡说 瞎说 胡扯 扯 骗人 忽悠 虚假 夸大 荒谬 以讹传讹 无稽之谈 没根据 没有根据 没依据 没有依据 没道理 错误 错的"
        " 错了 吓唬 编的 编出来"
        " 传说 老黄历 伪科学 不靠谱 不可信 信不得 别信 站不住脚 纯属 哪有 才怪 怎么可能 不可能的 不是真的 不对 不属实 子虚乌有 夸张"
        "|no|nope|nah|not at all|not really|false|myth|nonsense|rubbish|fiction|untrue|incorrect|mistaken|misconception"
        "|legend|hoax|old wives|not true"
        "|isn't true|not so|far from it|on the contrary|by no means|impossible|exaggerated|superstition|rumour|rumor"
        "|fairy tale|tall tale|invented"
        "|made up|quite the opposite|the opposite|not quite|unlikely|no truth|debunked|not the case|afraid not"
        "|not in the least|not a bit|not a chance|i think not|of course not|certainly not|absolutely not|definitely not"
        "|in no way|contrary to|a tale|disproved|refuted|unfounded|unproven|people think|no connection|nothing to do with"
        "|the truth is|in reality|not necessarily true",
    ),
}
_NEGATIONS = (
    "不 没有 没 无 非 别 勿 未 莫 甭 休 谈不上 算不上 称不上 不至于 不见得 不能算 不算 不能说 说不上 并不 并非 不会 不可能"
    " 未必 没法 无法 没什么 没啥 绝非 从未 从不 毫无 不是 不曾 不再 难以 免"
    "|not|no|never|none|nothing|nobody|neither|nor|without|hardly|scarcely|nowhere|no one|isn't|aren't|wasn't|weren't|don't"
    "|doesn't|didn't"
    "|couldn't|won't|wouldn't|hasn't|haven't|hadn't|ain't|don't think|no longer|rarely|seldom|stop"
)
# Words that contain a negation or a class word but do not mean it.
_NOTHING = (
    "不过 不仅 不但 不光 不只 不管 不论 无论 不少 不断 不久 不等 不超过 不到 不低于 不少于 不多于 不高于 不止 差不多 非常"
    " 除非 莫非 特别 分别 个别 级别 性别 别人 别的 别墅"
    " 未来 是否 是不是 能不能 可不可以 要不要 会不会 有没有 对不对 行不行 好不好 值不值 够不够 用不用 不然 要不 没准 无数"
    " 对于 对着 对照 对待 对面 针对 面对 相对 反对 对方 对比 应对 对身体"
    " 对孩子 对宝宝 价值 数值 血糖值 保值 峰值 正常值 该死 应届 活该 该机 该车 该药 该品 必须品 坑洼 坑里 能够 不管怎样"
    " 了不起 来不及 忍不住 舍不得 不好意思 不知道 不清楚 不一定 死亡率 禁不住 情不自禁 灵活"
    " 灵芝 精灵 机灵 贵州 贵宾 宝贵 缺点 缺口 消毒 病毒 杀毒 排毒 解毒 伤口 毒舌 扯开 拉扯 哪里 哪里买 不同程度 各不相同"
    " 不了解 无线 无糖 无人 非洲 未成年 免疫 免费 难免 避免不了"
    "|same place|same spot|same way|same day|at the same|at least once|never mind|not only|not just|no more than|no less than"
    "|no later than|no matter|not sure|whether or not|not necessarily|can of|right away|right now|right after"
    "|all right side|may be|in case|as well as|at work|to work|from work|help yourself|fire brigade|same time|the same day"
    "|all the same|in no time|well enough"
)
# Words that do not describe the subject of a question.
_QUIET_WORDS = (
    "的 了 着 过 是 在 和 与 就 都 也 很 还 又 吗 呢 吧 啊 么 这 那 个 一 把 被 给 对 从 到 以 为 而 但 或 会 能 可 要 不 没"
    " 有 无 我 你 他 她 它 们 最 更 用 以 得 该 算 不 真 样 需"
    " the a an of to in on at for and or but is are was were be been it its this that these with as by from not no do does"
    " did have has had will would can"
    " could may might should must you your i my we they so if then than very just about what which who how when where why any"
    " some one me our after before"
    " really true need okay ok there still ever"
)

CLAUSES = re.compile(
    r"[,，。.!！?？;；:：\n\t、—…]+(?!\d)|但是|但|不过|然而|而是|\bbut\b|\bhowever\b|\bbecause\b|\bthough\b|\balthough\b|\band\b"
)
# Don't: a forbidding imperative, however far its verb is.
_DONT = re.compile(
    r"(?P<much>最好|千万|万万|一定|也|都|就|还是|尽量|绝对|请)[^,，。]{0,10}?(?:别|勿|莫|甭)|^\s*(?:别|勿|莫|甭)"
    r"|^\s*(?:please |just |so |then |and )?(?:do not|don't|never)\b"
)
_AFTER = re.compile(r"[^,，。]?不[了得成住起到掉动上着见回来开出过完好]")
_UNITS = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:\.\d+)?|[\u3400-\u9fff]")

CLASSES = SIDES | REPLIES
# The class of a side and its opposite: the subject of a question that uses one of them.
AXES = {name: frozenset(pair) for pair in zip(list(SIDES)[::2], list(SIDES)[1::2], strict=True) for name in pair}


def _words(table: str) -> list[str]:
    chinese, _, english = table.partition("|")
    return [*chinese.split(), *filter(None, english.split("|"))]


_OF = {word: name for name, (_, table) in CLASSES.items() for word in _words(table)}
_DROPPED, _FLIPS = frozenset(_words(_NOTHING)), frozenset(_words(_NEGATIONS)) - _OF.keys()
_QUIET = frozenset(_QUIET_WORDS.split())
# Forbids in questions of permission, and otherwise negates the following words: 不能算正常.
_UNABLE = frozenset(("不能", "不可", "cannot", "can't"))
_READ = re.compile(pattern([*_OF, *_DROPPED, *_FLIPS]))


def stem(unit: str) -> str:
    return unit[:4] if unit.isascii() and unit.isalpha() and len(unit) > 4 else unit


def stems(text: str) -> list[str]:
    """Return the content stems of a text: Chinese characters, numbers, the first four letters of words; no function words."""
    return [stem(unit) for unit in _UNITS.findall(text) if unit not in _QUIET]


def read(clause: str, counts: dict[str, float], about: frozenset[str], *, scope: int, unable: bool) -> None:
    """Add the classes in a clause to the counts, and `negated`, `said` and `unsaid` if counts contains them.

    :param about: stems of the question: `said` counts them plain, `unsaid` negated (below 0).
    :param scope: maximum distance of a negation from the negated word, in Chinese characters; 25 letters more in English.
    :param unable: 不能 and cannot negate the following words; otherwise they forbid.
    """
    sign, since = 1.0, -99
    flips: list[int] = []
    open_ = False  # a negation not yet followed by a word of a class
    for match in _READ.finditer(clause):
        word = match[0]
        if word in _DROPPED and word not in _OF:
            continue
        # "no problem at all" negates the following words, "no" alone is a reply
        if word in _FLIPS or (unable and word in _UNABLE) or (word == "no" and clause[match.end() :].strip()):
            sign, since, open_ = -sign, match.end(), True
            flips.append(match.start())
            continue
        if sign < 0 and match.start() - since > (scope + 25 if word.isascii() else scope):
            sign = 1.0
        counts[_OF[word]] += sign
        sign, open_ = 1.0, False
        if word[0] in "不没无别未" or word in _UNABLE or word.endswith("n't"):
            flips.append(match.start())
    if open_ and (prohibition := _DONT.search(clause)):
        counts["forbid"] += 1.0 if prohibition["much"] else 0.5
    elif "negated" in counts:
        counts["negated"] += open_
    if not about or "said" not in counts:
        return
    hits = [unit for unit in _UNITS.finditer(clause) if unit[0] not in _QUIET and stem(unit[0]) in about]
    if hits:
        turned = sum(place <= hits[-1].start() for place in flips) % 2 ^ (_AFTER.match(clause, hits[-1].end()) is not None)
        share = min(1.0, 2.0 * len({stem(unit[0]) for unit in hits}) / len(about))
        counts["unsaid" if turned else "said"] += -share if turned else share

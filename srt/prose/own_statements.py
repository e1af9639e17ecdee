"""Whether a text says something as its own: not as what somebody else said, as a supposition, or as what was rejected.

What is read of a sentence counts only if everything else in it is plain wording, of a list. A sentence of which nothing
is read may still deny what was said before it, or head what follows.
"""

from __future__ import annotations

import re

from srt.maths.words import word_set

_WORDS = word_set(
    """
    a above all also an analysis and answer answers anticlockwise are arrangement as asked asks assignment at away
    back be because below bench beside blank booth both bottom but by can cell cells check checking circle clockwise
    clue clues column columns complete conclude conclusion configuration consistent constrain constraint constraints
    correct correlate count counterclockwise counting cube cubes deduce deduced derive diagonal direct directly down
    due each east either every everybody everyone exactly face faces facing fact facts fifth fill fills final
    finally find first five following follows for four fourth from front full get gets give given gives going has
    have heading height heights hence here high higher i in infer into is it its just know known layer layers layout
    leaves left letter letters level levels list look looking lower map matter max me means middle more must
    neighbor neighbour next north northeast northwest now number numbers of ok okay on one only opposite option
    options or order our outcome overall people person persons place placed placement placements places plan
    position positions pot pots put puts question read reading reasoning remaining remains result right ring row
    rows satisfied satisfies satisfy satisfying scene seat seated seating seats second see setup shelf show shown
    shows side sides since sit sits six sixth so solid solution solve solved solving south southeast southwest spot
    spots stack stacked stacks stand stands step steps straight sum summarise summarize summary sure table take
    takes tall tallest than that the them then there therefore these think third this three thus tier tiers to
    together top total two unique up us use using verification verify view views way ways we west where which who
    whoever whole whose with wlog work working yes
    """
)
_PHRASES = re.compile(
    r"clue #?\(?\d\)? (?:says|states|tells us|implies|means)(?![a-z])|turning the whole scene changes nothing"
    r"|we may say that|nobody fills|every other seat is taken|(?:all|the) other(?= (?:seats|people|stacks|cells))"
    r"|(?<=[\ue000-\uf8ff] is )not(?= [a-z])|(?<= is )not(?= [\ue000-\uf8ff])|no other option fits"
    r"|let(?:['’]s| us| me)(?![a-z])|(?<![a-z])at most",
    re.IGNORECASE,
)
_PHRASES_ZH = re.compile(
    r"(?:线索|条件)[（(]?[\d一二三四五六]?[)）]?(?:说|可知|得)?|整个场景转动后不变|其余座位都已有人|已有人|不妨设|无人符合|其他(?:选项)?都不符合|题目填空|使|谁|(?:都)?符合|可能的座位"
    r"|合起来|平面图的列从左起记为字母|行从前起记为数字|(?<=[面边侧邻列层格位])并非|未在?(?=[\ue000-\uf8ff])|某格既在|又在"
    r"|又因为|因为|所以|因此|由于|既然|于是|那么|但是|但|然而|综上所述|综上|最终|最后|结论|总结|可见|可知|说明|得到|得出|得|考虑到|已知"
    r"|(?:座位|位置)?(?:安排|排法|排列|分布)|方案|顺序|座位|位置|座次|座|结果|正确|答案|选项|题目问|题问|问|所求|要求的?|要找的?"
    r"|(?:依次|分别)?(?:位于|坐在)|依次|分别|如下|以下|这样|唯一的?|满足|所有|全部|每个?人|各自?|剩下的?|步骤?|推断|关联|约束|场景|推理|分析|解答"
    r"|小立方块|立方块|正方体|个数|总数|总共|共有|共|至多|最高|平面图|[主左右俯前]视图|对应|高度|场景|按|我们|由此|从而|接着|再|首先|然后(?=[\ue000-\uf8ff])"
    r"|顺时针|逆时针|从左到右|朝向|面向|面朝|对面|左邻|右邻|旁边|隔[位层]|[同东西左右上下][列格层]|相邻|斜|邻格?"
    r"|第|[一二三四五六]|[东南西北左右上下前后正]|[边侧方格列行层位处数]|更?高|更?低|[是的和且或而在又则为有个既跟与人里中坐站放于]|也"
)
_OF_OTHERS = re.compile(r"(?<=[中一])人|有人|人(?=说)")
_CJK = re.compile("[㐀-鿿]")
_STRUCK = re.compile(
    r"~~|<!--|<(?:del|s|strike)(?![a-z])|[✗✘❌╳⊥↯👎]|(?<![a-z])or so(?![a-z])"
    r"|(?<![a-z])(?:take|took) (?:all )?(?:it|that|this|these|them) back(?![a-z])|[?？]\s*\Z",
    re.IGNORECASE,
)
_LATIN = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?")
_ABOUT = r"(?:this|that|it|they|these|those|which|above|plan|arrangement|seating|order|everything|nothing|none|all)"
_DISOWNS = re.compile(
    rf"\A\W*(?:no|nope|nah|not|never)(?![a-z])|(?<![a-z]){_ABOUT}(?![a-z]).{{0,80}}(?<![a-z])(?:not|never|cannot|[a-z]+n['’]t)(?![a-z])"
    r"|(?<![a-z])clues? \(?\d\)?(?![a-z]).{0,4} (?:(?:does|is|was|would)(?: not|n['’]t) "
    r"(?:hold|true|met|satisfied|respected|kept)|(?:says|disagrees|objects|demands) otherwise)(?![a-z])"
    r"|\A\W*(?:well|alas|sadly|oh|hm+|ah|but)\W+(?:no|not)(?![a-z])|\A\W*(?:o+ps|whoops|my bad)(?![a-z])"
    r"|(?<![a-z])(?:breaks?|broke|breaking)(?! (?:\w+ )?(?:symmetry|tie|down|it down))(?![a-z])"
    r"|(?<![a-z])(?:clash\w*|conflicts with|broken|undo|undone|redo|void|bogus|rubbish|garbage|infeasible|inadmissible"
    r"|refut\w+|withdrew|doubtful|unlikely|unsatisf\w+|reconsider|rethink|restart"
    r"|(?:start|begin) (?:over|again|afresh|anew)|delete|strike|scrap|cross (?:it|this|that|them) out"
    r"|drawing board|tak(?:e|es|ing) (?:\w+ )?back"
    r"|rul(?:es|ing) (?:it|this|that|them) out|(?<!no )errors?|slip|upside down|revers(?:e|es|ed|ing)|interchang\w+"
    r"|exchang\w+|permut\w+|flip\w*|(?:go|goes|walks?|sits?) (?:one|two|three|a) (?:seat|place|chair|spot)s? "
    r"(?:on|further|along|over|clockwise|anticlockwise|counterclockwise))(?![a-z])|[⊥↯👎]"
    r"|(?<![a-z])(?:fail(?:s|ed|ing|ure)?|wrong\w*|false\w*|incorrect\w*|invalid|impossible|untrue|mistak\w+|absurd"
    r"|(?<!no )(?<!any )(?<!without )contradict\w*|inconsistent|reject\w*|discard\w*|dismiss\w*|eliminat\w*|exclud\w*"
    r"|ruled? out|violat(?:es|ed|ing)|retract\w*|withdraw\w*|taken? (?:\w+ )?back|scratch|ignore|disregard|forget"
    r"|nonsense|lies?|kidding|jok(?:e|ing)|so much for|suppos\w+|assum\w+|imagin\w+|pretend\w*|hypothe\w+|fictio\w+"
    r"|dream\w*|guess\w*|example|another|case|attempt|draft|said|(?<!clue \d )says|wrote|writes|written|claim(?:s|ed)"
    r"|told|thought|thinks|believe[sd]?|according|heard|student\w*|friend\w*|somebody|someone|mirror\w*|mov(?:es?|ed|ing)"
    r"|shift\w*|swap\w*|switch\w*|rotat\w+|trad(?:es?|ed|ing)|chang(?:es?|ed|ing)(?! nothing))(?![a-z])"
    r"|假[设如定的]|如果|倘若|若是|设想|想象|排除|反证|舍去|舍弃|放弃|否[定决]|(?<![无没有])(?:矛盾|错|误)|不[成对行符满合是正可]|失败"
    r"|作废|撤回|收回|(?<!已)有人|别人|[他她]说|同学|学生|老师|[听据]说|写道|声称|另一|别的|[举例]例|例[子如]|换|对调|移动|挪|梦|玩笑|虚构|镜"
    r"|\A\W*[否不非]\W*\Z|~~|<!--|<(?:del|s|strike)(?![a-z])|[✗✘❌╳]",
    re.IGNORECASE,
)
_OF_AN_OPTION = re.compile(
    r"\A\W*(?:(?:so|thus|hence|therefore),? )?(?:(?:options?|choices?) [A-H](?![a-z])"
    r"|[A-H](?=[:.)]| (?:is|are|and|or)(?![a-z])))|\A\W*选项",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\A\W*(?:(?:but|so|and|then) )?(?:this|that|it|these|those|which)(?![a-z])|\A\W*[这那此]", re.I
)
_HEADS = re.compile(
    r"(?:[:：]|(?<![a-z_])below)[^\w\ue000-\uf8ff]*\Z|(?<![a-z])(?:the following|as follows)(?![a-z])|以下|如下|下面",
    re.IGNORECASE,
)
_AS_ITS_OWN = re.compile(r"(?<![a-z])(?:final|finally|actual|correct|solution)(?![a-z])|最终|最后|正确", re.IGNORECASE)


def is_plain(rest: str) -> bool:
    """Whether ``rest``, what a sentence says beside what was read of it, is plain wording.

    Private characters stand for names and places.
    """
    if _STRUCK.search(rest) or _OF_OTHERS.search(rest.replace("已有人", "").replace("无人符合", "")):
        return False
    rest = _PHRASES_ZH.sub("", _PHRASES.sub("", rest))
    return not _CJK.search(rest) and all(
        len(word) == 1 or word in _WORDS
        for word in (match[0].lower().replace("’", "'").removesuffix("'s") for match in _LATIN.finditer(rest))
    )


class Speaker:
    """Hears the statements of a text in their order, and says which are its own."""

    def __init__(self) -> None:
        self._own = True

    def is_own(self, rest: str) -> bool:
        """Whether the text says as its own what was read of a sentence, beside ``rest``."""
        plain = is_plain(rest)
        self._own = self._own or (plain and _AS_ITS_OWN.search(rest) is not None)
        return self._own and plain

    def takes_back(self, sentence: str, *, names_nobody: bool) -> bool:
        """Whether ``sentence``, of which nothing was read, takes back all before it.

        It may also disown what follows, until something is said to be final or correct.
        """
        plain = is_plain(sentence)
        if plain:
            self._own = self._own or _AS_ITS_OWN.search(sentence) is not None
            return False
        if _HEADS.search(sentence):
            self._own = False
        if not names_nobody or not _DISOWNS.search(sentence) or _OF_AN_OPTION.search(sentence):
            return False
        if not _POINTS_BACK.search(sentence):
            self._own = False
        return True

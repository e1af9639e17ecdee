"""The spellings of signs and commands, and the token of each."""

from __future__ import annotations

from srt.maths.words import word_set

LOGARITHMS = word_set("log lg ln")
CALLED = word_set("abs floor ceil exp max min gcd lcm")
"""Functions whose arguments stand in brackets."""
FUNCTIONS = word_set("sin cos tan cot sec csc arcsin arccos arctan") | LOGARITHMS | CALLED
FUNCTION_SPELLINGS = {"ceiling": "ceil", "hcf": "gcd", "asin": "arcsin", "acos": "arccos", "atan": "arctan"}
WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | str.maketrans("−–﹣∙•⋅・∗", "---····*")
RELATIONS = {
    "=": "=", "≈": "≈", "≒": "≈", "≐": "≈", "≃": "≈", "<": "<", ">": ">", "≤": "<=", "⩽": "<=", "≦": "<=", "≥": ">=",
    "⩾": ">=", "≧": ">=", "≠": "!=", r"\approx": "≈", r"\doteq": "≈", r"\simeq": "≈", r"\thickapprox": "≈",
    r"\lt": "<", r"\gt": ">", r"\le": "<=", r"\leq": "<=", r"\leqslant": "<=", r"\leqq": "<=", r"\ge": ">=",
    r"\geq": ">=", r"\geqslant": ">=", r"\geqq": ">=", r"\ne": "!=", r"\neq": "!=", "<=": "<=", ">=": ">=", "!=": "!=",
    r"\fallingdotseq": "≈", "＝": "=",
}  # fmt: skip
OPERATORS = {"+": "+", "-": "-", "*": "*", "·": "·", "×": "×", "/": "/", "÷": "÷", "^": "^", "∕": "/", "⁄": "/",
              r"\times": "×", r"\cdot": "·", r"\div": "÷", r"\ast": "*", r"\bullet": "·"}  # fmt: skip
SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True))
FRACTIONS = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅙": "1/6", "⅛": "1/8"}
SPACES = word_set(
    r"\, \; \: \! \quad \qquad \displaystyle \textstyle \limits \nolimits \left \right \big \Big \bigg \Bigg "
    r"\bigl \bigr \Bigl \Bigr \biggl \biggr \hspace \small \large \nonumber \notag \rm \bf \middle \thinspace "
    r"\hfill"
)
STOPS = word_set(
    r"\therefore \because \Rightarrow \rightarrow \to \implies \Leftrightarrow \iff \Longrightarrow "
    r"\longrightarrow \newline \item \par \hline \tag \leftrightarrow \begin \end ∵ ∴ ⇒ → ⟹ ⇔"
)
CONSTANT_NAMES = {r"\pi": "pi", "π": "pi", "𝜋": "pi", "∏": "pi"}
TEXT_COMMANDS = word_set(
    r"\text \mathrm \textbf \textrm \textit \mbox \operatorname \mathbf \boldsymbol \bm \mathit \rm \mathsf "
    r"\textnormal \pmb \hbox \mathbb \mathcal"
)
OPERAND_ENDS = word_set("number name close rbrace unit degree percent superscript factorial bar rangle")
OPERAND_STARTS = word_set("number name open frac sqrt cbrt binom func bar lbrace")
"""Kinds of tokens that a value may end and begin with."""
GREEK = word_set(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta lambda mu rho sigma tau phi varphi psi "
    "omega Delta Gamma Theta Lambda Phi Psi Omega xi ell"
)
GREEK_LETTERS = frozenset("αβγδεζηθλμρστφϕψωξΔΓΘΛΦΨΩ")
HAN_OPERATORS = {"乘以": "×", "乘": "×", "加上": "+", "加": "+", "减去": "-", "减": "-", "除以": "÷"}
HAN_RELATIONS = {"等于": "=", "约等于": "≈", "约为": "≈", "大于": ">", "小于": "<"}
ENGLISH_OPERATORS = {"plus": "+", "minus": "-", "times": "×"}
ENGLISH = word_set(
    "the and for is of so we or if to be by at in as an it on are was has can let get then thus with from "
    "that this not since hence where when but per"
)

"""Answers that are no single number: ratios, points, intervals, sets and orders."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

from tests.srt.answers.rewriting.forms import Case, Named, case, full_width
from tests.srt.answers.rewriting.number_words import english, han


def ratio(rng: random.Random) -> Case:
    """Two whole numbers in a ratio."""
    share = Fraction(rng.randint(1, 12), rng.randint(1, 12))
    while share in (1, Fraction(1, 10)):
        share = Fraction(rng.randint(1, 12), rng.randint(2, 12))
    a, b = share.numerator, share.denominator
    equal = [("colon", f"{a}:{b}"), ("colon", f"{a} : {b}"), ("colon", f"{a}：{b}"), ("colon", f"{a}∶{b}"),
             ("full width", full_width(f"{a}:{b}")), ("latex", f"${a}:{b}$"), ("latex", f"{a}\\colon {b}"),
             ("latex", f"{a} \\mathbin{{:}} {b}"), ("multiplied", f"{2 * a}:{2 * b}"),
             ("multiplied", f"{10 * a} : {10 * b}"),
             ("words", f"{a} to {b}"), ("words", f"{english(a)} to {english(b)}"), ("words", f"{a}比{b}"),
             ("words", f"{han(a)}比{han(b)}"), ("fraction", f"\\frac{{{a}}}{{{b}}}"), ("fraction", f"{a}/{b}"),
             ("sentence", f"The ratio is {a}:{b}."), ("sentence", f"a:b = {a}:{b}"),
             ("sentence", f"V_1 : V_2 = {a} : {b}"),
             ("brackets", f"({a}:{b})"), ("fraction", f"\\dfrac{{{a}}}{{{b}}}"),
             ("one", f"1:{b}/{a}" if a > 1 else f"{a}:{b}"),
             ("roots", f"√{a * a}:√{b * b}")]  # fmt: skip
    near = [("turned over", f"{b}:{a}"), ("turned over", f"{b} to {a}"), ("turned over", f"{b}/{a}"),
            ("another term", f"{a}:{b + 1}"),
            ("another term", f"{a + 1}:{b}"), ("another term", f"{a + 1} to {b}"), ("a term lost", f"{a}"),
            ("a term lost", f"{b}"),
            ("a term more", f"{a}:{b}:{a + b}"), ("a term more", f"1:{a}:{b}"), ("no ratio", f"{a}.{b}"),
            ("no ratio", f"{a}{b}"),
            ("no ratio", f"({a}, {b})"), ("no ratio", f"{a}, {b}"), ("squared", f"{a * a}:{b * b}"),
            ("a unit", f"{a}:{b} cm"),
            ("no ratio", f"{a} or {b}"), ("another term", f"{a}:{10 * b}"), ("turned over", f"{han(b)}比{han(a)}"),
            ("no ratio", f"{a}-{b}"), ("two ratios", f"{a}:{b} or {b}:{a}")]  # fmt: skip
    if a == 1 or b == 1:  # 1/n as a number may be meant, and n:1 is n.
        near = [one for one in near if one[1] not in (f"{a}", f"{b}")]
    if {a, b} == {1}:
        near = []
    near = [one for one in near if one[0] != "squared" or 1 not in (a, b)] + [
        ("squared", f"{a * a + 1}:{b * b + 3 * b}")
    ]
    return case("ratio", f"{a}:{b}", "Find the ratio of a to b.", equal,
                [one for one in near if _differs(one[1], share)], rng)  # fmt: skip


def _differs(text: str, share: Fraction) -> bool:
    terms = text.replace(" to ", ":").split(":")
    if len(terms) == 2 and all(term.isdigit() for term in terms):
        return Fraction(int(terms[0]), int(terms[1])) != share
    return True


def point(rng: random.Random) -> Case:
    """Coordinates in two or three dimensions."""
    size = rng.choice((2, 3))
    at = [rng.choice((-1, 1)) * rng.randint(1, 9) for _ in range(size)]
    while len(set(at)) < size:
        at = [rng.choice((-1, 1)) * rng.randint(1, 9) for _ in range(size)]
    inner = ", ".join(map(str, at))
    tight = inner.replace(" ", "")
    names = ["x", "y", "z"][:size]
    equal = [("spacing", f"({tight})"), ("spacing", f"( {inner} )"), ("latex", f"\\left({inner}\\right)"),
             ("latex", f"$({tight})$"),
             ("full width", full_width(f"({tight})")), ("full width", f"（{tight.replace(',', '，')}）"),
             ("named", f"P({inner})"),
             ("named", f"P = ({inner})"),
             ("coordinates", ", ".join(f"{n} = {v}" for n, v in zip(names, at, strict=True))),
             ("decimals", f"({', '.join(f'{v}.0' for v in at)})"),
             ("unevaluated", f"({', '.join(f'{2 * v}/2' for v in at)})"),
             ("sentence", f"The point is ({inner})."), ("sentence", f"点P的坐标是({tight})"),
             ("minus signs", f"({inner.replace('-', '−')})"),
             ("semicolons", f"({inner.replace(',', ';')})"), ("box", f"\\boxed{{({inner})}}"),
             ("latex", f"\\big({inner}\\big)"),
             ("coordinates", f"{', '.join(f'{n}={v}' for n, v in zip(names, at, strict=True))}"),
             ("sentence", f"The coordinates are ({inner})")]  # fmt: skip
    turned = at[1:] + at[:1]
    changed = [*at[:-1], at[-1] + 1]
    near: list[Named] = [("order", f"({', '.join(map(str, turned))})"),
                         ("another", f"({', '.join(map(str, changed))})"),
            ("signs", f"({', '.join(str(-v) for v in at)})"), ("one more", f"({inner}, {at[0]})"),
                         ("one less", f"({', '.join(map(str, at[:-1]))})"),
            ("one number", str(sum(at))), ("named", f"P({', '.join(map(str, changed))})"), ("set", f"\\{{{inner}\\}}"),
            ("product", "".join(f"({v})" for v in at)),
                         ("coordinates", ", ".join(f"{n} = {v}" for n, v in zip(names, turned, strict=True))),
            ("two points", f"({inner}) or ({', '.join(map(str, changed))})"), ("denied", f"not ({inner})"),
            ("ratio", ":".join(map(str, at))), ("factor", f"2({inner})"), ("factor", f"-({inner})")]  # fmt: skip
    return case("point", f"({inner})", "Find the coordinates of the point P.", equal, near, rng)


def interval(rng: random.Random) -> Case:
    """An interval, bounded or not."""
    low, high = sorted(rng.sample(range(-9, 20), 2))
    opens, closes = rng.choice("(["), rng.choice(")]")
    if rng.random() < 0.35:
        return _half_line(rng, low, opens == "[")
    less = {"(": "<", "[": "≤"}[opens]
    more = {")": "<", "]": "≤"}[closes]
    latex = {"<": "<", "≤": r"\le"}
    code = {"<": "<", "≤": "<="}
    flipped = {"<": ">", "≤": "≥"}
    gold = f"{opens}{low}, {high}{closes}"
    equal = [("spacing", gold.replace(" ", "")), ("latex", f"\\left{opens}{low}, {high}\\right{closes}"),
             ("latex", f"${gold}$"),
             ("inequality", f"{low} {less} x {more} {high}"), ("inequality", f"{low}{less}x{more}{high}"),
             ("inequality", f"{low} {latex[less]} x {latex[more]} {high}"),
             ("inequality", f"{low} {latex[less]}qslant x {latex[more]}qslant {high}".replace("<qslant", "<")),
             ("inequality", f"{low} {code[less]} x {code[more]} {high}"),
             ("turned", f"{high} {flipped[more]} x {flipped[less]} {low}"),
             ("member", f"x ∈ {gold}"), ("member", f"x \\in {gold}"),
             ("set builder", f"{{x | {low} {less} x {more} {high}}}"),
             ("set builder", f"\\{{x \\mid {low} {latex[less]} x {latex[more]} {high}\\}}"),
             ("and", f"x {flipped[less]} {low} and x {more} {high}"),
             ("full width", full_width(gold.replace(" ", ""))), ("decimals", f"{opens}{low}.0, {high}.0{closes}"),
             ("sentence", f"The range is {gold}."), ("inequality", f"{low} {less} d {more} {high}")]  # fmt: skip
    turn = {"(": "[", "[": "(", ")": "]", "]": ")"}
    swap = {"<": "≤", "≤": "<"}
    near = [("bracket", f"{turn[opens]}{low}, {high}{closes}"), ("bracket", f"{opens}{low}, {high}{turn[closes]}"),
            ("inequality", f"{low} {swap[less]} x {more} {high}"),
            ("inequality", f"{low} {less} x {swap[more]} {high}"),
            ("an end", f"{opens}{low}, {high + 1}{closes}"), ("an end", f"{opens}{low - 1}, {high}{closes}"),
            ("an end", f"{low} {less} x {more} {high + 2}"),
            ("one side", f"x {more} {high}"), ("one side", f"x {flipped[less]} {low}"),
            ("ends alone", f"\\{{{low}, {high}\\}}"),
            ("one number", str(high)), ("outside", f"x {code[less]} {low} or x {flipped[more]} {high}"),
            ("signs", f"{opens}{-high}, {-low}{closes}" if low != -high else f"{opens}{low}, {high + 3}{closes}"),
            ("order", f"{opens}{high}, {low}{closes}"),
            ("length", f"{high - low}" if high - low not in (low, high) else f"{high - low + 50}")]  # fmt: skip
    return case("interval", gold, "Find the range of the distance x.", equal, near, rng)


def _half_line(rng: random.Random, low: int, closed: bool) -> Case:
    opens, sign, latex, code = ("[", "≥", r"\ge", ">=") if closed else ("(", ">", ">", ">")
    turned = {"≥": "≤", ">": "<"}[sign]
    gold = f"{opens}{low}, +\\infty)"
    equal = [("infinity", f"{opens}{low}, \\infty)"), ("infinity", f"{opens}{low}, ∞)"),
             ("infinity", f"{opens}{low},+∞)"),
             ("inequality", f"x {sign} {low}"), ("inequality", f"x{sign}{low}"), ("inequality", f"x {latex} {low}"),
             ("inequality", f"x {code} {low}"),
             ("turned", f"{low} {turned} x"), ("member", f"x ∈ {opens}{low}, +∞)"),
             ("set builder", f"{{x | x {sign} {low}}}"),
             ("words", f"x is {'at least' if closed else 'greater than'} {low}"), ("latex", f"$x {latex} {low}$"),
             ("words", f"x{'不小于' if closed else '大于'}{low}")]  # fmt: skip
    near = [("bracket", f"x {'>' if closed else '≥'} {low}"), ("bracket", f"{'(' if closed else '['}{low}, ∞)"),
            ("other side", f"x {turned} {low}"),
            ("an end", f"x {sign} {low + 1}"), ("an end", f"{opens}{low + 1}, ∞)"), ("other side", f"(-∞, {low})"),
            ("one number", f"{low}"),
            ("one number", f"x = {low}"), ("bounded", f"{opens}{low}, {low + 5})"), ("all", "(-∞, +∞)"),
            ("words", f"x is at most {low}")]  # fmt: skip
    return case("interval", gold, "Find the range of x.", equal, near, rng)


def values_set(rng: random.Random) -> Case:
    """A set of two or three numbers."""
    members = rng.sample([n for n in range(-9, 30) if n not in (0, 1)], rng.choice((2, 2, 3)))
    turned = members[1:] + members[:1]
    inner, other = ", ".join(map(str, members)), ", ".join(map(str, turned))
    gold = rng.choice((f"\\{{{inner}\\}}", f"{{{inner}}}", f"$\\{{{inner}\\}}$"))
    equal = [("braces", f"\\{{{inner}\\}}"), ("braces", f"{{{inner}}}"), ("braces", f"\\left\\{{{other}\\right\\}}"),
             ("order", f"\\{{{other}\\}}"),
             ("order", f"{{{other}}}"), ("order", other), ("bare", inner),
             ("or", " or ".join(f"x = {n}" for n in members)),
             ("or", " or ".join(map(str, turned))), ("or", " or ".join(f"x={n}" for n in turned)),
             ("commas", ", ".join(f"x = {n}" for n in members)),
             ("和", "和".join(map(str, members)) if len(members) == 2 else "、".join(map(str, members))),
             ("、", "、".join(map(str, turned))),
             ("full width", "｛" + "，".join(map(full_width, map(str, members))) + "｝"),
             ("indexed", ", ".join(f"x_{k} = {n}" for k, n in enumerate(turned, 1))),
             ("member", f"x ∈ {{{inner}}}"), ("member", f"x \\in \\{{{other}\\}}"),
             ("sentence", f"The solutions are {inner}."),
             ("and", f"{', '.join(map(str, turned[:-1]))} and {turned[-1]}"),
             ("decimals", f"{{{', '.join(f'{n}.0' for n in turned)}}}"),
             ("box", f"\\boxed{{\\{{{other}\\}}}}"), ("named", f"A = \\{{{inner}\\}}"),
             ("semicolons", f"{{{'; '.join(map(str, members))}}}"),
             ("或", "或".join(f"x={n}" for n in members))]  # fmt: skip
    wrong = [*members[:-1], members[-1] + 31]
    opposite = [-n for n in members] if sorted(-n for n in members) != sorted(members) else [members[0], 99]
    more = [*members, 47]
    near = [("another", f"\\{{{', '.join(map(str, wrong))}\\}}"), ("another", f"{{{', '.join(map(str, wrong))}}}"),
            ("another", ", ".join(map(str, wrong))),
            ("another", " or ".join(f"x = {n}" for n in wrong)), ("one more", f"{{{', '.join(map(str, more))}}}"),
            ("one more", ", ".join(map(str, more))),
            ("one less", f"{{{', '.join(map(str, members[:-1]))}}}"), ("one less", str(members[0])),
            ("one less", f"x = {members[-1]}"),
            ("signs", f"{{{', '.join(map(str, opposite))}}}"),
            ("one number", "".join(str(abs(n)) for n in members)), ("one number", f"{members[0]}.{abs(members[1])}"),
            ("sum", str(sum(members)) if sum(members) not in members else "101"),
            ("fraction", f"{members[0]}/{abs(members[1])}"), ("denied", f"not {inner}"),
            ("doubled", f"{{{', '.join([str(members[0])] * len(members))}}}"),
            ("range", f"{min(members)} ≤ x ≤ {max(members)}"),
            ("and one more", f"x = {members[0]} or x = 48")]  # fmt: skip
    return case("set", gold, "Give the set of all solutions.", equal, near, rng)


_NAMES = (("A", "B", "C", "D", "E"), ("Anna", "Ben", "Carl", "Dora"), ("红", "黄", "蓝", "绿"))


def order(rng: random.Random) -> Case:
    """Letters or names in an order."""
    names = list(rng.choice(_NAMES))
    names = rng.sample(names, rng.randint(3, len(names)))
    letters = all(len(name) == 1 for name in names)
    ascii_letters = letters and names[0].isascii()
    equal = _orders(names, letters)
    equal += [
        ("latex", " \\to ".join(names)),
        ("latex", f"$\\text{{{', '.join(names)}}}$"),
        ("latex", " \\rightarrow ".join(names)),
    ]
    near: list[Named] = []
    turned = names[1:] + names[:1]
    swapped = [names[1], names[0], *names[2:]]
    for other in (turned, swapped, names[::-1]):
        near += [("another order", text) for _, text in _orders(other, letters)]
    near += [("one less", ", ".join(names[:-1])), ("one more", ", ".join([*names, names[0]])),
             ("one less", "-".join(names[1:])),
             ("denied", f"not {', '.join(names)}"), ("two orders", f"{', '.join(names)} or {', '.join(turned)}"),
             ("a choice", " or ".join(names))]  # fmt: skip
    gold = rng.choice(
        [", ".join(names), "-".join(names), " → ".join(names)] + (["".join(names)] if ascii_letters else [])
    )
    return case("order", gold, "Order them from left to right.", equal, near, rng)


def _orders(names: Sequence[str], letters: bool) -> list[Named]:
    found = [("commas", ", ".join(names)), ("commas", ",".join(names)), ("hyphens", "-".join(names)),
             ("hyphens", " - ".join(names)),
             ("arrows", " → ".join(names)), ("arrows", "->".join(names)), ("、", "、".join(names)),
             ("semicolons", "; ".join(names)),
             ("numbered", "\n".join(f"{k}. {name}" for k, name in enumerate(names, 1))),
             ("then", ", then ".join(names)),
             ("full width", "，".join(names)), ("brackets", f"({', '.join(names)})"),
             ("brackets", f"[{', '.join(names)}]"),
             ("and", f"{', '.join(names[:-1])}, and {names[-1]}"), ("sentence", f"The order is {', '.join(names)}."),
             ("less", " < ".join(names)), ("less", "<".join(names)),
             ("sentence", f"顺序是{'、'.join(names)}。")]  # fmt: skip
    if letters:
        found.append(("run together", "".join(names)))
        if names[0].isascii():
            found.append(("spaces", " ".join(names)))
    return found


def inequality(rng: random.Random) -> Case:
    """Names by size, with signs between."""
    names = rng.sample(list("ABCDE"), rng.choice((3, 4)))
    sign, back = rng.choice((("<", ">"), (">", "<")))
    latex = {"<": r"\lt", ">": r"\gt"}[sign]
    gold = sign.join(names)
    equal = [("spacing", f" {sign} ".join(names)), ("turned", back.join(names[::-1])),
             ("turned", f" {back} ".join(names[::-1])),
             ("latex", f" {latex} ".join(names)), ("latex", f"${gold}$"),
             ("full width", gold.replace("<", "＜").replace(">", "＞")),
             ("sentence", f"The order is {gold}."), ("sentence", f"所以{gold}"),
             ("box", f"\\boxed{{{gold}}}")]  # fmt: skip
    near = [("sign", back.join(names)), ("order", sign.join(names[::-1])), ("order", sign.join(names[1:] + names[:1])),
            ("order", sign.join([names[1], names[0], *names[2:]])), ("equal", "=".join(names)),
            ("one less", sign.join(names[:-1])),
            ("mixed", f"{names[0]}{back}{sign.join(names[1:])}"),
            ("not strict", {"<": "≤", ">": "≥"}[sign].join(names)),
            ("order", f" {back} ".join(names)), ("two", f"{gold} or {back.join(names)}")]  # fmt: skip
    return case("inequality", gold, "Order A to E by size.", equal, near, rng)

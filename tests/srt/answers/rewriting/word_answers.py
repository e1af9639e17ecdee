"""Yes and no, and the names of solids, in English and in Chinese."""

from __future__ import annotations

import random

from tests.srt.answers.rewriting.forms import Case, case


def yes_no(rng: random.Random) -> Case:
    """Yes or no, in two languages; reasons are for extraction to cut off."""
    yes = [
        "Yes",
        "yes",
        "YES",
        "Yes.",
        "**Yes**",
        "\\text{Yes}",
        "是",
        "是的",
        "是的。",
        "Yes!",
        "$\\text{Yes}$",
        "对",
        "正确",
    ]
    no = [
        "No",
        "no",
        "NO",
        "No.",
        "**No**",
        "\\text{No}",
        "否",
        "不是",
        "不是。",
        "No!",
        "$\\text{No}$",
        "不对",
        "错误",
    ]
    neither = [
        "Not necessarily",
        "Maybe",
        "Yes and no",
        "yes or no",
        "It depends.",
        "无法确定",
        "Yes, no.",
        "是或否",
        "cannot be determined",
    ]
    gold, other = (
        (rng.choice(("Yes", "是", "yes")), no) if rng.random() < 0.5 else (rng.choice(("No", "否", "no")), yes)
    )
    same = yes if other is no else no
    near = [("the other", text) for text in other] + [("neither", text) for text in neither]
    near.append(("the other", "No, yes only if A is on P" if other is no else "Yes, no doubt about it"))
    return case("yes or no", gold, "Is line AB parallel to plane P?", [("word", text) for text in same], near, rng)


_SOLIDS = ("cone", "triangular prism", "square pyramid", "cylinder", "rectangular box", "regular octahedron")
_SOLIDS_HAN = ("圆锥", "圆柱", "三棱柱", "四棱锥", "长方体")


def words(rng: random.Random) -> Case:
    """The name of a solid, in English or in Chinese."""
    if rng.random() < 0.5:
        name, *others = rng.sample(_SOLIDS, 3)
        equal = [("case", name.upper()), ("case", name.title()), ("case", name.capitalize()), ("stop", f"{name}."),
                 ("article", f"a {name}"), ("article", f"the {name}"),
                 ("sentence", f"It is a {name}."), ("sentence", f"This is a {name}"),
                 ("sentence", f"The solid is a {name}."), ("latex", f"\\text{{{name}}}"),
                 ("latex", f"$\\text{{{name}}}$"), ("bold", f"**{name}**"), ("bold", f"A **{name}**"),
                 ("quotes", f"\"{name}\""), ("quotes", f"“{name}”"), ("sentence", f"The answer is {name}."),
                 ("box", f"\\boxed{{\\text{{{name}}}}}"), ("sentence", f"It's a {name}"),
                 ("spaces", f" {name.replace(' ', '  ')} "), ("colon", f"Solid: {name}")]  # fmt: skip
        near = [("another", others[0]), ("another", f"It is a {others[1]}."), ("denied", f"not a {name}"),
                ("denied", f"It is not a {name}."), ("denied", f"It isn't a {name}"),
                ("two", f"{name} or {others[0]}"), ("two", f"a {name} and a {others[0]}"),
                ("two", f"{name}/{others[1]}"), ("part", f"half a {name}"), ("part", f"part of a {name}"),
                ("part", f"the base of the {name}"), ("part", f"{name} frustum"), ("number", f"two {name}s"),
                ("unsure", f"maybe a {name}"), ("letter", name[0]), ("part", name[: len(name) // 2]),
                ("of another", f"The solid is in a {name}"),
                ("unsure", f"It is either a {name} or a {others[1]}")]  # fmt: skip
        return case("words", name, "What is the name of the solid?", equal, near, rng)
    name, *others = rng.sample(_SOLIDS_HAN, 3)
    equal = [("stop", f"{name}。"), ("sentence", f"这是一个{name}"), ("sentence", f"这是一个{name}。"),
             ("sentence", f"它是{name}"), ("sentence", f"是{name}"), ("sentence", f"该几何体是{name}。"),
             ("sentence", f"这个几何体是一个{name}"), ("quotes", f"“{name}”"), ("quotes", f"「{name}」"),
             ("bold", f"**{name}**"),
             ("latex", f"\\text{{{name}}}"), ("sentence", f"此几何体为{name}"), ("measure", f"一个{name}"),
             ("sentence", f"所以这个几何体是{name}。"), ("sentence", f"几何体的名称是{name}"), ("quotes", f"'{name}'"),
             ("box", f"\\boxed{{{name}}}"), ]  # fmt: skip
    near = [("another", others[0]), ("another", f"这是一个{others[1]}"), ("denied", f"不是{name}"),
            ("denied", f"这不是一个{name}"), ("two", f"{name}或{others[0]}"), ("two", f"{name}和{others[0]}"),
            ("two", f"{name}和{others[1]}的组合体"), ("part", f"半个{name}"), ("part", f"{name}的底面"),
            ("part", f"{name}的一部分"), ("number", f"两个{name}"), ("unsure", f"可能是{name}"),
            ("another", f"{name}台"), ("part", name[0]), ("unsure", f"是{name}还是{others[0]}"),
            ("denied", f"并非{name}"),
            ("of another", f"比{name}大"), ("two", f"{others[0]}、{name}")]  # fmt: skip
    return case("words", name, "这个几何体的名称是什么？", equal, near, rng)

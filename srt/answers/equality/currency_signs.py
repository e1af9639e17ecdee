"""Amounts of money with a sign, as amounts with a unit behind: ``$40``, ``US$40`` and ``USD 40`` are 40 dollars.

A dollar sign opens a formula in LaTeX. It is money where it is escaped, or where each of a text's dollar signs stands
before an amount that nothing of a formula follows.
"""

from __future__ import annotations

import re

from srt.maths.units.unit_phrases import phrase_unit

_AMOUNT = (
    r"[-−]?\d(?:\d|(?:,|\{,\}|,\\!)(?=\d{3}))*(?:\.\d+)?(?:\s*(?:hundred|thousand|million|billion|万|亿)(?![A-Za-z]))?"
)
_ESCAPED = re.compile(rf"(?:US)?\\\$\s*+({_AMOUNT})")
_DOLLAR = re.compile(rf"(?:US)?\$\s?({_AMOUNT})(?!\d)")
_AFTER_AMOUNT = re.compile(r"\s*(?:$|[.,;:!?)\n。，；、！）*])|\s+([A-Za-z]+)|\s*(美元|[\u4e00-\u9fff])")
_WORDS = {"€": "euros", "£": "pounds", "¥": "元", "￥": "元", "EUR": "euros", "GBP": "pounds", "USD": "dollars",
          "RMB": "元", "CNY": "元", "人民币": "元", r"\euro": "euros", r"\pounds": "pounds"}  # fmt: skip
_SIGN = r"€|£|¥|￥|EUR|GBP|USD|RMB|CNY|人民币|\\euro(?![a-z])|\\pounds(?![a-z])"
_IN_FRONT = re.compile(rf"(?<![A-Za-z])({_SIGN})\s*+({_AMOUNT})")
_BEHIND = re.compile(rf"(?<=\d)\s*+({_SIGN})(?![A-Za-z])")
_TWICE = re.compile(
    r"(dollars|euros|pounds|元)\s*+(?:(?:US|U\.S\.)\s++)?"
    r"(?:dollars?|euros?|pounds?|yuan|元|USD|EUR|GBP|RMB|美元)(?![A-Za-z])"
)
_ANY_SIGN = re.compile(rf"\$|{_SIGN}|U\.?S")
_OF_THE_US = re.compile(r"(?<![A-Za-z])(?:US|U\.S\.)\s+(?=dollars?(?![A-Za-z]))")


def with_currency_words(text: str) -> str:
    """``text`` with the words of a currency behind its amounts in place of the signs before them."""
    if _ANY_SIGN.search(text) is None:
        return text
    text = _ESCAPED.sub(r"\1 dollars", text)
    if "$" in text and _is_money(text):
        text = _DOLLAR.sub(r"\1 dollars", text)
    text = _IN_FRONT.sub(lambda match: f"{match[2]} {_WORDS[match[1]]}", text)
    text = _BEHIND.sub(lambda match: f" {_WORDS[match[1]]}", text)
    return _TWICE.sub(r"\1", _OF_THE_US.sub("", text))


def _is_money(text: str) -> bool:
    """Whether every dollar sign of ``text`` stands before an amount, and before no formula."""
    signs = text.count("$")
    found = list(_DOLLAR.finditer(text))
    return signs == len(found) and all(_ends_amount(text, match.end()) for match in found)


def _ends_amount(text: str, at: int) -> bool:
    after = _AFTER_AMOUNT.match(text, at)
    # ``$12 cm``: a formula that was not closed.
    return after is not None and (after[1] is None or after[1] == "USD" or not _is_other_unit(after[1]))


def _is_other_unit(word: str) -> bool:
    unit = phrase_unit(word)
    return unit is not None and not unit.is_money

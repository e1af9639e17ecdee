"""The gold answer of an external row: a letter, a label, a place or a text of an option, or a free answer.

What has two readings is refused, with the line of a mapping that says which one is meant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

from eval.benchmarks.external.mapping_file import FieldMap
from eval.benchmarks.external.row import ClassName
from srt.answers.written_form import read_answer, same_option
from srt.corpora.cells.decimal_commas import (
    Decimal,
    has_both_signs,
    has_groups_with_points,
    has_two_readings,
    is_below_one,
    is_in_uneven_groups,
    is_number_with_comma,
    is_one_with_thousands,
    with_points,
    without_point_groups,
    without_thousands,
)
from srt.corpora.cells.no_values import says_nothing
from srt.corpora.cells.one_hot import marked
from srt.corpora.cells.option_cells import Options
from srt.corpora.cells.positions import AnswerIs, whole_number
from srt.corpora.cells.worked_solutions import behind_final_mark, last_boxed
from srt.corpora.corpus_reader import ImportRefusalReason, ItemRefused
from srt.corpora.gold_answers import LONGEST, Gold, asks_several, read_gold
from srt.corpora.layouts.layout import letter_at
from srt.io.records import Answer, AnswerKind

_ASKS_FOR_MORE = re.compile(
    r"\b(?:what|which|give|name|find)\b(?: are)?(?: the)? (?:two|three|four|[2-4]) \w+s\b", re.I
)


@dataclass(frozen=True)
class GoldRules:
    """How the answers of a file are read: by its mapping, or by what its columns settle.

    ``numbers_are``: what whole numbers are, beside options; ``proposed``: what they may be, where that is open.
    ``semicolons``: the file is a table whose cells stand between semicolons, as where decimals have commas.
    """

    mapping: FieldMap
    numbers_are: AnswerIs | None = None
    proposed: AnswerIs = "index from 0"
    decimal: Decimal | None = None
    semicolons: bool = False

    def paste(self, **keys: Any) -> str:
        """The mapping with ``keys`` set, on one line, as a file may hold it."""
        known = self.mapping.model_dump(exclude_defaults=True) | keys
        return yaml.safe_dump(known, default_flow_style=True, width=float("inf"), allow_unicode=True).strip()


def gold_of(printed: Any, options: Options, kind: AnswerKind | None, rules: GoldRules, question: str) -> Gold:
    """The gold answer ``printed``, and what is printed before or behind it: the end of a worked solution (``#### 18``).

    Raises:
        ItemRefused: there is none, it is no option, or it has two readings.
    """
    if isinstance(printed, dict):
        raise ItemRefused("unreadable", f"answer: a text or a number was expected, not {printed!r:.60}")
    if isinstance(printed, list) and printed and options.texts and kind in (None, "choice_set"):
        letters = marked(printed, sorted(options.texts))
        if letters is not None:
            return Gold(Answer(kind="choice_set", value=letters))
        each = [_letters(one, options, rules) for one in printed if one is not None]
        if not each:
            raise ItemRefused("no_answer", "answer: empty")
        return Gold(Answer(kind="choice_set", value=sorted({letter for letters in each for letter in letters})))
    if isinstance(printed, list):
        printed = ", ".join(map(str, printed))
    if isinstance(printed, bool) and not options.texts and kind is None:
        return Gold(Answer(kind="boolean", value=printed))
    text = "" if printed is None or printed != printed else str(printed).strip()
    if says_nothing(text) and (not text or text not in options.texts.values()):
        raise ItemRefused("no_answer", f"answer: {text!r} is no answer" if text else "answer: empty")
    if options.texts and kind in (None, "choice_set"):
        return Gold(Answer(kind="choice_set", value=_letters(printed, options, rules)))
    if kind is not None:
        found = Gold(read_answer(text, kind, options.texts).answer)
    else:
        found = _free(text, rules, question)
    if found.answer is None:
        reason: ImportRefusalReason = "answer_is_no_option" if options.texts else "no_answer"
        why = "is not read as an answer"
        if len(text) > LONGEST:
            why = f"and so on, {len(text)} characters: a text that long is an answer where #### or \\boxed{{}} ends it"
        raise ItemRefused(reason, f"answer: {text[:80]!r} {why}")
    return found


def _letters(printed: Any, options: Options, rules: GoldRules) -> list[str]:
    """The letters that ``printed`` names: by label, by place, by letter, or as the text of an option."""
    text, texts = str(printed).strip(), options.texts
    number = whole_number(text)
    answer_is = rules.mapping.answer_is or (rules.numbers_are if number is not None else None)
    if answer_is == "option text":
        named = [letter for letter, option in texts.items() if option == text] or [
            letter for letter, option in texts.items() if same_option(text, option)
        ]
        if len(named) != 1:
            raise ItemRefused(
                "answer_is_no_option", f"answer: {text[:80]!r} is the text of {len(named)} options, not of one"
            )
        return named
    if answer_is in ("index from 0", "index from 1") and number is not None:
        return [_at(number, options, 1 if answer_is == "index from 1" else 0)]
    if isinstance(printed, ClassName) and number is not None and text not in options.labels:
        return [_at(printed.number, options, 0)]  # a class whose name says nothing but its number
    labelled = _by_label(text, options)
    if labelled:
        others = [letter for letter, option in texts.items() if option == text and [letter] != labelled]
        # A label that the file gives in a field of its own is meant, in its own spelling.
        if others and not (options.by_file and text in options.labels) and answer_is is None:
            raise _two_readings(text, labelled[0], others[0], rules)
        return labelled
    if number is not None and answer_is is None:
        raise ItemRefused(
            "ambiguous",
            f"answer: {text}: the place of an option, counted from 0 or 1, or its text? Save the mapping "
            f"{rules.paste(answer_is=rules.proposed)} (or {_others(rules.proposed)}) and import that",
        )
    found = read_answer(text, "choice_set", texts).answer
    if found is None:
        there = ", ".join(texts)
        raise ItemRefused(
            "answer_is_no_option", f"answer: {text[:80]!r} is not read as an answer; the options are {there}"
        )
    letters = list(found.value)
    # A letter alone means the option of this text only if it is spelled so: C is not c.
    is_letter = re.fullmatch("[A-Z]", text) is not None
    named = [letter for letter, option in texts.items() if option == text]
    if not named and not is_letter:
        named = [letter for letter, option in texts.items() if same_option(text, option)]
    if named and re.fullmatch(r"[A-Z](?:\s?[,;，、]\s?[A-Z])+", text) and set(re.findall("[A-Z]", text)) <= set(texts):
        letters = re.findall("[A-Z]", text)
    if named and answer_is is None and not set(letters) <= set(named):
        if text.startswith(("$", "\\")) and len(named) == 1 and texts[named[0]] == text:
            return named  # nobody writes the letter of an option in LaTeX where an option is spelled so
        raise _two_readings(text, ", ".join(letters), named[0], rules)
    return letters


def _others(proposed: AnswerIs) -> str:
    return ", or ".join(one for one in ("index from 0", "index from 1", "option text") if one != proposed)


def _by_label(text: str, options: Options) -> list[str] | None:
    """The letters of the labels that ``text`` names: one, or several between commas."""
    folded = {label.casefold(): letter for label, letter in options.labels.items()}
    names = [name.strip(" ()[].").casefold() for name in re.split("[,，、;]", text)]
    return sorted({folded[name] for name in names}) if all(name in folded for name in names) else None


def _at(number: int, options: Options, counted_from: int) -> str:
    letter = letter_at(number, len(options.texts), counted_from)
    if letter is None:
        last = len(options.texts) - 1 + counted_from
        raise ItemRefused("answer_is_no_option", f"answer: {number}; the options are {counted_from} to {last}")
    return sorted(options.texts)[ord(letter) - ord("A")]


def _two_readings(text: str, named: str, other: str, rules: GoldRules) -> ItemRefused:
    return ItemRefused(
        "ambiguous",
        f"answer: {text!r} names option {named} and is the text of option {other}; save the mapping "
        f"{rules.paste(answer_is='letter')} (or option text) and import that",
    )


def _free(text: str, rules: GoldRules, question: str) -> Gold:
    """An answer without options."""
    worked = behind_final_mark(text)
    text, solution = worked or (text, None)
    if worked is None and (boxed := last_boxed(text)):
        text, solution = boxed, None if len(text) < len(boxed) + 12 else text
    paste = f"save the mapping {rules.paste(decimal=',')} (or '.') and import that"
    several = asks_several(question) or _ASKS_FOR_MORE.search(question) is not None
    text = _whole_numbers(text, rules, several=several)
    if rules.decimal is None and rules.semicolons and has_two_readings(text):
        raise ItemRefused("ambiguous", f"answer: {text!r}: is the comma a decimal sign? {paste}")
    if rules.mapping.decimal == "." or worked is not None:
        text = without_thousands(text)
    elif not rules.semicolons and is_one_with_thousands(text) and several:
        paste = f"save the mapping {rules.paste(decimal='.')} (or ',') and import that"
        raise ItemRefused("ambiguous", f"answer: {text!r}: one number or two? {paste}")
    if is_number_with_comma(text) and rules.mapping.decimal is None and asks_several(question) == rules.semicolons:
        # In a table with semicolons a decimal, and elsewhere two answers: unless the question contradicts it.
        raise ItemRefused("ambiguous", f"answer: {text!r}: one number or two? {paste}")
    if rules.decimal == "," or (rules.semicolons and rules.decimal is None):
        text = with_points(text)
    found = read_gold(text, {}, choice=False, question=question)
    return Gold(found.answer, found.explanation or solution)


def _whole_numbers(text: str, rules: GoldRules, *, several: bool) -> str:
    """``text`` with its thousands and decimals as one reading has them, where both signs or groups show it."""
    said = rules.mapping.decimal
    point, comma = rules.paste(decimal="."), rules.paste(decimal=",")
    if is_in_uneven_groups(text):
        detail = f"answer: {text!r}: one number or several? Write it without commas, or with a blank behind each"
        raise ItemRefused("ambiguous", detail)
    if said == "." and (has_both_signs(text) or (is_below_one(text) and not several)):
        raise ItemRefused("ambiguous", f"answer: {text!r}: the comma is a decimal sign, and the mapping says '.'")
    if has_both_signs(text):
        if several and said is None:
            raise ItemRefused(
                "ambiguous", f"answer: {text!r}: one number or two? save the mapping {comma} and import it"
            )
        return with_points(text)
    if has_groups_with_points(text) and rules.semicolons and rules.decimal != "." and said is None:
        detail = f"is the point a decimal sign? save the mapping {comma} or {point} and import that"
        raise ItemRefused("ambiguous", f"answer: {text!r}: {detail}")
    return without_point_groups(text) if said == "," else text

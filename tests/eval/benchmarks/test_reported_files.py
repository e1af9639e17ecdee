"""Files that users reported as read wrongly: options on one line, letters within cells, quoted and percent golds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval.benchmarks.definition.variants import rolled
from srt.answers.written_form import canonical_text
from srt.io.errors import UserError
from srt.io.records import Answer, Problem

Imported = Callable[..., tuple[list[Problem], list[dict[str, Any]], dict[str, Any]]]

ONE_LINE = """id,question,choices,answer
1,Find AC of the triangle,"(A) 5 (B) 6 (C) 7 (D) 8",A
2,Find BC of the triangle,"A. 5 B. 6 C. 7 D. 8",A
3,Find BD of the triangle,"A: 5; B: 6; C: 7",A
4,Find BE of the triangle,"['5', '6', '7']",5
5,Find BF of the triangle,"A. 5
B. 6
C. 7",B
6,Find BG of the triangle,"5, 6, 7",6
7,Find BH of the triangle,"(A) 5 (B) 6 (C) 7 (D) 8",B
"""
LETTERED = """nr,dim,disc,stem,a,b,c,d,key,fig,txt
1,A1,mathematics,A person faces north and turns 90° right. Which way?,North,East,South,West,B,,
2,B2,navigation/surveying,"In the figure, where is P?",Left,Right,Above,Below,A,1.png,P stands on the left of the line.
3,C3,physics,Which of the following is correct?,Only (1),Only (2),Both A and B,None of the above,D,,
4,A3,aeronautics,真航迹角 345°，风向约为（ ）,A. 095度、19kt,B. 115度、18kt,C. 289度、18kt,D. 220度、20kt,A,,
"""
MAPPING = """data: items.csv
pictures: fig
fields: {id: nr, dimension: dim, discipline: disc, question: stem, choices: [a, b, c, d], answer: key, picture: fig,
  diagram_description: txt}
"""


def test_options_on_one_line(tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "one_line.csv").write_text(ONE_LINE, "utf-8")
    problems, refused, _ = imported("plain", tmp_path / "one_line.csv")
    assert refused == []
    assert ["".join(one.choices.values()) for one in problems] == ["5678", "5678", "567", "567", "567", "567", "5678"]
    assert [one.answer and canonical_text(one.answer) for one in problems] == list("AAAABBB")


def test_letters_within_cells_do_not_contradict_rolled_ones(
    tmp_path: Path, imported: Imported, draw: Callable[..., Path]
) -> None:
    draw(tmp_path / "data" / "fig" / "1.png")
    (tmp_path / "data" / "items.csv").write_text(LETTERED, "utf-8")
    (tmp_path / "data" / "mapping.yaml").write_text(MAPPING, "utf-8")
    problems, refused, _ = imported("hst", tmp_path / "data")
    assert refused == []
    turned = rolled(problems[3], 1)
    assert turned.choices == {"A": "220度、20kt", "B": "095度、19kt", "C": "115度、18kt", "D": "289度、18kt"}
    assert turned.answer == Answer(kind="choice_set", value=["B"])
    assert problems[2].choices["C"] == "Both A and B"


@pytest.mark.parametrize(
    ("question", "printed", "answer"),
    [
        ("正方体的展开图中，与“我”相对的面上的字是___", "“国”", Answer(kind="text", value="国")),
        ("What percentage of the volume is left?", "12.5%", Answer(kind="number", value=12.5, unit="%")),
        ("Give the set of all solutions.", "$\\{2, 5\\}$", Answer(kind="text", value="$\\{2, 5\\}$")),
        ("Is line AB parallel to plane P?", "Yes", Answer(kind="text", value="Yes")),
        ("Order the views from left to right.", "A, C, B, D", Answer(kind="text", value="A, C, B, D")),
    ],
)
def test_golds_as_they_are_printed(
    question: str, printed: str, answer: Answer, tmp_path: Path, imported: Imported, write_jsonl: Any
) -> None:
    [problem], refused, _ = imported(
        "plain", write_jsonl(tmp_path / "data" / "g.jsonl", [{"question": question, "answer": printed}])
    )
    assert refused == []
    assert problem.answer == answer


GERMAN = "Nr;Aufgabe;Lösung\n1;Wie groß ist die Fläche in cm²?;3,5\n2;Länge für 5 €?;1.250,75 m\n"
CHINESE = "id,question,answer\n1,这个正方体有几个面？,6\n"


def test_a_table_in_windows_1252_is_read_and_said(tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "g.csv").write_bytes(GERMAN.encode("cp1252"))
    columns = {"id": "Nr", "question": "Aufgabe", "answer": "Lösung"}
    problems, refused, summary = imported("plain", tmp_path / "g.csv", columns=columns)
    assert refused == []
    assert [one.answer and canonical_text(one.answer) for one in problems] == ["3.5", "1250.75 m"]
    assert problems[0].question == "Wie groß ist die Fläche in cm²?"
    assert "Windows-1252" in summary["read as"][0]
    with pytest.raises(UserError, match='question="Aufgabe",answer="Lösung"'):
        imported("plain", tmp_path / "g.csv")


@pytest.mark.parametrize("encoding", ["gb18030", "big5", "utf-16"])
def test_in_another_encoding_the_mapping_is_asked(encoding: str, tmp_path: Path, imported: Imported) -> None:
    text = CHINESE if encoding != "big5" else CHINESE.replace("这个", "這個").replace("几个", "幾個")
    (tmp_path / "c.csv").write_bytes(text.encode(encoding))
    with pytest.raises(UserError, match=r"\{data: c\.csv, encoding: "):
        imported("plain", tmp_path / "c.csv")
    (tmp_path / "c.yaml").write_text(f"{{data: c.csv, encoding: {encoding}}}", "utf-8")
    problems, _, _ = imported("plain", tmp_path / "c.yaml")
    assert problems[0].question == text.splitlines()[1].split(",")[1]

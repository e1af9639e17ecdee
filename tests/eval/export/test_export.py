"""Each form of export is read back by a reader that is not ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval.backends.protocol import Generation, GenerationSettings, Request
from eval.export import export
from eval.records.run_records import SUMMARY
from eval.run.predict import predict
from eval.scoring.score import score
from srt.images.open import describe_picture
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Prediction, Problem
from tests.fake_backend import FakeBackend

HOSTILE = 'line one\n"quoted"\tand a tab, <script>\\frac{1}{2}\r\nANSWER: B'


@pytest.fixture
def run(tmp_path: Path, make_problem: Callable[..., Problem]) -> Path:
    """Six problems, two repeats: a picture, several right options, a number, one without gold, a text ``None``."""
    (tmp_path / "p.png").write_bytes(_png())
    image = describe_picture(tmp_path, "p.png")
    problems = [
        make_problem(0, images=[image], diagram_description="a cube"),
        make_problem(1),
        make_problem(2, choices={}, answer=Answer(kind="number", value=12)),
        make_problem(3, choices={"A": "None", "B": "NA"}, answer=Answer(kind="choice_set", value=["B"])),
        make_problem(4, answer=None),
        make_problem(5, lang="zh", question="谁在左边？ item 5."),
    ]
    write_records(tmp_path / "problems.jsonl", problems)
    replies = {0: "ANSWER: A, C", 1: HOSTILE, 2: "ANSWER: 12", 3: "None", 4: "ANSWER: B", 5: "答案：A"}
    backend = FakeBackend(lambda prompt: replies[int(prompt.split("item ")[1].split(".")[0])], reads_pictures=True)
    settings = GenerationSettings(temperature=0.7)
    predict(tmp_path / "problems.jsonl", tmp_path / "run", backend, arm="srt é/1", repeats=2, settings=settings)
    score(tmp_path / "run")
    return tmp_path / "run"


def _png() -> bytes:
    import io

    import PIL.Image

    out = io.BytesIO()
    PIL.Image.new("RGB", (4, 4), "white").save(out, format="PNG")
    return out.getvalue()


def _accuracy(run: Path) -> float:
    found: float = json.loads((run / SUMMARY).read_text())["accuracy"]["share"]
    return found


def test_inspect_reads_its_log(run: Path, tmp_path: Path) -> None:
    inspect_log = pytest.importorskip("inspect_ai.log")
    export(run, "inspect", tmp_path / "out")
    infos = inspect_log.list_eval_logs(str(tmp_path / "out"))
    assert [info.task for info in infos] == ["plain"]
    log = inspect_log.read_eval_log(infos[0])
    assert (log.status, log.eval.task, log.eval.model) == ("success", "plain", "fake/srt é/1")
    assert log.results.scores[0].metrics["accuracy"].value == pytest.approx(_accuracy(run))
    assert len(log.samples) == log.results.total_samples == 12
    by_id = {(sample.id, sample.epoch): sample for sample in log.samples}
    shown = by_id["made-0", 1]
    picture, text = shown.input[0].content
    assert (picture.type, Path(picture.image).is_file(), text.type) == ("image", True, "text")
    assert (shown.scores["srt"].value, shown.scores["srt"].answer, shown.target) == ("C", "A, C", "A, C")
    assert by_id["made-1", 2].output.completion == HOSTILE
    assert by_id["made-4", 1].scores is None
    assert by_id["made-5", 1].scores["srt"].value == "I"
    told = {row.problem_id: row for row in read_records(run / "predictions.jsonl", Prediction)}
    usage = by_id["made-2", 1].output.usage
    assert (usage.input_tokens, usage.output_tokens) == (told["made-2"].input_tokens, told["made-2"].output_tokens)


def test_datasets_reads_the_samples_of_lm_eval(run: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    results, samples = export(run, "lm-eval", tmp_path / "out")
    assert samples.name.startswith("samples_srt_plain_2")
    table = json.loads(results.read_text())["results"]["srt_plain"]
    assert table["acc,none"] == pytest.approx(_accuracy(run))
    assert table["acc_stderr,none"] > 0
    rows = datasets.load_dataset("json", data_files=str(samples), split="train", cache_dir=str(tmp_path / "cache"))
    by_id = {row["doc"]["id"]: row for row in rows}
    assert by_id["made-1"]["resps"] == [[HOSTILE, HOSTILE]]
    assert by_id["made-1"]["filtered_resps"] == [["B", "B"]]
    assert (by_id["made-1"]["acc"], by_id["made-5"]["acc"], by_id["made-4"]["acc"]) == (1.0, 0.0, None)
    assert by_id["made-3"]["doc"]["choices"] == {"label": ["A", "B"], "text": ["None", "NA"]}
    assert json.loads(by_id["made-2"]["arguments"]["gen_args_0"]["arg_0"])[0]["role"] == "user"


def test_pandas_reads_the_tables_of_vlmevalkit(run: Path, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    data, first, second = export(run, "vlmevalkit", tmp_path / "out")
    assert (data.name, first.parent.name, second.parent.name) == ("srt_plain.tsv", "srt-é-1", "srt-é-1-2")
    meta, made = pandas.read_csv(data, sep="\t"), pandas.read_csv(first, sep="\t")
    assert list(meta["index"]) == list(made["index"]) == [0, 1, 2, 3, 4, 5]
    assert list(made["question"]) == list(meta["question"])
    by_id: dict[str, Any] = {row["problem_id"]: row for row in made.to_dict("records")}
    assert Path(by_id["made-0"]["image_path"]).is_file()
    assert by_id["made-0"]["answer"] == "AC"
    assert by_id["made-1"]["prediction"] == HOSTILE
    assert (by_id["made-3"]["A"], by_id["made-3"]["prediction"]) == ("None ", "None ")
    assert [by_id[f"made-{n}"]["hit"] for n in (0, 1, 2, 5)] == [1.0, 1.0, 1.0, 0.0]
    assert pandas.isna(by_id["made-4"]["hit"])


class _Failing(FakeBackend):
    """One request cannot be generated for."""

    def generate(self, batch: Any, settings: GenerationSettings) -> list[Generation]:
        def failed(request: Request, made: Generation) -> Generation:
            broken = Generation("", 0, 0, "error", 0.0, error="the picture is broken")
            return broken if "item 1." in request.prompt else made

        return [failed(*pair) for pair in zip(batch, super().generate(batch, settings), strict=True)]


def test_what_failed_is_marked_as_each_tool_marks_it(
    tmp_path: Path, make_problem: Callable[..., Problem], problems_file: Path
) -> None:
    write_records(problems_file, [make_problem(number) for number in range(3)])
    predict(problems_file, tmp_path / "run", _Failing(lambda _: "ANSWER: B"), arm="base")
    score(tmp_path / "run")
    rows = list(read_records(tmp_path / "run" / "predictions.jsonl", Prediction))
    write_records(tmp_path / "run" / "predictions.jsonl", rows[:2])
    score(tmp_path / "run")
    log = json.loads(export(tmp_path / "run", "inspect", tmp_path / "out")[0].read_text())
    assert [sample.get("error", {}).get("message", "") for sample in log["samples"]] == [
        "",
        "the picture is broken" if rows[1].error else "there is no prediction",
        "there is no prediction",
    ]
    assert (log["results"]["total_samples"], log["results"]["completed_samples"]) == (3, 2)
    table = export(tmp_path / "run", "vlmevalkit", tmp_path / "out")[1].read_text(encoding="utf-8")
    assert table.count("Failed to obtain answer") == 2


def test_variants_of_one_problem_stand_together(
    tmp_path: Path, make_problem: Callable[..., Problem], problems_file: Path
) -> None:
    write_records(problems_file, [make_problem(number) for number in (1, 2)])
    predict(problems_file, tmp_path / "run", FakeBackend(lambda _: "ANSWER: B"), arm="base", options={"rolls": "3"})
    score(tmp_path / "run")
    pandas = pytest.importorskip("pandas")
    made = pandas.read_csv(export(tmp_path / "run", "vlmevalkit", tmp_path / "out")[1], sep="\t")
    assert made["index"].is_unique
    assert [index % 1_000_000 for index in made["index"]] == [0, 0, 0, 1, 1, 1]
    assert len({(row["B"], row["answer"]) for row in made.to_dict("records")}) == 3
    log = json.loads(export(tmp_path / "run", "inspect", tmp_path / "out")[0].read_text())
    assert [sample["id"] for sample in log["samples"]][:2] == ["made-1", "made-1/roll-1"]
    assert len({sample["uuid"] for sample in log["samples"]}) == 6
    assert log["results"]["scores"][0]["metrics"]["accuracy"]["value"] == pytest.approx(_accuracy(tmp_path / "run"))


def test_the_same_run_gives_the_same_bytes(run: Path, tmp_path: Path) -> None:
    for form in ("inspect", "lm-eval", "vlmevalkit"):
        first = {path.name: path.read_bytes() for path in export(run, form, tmp_path / "one")}
        again = {path.name: path.read_bytes() for path in export(run, form, tmp_path / "two")}
        assert first == again


def test_faults(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"--to csv: .*inspect, lm-eval, vlmevalkit"):
        export(run, "csv", tmp_path / "out")
    with pytest.raises(UserError, match="folder"):
        export(run, "inspect", run / SUMMARY)
    with pytest.raises(UserError, match=r"run\.json"):
        export(tmp_path, "inspect", tmp_path / "out")

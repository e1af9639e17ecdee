"""What problems of the views world tell without the figures of the question, kind by kind and language by language.

    python -m research.worlds.views_leaks -n 8000 [--first 1000000] [--kinds GPC MVC/completes FPBI/folds]
        [--split test]

Three models that cannot solve a problem, each fitted on half of the problems and tested on the other half, all of one
split; or tested on all of them and fitted on as many of another split (``--fitted train``). A kind may be followed by
what is asked, the ``subcategory`` of its problems: ``completes`` (a missing view), ``opposes``, ``folds``, ``unfolds``
(nets), and so on.

Problems are taken as they are drawn, or only those whose text and figures are new (``--distinct``), as in a file of
``srt generate``. In a family that is nearly exhausted the two differ: given the options, each is as likely to be right
in the next draw, but an answer that few solids have runs out of new problems first.

- ``text``: a conditional logistic model of the words of question and options: letters, words, the values of options
  that are numbers, their ranks, gaps, and what is odd about one among the others;
- ``pictures``: the same model of the pictures of the options alone: bytes of the file, ink, number of lines, pixel
  distances to the others, which is the odd one out and which is in the middle;
- ``majority``: for problems without options, the answer that is most frequent for the same wording.

Chance is 25% for the first two. Intervals are 95%, normal approximation.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, count, islice, pairwise
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize

from srt.io.records import Lang, Problem
from srt.worlds.kit.drawing.raster import painted, png
from srt.worlds.kit.splits import Split
from srt.worlds.views.drawing.layout import page
from srt.worlds.views.drawing.style import style_of
from srt.worlds.views.reading.figures import figures_of
from srt.worlds.views.sampling.problem_draft import Kind
from srt.worlds.views.sampling.sampler import ViewsSampler, ViewsSpec

LETTERS = "ABCD"
_SEARCHED = 20
"""Problems that are drawn at most for one that is new and of the subcategory; a small family may have fewer than n."""
Features = Mapping[str, float]
FeaturesOf = Callable[[Problem], Sequence[Features]]
_STYLE = style_of("patches", "en", "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=8_000, help="problems of each kind and language")
    parser.add_argument("--first", type=int, default=0, help="index of the first problem")
    parser.add_argument("--kinds", nargs="*", default=get_args(Kind), help="KIND or KIND/SUBCATEGORY; all by default")
    parser.add_argument("--langs", nargs="*", default=get_args(Lang), choices=get_args(Lang))
    parser.add_argument("--split", default="train", choices=get_args(Split))
    parser.add_argument("--fitted", choices=get_args(Split), help="fit on this split; by default on half of the other")
    parser.add_argument("--distinct", action="store_true", help="leave out problems with the same text and figures")
    args = parser.parse_args()
    for kind in args.kinds:
        for lang in args.langs:
            print(f"{kind} {lang}: {'; '.join(_measured(kind, lang, args))}", flush=True)


def _measured(kind: str, lang: str, args: argparse.Namespace) -> Iterable[str]:
    def problems(split: Split, options_share: float) -> list[Problem]:
        name, _, asked = kind.partition("/")
        fields = {"kinds": [name], "lang": lang, "options_share": options_share, "split": split}
        drawn = islice(map(ViewsSampler(ViewsSpec.parse(fields)), count(args.first)), _SEARCHED * args.n)
        found = (problem for problem in drawn if asked in ("", problem.subcategory))
        return list(islice(_distinct(found) if args.distinct else found, args.n))

    def halves(options_share: float) -> tuple[list[Problem], list[Problem]]:
        tested = problems(args.split, options_share)
        if args.fitted in (None, args.split):
            return tested[::2], tested[1::2]
        return problems(args.fitted, options_share), tested

    fitted, tested = halves(1.0)
    yield f"text {_tested(fitted, tested, _text_features)}"
    drawn = [[p for p in half if any(figure.name == "A" for figure in figures_of(p))] for half in (fitted, tested)]
    if all(drawn):
        yield f"pictures {_tested(*drawn, _picture_features)}"
    if any(problem.choices["A"].isdigit() for problem in fitted):  # The same is asked without options, too.
        open_ended = [[problem for problem in half if not problem.choices] for half in halves(0.0)]
        yield f"majority {_majority(*open_ended)}"


def _distinct(problems: Iterable[Problem]) -> Iterator[Problem]:
    seen = set()
    for problem in problems:
        content = (problem.question, problem.diagram_description)
        if content not in seen:
            seen.add(content)
            yield problem


def _tested(fitted: Sequence[Problem], tested: Sequence[Problem], features_of: FeaturesOf) -> str:
    rows = [features_of(problem) for problem in fitted]
    names = {name: at for at, name in enumerate(sorted({name for row in rows for option in row for name in option}))}
    weights = _fit(_matrix(rows, names), _right(fitted))
    scores = (_matrix([features_of(problem) for problem in tested], names) @ weights).reshape(-1, 4)
    return _share(scores.argmax(axis=1) == _right(tested))


def _matrix(rows: Sequence[Sequence[Features]], names: Mapping[str, int]) -> sparse.csr_matrix:
    """One row for each option of each problem."""
    cells = [
        (4 * i + j, names[name], value)
        for i, row in enumerate(rows)
        for j, option in enumerate(row)
        for name, value in option.items()
        if name in names
    ]
    at, column, value = zip(*cells, strict=True)
    return sparse.csr_matrix((value, (at, column)), shape=(4 * len(rows), len(names)))


def _right(problems: Sequence[Problem]) -> NDArray[np.int64]:
    return np.array([LETTERS.index(problem.answer.value[0]) for problem in problems if problem.answer])


def _fit(data: sparse.csr_matrix, right: NDArray[np.int64]) -> NDArray[np.float64]:
    """Weights of a conditional logistic model of four options with a small penalty."""
    rows = np.arange(len(right))

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = (data @ weights).reshape(-1, 4)
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        chances /= chances.sum(axis=1, keepdims=True)
        off = chances.copy()
        off[rows, right] -= 1
        gradient = data.T @ off.ravel() / len(right) + 0.002 * weights
        return float(-np.log(chances[rows, right]).mean() + 0.001 * (weights**2).sum()), gradient

    found: NDArray[np.float64] = minimize(loss, np.zeros(data.shape[1]), jac=True, method="L-BFGS-B").x
    return found


def _share(hits: NDArray[np.bool_]) -> str:
    share = hits.mean()
    return f"{share:.1%} +- {1.96 * np.sqrt(share * (1 - share) / len(hits)):.1%} of {len(hits):,}"


def _text_features(problem: Problem) -> Sequence[Features]:
    """Of each option: its letter and its words, alone and with the question; for numbers where it stands among them."""
    question = problem.question.rpartition("\n")[2]
    texts = [problem.choices[letter] for letter in LETTERS]
    found: list[dict[str, float]] = []
    for letter, text in zip(LETTERS, texts, strict=True):
        words = [letter, *text.replace(letter, "").split(), f"{len(text)} characters"]
        words += [f"{a} {b}" for a, b in pairwise(words)]
        found.append(dict.fromkeys([*words, *(f"{question}|{word}" for word in words)], 1.0))
    if all(text.isdigit() for text in texts):
        numbers = [int(text) for text in texts]
        for place, number in enumerate(numbers):
            asked = f"{problem.meta['asked']} {problem.meta['shown']}"
            found[place] |= _number_features(numbers, place, number, asked)
    return found


def _number_features(numbers: Sequence[int], place: int, number: int, asked: str) -> Features:
    gaps = [b - a for a, b in pairwise(numbers)]
    others = [other for other in numbers if other != number]
    odd = sum(other % 2 != number % 2 for other in others) == 3
    names = [
        f"{asked}|{number}",
        f"{asked}|rank {place}",
        f"gaps {gaps} at {place}",
        f"gap before {gaps[place - 1] if place else 0}",
        f"gap after {gaps[place] if place < 3 else 0}",
        f"other parity {odd}",
        f"twice another {any(number == 2 * other for other in others)}",
        f"half of another {any(2 * number == other for other in others)}",
        f"between neighbours {place in (1, 2) and 2 * number == numbers[place - 1] + numbers[place + 1]}",
    ]
    off = [abs(sum(numbers) - 4 * each) for each in numbers]
    names.append(f"rank of distance to the mean {sorted(off).index(off[place])}")
    return dict.fromkeys(names, 1.0) | {"over the mean": (4 * number - sum(numbers)) / sum(numbers)}


def _pictures(problem: Problem) -> list[NDArray[np.uint8]]:
    """The pictures of the options, each on its own page; none if options are words or numbers."""
    options = [figure for figure in figures_of(problem) if figure.name in LETTERS]
    # A label would differ for each letter.
    return [painted(page([figure.model_copy(update={"name": "view"})], _STYLE)) for figure in options]


def _picture_features(problem: Problem) -> Sequence[Features]:
    """Of each option: its size and ink, and its pixel distances to the others, in numbers and in ranks."""
    drawn = _pictures(problem)
    height, width = (max(picture.shape[axis] for picture in drawn) for axis in (0, 1))
    even = [np.pad(one, ((height - one.shape[0], 0), (0, width - one.shape[1]))) for one in drawn]
    apart = np.zeros((4, 4))
    for i, j in combinations(range(4), 2):
        apart[i, j] = apart[j, i] = (even[i] != even[j]).mean()
    turned = [min((even[i] != even[j][:, ::-1]).mean() for j in range(4) if j != i) for i in range(4)]
    nearest = np.sort(apart + np.eye(4), axis=1)
    measured = {
        "bytes": [len(png(one, _STYLE.theme, _STYLE.ink)) / 1000 for one in drawn],
        "ink": [float((one > 0).mean()) for one in even],
        "lines": [sum(float((np.diff(one, axis=axis) > 0).mean()) for axis in (0, 1)) for one in even],
        "tall": [one.shape[0] / 1000 for one in drawn],
        "wide": [one.shape[1] / 1000 for one in drawn],
        "distance to all": apart.sum(axis=1).tolist(),
        "nearest": nearest[:, 0].tolist(),
        "second nearest": nearest[:, 1].tolist(),
        "farthest": apart.max(axis=1).tolist(),
        "to a mirror image": turned,
    }
    asked = problem.meta["asked"]
    found: list[dict[str, float]] = [{} for _ in range(4)]
    for name, values in measured.items():
        spread = max(values) - min(values) or 1.0
        for i, value in enumerate(values):
            rank = sum(other < value for other in values)
            equal = sum(other == value for other in values)
            found[i] |= {name: value, f"{name} within": (value - min(values)) / spread}
            found[i] |= {f"{name} rank {rank} with {equal}": 1.0, f"{asked}|{name} rank {rank}": 1.0}
    return found


def _majority(fitted: Sequence[Problem], tested: Sequence[Problem]) -> str:
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for problem in fitted:
        if problem.answer:
            counts[problem.meta["asked"] + problem.meta["shown"]][problem.answer.value] += 1
    best = {what: answers.most_common(1)[0][0] for what, answers in counts.items()}
    hits = [best.get(p.meta["asked"] + p.meta["shown"]) == p.answer.value for p in tested if p.answer]
    return _share(np.array(hits, dtype=bool))


if __name__ == "__main__":
    main()

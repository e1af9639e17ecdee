"""Text that others wrote, in a prompt: it stands between two marks with a number that it cannot contain.

A problem, a solution, a trace or an output may ask its reader to accept everything, close the mark that it stands in,
or imitate what a chat template writes. So whatever is not marked as our own (:class:`Own`) is fenced, and the model is
told once that nothing in a fence is for it to do (``fence.md``). Whether a model keeps to that has to be measured; that
no text gets out of its fence, and none carries the token of the question, is so by construction:

- the number is a hash of all that is put into the prompt, and is broken where a text contains it;
- so is the token that the answer has to repeat, and so are the marks of chat templates, which some servers read as such
  wherever they stand.

The same texts have the same number, so that a run that was killed finds the requests in its journal.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

import orjson


class Own(str):
    """Words of our own, which are put into a prompt as they are. ``before`` is what earlier versions sent instead."""

    before: str | None

    def __new__(cls, text: str, before: str | None = None) -> Own:
        """``text``, marked."""
        own = super().__new__(cls, text)
        own.before = before
        return own


# <|im_start|>, <｜User｜>, [INST], <<SYS>>, <s>, <start_of_turn>: the ones that chat templates write.
_ROLE_MARK = re.compile(
    r"<(?=[|｜])|(?<=[|｜])>|<(?=/?(?:s|bos|eos|start_of_turn|end_of_turn|start|end)>)|\[(?=/?INST\])|<(?=</?SYS>>)",
    re.IGNORECASE,
)


class Fence:
    """The fence of one question. ``number`` is in its marks; ``token`` is what the answer has to repeat."""

    def __init__(self, values: Mapping[str, str], token: str) -> None:
        content = orjson.dumps({name: str(text) for name, text in values.items()}, option=orjson.OPT_SORT_KEYS)
        self.number = Own(hashlib.sha256(content).hexdigest()[:8])
        self._broken = [_halves(self.number), _halves(token)]

    def around(self, text: str) -> str:
        """``text`` in the fence, unless it is empty or our own. Neither number nor token is in it, in any case."""
        if not text or isinstance(text, Own):
            return text
        text = _ROLE_MARK.sub(lambda mark: f" {mark[0]}" if mark[0] == ">" else f"{mark[0]} ", text)
        for halves in self._broken:
            text = halves.sub(r"\1 ", text)
        return f"<text-{self.number}>\n{text}\n</text-{self.number}>"


def before_fences(values: Mapping[str, str]) -> dict[str, str]:
    """``values`` as versions without fences sent them."""
    return {name: getattr(text, "before", None) or text for name, text in values.items()}


def _halves(word: str) -> re.Pattern[str]:
    half = len(word) // 2
    return re.compile(f"({re.escape(word[:half])})(?={re.escape(word[half:])})", re.IGNORECASE)

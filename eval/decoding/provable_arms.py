"""Which arms write lines that a checker can prove."""

from __future__ import annotations

from srt.io.errors import UserError
from srt.language.arms import ARMS, trace_text


def require_lines_to_prove(arm: str) -> None:
    """Raise a :class:`UserError` if ``arm`` is the name of one whose text is no world trace; other names are free."""
    # Those that leave operations out, or say others, write steps that do not follow, or none that can be read.
    if arm in ARMS and ARMS[arm].build is not trace_text:
        provable = ", ".join(name for name, one in ARMS.items() if one.build is trace_text)
        raise UserError(
            f"arm {arm!r}: decode: its text is no world trace, whose lines can be proved (such are {provable}); leave "
            "decode out, or name the arm after what the model writes"
        )

"""Which ways of billing ask for suspicion: five kinds that once passed the budget, six holes in the books, many more.

``DOUBTFUL`` are the modes; of those in ``ASIDE`` the client cannot know the bill, and only a provider's own list shows
it. ``TRUSTED`` are run with a price whose ``unforeseen_tokens`` says that replies keep to ``max_tokens``.
"""

from __future__ import annotations

from tests.billing import counted_aside, false_counts, lost_replies
from tests.billing.endpoint import Mode

SIX_HOLES: dict[str, Mode] = {
    mode.__name__: mode
    for mode in (
        lost_replies.lost_behind_405,
        lost_replies.lost_behind_410,
        lost_replies.lost_behind_451,
        lost_replies.redirected,
        false_counts.declines_uncounted,
        false_counts.calls_tools_uncounted,
        false_counts.thoughts_in_details_uncounted,
        false_counts.speaks_uncounted,
        false_counts.thai_uncounted,
        false_counts.unspaced_uncounted,
        counted_aside.thinking_aside,
        counted_aside.citations_aside,
        counted_aside.speech_beside,
        counted_aside.stored_by_qwen,
        counted_aside.cached_kimi,
        counted_aside.stored_for_an_hour,
        counted_aside.dearer_than_the_list,
    )
}
FIVE_KINDS: dict[str, Mode] = {
    mode.__name__: mode
    for mode in (
        lost_replies.lost_behind_502,
        lost_replies.lost_behind_500,
        lost_replies.throttled_in_a_200,
        false_counts.counts_of_one,
        counted_aside.stored_beside,
        counted_aside.late_thinking_of_a_trusted_model,
        counted_aside.thinking_of_400_000,
    )
}
DOUBTFUL: dict[str, Mode] = (
    FIVE_KINDS
    | SIX_HOLES
    | {
        mode.__name__: mode
        for mode in (
            lost_replies.lost_behind_503,
            lost_replies.lost_behind_529,
            lost_replies.lost_behind_522,
            lost_replies.lost_behind_409,
            lost_replies.lost_behind_425,
            lost_replies.lost_behind_a_wait,
            lost_replies.filtered_after_writing,
            lost_replies.moderated_after_writing,
            lost_replies.too_long_but_billed,
            lost_replies.failed_400_in_a_200,
            lost_replies.failed_503_in_a_200,
            lost_replies.failed_in_words_in_a_200,
            lost_replies.no_choices,
            lost_replies.accepted_202,
            lost_replies.partial_206,
            lost_replies.unknown_status_460,
            lost_replies.breaks_off_in_the_body,
            lost_replies.streams_unasked,
            lost_replies.counted_in_an_error,
            false_counts.filtered_without_a_count,
            false_counts.written_count_of_one,
            false_counts.given_count_of_one,
            false_counts.tenth_of_all,
            false_counts.negative_counts,
            false_counts.null_counts,
            false_counts.counts_in_thousands,
            false_counts.usage_is_a_text,
            false_counts.total_alone,
            false_counts.absurd_counts,
            counted_aside.read_beside,
            counted_aside.read_and_stored_beside,
            counted_aside.stored_inside,
            counted_aside.stored_in_details,
            false_counts.thoughts_shown_uncounted,
            false_counts.several_choices,
            counted_aside.late_hidden_prompt,
            counted_aside.thinking_up_to_300_000,
            lost_replies.throttled_unbilled,
            lost_replies.refused_unbilled,
        )
    }
)
ASIDE: dict[str, Mode] = {
    mode.__name__: mode for mode in (counted_aside.thoughts_nobody_reports, counted_aside.half_of_the_truth)
}
DOUBTFUL_REPORTED = frozenset(
    {
        "stored_beside", "late_thinking_of_a_trusted_model", "thinking_of_400_000", "counted_in_an_error",
        "read_beside", "read_and_stored_beside", "stored_inside", "stored_in_details", "late_hidden_prompt",
        "thinking_up_to_300_000", "throttled_unbilled", "refused_unbilled", "thinking_aside", "citations_aside",
        "speech_beside", "stored_by_qwen", "cached_kimi", "stored_for_an_hour", "dearer_than_the_list",
    }
)  # fmt: skip
"""Modes in which every generation is reported: what a client says it spent must be the bill."""
TRUSTED = frozenset({"late_thinking_of_a_trusted_model"})
BUDGET_OF = {"thinking_of_400_000": 4.0, "late_hidden_prompt": 4.0, "thinking_up_to_300_000": 4.0}
"""Budgets that pay for several such requests at once."""

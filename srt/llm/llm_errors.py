"""How asking a model can fail, by what the caller must do about it."""

from __future__ import annotations

from srt.io.errors import UserError


class EndpointFault(UserError):
    """Nothing of this run can be answered: no endpoint there, a wrong key, no such model. It ends with one line."""


class BudgetSpent(Exception):
    """The next request could cost more than what is left. The run ends in an orderly way; problems stay pending."""


class RunStopping(Exception):
    """Nothing is sent any more: the run is stopping. The request is left for the next run."""


class RequestRejected(Exception):
    """This request alone cannot be answered, however often it is sent. ``str(error)`` is the reason, one line."""


class RequestBlocked(RequestRejected):
    """The endpoint does not let this content through (moderation): a person has to look at it."""


class Unavailable(Exception):
    """No answer after all retries; a later run may get one. ``str(error)`` is the last reason, one line."""

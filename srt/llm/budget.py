"""Money: a hard limit that holds however many requests are in flight.

Before a request leaves, the most that it can cost is set aside; when its reply is in, what it did cost is booked and
the rest is free again. What is spent and what is set aside never exceed the limit together.

The most that a request can cost: a token is at least one byte of UTF-8 text, so the bytes of the request bound its
input tokens; ``max_tokens`` bounds its output; a picture counts as :attr:`~srt.llm.config.Price.picture_tokens`.
Servers break each of these bounds. So the first request to a model, and the first with a picture, goes alone; what its
reply is billed for beyond the bounds is added to those of all later ones, and of those in flight (:class:`Overrun`).
Against what no reply has shown yet, requests to one model are in flight together only as long as the money left covers
:attr:`~srt.llm.config.Price.unforeseen_tokens` for all of them but one: so the bill exceeds the limit by no more than
one request of each model.

An answer that was lost on its way (a time-out, a broken connection, an error of the server) may have been paid for, so
it stays booked at its maximum. So does a reply without counts, or with counts that cannot be: fewer tokens than its
words can have (:mod:`srt.llm.token_floor`). Where a reply gives its own cost and that is more than its counts cost, it
is booked, and later requests to the model are taken to be as much dearer (:attr:`~srt.llm.journal.Overrun.dearness`).

Where this ends: a provider that bills what it neither sends nor counts, counts less than it bills but no less than the
words, or bills what it refuses. Then only its own list shows it (:mod:`srt.llm.bills.reconcile`).
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeGuard

import orjson

from srt.llm.accounts import ModelUsage
from srt.llm.config import UNFORESEEN_TOKENS, Price
from srt.llm.endpoint.usage import TokenCounts
from srt.llm.journal import COUNTED, NO_REPLY, Overrun
from srt.llm.llm_errors import BudgetSpent, EndpointFault
from srt.llm.request import LlmRequest, Reply
from srt.llm.token_floor import fewest_tokens

_Kind = tuple[str, bool]

MOST_DEARNESS: Final = 1e6
"""Also what the server's cost is in terms of a price of 0."""
TEMPLATE_TOKENS: Final = 512
"""More than any chat template adds."""


@dataclass(eq=False)
class Reservation:
    """Money that is set aside for one request: hand it to :meth:`Budget.settle`, ``lose`` or ``release``, once.

    ``text`` bounds the tokens of its text. ``cost`` is the most that it can cost; it grows where the bounds of its
    model do.
    """

    request: LlmRequest
    text: int
    cost: float = 0.0
    batch: bool = False
    first: asyncio.Lock | None = None
    """Held by the first request of its kind until it has ended."""

    @property
    def kind(self) -> _Kind:
        """The model, and whether it is shown pictures."""
        return self.request.model, bool(self.request.pictures)


class Booked(NamedTuple):
    """What was booked for a reply: its ``cost``, as far as it is certain, and the most that it may cost beside.

    ``overrun`` is what was learnt of its model where its bounds do not hold.
    """

    cost: float
    doubt: float
    overrun: Overrun | None


class Budget:
    """All the money of a run. Share one between all endpoints of the run.

    ``limit`` is in the currency of ``prices``; ``None`` counts only. ``earlier`` is what earlier runs used: it counts.
    ``overruns`` is what they learnt.
    """

    def __init__(
        self,
        limit: float | None,
        prices: Mapping[str, Price],
        earlier: Iterable[ModelUsage] = (),
        overruns: Iterable[Overrun] = (),
    ) -> None:
        self.limit = limit
        self.total = sum(usage.booked for usage in earlier)
        """All that was spent, lost answers included."""
        self._prices = prices
        self._overruns = {overrun.model: overrun for overrun in overruns}
        self._held: set[Reservation] = set()
        self._in_flight: Counter[_Kind] = Counter()
        self._set_aside = 0.0
        self._answered: set[_Kind] = set()
        self._firsts: dict[_Kind, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._line = asyncio.Lock()
        self._freed = asyncio.Event()

    async def reserve(self, request: LlmRequest, *, batch: bool = False) -> Reservation:
        """Set aside the most that ``request`` can cost; waits while money in flight may come free.

        The requests of a ``batch`` have its price, and are in flight together whatever is unforeseen.

        First come, first served, apart from the first request of a kind, which others of its kind wait for.

        Raises:
            BudgetSpent: the request could exceed the limit even if all others in flight cost nothing more.
            EndpointFault: its model has no price.
        """
        self._check_price(request.model)
        reservation = Reservation(request, _text_bound(request), batch=batch)
        reservation.cost = self._most(reservation)
        if self.limit is None:
            return self._hold(reservation)
        kind = reservation.kind
        if kind not in self._answered and not batch:
            # The first of its kind goes alone, until its bill shows whether the bounds hold.
            await self._firsts[kind].acquire()
            # That was shown while this one waited.
            if kind in self._answered:
                self._firsts[kind].release()
            else:
                reservation.first = self._firsts[kind]
        try:
            # A lock serves in the order of arrival: a dear request is not overtaken by cheap ones for ever.
            async with self._line:
                while not self.fits(reservation):
                    if self.total + reservation.cost > self.limit:
                        raise BudgetSpent(
                            f"budget: {self.total:.4f} of {self.limit} is spent, and the next request to"
                            f" {request.model} could cost {reservation.cost:.4f}"
                        )
                    # No other task runs between the check above and this line, so no release goes unnoticed.
                    self._freed.clear()
                    await self._freed.wait()
                    reservation.cost = self._most(reservation)
                return self._hold(reservation)
        except BaseException:
            if reservation.first is not None:
                reservation.first.release()
            raise

    def adopt(self, request: LlmRequest, cost: float) -> Reservation:
        """Of a batch of an earlier run: what it counts as spent is set aside instead."""
        self.total -= cost
        return self._hold(Reservation(request, _text_bound(request), cost, batch=True))

    def fits(self, reservation: Reservation) -> bool:
        """Whether there is money for ``reservation``, held or not, beside all others that are held."""
        if self.limit is None:
            return True
        new = reservation not in self._held
        doubt = sum(self._doubt(model, reservation if new else None) for model in self._prices)
        return self.total + self._set_aside + new * reservation.cost + doubt <= self.limit

    def settle(self, reservation: Reservation, reply: Reply) -> Booked:
        """Book what ``reply`` cost.

        Counts that are missing or cannot be are booked as they were set aside; certain is what its words cost at least.
        The cost that the server itself gives is booked where it is more.
        """
        request = reservation.request
        fewest = fewest_tokens(request.system) + fewest_tokens(request.user)
        given, written = reply.input_tokens, reply.output_tokens
        cache = (reply.cached_tokens, reply.stored_tokens, reply.stored_long_tokens)
        most_given, most_written = given, written
        bound_given, bound_written = self._bounds(reservation)
        if given < fewest:
            # Not even what it says of its cache is believed.
            given, most_given, cache = fewest, max(bound_given, fewest), (0, 0, 0)
        if not reply.counted:
            shown = fewest_tokens(reply.text) + fewest_tokens(reply.reasoning or "")
            written = max(written, shown)
            most_written = max(written, bound_written)
        cost = self._cost(reservation, given, written, *cache)
        most = self._cost(reservation, most_given, most_written, *cache)
        dearness = 1.0
        if _dearer(reply.server_cost, cost):
            if _dearer(reply.server_cost, most):
                dearness = min(MOST_DEARNESS, reply.server_cost / most if most else MOST_DEARNESS)
            cost = reply.server_cost
            most = max(cost, most)
        self.total += most
        self._answered.add(reservation.kind)
        learnt = self._learn(reservation, reply, dearness)
        self.release(reservation)
        return Booked(cost, most - cost, learnt)

    def lose(self, reservation: Reservation, counts: TokenCounts | None = None) -> tuple[float, str]:
        """No answer came, and it may have been paid for: book all that was set aside; returns that, and why.

        An error may say what was billed: ``counts`` are booked then, where they can be.
        """
        cost, why = reservation.cost, NO_REPLY
        request = reservation.request
        if counts and counts.counted and counts.given >= fewest_tokens(request.system) + fewest_tokens(request.user):
            cache = (counts.cached, counts.stored, counts.stored_long)
            cost, why = self._cost(reservation, counts.given, counts.written, *cache), COUNTED
        if counts and _dearer(counts.cost, cost):
            cost = counts.cost
        self.total += cost
        self.release(reservation)
        return cost, why

    def release(self, reservation: Reservation) -> None:
        """The money is not set aside any more."""
        self._held.remove(reservation)
        self._in_flight[reservation.kind] -= not reservation.batch
        # Nothing is set aside exactly where nobody holds anything: a running sum of floats drifts.
        self._set_aside = self._set_aside - reservation.cost if self._held else 0.0
        if reservation.first is not None:
            reservation.first.release()
        self._freed.set()

    def max_cost(self, request: LlmRequest) -> float:
        """The most that ``request`` can cost, as above; :class:`EndpointFault` where its model has no price."""
        self._check_price(request.model)
        return self._most(Reservation(request, _text_bound(request)))

    def _hold(self, reservation: Reservation) -> Reservation:
        self._held.add(reservation)
        self._in_flight[reservation.kind] += not reservation.batch
        self._set_aside += reservation.cost
        return reservation

    def _check_price(self, model: str) -> None:
        if model not in self._prices:
            raise EndpointFault(
                f"prices: there is no price for the model {model!r}; give input and output in money per"
                " million tokens (0 where it costs nothing)"
            )

    def _most(self, reservation: Reservation) -> float:
        known = self._overruns.get(reservation.request.model)
        return self._cost(reservation, *self._bounds(reservation)) * (known.dearness if known else 1.0)

    def _cost(self, reservation: Reservation, given: int, written: int, *cache: int) -> float:
        price = self._prices[reservation.request.model]
        return price.cost(given, written, *cache) * (price.batch if reservation.batch else 1.0)

    def _bounds(self, reservation: Reservation) -> tuple[int, int]:
        """The most input and output tokens that a request is billed for, as far as is known."""
        request = reservation.request
        known = self._overruns.get(request.model)
        price = self._prices[request.model]
        each = price.picture_tokens if known is None else max(price.picture_tokens, known.picture)
        given, written = reservation.text + len(request.pictures) * each, request.max_tokens
        return (given, written) if known is None else (given + known.prompt, written + known.output)

    def _doubt(self, model: str, new: Reservation | None) -> float:
        """What unforeseen tokens could cost for all requests to ``model`` in flight, and a ``new`` one, but one."""
        texts, pictures = self._in_flight[model, False], self._in_flight[model, True]
        if new is not None and new.request.model == model and not new.batch:
            texts, pictures = texts + (not new.request.pictures), pictures + bool(new.request.pictures)
        price, known = self._prices[model], self._overruns.get(model)
        unforeseen = price.unforeseen_tokens
        if known is not None and max(known.prompt, known.picture - price.picture_tokens, known.output) > unforeseen:
            unforeseen = max(unforeseen, UNFORESEEN_TOKENS)  # what the price says of its model is refuted
        dear = max(0, pictures - 1) * price.input + max(0, texts + pictures - 1) * price.output
        return unforeseen * dear * (known.dearness if known else 1.0) / 1e6

    def _learn(self, reservation: Reservation, reply: Reply, dearness: float) -> Overrun | None:
        request = reservation.request
        known = self._overruns.get(request.model) or Overrun(model=request.model)
        prompt, picture = known.prompt, known.picture
        if request.pictures:
            each = math.ceil(reply.input_tokens / len(request.pictures))
            if each > self._prices[request.model].picture_tokens:
                picture = max(picture, each)
        else:
            prompt = max(prompt, reply.input_tokens - reservation.text)
        output = max(known.output, reply.output_tokens - request.max_tokens)
        dearness = max(dearness, known.dearness)
        learnt = Overrun(model=request.model, prompt=prompt, picture=picture, output=output, dearness=dearness)
        if learnt == known:
            return None
        self._overruns[request.model] = learnt
        # Those in flight may be billed as much as this one was.
        for other in self._held:
            if other.request.model != request.model:
                continue
            cost = self._most(other)
            self._set_aside += cost - other.cost
            other.cost = cost
        return learnt


def _dearer(told: float | None, cost: float) -> TypeGuard[float]:
    """Whether the cost that a server tells is above ``cost`` by more than rounding."""
    return told is not None and told > 1.01 * cost


def _text_bound(request: LlmRequest) -> int:
    schema = b"" if request.json_schema is None else orjson.dumps(request.json_schema.definition)
    return len(request.system.encode()) + len(request.user.encode()) + len(schema) + TEMPLATE_TOKENS

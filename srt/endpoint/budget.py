"""Money: a hard limit that holds however many requests are in flight.

Before a request leaves, the most that it can cost is set aside; when its reply is in, what it did cost is booked and
the rest is free again. What is spent and what is set aside never exceed the limit together. The most that a request can
cost: a token is at least one byte of UTF-8 text, so the bytes of the request bound its input tokens; ``max_tokens``
bounds its output; a picture counts as :attr:`~srt.endpoint.config.Price.picture_tokens`, or as much as the endpoint was
seen to count for one. An answer that was lost on its way (a time-out, a broken connection) may have been paid for, so
it stays booked at its most.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import orjson

from srt.endpoint.config import Price
from srt.endpoint.errors import BudgetSpent, EndpointFault
from srt.endpoint.journal import Journal
from srt.endpoint.messages import Reply, Request, Role

TEMPLATE_TOKENS: Final = 512
"""More than any chat template adds of its own."""


@dataclass(slots=True)
class Account:
    """What one role spent on one model. ``lost`` is the most that answers which never came may have cost."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    lost: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Reservation:
    """Money set aside for one sending of a request."""

    role: Role
    model: str
    cost: float


class Budget:
    """All the money of a run. Share one between all endpoints of the run.

    ``limit`` is in the currency of ``prices``, earlier runs on the same journal included; ``None`` counts only.
    """

    def __init__(self, limit: float | None, prices: Mapping[str, Price]) -> None:
        self.limit = limit
        self._prices = dict(prices)
        self._picture_tokens = {model: price.picture_tokens for model, price in prices.items()}
        self._accounts: dict[tuple[Role, str], Account] = {}
        self._total = 0.0
        self._reserved: set[Reservation] = set()
        self._set_aside = 0.0
        self._waiting: deque[tuple[Reservation, asyncio.Future[None]]] = deque()
        self._journal: Journal | None = None

    def require(self, models: Iterable[str]) -> None:
        """Raise :class:`EndpointFault` where one of ``models`` has no price."""
        for model in models:
            if model not in self._prices:
                raise EndpointFault(
                    f"prices: there is no price for the model {model!r}; give input and output in money per million"
                    " tokens (0 where it costs nothing)"
                )

    def take_over(self, journal: Journal) -> None:
        """Count what earlier runs spent, once: a second call with the same journal does nothing."""
        if self._journal is journal:
            return
        self._journal = journal
        for role, model, requests, given, made, cost in journal.read(
            "SELECT role, model, count(*), sum(input_tokens), sum(output_tokens), sum(cost) FROM requests GROUP BY 1, 2"
        ):
            account = self._account(Role(role), model)
            account.requests += requests
            account.input_tokens += given
            account.output_tokens += made
            self._book(account, cost)
        for role, model, cost in journal.read("SELECT role, model, sum(cost) FROM at_risk GROUP BY 1, 2"):
            self._book(self._account(Role(role), model), cost, lost=True)

    async def reserve(self, request: Request) -> Reservation:
        """Set aside the most that ``request`` can cost; waits while requests in flight hold what may come free.

        Raises:
            BudgetSpent: the request could exceed the limit even if all others in flight cost nothing more.
            EndpointFault: its model has no price.
        """
        wanted = Reservation(request.role, request.model, self.most(request))
        if not self._waiting and self._fits(wanted):
            self._hold(wanted)
            return wanted
        if self._never_fits(wanted):
            raise self._spent_fault(wanted)
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((wanted, granted))
        try:
            await granted
        except asyncio.CancelledError:
            self.release(wanted)
            raise
        return wanted

    def settle(self, reservation: Reservation, request: Request, reply: Reply) -> float:
        """Book what ``reply`` cost, and return it: all that was set aside where the endpoint counted no tokens."""
        account = self._account(reservation.role, reservation.model)
        account.requests += 1
        account.input_tokens += reply.input_tokens
        account.output_tokens += reply.output_tokens
        cost = self._price(reservation.model, reply.input_tokens, reply.output_tokens)
        if not (reply.input_tokens or reply.output_tokens):
            cost = reservation.cost
        if request.pictures:
            known = self._picture_tokens[request.model]
            self._picture_tokens[request.model] = max(known, math.ceil(reply.input_tokens / len(request.pictures)))
        self._set_free(reservation)
        self._book(account, cost)
        self._wake()
        return cost

    def lose(self, reservation: Reservation) -> None:
        """No answer came, and it may have been paid for: book all that was set aside."""
        self._set_free(reservation)
        self._book(self._account(reservation.role, reservation.model), reservation.cost, lost=True)
        self._wake()

    def release(self, reservation: Reservation) -> None:
        """Nothing was paid: the money is free again."""
        self._set_free(reservation)
        self._wake()

    def most(self, request: Request) -> float:
        """The most that ``request`` can cost, as above; :class:`EndpointFault` where its model has no price."""
        self.require([request.model])
        schema = b"" if request.json_schema is None else orjson.dumps(request.json_schema.definition)
        given = len(request.system.encode()) + len(request.user.encode()) + len(schema) + TEMPLATE_TOKENS
        given += len(request.pictures) * self._picture_tokens[request.model]
        return self._price(request.model, given, request.max_tokens)

    def spent(self) -> dict[tuple[Role, str], Account]:
        """What was spent by role and model, earlier runs included."""
        return self._accounts

    @property
    def total(self) -> float:
        """All that was spent, lost answers included."""
        return self._total

    def _price(self, model: str, given: int, made: int) -> float:
        price = self._prices[model]
        return (given * price.input + made * price.output) / 1e6

    def _account(self, role: Role, model: str) -> Account:
        return self._accounts.setdefault((role, model), Account())

    def _book(self, account: Account, cost: float, lost: bool = False) -> None:
        if lost:
            account.lost += cost
        else:
            account.cost += cost
        self._total += cost

    def _fits(self, wanted: Reservation) -> bool:
        return self.limit is None or self._total + self._set_aside + wanted.cost <= self.limit

    def _hold(self, reservation: Reservation) -> None:
        self._reserved.add(reservation)
        self._set_aside += reservation.cost

    def _set_free(self, reservation: Reservation) -> None:
        if reservation in self._reserved:
            self._reserved.remove(reservation)
            # Nothing is set aside exactly where nobody holds anything: a running sum of floats drifts.
            self._set_aside = self._set_aside - reservation.cost if self._reserved else 0.0

    def _never_fits(self, wanted: Reservation) -> bool:
        return self.limit is not None and self._total + wanted.cost > self.limit

    def _spent_fault(self, wanted: Reservation) -> BudgetSpent:
        return BudgetSpent(
            f"budget: {self._total:.4f} of {self.limit} is spent, and the next request to {wanted.model}"
            f" could cost {wanted.cost:.4f}"
        )

    def _wake(self) -> None:
        """Give what is free to those who wait, in their order."""
        while self._waiting:
            wanted, granted = self._waiting[0]
            if granted.done():
                pass  # cancelled
            elif self._fits(wanted):
                self._hold(wanted)
                granted.set_result(None)
            elif self._never_fits(wanted):
                granted.set_exception(self._spent_fault(wanted))
            else:
                return
            self._waiting.popleft()

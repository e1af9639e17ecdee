"""Money: a hard limit that holds however many requests are in flight.

Before a request leaves, the most that it can cost is set aside; when its reply is in, what it did cost is booked and
the rest is free again. What is spent and what is set aside never exceed the limit together. The most that a request can
cost: a token is at least one byte of UTF-8 text, so the bytes of the request bound its input tokens; ``max_tokens``
bounds its output; a picture counts as :attr:`~srt.llm.config.Price.picture_tokens`, or as much as the endpoint was
seen to count for one. An answer that was lost on its way (a time-out, a broken connection) may have been paid for, so
it stays booked at its maximum.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping
from typing import Final

import orjson

from srt.llm.config import Price
from srt.llm.journal import ModelUsage
from srt.llm.llm_errors import BudgetSpent, EndpointFault
from srt.llm.request import LlmRequest, Reply

TEMPLATE_TOKENS: Final = 512
"""More than any chat template adds."""


class Budget:
    """All the money of a run. Share one between all endpoints of the run.

    ``limit`` is in the currency of ``prices``; ``None`` counts only. ``earlier`` is what earlier runs used: it counts.
    """

    def __init__(self, limit: float | None, prices: Mapping[str, Price], earlier: Iterable[ModelUsage] = ()) -> None:
        self.limit = limit
        self.total = sum(usage.cost + usage.lost for usage in earlier)
        """All that was spent, lost answers included."""
        self._prices = prices
        self._picture_tokens = {model: price.picture_tokens for model, price in prices.items()}
        self._set_aside = 0.0
        self._reservations = 0
        self._line = asyncio.Lock()
        self._freed = asyncio.Event()

    async def reserve(self, request: LlmRequest) -> float:
        """Set aside the most that ``request`` can cost, and return it; waits while money in flight may come free.

        First come, first served. The amount is handed back to :meth:`settle`, :meth:`lose` or :meth:`release`, once.

        Raises:
            BudgetSpent: the request could exceed the limit even if all others in flight cost nothing more.
            EndpointFault: its model has no price.
        """
        cost = self.max_cost(request)
        async with self._line:
            while self.limit is not None and self.total + self._set_aside + cost > self.limit:
                if self.total + cost > self.limit:
                    raise BudgetSpent(
                        f"budget: {self.total:.4f} of {self.limit} is spent, and the next request to {request.model}"
                        f" could cost {cost:.4f}"
                    )
                self._freed.clear()
                await self._freed.wait()
            self._set_aside += cost
            self._reservations += 1
        return cost

    def settle(self, reserved: float, request: LlmRequest, reply: Reply) -> float:
        """Book what ``reply`` cost, and return it: all that was set aside where the endpoint counted no tokens."""
        cost = self._price(request.model, reply.input_tokens, reply.output_tokens)
        if not (reply.input_tokens or reply.output_tokens):
            cost = reserved
        if request.pictures:
            known = self._picture_tokens[request.model]
            self._picture_tokens[request.model] = max(known, math.ceil(reply.input_tokens / len(request.pictures)))
        self.total += cost
        self.release(reserved)
        return cost

    def lose(self, reserved: float) -> None:
        """No answer came, and it may have been paid for: book all that was set aside."""
        self.total += reserved
        self.release(reserved)

    def release(self, reserved: float) -> None:
        """The money is not set aside any more."""
        self._reservations -= 1
        # Nothing is set aside exactly where nobody holds anything: a running sum of floats drifts.
        self._set_aside = self._set_aside - reserved if self._reservations else 0.0
        self._freed.set()

    def max_cost(self, request: LlmRequest) -> float:
        """The most that ``request`` can cost, as above; :class:`EndpointFault` where its model has no price."""
        if request.model not in self._prices:
            raise EndpointFault(
                f"prices: there is no price for the model {request.model!r}; give input and output in money per"
                " million tokens (0 where it costs nothing)"
            )
        schema = b"" if request.json_schema is None else orjson.dumps(request.json_schema.definition)
        given = len(request.system.encode()) + len(request.user.encode()) + len(schema) + TEMPLATE_TOKENS
        given += len(request.pictures) * self._picture_tokens[request.model]
        return self._price(request.model, given, request.max_tokens)

    def _price(self, model: str, given: int, made: int) -> float:
        price = self._prices[model]
        return (given * price.input + made * price.output) / 1e6

"""Claims that are final before the answer is: verified while the rest is still being written.

A method announces the claims that its answer begins with; they are finished as the whole answer
will be, and passed on in order. The scores are cached in the run, so that nothing is paid twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

from upheld._internal.concurrency import meanwhile
from upheld.answer.render import laid_out
from upheld.answer.verdicts import is_checkworthy, is_supported
from upheld.errors import UpheldError
from upheld.run.trace import OnClaim, Run, shadow_of
from upheld.types import Claim, Draft, Question

Finish = Callable[[Draft], Awaitable[Draft]]


@dataclass(slots=True)
class VerifiedClaims:
    """Finishes announced drafts, and passes each claim on once."""

    finish: Finish
    on_claim: OnClaim
    repairs: bool  # claims that do not hold may be repaired: only supported ones are final
    keep_supported: bool
    least_relevance: float | None = None  # of the best claim: below, the answer may be withheld
    _latest: Draft | None = field(default=None, init=False)
    _new: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _sent: list[Claim] = field(default_factory=list, init=False)

    def announce(self, draft: Draft) -> None:
        """Take the beginning of the answer; a longer one replaces it."""
        self._latest = draft
        self._new.set()

    async def work(self, question: Question) -> None:
        """Finish what is announced until cancelled; a failure leaves the rest to the end."""
        with suppress(UpheldError):
            while True:
                await self._new.wait()
                self._new.clear()
                draft = self._latest
                if draft is not None and draft.question.text == question.text:
                    await self._pass_on(await self.finish(replace(draft, question=question)))

    async def _pass_on(self, draft: Draft) -> None:
        claims = laid_out(draft, keep_supported=self.keep_supported)
        if claims[: len(self._sent)] != tuple(self._sent):
            return  # another draft than the one that was begun
        if not self._is_relevant(claims):
            return
        for claim in claims[len(self._sent) :]:
            if self.repairs and is_checkworthy(claim) and not is_supported(claim):
                return  # it may be repaired, and what follows would move
            self._sent.append(claim)
            await self.on_claim(claim)

    def _is_relevant(self, claims: Sequence[Claim]) -> bool:
        scores = [claim.relevance for claim in claims if is_supported(claim)]
        known = [score for score in scores if score is not None]
        if self.least_relevance is None or (scores and not known):  # nothing grades claims
            return True
        return max(known, default=0.0) >= self.least_relevance


@asynccontextmanager
async def passing_on(
    run: Run, question: Question, claims: VerifiedClaims | None
) -> AsyncIterator[None]:
    """Pass claims on during the block, while the method runs."""
    if claims is None:
        yield
        return
    async with AsyncExitStack() as working:
        with shadow_of(run):  # the task copies the context: its steps are not those of the answer
            await working.enter_async_context(meanwhile(claims.work(question)))
        run.announced = claims.announce
        try:
            yield
        finally:
            run.announced = None

"""CoV-RAG (He et al. 2024, arXiv:2410.05801): search again with a question that was revised.

    Algorithm 1
    2   k = search(x)
    3   y = write(x, k)
    4   s, n, x' = verify(x, k, y)          scores, judgment, revised question: one call
    5   sigma(s, n, x')                     search again?
    7       k' = search(x'), and fallback_search(x')
    8       y = write(x, k')                from the initial question
    11  return y

Departures that `--preset paper` takes back:
- The revised question stays in the collection (`fallback_search`): a model that has read the
  passages wrote it, and its words would go to the web.
- The best answer by its verification is kept, not the last (`keep`), and the last is verified for
  it. Best is by judgment, then by the mean of the five scores of the answer.

Departures that stay:
- Prompted: without the trained model the writer verifies itself. The values of footnote 1
  (`sigma=any` or `all`) were found for that model; the footnote does not give the operators.
- The first search is in the collection, and the second there and elsewhere; the paper's are on the
  web. Without a fallback search both are in the collection.
- An answer is a list of a few cited sentences, and a revised question has at most 200 characters.
- A question that was searched for before, by its words, is not searched for again, and one that
  finds nothing leaves the answer as it is. This ends `rounds`, if there are several.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from upheld._internal.concurrency import together
from upheld.generation.fallback import Write
from upheld.methods.keep import Keep
from upheld.ports import Searcher
from upheld.retrieval.search import search_more
from upheld.run.calls import or_default_if_over_budget
from upheld.run.trace import current_run
from upheld.text.words import words
from upheld.types import Draft, Evidence, Question, union
from upheld.verification.chain import ChainVerify, ReviseFirst, Sigma, sigma


class Position(StrEnum):
    """Where the question is revised (Table 4): never, before the first search, or at the end."""

    NONE = "none"
    START = "start"
    END = "end"


@dataclass(frozen=True, kw_only=True)
class CoVRAG:
    """LLM calls with one revision: write, verify, write; and verify where the best is kept."""

    search: Searcher  # its `limit` is 5 in the paper
    fallback_search: Searcher | None = None  # the paper's: the web
    write: Write
    verify: ChainVerify | None  # None: plain RAG; its field `chain` is the ablation of Table 5
    revise_first: ReviseFirst | None = None  # for Position.START
    revise: Position = Position.END
    sigma: Sigma = Sigma.NON_EMPTY  # footnote 1
    rounds: int = 1  # the paper's
    keep: Keep = Keep.BEST  # the paper's: LAST

    async def __call__(self, question: Question) -> Draft:
        run = current_run()
        draft = await self.write(question, await self.search(await self._first(question)))  # 2, 3
        run.offer(draft)
        if self.revise is not Position.END or not self.rounds:
            return draft
        if self.verify is None:
            run.degrade("no language model: the answer went without its chain of verification")
            return draft
        asked = [words(question.text)]
        for _ in range(self.rounds):
            verified = await self.verify(draft)  # 4
            run.offer(draft, verified.score)
            again = words(verified.revised_question) not in asked and sigma(verified, self.sigma)
            if not again or not run.meter.next_round():  # 5, 6
                break
            revised = Question(verified.revised_question, parent=question.id)
            asked.append(words(revised.text))
            if not (evidence := await self._again(revised)):  # 7
                break
            draft = await self.write(question, evidence)  # 8, 9
            run.offer(draft)
        else:
            if self.keep is Keep.BEST:
                run.offer(draft, (await self.verify(draft)).score)
        return draft if self.keep is Keep.LAST else run.best or draft  # 11

    async def _again(self, revised: Question) -> Evidence:
        """k': what both searches find, merged by rank."""
        here = search_more(self.search, revised, "the search with a revised question")
        if self.fallback_search is None:
            return await here
        elsewhere = search_more(self.fallback_search, revised, "the fallback search")
        return union(*await together(here, elsewhere))

    async def _first(self, question: Question) -> Question:
        """The first query: the question, unless it is revised before anything is known."""
        if self.revise is not Position.START:
            return question
        if self.revise_first is None:
            current_run().degrade("no language model: the question was not revised")
            return question
        return await or_default_if_over_budget(self.revise_first(question), question)

"""A method of your own: search twice, the second time with the title of the best passage.

python examples/own_method.py
"""

from upheld import Draft, Method, Question, StageFactory, Upheld
from upheld.types import union


def look_twice(stages: StageFactory) -> Method:
    """Search, search again with the title of what came first, and write from both."""
    search, write = stages.search(), stages.write

    async def answer(question: Question) -> Draft:
        evidence = await search(question)
        for title in {hit.passage.title for hit in evidence[:1]}:
            again = Question(f"{title}: {question.text}", parent=question.id)
            evidence = union(evidence, await search(again))
        return await write(question, evidence)

    return answer


if __name__ == "__main__":
    with Upheld.open("kb") as kb:
        kb.add("examples/documents")
        answer = kb.ask("When does the lighthouse open to visitors?", method=look_twice)
        print(answer)
        print(answer.method, answer.claims[0].verdict.support, answer.usage.searches)

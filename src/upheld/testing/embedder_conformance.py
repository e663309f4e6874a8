"""What every `Embedder` must do; subclass it in a test and define an `embedder` fixture."""

from __future__ import annotations

import asyncio

from upheld.ports import Embedder

TEXTS = (
    "The first college football game was played in 1869.",
    "",
    "Enzymes speed up reactions.",
    "naïve café – 日本語 🙂 \ud800",
    "word " * 2_000,
)


class EmbedderConformance:
    """The contract of the port, as tests."""

    async def test_one_vector_a_text_of_length_one(self, embedder: Embedder) -> None:
        import numpy as np

        vectors = await embedder.embed(TEXTS)
        assert vectors.shape == (len(TEXTS), embedder.dimension)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)

    async def test_no_texts_give_no_vectors(self, embedder: Embedder) -> None:
        assert (await embedder.embed([])).shape == (0, embedder.dimension)

    async def test_vectors_come_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        together = await embedder.embed(TEXTS)
        for place, text in enumerate(TEXTS):
            [alone] = await embedder.embed([text])
            assert float(alone @ together[place]) > 0.97  # int8 scales depend on the batch

    async def test_the_same_call_gives_the_same_vectors(self, embedder: Embedder) -> None:
        one, other = await embedder.embed(TEXTS), await embedder.embed(TEXTS)
        assert (one == other).all()

    async def test_callers_at_the_same_time_get_their_own(self, embedder: Embedder) -> None:
        alone = [await embedder.embed([text, TEXTS[0]]) for text in TEXTS]
        found = await asyncio.gather(*(embedder.embed([text, TEXTS[0]]) for text in TEXTS))
        for own, ours in enumerate(found):
            # Neighbours in a batch change a vector a little, most of all for a text without words.
            similarity = [float(ours[0] @ theirs[0]) for theirs in alone]
            assert max(similarity) == similarity[own] > (0.97 if TEXTS[own] else 0.96)
            assert float(ours[1] @ alone[own][1]) > 0.97

    async def test_a_text_is_nearer_to_its_likes(self, embedder: Embedder) -> None:
        question, like, other = await embedder.embed(
            ["When was the first football game?", TEXTS[0], TEXTS[2]]
        )
        assert float(question @ like) > float(question @ other)

    async def test_the_identity_names_the_weights(self, embedder: Embedder) -> None:
        assert embedder.identity
        assert embedder.dimension > 0

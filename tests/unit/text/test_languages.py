"""Other languages in Latin letters are told from English, and English from nothing at all."""

from __future__ import annotations

import pytest

from upheld.text.languages import is_foreign
from upheld.types import Cause
from upheld.verification.verify import Verify
from upheld.verification.verify_answer import verify_answer
from upheld_lab.testing.fake_entailment import FakeEntailment

ENGLISH = frozenset({"en"})
FOREIGN = [
    "Le musée est ouvert tous les jours de neuf heures à midi.",
    "La tour a été construite en 1869 par un ingénieur de la ville.",
    "Les chiens ne sont pas admis sur le pont supérieur du bateau.",
    "Das Museum öffnet täglich um neun Uhr und schließt um fünf.",
    "Der Turm wurde im Jahr 1869 von einem Ingenieur gebaut.",
    "Hunde sind auf dem oberen Deck der Fähre nicht erlaubt.",
    "El museo abre todos los días a las nueve de la mañana.",
    "La torre fue construida en 1869 por un ingeniero de la ciudad.",
    "La entrada es gratuita para los niños menores de doce años.",
    "Il museo apre tutti i giorni alle nove del mattino.",
    "La torre fu costruita nel 1869 da un ingegnere della città.",
    "I cani non sono ammessi sul ponte superiore della nave.",
    "Het museum is elke dag open van negen tot vijf uur.",
    "De toren werd in 1869 door een ingenieur uit de stad gebouwd.",
    "Honden zijn niet toegestaan op het bovendek van de veerboot.",
    "Museet är öppet varje dag från nio till fem på kvällen.",
    "Tornet byggdes 1869 av en ingenjör från staden vid havet.",
    "Hundar är inte tillåtna på det övre däcket på färjan.",
    "O museu abre todos os dias às nove horas da manhã.",
    "A torre foi construída em 1869 por um engenheiro da cidade.",
    "Os cães não são permitidos no convés superior do navio.",
]


@pytest.mark.parametrize("text", FOREIGN)
def test_seven_other_languages_are_foreign(text: str) -> None:
    assert is_foreign(text, ENGLISH)
    assert not is_foreign(text, ENGLISH | {"fr", "de", "es", "it", "nl", "sv", "pt"})


@pytest.mark.parametrize(
    "text",
    [
        "The museum is open every day from nine in the morning to five.",
        "Mayor resigns amid bribery scandal, council vows swift reform next month",
        "Kinase phosphorylates serine residues; downstream effectors include MAPK, ERK, JNK, AKT",
        "Charles de Gaulle, Simone de Beauvoir, Ludwig van Beethoven, Miguel de Cervantes",
        "Los Angeles, Las Vegas, El Paso, La Paz, San Juan, Le Havre, Den Haag",
        "Smith et al. 2019, Jones et al. 2020, Müller et al. 2021, García et al. 2022",
        "name | city | lat | lon | pop | area | per capita | min | max",
        "Aspirin 100 mg, codeine 30 mg, ibuprofen 400 mg, per os, twice per day",
        "E = m c^2, x + y = z, a_i o e i n, sin x / cos y, det A",
        "Stendhal's Le Rouge et le Noir was published in 1830 and sold poorly.",
        "The phrase “je ne sais quoi” is used for a quality that cannot be named.",
        "Films: La vita è bella, Il postino, Ladri di biciclette, La dolce vita",
        "Treaty on European Union, Vertrag über die Europäische Union, Lisbon, Maastricht",
        "Le musée est ouvert.",  # too short to tell
        "",
    ],
)
def test_english_names_tables_and_formulae_are_not(text: str) -> None:
    assert not is_foreign(text, ENGLISH)


async def test_a_foreign_claim_or_source_is_not_checked() -> None:
    stage = Verify(model=FakeEntailment())
    source = "The museum is open from nine to noon."
    [claim] = await verify_answer(stage, f"{FOREIGN[0]} [1]", [source])
    assert claim.verdict.cause is Cause.LANGUAGE
    [claim] = await verify_answer(stage, "今天图书馆九点开门。[1]", [source])  # one word to us
    assert claim.verdict.cause is Cause.LANGUAGE
    [claim] = await verify_answer(stage, "The museum opens at nine. [1]", [" ".join(FOREIGN[:3])])
    assert claim.verdict.cause is Cause.LANGUAGE

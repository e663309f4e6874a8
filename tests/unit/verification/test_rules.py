"""Consistency rules: figures and names that no premise has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from upheld.text.figures import absent, figures, values
from upheld.text.names import Names
from upheld.text.names import absent as absent_names
from upheld.types import Cause, Passage
from upheld.verification.rules import ConsistencyRules
from upheld.verification.source import Part, Premise, Source

# Prose in which these letters are the initials of three words in a row, over and over.
PROSE = (
    """Before he left, the keeper said that it makes five more each year, and from behind it
the boats brought cheese. Every clerk brings one to the inn; cold cream, fish, dried apples and
nuts are served at any time, so every child behaves. """
    * 50
)
BY_CHANCE = ["IMF", "FBI", "BBC", "ECB", "ICC", "FDA"]


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        ("2,340 people came.", "2340 people came."),
        ("2340 people came.", "2 340 people came."),
        ("2\u202f340 people came.", "2,340 people came."),
        ("Two of them left.", "2 of them left."),
        ("21 left.", "Twenty-one left."),
        ("It cost 2.3 million.", "It cost 2,300,000."),
        ("It cost two million.", "It cost 2m."),
        ("205 came.", "Two hundred and five came."),
        ("It grew by 3.50 %.", "It grew by 3.5 percent."),
        ("It grew by 5%.", "It grew by five per cent."),
        ("On 5 May 2020 it closed.", "It closed on 2020-05-05."),
        ("It closed on May 5, 2020.", "It closed on 05/05/2020."),
        ("From 1914 to 1918.", "In 1914–18."),
        ("It opens at 3 pm.", "It opens at 15:00."),
        ("It opens at 09:00.", "It opens at 9 in the morning."),
        ("The 3rd floor.", "The third floor."),
        ("A dozen came.", "12 came."),
        ("In Sept. 1999.", "In September 1999."),
        ("Python 3.11.2 is out.", "Python 3.11.2 is out."),
        ("One of the towers fell.", "A tower fell."),  # "one" is no figure here
        ("It may rain.", "It rains."),
        ("１２ came.", "12 came."),
        ("In the 1990s it closed.", "It closed in 1994."),
        ("In the 90s it closed.", "It closed in 1994."),
        ("In the 1980's it closed.", "It closed in the 80s."),
        ("Nothing.", ""),
    ],
)
def test_the_same_figure_in_other_clothes_is_found(claim: str, premise: str) -> None:
    assert absent(claim, values(premise)) == ()


@pytest.mark.parametrize(
    ("claim", "premise", "missing"),
    [
        ("2,430 people came.", "2,340 people came.", "2,430"),
        ("340 people came.", "2,340 people came.", "340"),
        ("It cost 2.3 billion.", "It cost 2.3 million.", "2.3 billion"),
        ("Three left.", "Two left.", "Three"),
        ("In May 2020.", "In June 2020.", "May"),
        ("On 5 May 2021.", "On 5 May 2020.", "2021"),
        ("It grew by 5%.", "It grew by 15%.", "5"),
        ("Python 3.11.2 is out.", "Python 3.11.3 is out.", "3.11.2"),
        ("Twenty-two left.", "Twenty left, then two.", "Twenty-two"),
        ("10² steps.", "102 steps.", "10"),
        ("It opens at 10:30.", "It opens at 10:15.", "10:30"),
        ("2019 was dry.", "", "2019"),
        ("In the 1990s it closed.", "It closed in 1984.", "1990s"),
    ],
)
def test_another_figure_is_not(claim: str, premise: str, missing: str) -> None:
    assert absent(claim, values(premise)) == (missing,)


@given(st.integers(2, 10**12))
def test_a_number_is_found_however_it_is_grouped(number: int) -> None:
    for shown in (f"{number}", f"{number:,}", f"{number:,}".replace(",", "\u00a0"), f"{number}.0"):
        assert absent(f"There are {shown} of them.", values(f"{number} were counted")) == ()


@given(st.integers(2, 10**9), st.integers(2, 10**9))
def test_another_number_never_passes(one: int, other: int) -> None:
    if one != other:
        assert absent(f"There are {one:,} of them.", values(f"{other:,} were counted"))


@given(st.text(max_size=200))
def test_a_text_has_its_own_figures_and_names(text: str) -> None:
    assert absent(text, values(text)) == ()
    assert absent_names(text, Names.of(text)) == ()


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        ("The keeper is Marie Curie.", "Marie Curie keeps it."),
        ("Curie's tower stands.", "The tower of Curie"),
        ("The UN met.", "The United Nations met."),
        ("The United Nations met.", "The UN met."),
        ("He lives in the U.S. now.", "He lives in the United States."),
        ("A German ship sank.", "A ship from Germany sank."),
        ("The French coast is long.", "The coast of France"),
        ("They met in São Paulo.", "They met in Sao Paulo."),
        ("The Government fell.", "The government fell."),
        ("Researchers found it.", "Scientists found it."),  # any word may open a sentence
        ("However Paris is big.", "Paris is large."),
        ("He said: Everything is fine.", "All is well, he said."),
        ("It closes on Monday.", "It closes on the first day of the week."),
        ("They left, I'll have you know.", "They left."),
        ("It shows in Sf1-expressing cells.", "It shows in cells with Sf1."),
        ("They spoke of JFK's ships.", "John F. Kennedy had ships."),
        ("They asked the IMF.", "They asked the International Monetary Fund."),
        ("They made an FOI request.", "They cited the Freedom of Information Act."),
        ("The DT agreed.", "The Department of the Treasury agreed."),
        ("Many EVs are there.", "The Electric Vehicles are there."),
        ("Employ CBT now.", "Use CBT now."),
        ("It was on TV.", "It was broadcast."),
        ("Anglo-Saxon towers stand.", "The Saxon and the Anglo towers"),
    ],
)
def test_a_name_in_other_clothes_is_found(claim: str, premise: str) -> None:
    assert absent_names(claim, Names.of(premise)) == ()


@pytest.mark.parametrize(
    ("claim", "premise", "missing"),
    [
        ("The keeper is Ahab.", "The keeper is Bell.", ("Ahab",)),
        ("Jane Smith keeps it.", "John Smith keeps it.", ("Jane",)),
        ("It lies in Austria.", "It lies in Australia.", ("Austria",)),
        ("It lies in Iran.", "It lies in Iraq.", ("Iran",)),
        ("Her name is Maria.", "Her name is Marie.", ("Maria",)),
        ("The WHO said so.", "The EU said so, and who knows.", ()),  # "who" is there
        ("The EU met.", "The United Nations met.", ("EU",)),
        ("It runs on an iPhone and B12.", "It runs on an iPhone.", ("B12",)),
        ("Add some CFA to it.", "Add complete Freund adjuvant to it.", ("CFA",)),
        ("They asked the IMF.", "Iran\nMexico\nFrance", ("IMF",)),  # a list is no name
    ],
)
def test_another_name_is_not(claim: str, premise: str, missing: tuple[str, ...]) -> None:
    assert absent_names(claim, Names.of(premise)) == missing


@pytest.mark.parametrize("acronym", BY_CHANCE)
def test_an_acronym_is_not_in_a_page_of_prose_by_chance(acronym: str) -> None:
    assert absent_names(f"They wrote to {acronym}.", Names.of(PROSE)) == (acronym,)
    everything = Names.of(PROSE.upper())
    assert absent_names(f"They wrote to {acronym}.", everything) == (acronym,)


def test_text_in_capitals_tells_nothing_about_names() -> None:
    assert absent_names("THE KEEPER IS CALLED AHAB TODAY", Names.of("The keeper is Bell.")) == ()


def test_each_part_can_be_switched_off() -> None:
    text = "It is false that Bell, the keeper, counted 13 gulls."
    claim = "The keeper Ahab counted 12 gulls."
    source = Source(Passage("p", text, "p", "v", 0, len(text)))
    premise = Premise(text, (Part(source, ((0, len(text)),)),))
    every = ConsistencyRules()(claim, premise)
    no_figures = ConsistencyRules(check_figures=False)(claim, premise)
    only_voice = ConsistencyRules(check_figures=False, check_names=False)(claim, premise)
    for veto, cause, words in (
        (every, Cause.NAME_ABSENT, "“Ahab”"),
        (no_figures, Cause.NAME_ABSENT, "“Ahab”"),
        (only_voice, Cause.NOT_ASSERTED, "denied: “Bell, the keeper, counted 13 gulls.”"),
    ):
        assert veto is not None
        assert veto.cause is cause
        assert words in veto.reason
    none = ConsistencyRules(check_figures=False, check_names=False, check_voice=False)
    assert none(claim, premise) is None


def test_figures_keep_their_words() -> None:
    assert [each.text for each in figures("In May 1999, two hundred of 3.5 million left.")] == [
        "May",
        "1999",
        "3.5 million",
        "two hundred",
    ]

"""No fetch connects to a forbidden address, however it is led there."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from tests.servers.fake_network import ALL_ALLOWED, HELLO, Asked, FakeNames, FakeNetwork, reply
from tests.unit.hostile_addresses import (
    BENIGN_4,
    BENIGN_6,
    BENIGN_URLS,
    FORBIDDEN_4,
    FORBIDDEN_6,
    ODD_URLS,
)
from upheld.edge.web.fetch import Fetcher
from upheld.edge.web.guarded import GuardedBackend
from upheld.errors import WebRefusedError, WebUnavailableError

PUBLIC = "93.184.216.34"
FORBIDDEN = [*FORBIDDEN_4, *FORBIDDEN_6]


def spelt(address: str) -> str:
    return f"[{address}]" if ":" in address else address


HOSTILE_URLS = [*(f"http://{spelt(each)}/" for each in FORBIDDEN), *ODD_URLS]


def test_the_lists_are_long_enough() -> None:
    assert len(set(HOSTILE_URLS)) >= 100
    assert len({*BENIGN_4, *BENIGN_6, *BENIGN_URLS}) >= 100


@pytest.mark.parametrize("url", HOSTILE_URLS)
async def test_a_hostile_url_is_refused_even_where_names_resolve_well(url: str) -> None:
    network, names = FakeNetwork(), FakeNames(otherwise=[PUBLIC])
    fetch = Fetcher(resolve=names, backend=network)
    with pytest.raises(WebRefusedError):
        await fetch(url)
    assert network.connected == []
    assert names.asked == []


@pytest.mark.parametrize("address", [*FORBIDDEN, "fe80::1%eth0", "2606:4700::1111%eth0"])
async def test_a_name_that_leads_to_a_forbidden_address(address: str) -> None:
    network = FakeNetwork()
    fetch = Fetcher(resolve=FakeNames(otherwise=[address]), backend=network)
    with pytest.raises(WebRefusedError):
        await fetch("https://innocent.example.com/")
    assert network.connected == []


@pytest.mark.parametrize("url", HOSTILE_URLS)
async def test_a_redirect_to_a_hostile_url(url: str) -> None:
    def answer(asked: Asked) -> bytes:
        return reply(status=302, location=url.strip().replace("\r\n", " ") or "http://0/")

    network = FakeNetwork(lambda asked: ALL_ALLOWED if "robots" in asked.path else answer(asked))
    fetch = Fetcher(resolve=FakeNames(otherwise=[PUBLIC]), backend=network)
    with pytest.raises((WebRefusedError, WebUnavailableError)):
        await fetch("http://example.com/")
    assert set(network.addresses) == {PUBLIC}


@pytest.mark.parametrize("address", FORBIDDEN)
async def test_a_redirect_to_a_name_that_leads_inside(address: str) -> None:
    network = FakeNetwork(
        lambda asked: (
            ALL_ALLOWED if "robots" in asked.path else reply(status=301, location="//evil.com/x")
        )
    )
    names = FakeNames({"example.com": [[PUBLIC]], "evil.com": [[address]]})
    with pytest.raises(WebRefusedError):
        await Fetcher(resolve=names, backend=network)("http://example.com/")
    assert set(network.addresses) == {PUBLIC}


@pytest.mark.parametrize("address", FORBIDDEN)
@pytest.mark.parametrize("first", [True, False])
async def test_one_bad_answer_among_good_ones_spoils_the_name(address: str, first: bool) -> None:
    network = FakeNetwork()
    answers = [address, PUBLIC] if first else [PUBLIC, "1.1.1.1", address]
    with pytest.raises(WebRefusedError):
        await Fetcher(resolve=FakeNames(otherwise=answers), backend=network)("http://a.com/")
    assert network.connected == []


async def test_a_name_that_is_bound_anew_between_requests() -> None:
    closing = reply(b"<p>Hello.</p>", connection="close")
    network = FakeNetwork(lambda asked: ALL_ALLOWED if "robots" in asked.path else closing)
    names = FakeNames({"rebind.com": [[PUBLIC], ["169.254.169.254"]]})
    fetch = Fetcher(resolve=names, backend=network)
    await fetch("http://rebind.com/")  # robots.txt and page over one connection
    with pytest.raises(WebRefusedError):
        await fetch("http://rebind.com/")
    assert set(network.addresses) == {PUBLIC}


async def test_a_name_that_is_bound_anew_between_robots_and_page() -> None:
    network = FakeNetwork(lambda asked: reply(status=404, connection="close"))
    names = FakeNames({"rebind.com": [[PUBLIC], ["127.0.0.1"]]})
    with pytest.raises(WebRefusedError):
        await Fetcher(resolve=names, backend=network)("http://rebind.com/")
    assert network.addresses == [PUBLIC]


async def test_the_checked_answer_is_the_one_connected_to() -> None:
    """A name is resolved once a connection: a second answer could not slip in after the check."""
    network = FakeNetwork()
    names = FakeNames({"rebind.com": [[PUBLIC], ["127.0.0.1"]]})
    await Fetcher(resolve=names, backend=network)("https://rebind.com/")
    assert names.asked == ["rebind.com"]
    assert network.connected == [(PUBLIC, 443)]


@pytest.mark.parametrize("url", BENIGN_URLS)
async def test_a_benign_url_is_fetched_by_its_name(url: str) -> None:
    network, names = FakeNetwork(), FakeNames(otherwise=[PUBLIC])
    page = await Fetcher(resolve=names, backend=network)(url)
    assert page.data == HELLO.partition(b"\r\n\r\n")[2]
    assert set(network.addresses) == {PUBLIC}
    (name,) = set(names.asked)
    assert {asked.headers["host"].partition(":")[0] for asked in network.asked} == {name}
    assert set(network.server_names) <= {name}
    assert bool(network.server_names) == url.startswith("https:")


@pytest.mark.parametrize("address", [*BENIGN_4, *BENIGN_6])
async def test_a_public_address_is_connected_to(address: str) -> None:
    by_name, by_number = FakeNetwork(), FakeNetwork()
    await Fetcher(resolve=FakeNames(otherwise=[address]), backend=by_name)("https://example.com/")
    await Fetcher(resolve=FakeNames(), backend=by_number)(f"http://{spelt(address)}/")
    assert by_name.connected == [(str(ip_address(address)), 443)]
    assert by_number.connected == [(str(ip_address(address)), 80)]


async def test_the_next_address_is_tried_when_one_is_down() -> None:
    network = FakeNetwork(down=frozenset({PUBLIC}))
    await Fetcher(resolve=FakeNames(otherwise=[PUBLIC, "1.1.1.1"]), backend=network)(
        "http://a.com/"
    )
    assert network.addresses == [PUBLIC, "1.1.1.1"]


@pytest.mark.parametrize("answers", [[], ["nonsense"]])
async def test_a_name_without_an_address(answers: list[str]) -> None:
    network = FakeNetwork()
    with pytest.raises(WebUnavailableError, match="no address"):
        await Fetcher(resolve=FakeNames(otherwise=answers), backend=network)("http://a.com/")
    assert network.connected == []


async def test_a_socket_of_this_machine_is_never_opened() -> None:
    with pytest.raises(WebRefusedError):
        await GuardedBackend().connect_unix_socket("/var/run/docker.sock")

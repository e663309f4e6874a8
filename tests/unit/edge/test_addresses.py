"""Which addresses are forbidden: the tables, against an oracle where that one is right."""

# ruff: noqa: SIM905 -- addresses read best as a table

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.hostile_addresses import BENIGN_4, BENIGN_6, FORBIDDEN_4, FORBIDDEN_6
from upheld.edge.web.addresses import Address, Network, why_bad_host, why_forbidden

# IANA's special-purpose registries, with multicast and reserved space.
SPECIAL: list[Network] = [
    ip_network(text)
    for text in """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
    192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
    224.0.0.0/4 240.0.0.0/4
    ::/96 ::ffff:0:0/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001:db8::/32 2002::/16
    3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8
    """.split()
]
# Where `is_global` says yes and is not to be followed. (Which of these it knows depends on the
# release of Python; none of them is a place for a page.)
ORACLE_IS_WRONG: list[Network] = [
    ip_network(text)
    for text in """
    168.63.129.16/32 192.0.0.0/24 192.88.99.0/24 224.0.0.0/4
    ::/3 2001::/23 2002::/16 3fff::/20 4000::/2 8000::/1
    """.split()
]


@pytest.mark.parametrize("text", [*FORBIDDEN_4, *FORBIDDEN_6])
def test_forbidden(text: str) -> None:
    assert why_forbidden(ip_address(text))
    assert why_bad_host(text)


@pytest.mark.parametrize("text", [*BENIGN_4, *BENIGN_6])
def test_public(text: str) -> None:
    assert why_forbidden(ip_address(text)) is None
    assert why_bad_host(text) is None


@given(st.sampled_from(SPECIAL).flatmap(lambda network: st.ip_addresses(network=network)))
def test_nothing_special_is_let_through(address: Address) -> None:
    assert why_forbidden(address)


@pytest.mark.parametrize("network", SPECIAL, ids=str)
def test_ranges_are_forbidden_to_their_ends(network: Network) -> None:
    assert why_forbidden(network[0])
    assert why_forbidden(network[-1])


@given(st.ip_addresses())
def test_agrees_with_is_global(address: Address) -> None:
    if any(address in network for network in ORACLE_IS_WRONG):
        return
    assert (why_forbidden(address) is None) == address.is_global


@given(st.ip_addresses(v=4))
def test_a_translated_address_is_judged_by_what_it_hides(hidden: IPv4Address) -> None:
    nat64 = IPv6Address(int(IPv6Address("64:ff9b::")) + int(hidden))
    assert why_forbidden(nat64) == why_forbidden(hidden)


@given(st.ip_addresses(v=4))
def test_other_wrappings_are_forbidden_whatever_they_hide(hidden: IPv4Address) -> None:
    number = int(hidden)
    for wrapped in (
        number,  # compatible
        (0xFFFF << 32) + number,  # mapped
        (0x2002 << 112) + (number << 80),  # 6to4
        (0x20010000 << 96) + (number ^ 0xFFFFFFFF),  # Teredo
    ):
        assert why_forbidden(IPv6Address(wrapped))


def test_an_allowance_opens_its_network_only() -> None:
    allow = frozenset({ip_network("127.0.0.1/32")})
    assert why_forbidden(ip_address("127.0.0.1"), allow) is None
    assert why_forbidden(ip_address("127.0.0.2"), allow)
    assert why_forbidden(ip_address("::1"), allow)
    assert why_bad_host("localhost", allow)

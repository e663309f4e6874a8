"""Which addresses a fetch may connect to: the public unicast internet, and nothing else.

The tables are ours, not `ipaddress.is_global`: that one changes between releases of Python, and
calls multicast, site-local, unallocated and translated addresses global. Sources: IANA's IPv4 and
IPv6 special-purpose address registries. More in docs/decisions/010-fetching.md.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_FORBIDDEN_4 = {
    IPv4Network("0.0.0.0/8"): "this network",
    IPv4Network("10.0.0.0/8"): "private",
    IPv4Network("100.64.0.0/10"): "carrier-grade NAT",  # 100.100.100.200 is Alibaba's metadata
    IPv4Network("127.0.0.0/8"): "loopback",
    IPv4Network("168.63.129.16/32"): "cloud metadata",  # Azure: a public address, answered inside
    IPv4Network("169.254.0.0/16"): "link-local",  # 169.254.169.254 is most clouds' metadata
    IPv4Network("172.16.0.0/12"): "private",
    IPv4Network("192.0.0.0/24"): "protocol assignment",  # 192.0.0.192 is Oracle's metadata
    IPv4Network("192.0.2.0/24"): "documentation",
    IPv4Network("192.88.99.0/24"): "6to4 relay",
    IPv4Network("192.168.0.0/16"): "private",
    IPv4Network("198.18.0.0/15"): "benchmarking",
    IPv4Network("198.51.100.0/24"): "documentation",
    IPv4Network("203.0.113.0/24"): "documentation",
    IPv4Network("224.0.0.0/4"): "multicast",
    IPv4Network("240.0.0.0/4"): "reserved",
}
# Only this eighth of IPv6 is assigned as global unicast; everything else is refused.
_UNICAST_6 = IPv6Network("2000::/3")
_FORBIDDEN_6 = {
    IPv6Network("2001::/23"): "protocol assignment",  # Teredo (2001::/32), ORCHID, benchmarking
    IPv6Network("2001:db8::/32"): "documentation",
    IPv6Network("2002::/16"): "6to4",  # hides an IPv4 address; retired by RFC 7526
    IPv6Network("3fff::/20"): "documentation",
}
# IPv6-only networks reach the IPv4 internet through this prefix; the IPv4 address in it is checked.
_NAT64 = IPv6Network("64:ff9b::/96")

# Names of this machine, this network or a cloud's own services, whatever they resolve to.
_LOCAL_NAMES = frozenset(
    {"arpa", "corp", "home", "internal", "intranet", "invalid", "lan", "local", "localdomain"}
    | {"localhost", "onion", "private", "test"}
)
# At least two labels, and a last one that starts with a letter, so that no number matches.
_NAME = re.compile(r"(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z][a-z0-9-]*")


def why_forbidden(address: Address, allow: Collection[Network] = ()) -> str | None:
    """Return the kind of a forbidden address; None for public ones."""
    if any(address in network for network in allow):
        return None
    if isinstance(address, IPv4Address):
        return _kind(address, _FORBIDDEN_4)
    if address.scope_id is not None:
        return "link-local"  # only those need a zone
    if address in _NAT64:
        return _kind(IPv4Address(int(address) & 0xFFFFFFFF), _FORBIDDEN_4)
    if address not in _UNICAST_6:
        return "not global unicast"
    return _kind(address, _FORBIDDEN_6)


def why_bad_host(host: str, allow: Collection[Network] = ()) -> str | None:
    """Return why a URL's host is refused before it is resolved; None if it is not."""
    address = literal(host)
    if address is not None:
        return why_forbidden(address, allow)
    if not _NAME.fullmatch(host):
        return "neither a full name nor an address in its usual form"
    if host.rpartition(".")[2] in _LOCAL_NAMES:
        return "a local name"
    return None


def literal(host: str) -> Address | None:
    """Return the address that a host spells in its usual form, or None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def _kind(
    address: Address, forbidden: dict[IPv4Network, str] | dict[IPv6Network, str]
) -> str | None:
    return next((kind for network, kind in forbidden.items() if address in network), None)

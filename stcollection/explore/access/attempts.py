"""Limits on failed sign-ins: after a few failures each further attempt must wait twice as long."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

_KEPT = 10_000  # counters in memory; the least recently used are forgotten
_FORGET_SECONDS = 3600.0
_Key = tuple[str, str, str]  # kind, network, name


@dataclass(frozen=True)
class _Rule:
    """Attempts without a delay, and the longest delay in seconds."""

    free: int
    longest: float


# A name alone has a short delay, so that nobody can lock a colleague out.
_PAIR, _ADDRESS, _NAME = _Rule(5, 900.0), _Rule(20, 900.0), _Rule(20, 60.0)


@dataclass
class _Counter:
    failures: int = 0
    last: float = 0.0


class Attempts:
    """Counts failed sign-ins by address, by name, and by both."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._counters: OrderedDict[_Key, _Counter] = OrderedDict()

    def __len__(self) -> int:
        return len(self._counters)

    def begin(self, address: str, name: str) -> float:
        """Count an attempt as failed until it succeeds, so that attempts at the same time count too.

        :returns: seconds to wait; 0 if the attempt may go on. Attempts that must wait are not counted.
        """
        keys = _keys(address, name)
        wait = max(self._wait(key, rule) for key, rule in keys)
        if wait > 0:
            return wait
        now = self._clock()
        for key, _ in keys:
            counter = self._counters.setdefault(key, _Counter())
            counter.failures += 1
            counter.last = now
            self._counters.move_to_end(key)
        while len(self._counters) > _KEPT:
            self._counters.popitem(last=False)
        return 0.0

    def succeeded(self, address: str, name: str) -> None:
        """Take back the count of one attempt; forget earlier failures of the pair of name and address."""
        (pair, _), *others = _keys(address, name)
        self._counters.pop(pair, None)
        for key, _ in others:
            if key in self._counters:
                self._counters[key].failures -= 1

    def _wait(self, key: _Key, rule: _Rule) -> float:
        counter = self._counters.get(key)
        if counter is None:
            return 0.0
        passed = self._clock() - counter.last
        if passed > _FORGET_SECONDS:
            del self._counters[key]
            return 0.0
        beyond = counter.failures - rule.free
        return max(0.0, min(2.0 ** min(beyond, 20), rule.longest) - passed) if beyond >= 0 else 0.0


def network(address: str) -> str:
    """Return the address; of an IPv6 address its /64 network, which belongs to one customer."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


def _keys(address: str, name: str) -> list[tuple[_Key, _Rule]]:
    where = network(address)
    return [(("pair", where, name), _PAIR), (("address", where, ""), _ADDRESS), (("name", "", name), _NAME)]

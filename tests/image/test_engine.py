"""Where the engine of tools/engine.py gets Debian's packages from: the machine's own mirror, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools import engine

SOURCE = Path(engine.__file__).read_text()


def test_the_mirror_is_the_one_apt_is_configured_with() -> None:
    """A local mirror is used; security updates and packages of others are not Debian's main archive."""
    targets = """https://packages.example.org/tools/ Tools
http://mirror.example.org/debian-security/ Debian-Security
http://mirror.example.org:3142/debian/ Debian
http://other.example.org/debian/ Debian
"""
    assert engine.mirror(targets) == "http://mirror.example.org:3142/debian"
    assert engine.mirror("file:/srv/debian/ Debian\n") == "file:/srv/debian"


@pytest.mark.parametrize("targets", ["", "http://archive.example.org/ubuntu/ Ubuntu\n", "http://mirror.example.org/debian/ \n"])
def test_a_machine_without_a_mirror_of_debian_is_told(targets: str) -> None:
    with pytest.raises(engine.NotHere, match="apt-get update"):
        engine.mirror(targets)


def test_proxies_of_apt_are_kept() -> None:
    configured = """Acquire::Retries "3";
Acquire::http::Proxy "http://127.0.0.1:3142";
Acquire::http::Proxy::mirror.example.org "DIRECT";
Acquire::http::Proxy-Auto-Detect "/usr/bin/detect";
Acquire::https::Verify-Peer "true";
"""
    assert engine.proxies(configured) == configured.splitlines()[1:3]


def test_no_host_is_named() -> None:
    assert not re.findall(r"https?://(?!\{)[^\s\"]+", SOURCE)

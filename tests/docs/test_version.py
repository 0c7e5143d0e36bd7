"""The version is in pyproject.toml; files that must name it too, for people who read or run them, have the same."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version

import pytest

from tests.docs.pages import REPOSITORY

# Each file with the pattern of its mentions of the version.
MENTIONS = {
    "CITATION.cff": r"(?m)^version: (\S+)$",
    "CHANGELOG.md": r"(?m)^## \[(\d\S*)\]",
    "README.md": r"stcollection-(\d[\d.]*\d)-py3",
    "docs/start/install.md": r"stcollection-(\d[\d.]*\d)-py3",
    "docs/howto/docker.md": r"stcollection-\$part:(\d[\d.]*\d)",
    "docker-compose.yml": r"image: \$\{STC_IMAGE:-stcollection\}-\w+:\$\{STC_TAG:-(\S+)\}",
}


def current() -> str:
    return str(tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["version"])


def test_the_installed_package_has_the_version_of_pyproject() -> None:
    assert version("stcollection") == current()


@pytest.mark.parametrize("name", MENTIONS)
def test_files_name_the_current_version(name: str) -> None:
    found = re.findall(MENTIONS[name], (REPOSITORY / name).read_text())
    assert found, name
    # The changelog also lists earlier versions; its first one is the current.
    assert set(found[:1] if name == "CHANGELOG.md" else found) == {current()}

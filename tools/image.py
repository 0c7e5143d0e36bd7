"""Build and test the images, as in CI, with a temporary Docker engine (tools/engine.py), from 'docker compose config' to 'down'.

    python tools/image.py [FOLDER]    # keep the built images in FOLDER for the next time; by default all is removed

Exit code 0: all tests passed, or no engine can run on this machine, which is reported; 1: a test failed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.image.use import Use
from tools.engine import Engine, NotHere, install, surroundings, traces

REPOSITORY = Path(__file__).resolve().parents[1]
BASE = "debian:forky-slim"
TARGETS = ("database", "embedding", "explorer")


@contextmanager
def step(name: str) -> Iterator[None]:
    started = time.monotonic()
    yield
    print(f"image: {name}: {time.monotonic() - started:.0f} s", flush=True)


def build(engine: Engine) -> None:
    """Build each image, on the machine's network."""
    for target in TARGETS:
        with step(f"build {target}"):
            tag = f"stcollection-{target}:{version('stcollection')}"
            engine.docker("build", "--network", "host", "--target", target, "--tag", tag, REPOSITORY)
    print(engine.docker("images", "--format", "{{.Repository}} {{.Size}}"), end="")


def exercise(engine: Engine) -> None:
    """Build and test all images."""
    with step("compose"):
        engine.compose()
    with engine.started(own_network=False):
        if not engine.docker("images", "--quiet", BASE):
            with step(f"base {BASE}"):
                engine.base(suite="forky", name=BASE)
        build(engine)
    with engine.started(own_network=True):
        use = Use(engine, REPOSITORY)
        try:
            for name, part in use.parts():
                with step(name):
                    part()
        except BaseException:
            print(use.logs(), file=sys.stderr)
            raise
        finally:
            use.down()


def main() -> int:
    try:
        install()
    except NotHere as reason:
        print(f"image: NOT EXERCISED: no Docker engine can be started here: {reason}", file=sys.stderr)
        return 0
    before = surroundings()
    kept = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
    if kept:
        kept.mkdir(parents=True, exist_ok=True)
    engine = Engine(kept or Path(tempfile.mkdtemp(prefix="stc-engine-")))
    changed = left = None
    code = 0
    try:
        exercise(engine)
        print("image: built and tested; all passed")
    except NotHere as reason:
        print(f"image: NOT EXERCISED: no Docker engine can be started here: {reason}", file=sys.stderr)
    except (subprocess.CalledProcessError, AssertionError) as error:
        print(f"image: FAILED: {error}\n{getattr(error, 'output', '') or ''}", file=sys.stderr)
        code = 1
    finally:
        if not kept:
            engine.remove()
        changed = [name for name, value in surroundings().items() if value != before[name]]
        left = traces(engine.folder)
        folder = f"{engine.folder} is {'there' if engine.folder.exists() else 'removed'}"
        print(f"image: afterwards: changed: {changed or 'nothing'}; left: {left or 'nothing'}; {folder}")
    return 1 if changed or left else code


if __name__ == "__main__":
    sys.exit(main())

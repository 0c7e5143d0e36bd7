"""``stc``, also ``python -m stcollection``: ctrl-C ends it quietly from the first moment, while it is still importing."""

import sys


def main() -> None:
    try:
        from stcollection.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()

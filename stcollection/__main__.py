"""Run ``stc`` (or ``python -m stcollection``) and exit quietly on Ctrl-C, even during the imports."""

import sys


def main() -> None:
    try:
        from stcollection.streams import prepare

        prepare()
        from stcollection.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()

"""Run ``stc`` (or ``python -m stcollection``) and exit quietly on Ctrl-C, even during the imports."""

import os
import sys


def main() -> None:
    if sys.stdout is None:  # closed by the caller (>&-): keep its number from the next file or connection
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    try:
        from stcollection.streams import prepare

        prepare()
        from stcollection.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()

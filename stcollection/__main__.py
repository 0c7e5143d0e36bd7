"""``python -m stcollection`` is ``stc``."""

from stcollection.cli import main

if __name__ == "__main__":
    main()

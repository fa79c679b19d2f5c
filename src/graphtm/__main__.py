"""``python -m graphtm`` is the command ``graphtm``."""

from graphtm.cli import main

main()

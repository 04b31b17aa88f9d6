"""`python -m schafkopf`: the command line."""

import sys

from schafkopf.cli import main

sys.exit(main())

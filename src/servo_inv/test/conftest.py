"""Lets the tests import the modules beside them."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

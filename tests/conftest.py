"""Settings of the tests. The folder is on the path, so that tests share `checking` and the like."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

# A busy machine is no failure of the code.
settings.register_profile("certitree", deadline=None)
settings.load_profile("certitree")

"""Nothing here prints: a test that fits also proves that the library is quiet."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

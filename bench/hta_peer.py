# SPDX-License-Identifier: Apache-2.0
"""HTA 0.5 as a peer, in an environment of its own, build/hta, made at the first use."""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "build" / "hta"
# pandas 3 refuses what HTA 0.5 does to a column of small numbers.
PACKAGES = ["HolisticTraceAnalysis==0.5.0", "pandas<3"]


def hta_python():
    """The interpreter that has it."""
    python = FOLDER / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", FOLDER], check=True)
    has = subprocess.run([python, "-c", "import hta"], check=False, capture_output=True)
    if has.returncode != 0:
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    return python

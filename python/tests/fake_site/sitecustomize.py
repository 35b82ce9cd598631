# SPDX-License-Identifier: Apache-2.0
"""Puts the fake probe in place of the native one, then does what `steptrace run` would have done."""

import os
import runpy
import sys

_tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, _tests)
import fake_probe  # noqa: E402

sys.path.remove(_tests)
sys.path[:] = [p for p in sys.path if os.path.abspath(p) != os.path.join(_tests, "fake_site")]
sys.modules["steptrace._probe"] = fake_probe
_bootstrap = os.path.join(os.path.dirname(_tests), "steptrace", "bootstrap")
runpy.run_path(os.path.join(_bootstrap, "sitecustomize.py"), run_name="sitecustomize")

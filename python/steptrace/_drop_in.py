# SPDX-License-Identifier: Apache-2.0
"""Offers modules that the script's environment does not have: `steptrace` itself, when the run was
started by an executable from elsewhere, and `smppy` and `smprof`, which compat/ stands in for.

The finder comes last: what is installed, of whatever kind, is always found before it.
"""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_STAND_INS = ("smppy", "smprof")


class DropInFinder:
    """The last of sys.meta_path."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "steptrace":
            return _spec(name, os.path.join(_HERE, "__init__.py"), [_HERE])
        if name in _STAND_INS:
            return _spec(name, os.path.join(_HERE, "compat", name + ".py"), None)
        return None


def _spec(name, file, folders):
    from importlib import util

    return util.spec_from_file_location(name, file, submodule_search_locations=folders)


def install():
    """Appends the finder, once a process."""
    if not any(getattr(f, "__name__", "") == "DropInFinder" for f in sys.meta_path):
        sys.meta_path.append(DropInFinder)

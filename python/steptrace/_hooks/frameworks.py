# SPDX-License-Identifier: Apache-2.0
"""The versions of the frameworks that the script imports."""

import sys

from . import facts, vocabulary


def patch(module, hook):
    fact = {"name": module.__name__, "version": str(getattr(module, "__version__", "")) or None}
    if module.__name__ == "torch":
        version = sys.modules.get("torch.version")
        fact["cuda"] = getattr(version, "cuda", None)
        fact["hip"] = getattr(version, "hip", None)
    facts.say(vocabulary.FACT_FRAMEWORK, fact)

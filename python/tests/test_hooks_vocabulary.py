# SPDX-License-Identifier: Apache-2.0
"""Each word of --hooks has a hook, and each hook a word."""

import importlib
import pkgutil

from steptrace import _hooks
from steptrace._hooks import vocabulary
from steptrace._hooks.registry import ALWAYS, TARGETS

HOOKED = [*TARGETS.values(), *vocabulary.HOOKED_WHEN_ATTACHED.values()]


def test_words_and_hooks():
    assert {word for word, _ in HOOKED} - {ALWAYS} == set(vocabulary.HOOK_WORDS)


def test_modules_that_patch_are_those_that_an_import_brings_in():
    ours = {
        name: importlib.import_module(f"{_hooks.__name__}.{name}")
        for _, name, _ in pkgutil.iter_modules(_hooks.__path__)
    }
    patch = {name for name, module in ours.items() if hasattr(module, "patch")}
    assert patch == {patcher for _, patcher in HOOKED}

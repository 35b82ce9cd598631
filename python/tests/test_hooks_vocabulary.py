# SPDX-License-Identifier: Apache-2.0
"""Each word of --hooks has a hook, and each hook a word."""

from steptrace._hooks import vocabulary
from steptrace._hooks.registry import ALWAYS, TARGETS


def test_words_and_hooks():
    hooked = {word for word, _ in TARGETS.values()} - {ALWAYS}
    assert hooked | {"gc"} == set(vocabulary.HOOK_WORDS)  # gc is of no module

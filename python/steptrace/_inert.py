# SPDX-License-Identifier: Apache-2.0
"""Texts from elsewhere as they may be shown: what cannot be seen, or changes what stands next to it, as an escape."""

import re

from ._hidden_characters import RANGES

_HIDDEN = re.compile("[" + "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in RANGES) + "]")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escaped(match):
    code = ord(match.group())
    if code >= 0x10000:
        return f"\\U{code:08x}"
    if code >= 0x80:
        return f"\\u{code:04x}"
    return _NAMED.get(match.group()) or f"\\x{code:02x}"


def inert(text):
    """\\n, \\x1b, \\u202e, \\U000e0041 in place of what is hidden, as docs/reference/inert-text.md has it."""
    return _HIDDEN.sub(_escaped, str(text))

# SPDX-License-Identifier: Apache-2.0
"""steptrace itself: a script that uses it is worth its facts, also without a framework."""


def patch(module, hook):
    pass

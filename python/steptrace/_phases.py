# SPDX-License-Identifier: Apache-2.0
"""What the training loop of a live run was in, moment by moment: its hooks' ranges, and between them the forward."""

from ._colours import COLOURS

_OTHER_WORK, _OVERHEAD = COLOURS["other-work"], COLOURS["overhead"]
PHASE_COLOURS = {
    "data": COLOURS["data"],
    "forward": COLOURS["forward"],
    "backward": COLOURS["backward"],
    "optimizer": COLOURS["optimizer"],
    "communication": COLOURS["communication"],
    "checkpoint": _OTHER_WORK,
    "evaluation": _OTHER_WORK,
    "logging": _OTHER_WORK,
    "capture": _OTHER_WORK,
    "gc": _OVERHEAD,
    "compile": _OVERHEAD,
    "other": COLOURS["other"],
}
# What a forward may be interrupted by, without an end of it.
_WITHIN = ("other", "communication", "gc", "compile")


def phase_of(category, name):
    """The phase that a range of the training thread is; None: ranges of this kind are no phase."""
    if category == "communication":
        return "communication"
    if category != "phase":
        return None
    return "data" if name == "loader_iter" else name if name in PHASE_COLOURS else None


def _innermost(ranges):
    """(begin, end, phase) of nested (begin, end, phase): the innermost, and `other` between them."""
    parts, open_ones, now = [], [], None
    limit = float("inf")
    for begin, end, phase in [*sorted(ranges, key=lambda r: (r[0], -r[1])), (limit, limit, None)]:
        while open_ones and open_ones[-1][0] <= begin:
            until, inner = open_ones.pop()
            if until > now:
                parts.append((now, until, inner))
                now = until
        if now is not None and now < begin < limit:
            parts.append((now, begin, open_ones[-1][1] if open_ones else "other"))
        now = begin
        open_ones.append((end, phase))
    return parts


def _with_forward(parts):
    """From the last boundary to a backward the loop runs forward."""
    resolved, follows = [], None
    for begin, end, phase in reversed(parts):
        if phase == "other" and follows == "backward":
            phase = "forward"
        elif phase not in _WITHIN:
            follows = phase
        resolved.append((begin, end, phase))
    return resolved[::-1]


def phase_lane(steps, ranges, evaluations=()):
    """(begin, duration, phase) within the steps, which are (begin, end), from a training thread's ranges."""
    parts = []
    for begin, end, phase in _with_forward(_innermost(ranges)):
        if phase in ("data", "forward", "other") and any(b <= begin < e for b, e in evaluations):
            phase = "evaluation"
        for first, last in steps:
            at, until = max(begin, first), min(end, last)
            if at < until:
                parts.append((at, until - at, phase))
    return parts

# SPDX-License-Identifier: Apache-2.0
import sys

seen = []


def tracer(frame, event, argument):
    seen.append((frame.f_code.co_name, event))
    return tracer


def inner(value):
    import colorsys

    return colorsys.rgb_to_hsv(value, 0, 0)


sys.settrace(tracer)
inner(1)
sys.settrace(None)
print(*sorted(set(seen)), sep="\n")

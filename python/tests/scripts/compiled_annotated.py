# SPDX-License-Identifier: Apache-2.0
"""Our own API in compiled functions: what it prints must not depend on whether there is a run."""

import sys

import torch

import steptrace


def inner(x):
    with steptrace.annotate("with"):
        return (x * 2).sin()


@steptrace.annotate("decorated")
def decorated(x):
    return x.cos()


def calls_decorated(x):
    return decorated(x) + 1


def by_id(x):
    range_id = steptrace.annotation_begin("by id")
    y = x + 1
    steptrace.annotation_end(range_id)
    steptrace.step()
    return y


for function in (inner, decorated, calls_decorated, by_id):
    for whole in (False, True) if function is not inner else (False,):
        torch._dynamo.reset()
        compiled = torch.compile(function, backend="eager", fullgraph=whole)
        same = torch.equal(compiled(torch.ones(2)), function(torch.ones(2)))
        print(function.__name__, whole, same, file=sys.stdout)

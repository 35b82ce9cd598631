# SPDX-License-Identifier: Apache-2.0
"""steptrace itself: a script that uses it is worth its facts, also without a framework.

And what torch.compile makes of it: a call of ours in a compiled function must not break its graph, as
it does not without a run. Inlined, ours do nothing; on their own they run as they are.
"""

import importlib
import sys


def patch(module, hook):
    """After steptrace or after torch._dynamo, whichever is imported last."""
    ranges = sys.modules.get("steptrace._ranges")
    dynamo = sys.modules.get("torch._dynamo")
    if ranges is None or dynamo is None or ranges._probe is None:
        return
    decorate = importlib.import_module("steptrace._decorate")
    decorate.tracing = sys.modules["torch.compiler"].is_dynamo_compiling
    skip = sys.modules["torch._dynamo.eval_frame"].skip_code
    for code in (decorate.wrapper_code(), *ranges.codes()):
        skip(code)
    # A `with` breaks the graph anyway: before it, not in the middle of ours.
    ranges.annotate._torchdynamo_disable = True
    for function in (ranges.step, ranges.start, ranges.stop, ranges.annotation_end):
        dynamo.substitute_in_graph(function, skip_signature_check=True)(_nothing)
    begin = ranges.annotation_begin
    dynamo.substitute_in_graph(begin, skip_signature_check=True)(_none_begun)


def _nothing(*args, **kwargs):
    return None


def _none_begun(*args, **kwargs):
    return 0

# SPDX-License-Identifier: Apache-2.0
"""Whether torch.compile is tracing: then hooks leave no trace in what it sees.

`now` is torch's own question as soon as that is there: the tracer knows the function and answers
True by itself. What lies in modules that the tracer never enters (torch.utils.data, torch.autograd,
torch.serialization) need not ask.
"""


def now():
    return False


def patch(torch_compiler, hook):
    global now
    # The first is the cheaper: a constant for everybody but the tracer.
    now = getattr(torch_compiler, "is_dynamo_compiling", torch_compiler.is_compiling)

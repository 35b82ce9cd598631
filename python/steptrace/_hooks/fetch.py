# SPDX-License-Identifier: Apache-2.0
"""torch.utils.data._utils.fetch: how a batch is made, in a worker or in the training itself.

What `fetch` takes beyond `collate` is the dataset's own code (getitem). Its CPU time tells waiting
for storage from work. Reading that takes microseconds: in a worker always, in the training's own
thread only while getting the items takes long enough that they do not count.
"""

from time import perf_counter

from . import stacks, vocabulary, worker
from .surround import Calls

# Two readings cost up to 5 us with cold caches: at most 0.25 % of this.
_LONG_S = 0.002


def patch(module, hook):
    probe = hook.probe
    fetch = probe.name(vocabulary.FETCH, vocabulary.WORKER)
    collate = probe.name(vocabulary.COLLATE, vocabulary.WORKER)
    begin, end, begin_cpu, end_cpu = probe.begin, probe.end, probe.begin_cpu, probe.end_cpu
    stacks_due = probe.stacks_due
    start_s = 0.0
    is_long = False

    def enter_fetch():
        nonlocal start_s
        try:
            if stacks_due():
                stacks.look(probe, hook)
            if is_long or worker.inside:
                begin_cpu(fetch)
                leave = end_cpu
            else:
                begin(fetch)
                leave = end
            start_s = perf_counter()  # a float: less to make than so large a number of ns
            return leave
        except Exception as error:
            return hook.fail(error)

    def enter_collate():
        nonlocal is_long
        try:
            is_long = perf_counter() - start_s > _LONG_S
            begin(collate)
            return end
        except Exception as error:
            return hook.fail(error)

    calls = Calls(enter_fetch, inner={"collate_fn": enter_collate})
    hook.around(module._MapDatasetFetcher, "fetch", calls)
    hook.around(module._IterableDatasetFetcher, "fetch", calls)

# SPDX-License-Identifier: Apache-2.0
"""torch.utils.data._utils.fetch: how a batch is made, in a worker or in the training itself.

What `fetch` takes beyond `collate` is the dataset's own code (getitem). Its CPU time tells waiting
for storage from work. Reading that takes microseconds: in a worker always, in the training's own
thread only while getting the items takes long enough that they do not count.
"""

from . import stacks, vocabulary, worker
from .surround import Calls


def patch(module, hook):
    probe = hook.probe

    def enter_fetch():
        try:
            stacks.look(probe, hook)
            return fetch.begin()
        except Exception as error:
            return hook.fail(error)

    def enter_collate():
        try:
            return collate.begin()
        except Exception as error:
            return hook.fail(error)

    fetch = hook.phase(vocabulary.FETCH, enter_fetch, category=vocabulary.WORKER)
    collate = hook.phase(vocabulary.COLLATE, enter_collate, outer=fetch, category=vocabulary.WORKER)

    def measure():
        fetch.measures = True

    worker.when_inside(measure)
    calls = Calls(fetch.enter, inner={"collate_fn": collate.enter})
    hook.around(module._MapDatasetFetcher, "fetch", calls)
    hook.around(module._IterableDatasetFetcher, "fetch", calls)

# SPDX-License-Identifier: Apache-2.0
"""Trainings with a known cause each; nothing here knows of Steptrace.

usage: induced.py CAUSE [STEPS]        ranks: torchrun --nproc-per-node 2 induced.py CAUSE
INDUCED_REMOVED=1: the same training without the cause. Rank 0 prints the mean time of a step, in ns, as `step_ns N`.
"""

import contextlib
import os
import sys
import tempfile
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, Dataset

WIDTH = 64  # features of a sample
BATCH = 16
REMOVED = os.environ.get("INDUCED_REMOVED") == "1"
WARM_UP = 5  # steps that are not timed: workers begin, caches fill


def burn(seconds):
    """Python work for so much CPU time of this thread: it slows down with the machine, as work does."""
    if REMOVED:
        return
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(200))


class Samples(Dataset):
    """Random samples; making one takes `decode_s` of CPU time."""

    def __init__(self, samples, decode_s=0.0):
        self.samples, self.decode_s = samples, decode_s

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        burn(self.decode_s)
        generator = torch.Generator().manual_seed(index)
        return torch.randn(WIDTH, generator=generator), torch.tensor(float(index % 2))


def mlp(width=256, layers=2):
    inner = [m for _ in range(layers) for m in (nn.Linear(width, width), nn.ReLU())]
    return nn.Sequential(nn.Linear(WIDTH, width), nn.ReLU(), *inner, nn.Linear(width, 1))


class Clock:
    """The hand timer: the mean time between the ends of steps."""

    def __init__(self):
        self.ends_ns = []

    def tick(self):
        self.ends_ns.append(time.perf_counter_ns())

    def tell(self):
        if len(self.ends_ns) > WARM_UP + 1 and os.environ.get("RANK", "0") == "0":
            steps = len(self.ends_ns) - 1 - WARM_UP
            print("step_ns", (self.ends_ns[-1] - self.ends_ns[WARM_UP]) // steps)


class Training:
    """The plain loop, with a place for what each cause adds."""

    def __init__(self, model=None):
        self.model = model or mlp()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.001)
        self.loss_of = nn.BCEWithLogitsLoss()

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = self.loss_of(self.model(x).squeeze(1), y)
        loss.backward()
        self.optimizer.step()

    def run(self, batches, after_step=lambda step: None):
        clock = Clock()
        for step, (x, y) in enumerate(batches):
            self.step(x, y)
            after_step(step)
            clock.tick()
        clock.tell()


def loader(steps, decode_s=0.0, **options):
    options.setdefault("num_workers", 0)
    return DataLoader(Samples(steps * BATCH, decode_s), batch_size=BATCH, **options)


def ready(steps):
    """Batches that cost nothing."""
    x, y = torch.randn(BATCH, WIDTH), torch.ones(BATCH)
    for _ in range(steps):
        yield x, y


# ---- one function a cause -------------------------------------------------------------------------


def slow_decode(steps):
    Training().run(loader(steps, decode_s=0.002, num_workers=2))


def slow_decode_no_workers(steps):
    Training().run(loader(steps, decode_s=0.002))


def slow_collate(steps):
    def collate(samples):
        burn(0.03)
        return torch.utils.data.default_collate(samples)

    Training().run(loader(steps, num_workers=1, collate_fn=collate))


def too_few_workers(steps):
    Training().run(loader(steps, decode_s=0.002, num_workers=1))


OBJECTS = 60 if REMOVED else 60_000


class PythonObjects(Dataset):
    """Samples full of Python objects: cheap to make, dear to pickle and to unpickle."""

    def __init__(self, samples):
        self.samples = samples
        self.objects = {f"key{k}": (k, str(k)) for k in range(OBJECTS)}

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        return self.objects


def huge_batches(steps):
    training = Training()
    batches = DataLoader(
        PythonObjects(steps), batch_size=None, num_workers=1, collate_fn=lambda batch: batch
    )
    x, y = torch.randn(BATCH, WIDTH), torch.ones(BATCH)
    clock = Clock()
    for objects in batches:
        assert len(objects) == OBJECTS
        training.step(x, y)
        clock.tick()
    clock.tell()


def outside_any_hook(steps):
    Training().run(loader(steps), after_step=lambda step: burn(0.02))


def sleep_without_loader(steps):
    def batches():
        for batch in ready(steps):
            time.sleep(0.0 if REMOVED else 0.03)
            yield batch

    Training().run(batches())


def heavy_model(steps):
    training = Training(mlp(width=2048, layers=4))
    training.run(loader(steps, num_workers=1))


def healthy(steps):
    training = Training(mlp(width=1024, layers=4))
    training.run(loader(steps, decode_s=0.0002, num_workers=1, persistent_workers=True))


def checkpoint_every_step(steps):
    training = Training(mlp(width=1024, layers=4))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "checkpoint.pt")

        def save(step):
            if not REMOVED:
                torch.save(training.model.state_dict(), path)

        training.run(ready(steps), after_step=save)


def long_evaluation(steps):
    training = Training()

    def evaluate(step):
        if step % 5 != 4 or REMOVED:
            return
        training.model.eval()
        with torch.no_grad():
            for x, _ in loader(4, decode_s=0.001):
                training.model(x)
        training.model.train()

    training.run(loader(steps), after_step=evaluate)


def quota(steps):
    """To be run under a CPU quota of less than it needs."""
    Training().run(loader(steps, decode_s=0.002, num_workers=2))


class ManyOperators(nn.Module):
    """Next to nothing to compute, by very many operators."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))
        self.out = nn.Linear(WIDTH, 1)

    def forward(self, x):
        for _ in range(5 if REMOVED else 500):
            x = x * self.weight + 0.001
        return self.out(x)


def many_operators(steps):
    Training(ManyOperators()).run(ready(steps))


def cold_caches(steps):
    """Work beside the model that reads so much that nothing of the model's stays in a cache."""
    large = torch.ones(64 << 20)
    training = Training(mlp(width=512, layers=3))
    training.run(ready(steps), after_step=lambda step: REMOVED or large.sum())


def garbage(steps):
    import gc

    held = [{"k": [i]} for i in range(150_000)]
    Training().run(ready(steps), after_step=lambda step: REMOVED or gc.collect())
    assert held


def distributed(model):
    dist.init_process_group("gloo")
    return Training(nn.parallel.DistributedDataParallel(model))


def leave():
    dist.barrier()  # a rank that leaves while another still sends ends that one's process
    dist.destroy_process_group()
    # torch 2.13 by itself aborts in one of some 30 exits, when gloo's threads meet the interpreter's
    # end ("terminate called without an active exception").
    sys.stdout.flush()
    os._exit(0)


class WideTable(nn.Module):
    """A dense embedding table: next to nothing to compute, 128 MB of gradient to reduce."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(500_000, WIDTH)
        self.out = nn.Linear(WIDTH, 1)

    def forward(self, x):
        return self.out(self.table((x[:, 0].abs() * 1000).long()) + x)


def large_all_reduce(steps):
    training = distributed(WideTable())
    if not REMOVED:
        training.run(ready(steps))
        return leave()
    with training.model.no_sync():
        training.run(ready(steps))
    leave()


def explicit_all_reduce(steps):
    training = distributed(mlp())
    big = torch.ones(16 << 20)
    training.run(ready(steps), after_step=lambda step: REMOVED or dist.all_reduce(big))
    leave()


class Accumulating(Training):
    """Gradients of 8 small batches to a step, reduced after each of them, not after the last alone."""

    def step(self, x, y):
        self.optimizer.zero_grad()
        for part in range(8):
            whole = part == 7 or not REMOVED
            with contextlib.nullcontext() if whole else self.model.no_sync():
                self.loss_of(self.model(x[:4]).squeeze(1), y[:4]).backward()
        self.optimizer.step()


def accumulation(steps):
    dist.init_process_group("gloo")
    model = nn.parallel.DistributedDataParallel(mlp(width=1024, layers=4))
    Accumulating(model).run(ready(steps))
    leave()


def is_late():
    return dist.get_rank() == 1


def straggler_by_data(steps):
    training = distributed(mlp())
    training.run(loader(steps, decode_s=0.002 if is_late() else 0.0))
    leave()


class Slow(nn.Module):
    """Passes its input on; takes time forward or backward."""

    def __init__(self, forward_s, backward_s):
        super().__init__()
        self.forward_s, self.backward_s = forward_s, backward_s

    def forward(self, x):
        burn(self.forward_s)
        return BurnBackward.apply(x, self.backward_s)


class BurnBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, seconds):
        ctx.seconds = seconds
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        burn(ctx.seconds)
        return gradient, None


def late_model(forward_s, backward_s):
    late = int(os.environ["RANK"]) == 1
    slow = Slow(forward_s if late else 0.0, backward_s if late else 0.0)
    return nn.Sequential(nn.Linear(WIDTH, WIDTH), slow, mlp())


def straggler_by_forward(steps):
    distributed(late_model(0.03, 0.0)).run(ready(steps))
    leave()


def straggler_by_backward(steps):
    distributed(late_model(0.0, 0.03)).run(ready(steps))
    leave()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cause, steps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
    globals()[cause](steps)
    print("trained", cause)


if __name__ == "__main__":
    main()

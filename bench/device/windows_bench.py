# SPDX-License-Identifier: Apache-2.0
"""What a window on a GPU costs a training's steps, beside torch.profiler's and none, in one process.

Windows of ours, of torch.profiler and steps without either take turns; each step waits for the device,
so that the host's clock tells it. Medians of each time range; what a window adds as the median over the
rounds, with its quartiles. The answer: every kernel that torch.profiler sees in a step is had of each
step of ours, and none was lost. Also: the first step, in which CUPTI comes, and the steps after.

usage: windows_bench.py [--rounds N] [--training NAME ...] [--capture KINDS ...] [--json FILE]

Needs a GPU and a PyTorch for it; says so and ends well where there is none.
"""

import argparse
import collections
import csv
import io
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARM, PLAIN, WINDOW = 40, 12, 12  # steps
SETTLE = 4  # of those after a window: its last records are taken, CUPTI leaves
TRAININGS = ("transformer", "small layers", "large layers")
CAPTURES = ("kernels", "operators,kernels")
CALLS = ("cuda_runtime", "cuda_driver")


def period():
    return 2 * (PLAIN + WINDOW)


def starts(rounds):
    """Of each round the first step of our window, and of theirs."""
    firsts = [WARM + PLAIN + number * period() for number in range(rounds)]
    return firsts, [first + WINDOW + PLAIN for first in firsts]


# ---- the training ----


def transformer(torch):
    nn = torch.nn
    layer = nn.TransformerEncoderLayer(768, 8, 3072, dropout=0.0, batch_first=True, norm_first=True)
    model = nn.TransformerEncoder(layer, 8, enable_nested_tensor=False).cuda()
    batch = torch.randn(16, 512, 768, device="cuda")

    def loss():
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return model(batch).float().pow(2).mean()

    return model, loss


def small_layers(torch):
    layers = [m for _ in range(60) for m in (torch.nn.Linear(32, 32), torch.nn.Tanh())]
    model = torch.nn.Sequential(*layers).cuda()
    batch = torch.ones(8, 32, device="cuda")
    return model, lambda: model(batch).sum()


def large_layers(torch):
    layers = [torch.nn.Linear(4096, 4096) for _ in range(8)]
    model = torch.nn.Sequential(*layers).cuda().to(torch.bfloat16)
    batch = torch.randn(8192, 4096, device="cuda", dtype=torch.bfloat16)
    return model, lambda: model(batch).float().pow(2).mean()


MODELS = dict(zip(TRAININGS, (transformer, small_layers, large_layers)))


def is_kernel(event):
    """Annotations stand among the device's events, as do copies and fills."""
    annotation = getattr(event, "is_user_annotation", lambda: "#" in event.name())
    on_device = str(event.device_type()).endswith("CUDA") and not annotation()
    return on_device and not event.name().startswith(("Memcpy ", "Memset "))


def train(name, rounds, capture):
    """Prints the times of all steps, and the kernels that torch.profiler saw in its windows."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    torch.manual_seed(0)
    model, loss_of = MODELS[name](torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6, foreach=False)
    activities = [ProfilerActivity.CUDA]
    if "operators" in capture:
        activities.append(ProfilerActivity.CPU)
    times, kernels = [], collections.Counter()

    def steps(count):
        for _ in range(count):
            begin = time.perf_counter_ns()
            loss = loss_of()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            loss.item()
            times.append(time.perf_counter_ns() - begin)

    steps(WARM)
    for _ in range(rounds):
        steps(PLAIN + WINDOW + PLAIN)  # ours by the command's --window
        with profile(activities=activities) as theirs:
            steps(WINDOW)
        events = theirs.profiler.kineto_results.events()
        kernels.update(event.name() for event in events if is_kernel(event))
    steps(PLAIN)
    print(json.dumps({"times": times, "kernels": kernels, "device": torch.cuda.get_device_name()}))


# ---- what is made of it ----


def steptrace():
    found = pathlib.Path(sys.executable).parent / "steptrace"
    return os.environ.get("STEPTRACE_BIN") or (str(found) if found.exists() else "steptrace")


def recorded(name, rounds, capture, folder):
    """What the training said, our kernels by name, and what of the device was lost."""
    run = folder / "run"
    ours, _ = starts(rounds)
    windows = [word for first in ours for word in ("--window", f"{first}:{WINDOW}")]
    inside = [sys.executable, __file__, "--inside", name, str(rounds), capture]
    command = [steptrace(), "run", "--quiet", "--no-report", "--output", str(run), *windows]
    command += ["--capture", capture, "--", *inside]
    said = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.splitlines()[-1]

    def rows(table, columns, *where):
        command = [steptrace(), "export", str(run), "--table", table, "--format", "csv", *where]
        command += ["--columns", columns, "-o", "-"]
        text = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
        return list(csv.DictReader(io.StringIO(text)))

    # What was launched behind a window's end, while the device still had to tell, has no call.
    calls = [rows("slices", "correlation", "--where", f"category = '{kind}'") for kind in CALLS]
    launches = {row["correlation"] for of_kind in calls for row in of_kind}
    told = rows("slices", "correlation,name", "--where", "category = 'kernel'")
    kernels = collections.Counter(row["name"] for row in told if row["correlation"] in launches)
    ours = ("cupti", "device", "ring")
    causes = [row for row in rows("data_loss", "cause,count") if row["cause"].startswith(ours)]
    lost = [f"{row['count']} {row['cause']}" for row in causes]
    return json.loads(said), kernels, lost


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return middle, low, high


def shown(values, unit):
    middle, low, high = quartiles(values)
    return f"{middle:.2f} {unit} [{low:.2f} .. {high:.2f}]"


def stretches(times, rounds):
    """Of each round the medians (ms): without, in our window, in theirs; our first step; after ours."""

    def median(begin, end):
        return statistics.median(times[begin:end]) / 1e6

    rows = []
    for ours, theirs in zip(*starts(rounds)):
        without = statistics.median(
            times[ours - PLAIN + SETTLE : ours - 1] + times[ours + WINDOW + SETTLE : theirs - 1]
        )
        rows.append(
            {
                "without": without / 1e6,
                "ours": median(ours + 2, ours + WINDOW - 1),
                "theirs": median(theirs + 2, theirs + WINDOW - 1),
                "first": max(times[ours - 1 : ours + 2]) / 1e6,
                "after": median(ours + WINDOW + SETTLE, theirs - 1),
                "before": median(ours - PLAIN + SETTLE, ours - 1),
            }
        )
    return rows


def report(name, capture, rows, said, kernels, lost):
    """Prints the lines of one training; whether its answer is right."""
    added = [row["ours"] - row["without"] for row in rows]
    theirs = [row["theirs"] - row["without"] for row in rows]
    shares = [ours / other for ours, other in zip(added, theirs) if other > 0]
    expected = collections.Counter(said["kernels"])
    without = statistics.median(row["without"] for row in rows)
    a_step = sum(expected.values()) / WINDOW / len(rows)
    print(f"{name}, {capture}: {without:.2f} ms a step, {a_step:.0f} kernels ({said['device']})")
    print(f"  adds {shown(added, 'ms')}; torch.profiler {shown(theirs, 'ms')}")
    if shares:
        print(f"  of what torch.profiler adds {shown(shares, 'times')}")
    comes = [row["first"] - row["ours"] for row in rows]
    after = [100 * (row["after"] / row["before"] - 1) for row in rows]
    print(f"  CUPTI comes in {shown(comes, 'ms')}; steps after are {shown(after, '%')} longer")
    same = kernels == expected
    print(
        f"  kernels: {sum(kernels.values())}, torch.profiler {sum(expected.values())}"
        f"{'' if same else ', NOT THE SAME'}; lost: {'; '.join(lost) or 'none'}",
        flush=True,
    )
    if not same:
        for text, one in (("ours", kernels - expected), ("theirs", expected - kernels)):
            print(f"  {text} alone: {one.most_common(3)}")
    return same and not lost


def why_not():
    try:
        import torch
    except ImportError:
        return "there is no PyTorch in this Python"
    return None if torch.cuda.is_available() else "there is no GPU that PyTorch can use"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--training", nargs="*", default=list(TRAININGS), choices=TRAININGS)
    parser.add_argument("--capture", nargs="*", default=list(CAPTURES))
    parser.add_argument("--json", type=pathlib.Path, help="all rounds of all trainings")
    options = parser.parse_args()
    reason = why_not()
    if reason is not None:
        print(f"windows on a GPU: left out, {reason}")
        return 0
    good, kept = True, {}
    for name in options.training:
        for capture in options.capture:
            with tempfile.TemporaryDirectory() as folder:
                of = recorded(name, options.rounds, capture, pathlib.Path(folder))
            rows = stretches(of[0]["times"], options.rounds)
            kept[f"{name}, {capture}"] = rows
            good &= report(name, capture, rows, *of)
    if options.json:
        options.json.write_text(json.dumps(kept))
    return 0 if good else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        sys.exit(train(sys.argv[2], int(sys.argv[3]), sys.argv[4]))
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""What the baseline is about: recordings that lie here, real profiles, and the verdicts' cases."""

import atexit
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from real_profiles import PROFILES

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CASES = ROOT / "tests" / "data" / "verdict"


def steptrace(*arguments):
    program = os.environ.get("STEPTRACE_BIN") or pathlib.Path(sys.executable).parent / "steptrace"
    plain = {k: v for k, v in os.environ.items() if not k.startswith("STEPTRACE_")}
    done = subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, timeout=300, env=plain
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@functools.cache
def recordings():
    """{name: folder}, of copies: a report of a closed run is stored in it."""
    folder = tempfile.TemporaryDirectory(prefix="steptrace-baseline-")
    atexit.register(folder.cleanup)
    runs = shutil.copytree(HERE / "runs", pathlib.Path(folder.name) / "runs")
    return {path.name: path for path in sorted(runs.iterdir())}


# Names, and what is imported as one run, below the folder of real profiles.
REAL = {
    "event_sync": "kineto/a100_event_sync_multistream.pt.trace.json.gz",
    "nccl_one_of_two": "kineto/a100_nccl_rank0of2.pt.trace.json.gz",
    "simple_add": "kineto/a100_simple_add.pt.trace.json.gz",
    "vllm": "kineto/b200_vllm_eager.pt.trace.json.gz",
    "mi300x": "kineto/mi300x_resnet_rank0of8.pt.trace.json.gz",
    "sampled_0": "kineto/sampled_rank0of128.pt.trace.json.gz",
    "sampled_1": "kineto/sampled_rank1of128.pt.trace.json.gz",
    "no_basetime": "kineto/v100_ns_no_basetime.pt.trace.json.gz",
    "resnet_no_workers": "kineto/v100_resnet50_workers0.pt.trace.json.gz",
    "resnet_four_workers": "kineto/v100_resnet50_workers4.pt.trace.json.gz",
    "sagemaker": "sagemaker",
    "sagemaker_horovod": "sagemaker/horovod_timeline_traces",
    "sagemaker_merge": "sagemaker/merge_traces",
    "sagemaker_model": "sagemaker/model_timeline_traces",
    "sagemaker_test": "sagemaker/test_traces",
    "sagemaker_tensorflow": "sagemaker/tfprofiler_timeline_traces",
}


def imported(name, folder):
    """The run that a real profile becomes."""
    steptrace("import", PROFILES / REAL[name], "--output", folder / name)
    return folder / name


def report(run):
    made = json.loads(steptrace("report", run, "--json"))
    made["run"] = {k: v for k, v in made["run"].items() if k not in ("id", "name", "command")}
    return made


def case_reports():
    """{case: report} of every verdict case."""
    program = max(ROOT.glob("build/*/src/testing/verdict_case_reports"), key=os.path.getmtime)
    done = subprocess.run([program, CASES], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return {one["name"]: one["report"] for one in map(json.loads, done.stdout.splitlines())}

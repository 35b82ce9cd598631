# SPDX-License-Identifier: Apache-2.0
"""What GPUs reach at most, as their makers give it."""

import re
import sys
from pathlib import Path

import tomllib

from . import text

SOURCE = Path("schema/gpu_peaks.toml")
MADE = text.made_of(SOURCE)
PRECISIONS = ("FP64", "FP32", "TF32", "FP16", "BF16", "FP8", "FP4", "INT8")


def declared():
    schema = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    seen = []
    for gpu in schema["gpu"]:
        words = gpu["words"].split()
        if not words or not all(re.fullmatch(r"[a-z0-9]+", word) for word in words):
            sys.exit(f"{SOURCE}: '{gpu['words']}' is not words in lower case")
        for earlier in seen:
            if set(earlier) <= set(words):
                sys.exit(f"{SOURCE}: '{gpu['words']}' never counts: '{' '.join(earlier)}' is first")
        seen.append(words)
        unknown = gpu["tflops"].keys() - set(PRECISIONS)
        if unknown or not gpu["source"] or min(gpu["tflops"].values()) <= 0:
            sys.exit(f"{SOURCE}: '{gpu['words']}' has no source, or no peak of {unknown}")
    return schema


def cpp(schema):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield '#include "analyze/device/gpu_peaks.h"'
    yield ""
    yield "namespace steptrace::analyze {"
    yield "namespace {"
    yield ""
    yield "// clang-format off"
    for i, gpu in enumerate(schema["gpu"]):
        words = ", ".join(text.cpp(word) for word in gpu["words"].split())
        yield f"constexpr std::string_view kWords{i}[] = {{{words}}};"
        peaks = ", ".join(
            f"{{{text.cpp(name)}, {value}e12}}" for name, value in gpu["tflops"].items()
        )
        yield f"constexpr GpuPeak kPeaks{i}[] = {{{peaks}}};"
    yield "constexpr GpuPeaks kGpus[] = {"
    for i, gpu in enumerate(schema["gpu"]):
        yield (
            f"    {{kWords{i}, kPeaks{i}, {gpu.get('multiprocessors', 0)},"
            f" {text.cpp(gpu['source'])}, {text.cpp(gpu.get('read', ''))}}},"
        )
    yield "};"
    yield "// clang-format on"
    yield ""
    yield "}  // namespace"
    yield ""
    yield "std::span<const GpuPeaks> KnownGpus() {"
    yield "  return kGpus;"
    yield "}"
    yield ""
    yield "}  // namespace steptrace::analyze"


def page(schema):
    yield "# Peaks of GPUs"
    yield ""
    yield f"<!-- {MADE} -->"
    yield "What the makers give: dense, without sparsity, in TFLOP/s, on tensor or matrix cores where the GPU has them; of FP16"
    yield "and BF16 with sums in FP32. The report compares with them what a run reached, as its"
    yield "[MFU](../concepts/throughput.md#mfu). They also say which precisions a GPU's tensor cores support. A GPU is known by words"
    yield "of its name: the first row that fits. A GPU that is not here, a MIG instance and a device with fewer multiprocessors than"
    yield "the whole GPU have no peak."
    yield ""
    yield "Under `compared` is the day on which the figures were last compared with a published table: the source, or a copy of"
    yield "it. Where there is none, nobody has compared them yet, and the report compares nothing with them: there is no MFU."
    yield ""
    yield f"| name holds | {' | '.join(PRECISIONS)} | source | compared |"
    yield "| --- |" + " ---: |" * len(PRECISIONS) + " --- | --- |"
    for gpu in schema["gpu"]:
        peaks = " | ".join(
            f"{gpu['tflops'][name]:g}" if name in gpu["tflops"] else "" for name in PRECISIONS
        )
        rest = f"{gpu['source']} | {gpu.get('read', '')}"
        yield f"| {gpu['words']} | {peaks} | {rest} |"


def files():
    schema = declared()
    return {
        Path("src/analyze/device/gpu_peaks_table.cc"): text.whole(cpp(schema)),
        Path("docs/reference/gpu_peaks.md"): text.whole(page(schema)),
    }

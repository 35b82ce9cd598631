# SPDX-License-Identifier: Apache-2.0
"""Run by import_bench.py with the interpreter of HTA's own environment: HTA reads the Kineto profiles
of a folder, as every analysis by it begins, and tells how many events it found.

usage: hta_load.py FOLDER
"""

import logging
import sys

logging.disable(logging.WARNING)

from hta.trace_analysis import TraceAnalysis  # noqa: E402


def main():
    analysis = TraceAnalysis(trace_dir=sys.argv[1])
    traces = analysis.t.traces
    print(sum(len(trace) for trace in traces.values()))


if __name__ == "__main__":
    main()

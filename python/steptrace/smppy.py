# SPDX-License-Identifier: Apache-2.0
"""SageMaker Profiler's Python interface over ours, so that its scripts run unchanged.

Under `steptrace run` a script's `import smppy` (or `smprof`) gets this module unless the real one is
installed; elsewhere write `from steptrace import smppy`. Without a run all of it does nothing.

What differs: recording begins with the process, not with start_profiling(), and what Config asks for
(EnableCuda and so on) is kept but decides nothing.
"""

from ._ranges import annotate, annotation_begin, annotation_end, start, stop

__all__ = ["Config", "SMProfiler", "annotate", "annotation_begin", "annotation_end"]


class Config:
    """Settings of the profiler as scripts write them: Config().profiler = {"EnableCuda": "1"}."""

    def __init__(self):
        self.profiler = {}


class SMProfiler:
    """The process's one profiler: SMProfiler.instance()."""

    _instance = None

    def __init__(self):
        self.config = None

    @classmethod
    def instance(cls):
        if SMProfiler._instance is None:
            SMProfiler._instance = SMProfiler()
        return SMProfiler._instance

    def configure(self, config):
        self.config = config

    def start_profiling(self):
        start()

    def stop_profiling(self):
        stop()

# SPDX-License-Identifier: Apache-2.0
from typing import Dict, List, Optional

from . import annotate as annotate
from . import annotation_begin as annotation_begin
from . import annotation_end as annotation_end

__all__: List[str]

class Config:
    profiler: Dict[str, str]
    def __init__(self) -> None: ...

class SMProfiler:
    config: Optional[Config]
    @classmethod
    def instance(cls) -> SMProfiler: ...
    def configure(self, config: Config) -> None: ...
    def start_profiling(self) -> None: ...
    def stop_profiling(self) -> None: ...

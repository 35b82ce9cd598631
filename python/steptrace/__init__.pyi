# SPDX-License-Identifier: Apache-2.0
from os import PathLike
from types import TracebackType
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Optional,
    Sequence,
    Type,
    TypeVar,
    Union,
    overload,
)

__version__: str
__all__: List[str]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Path = Union[str, "PathLike[str]"]
_Columns = Union[str, Sequence[str], None]

class _Range:
    """A range: enter it, again and again if need be, or put it before a function."""

    def __enter__(self) -> None: ...
    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...
    def __call__(self, function: _Function) -> _Function: ...

@overload
def annotate(name: str) -> _Range:
    """A range of yours with this name: `with annotate("augment"): ...` or `@annotate("augment")`.

    Ranges nest. Of an async function or a generator the range covers the time ranges in which it runs.
    Nothing happens, in under 0.1 us, unless the process runs under `steptrace run`.
    """

@overload
def annotate(name: _Function) -> _Function:
    """`@annotate` without a name takes the function's own."""

def annotation_begin(name: str) -> int:
    """Begins a range on this thread; annotation_end() of the id ends it, in any order."""

def annotation_end(range_id: int) -> None:
    """Ends that range of this thread; another id is passed over."""

def step(number: Optional[int] = None) -> None:
    """A training step ends here. Only for loops whose steps are not seen; it wins over the rule."""

def start() -> None:
    """Records again after stop()."""

def stop() -> None:
    """Records nothing in this process until start()."""

def open(run: Optional[_Path] = None, folder: Optional[_Path] = None) -> Run:
    """A run, to be read: by path, name or id; without it the newest in `folder`."""

def runs(folder: Optional[_Path] = None) -> List[Run]:
    """The runs in a folder (./steptrace-runs), newest first."""

def compare(
    a: Union[Run, _Path], b: Union[Run, _Path], folder: Optional[_Path] = None
) -> Comparison:
    """Two runs side by side, part by part; each a Run, or a path, a name or an id."""

def inert(text: object) -> str:
    """A name of a trace, or any other text of a run, as it may be printed: what is hidden in it as an escape."""

def get_include() -> str:
    """The folder of the C and C++ header: #include <steptrace/steptrace.h>."""

class SteptraceError(Exception):
    """The executable could not do what was asked; the text says why, and what to do."""

class SteptraceWarning(UserWarning):
    """A file of the run could not be used: what was asked for lacks its rows."""

class Report(Dict[str, Any]):
    """A report (schema steptrace.report/2) as a dict whose keys are attributes too."""

    def __getattr__(self, name: str) -> Any: ...

class Comparison(Report):
    """Two runs part by part: {runs, sentence, note, comparability, rows}, as
    `report --compare --json` prints it.

    Each of rows: kind (step, suspect, sub_stage, phase), name, a and b {ns, share, share_low,
    share_high}, change_ns, change_low_ns, change_high_ns (b less a, and its 95 % interval).
    """

    a: Run
    b: Run
    def __init__(self, a: Run, b: Run) -> None: ...
    def show(self, height: int = 720) -> Any:
        """Both runs side by side, as `report --compare --html` writes it, for a notebook."""

    def _repr_html_(self) -> str: ...

class _Plots:
    """Views of a run as matplotlib figures; what the run has no source for says so."""

    def breakdown(self) -> Any: ...
    def steps(self) -> Any: ...
    def histogram(self) -> Any: ...
    def data_pipeline(self) -> Any: ...
    def system(self, metrics: Sequence[str] = ...) -> Any: ...
    def devices(self) -> Any: ...
    def precision(self) -> Any: ...
    def operators(self, top: int = 15) -> Any: ...
    def kernels(self, top: int = 15) -> Any: ...
    def modules(self, top: int = 15) -> Any: ...
    def critical_path(self, top: int = 15) -> Any: ...
    def memory(self) -> Any: ...
    def distributed(self) -> Any: ...
    def timeline(self, from_ns: Optional[int] = None, to_ns: Optional[int] = None) -> Any:
        """Slices of a time range, ns since the run's begin; without one three steps from the middle."""

    def rules(self) -> Any: ...
    def runs(self, top: int = 30) -> Any:
        """The runs of the folder that this one lies in."""

    def compare(self, other: Union[Run, _Path]) -> Any:
        """This run's mean step beside another's; a name is first looked for beside this run."""

class Run:
    """A run on disk: closed, live or interrupted. It is read anew by each call."""

    def __init__(self, path: _Path) -> None: ...
    @property
    def path(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def manifest(self) -> Report: ...
    def report(
        self, price_per_hour: Optional[float] = None, last: Optional[int] = None
    ) -> Report: ...
    def table(
        self,
        table: str,
        columns: _Columns = None,
        where: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Any:
        """Rows of a table as a pyarrow.Table; without pyarrow as a list of dicts."""

    def rows(
        self,
        table: str,
        columns: _Columns = None,
        where: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Iterator[Dict[str, Any]]:
        """The rows one by one as dicts; needs nothing but this package."""

    def to_pandas(
        self,
        table: str,
        columns: _Columns = None,
        where: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Any: ...
    def to_polars(
        self,
        table: str,
        columns: _Columns = None,
        where: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Any: ...
    def tensors(
        self,
        module: Optional[str] = None,
        step: Optional[int] = None,
        role: Optional[str] = None,
    ) -> Iterator[Dict[str, Any]]:
        """Statistics of the model's tensors (`run --tensors`), one by one as dicts."""

    @property
    def plot(self) -> _Plots: ...
    def show(self, height: int = 720) -> Any:
        """The whole report, as `report --html` writes it, for a notebook to show."""

    def _repr_html_(self) -> str: ...

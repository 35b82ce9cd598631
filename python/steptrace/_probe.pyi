# SPDX-License-Identifier: Apache-2.0
"""The native half of the package, in the training process: libc alone, abi3 from Python 3.8.

Nothing here raises once attached, prints, blocks or allocates on the hot path. Ids come from
`name()`; 0 is the id that records nothing, and what is called with it does nothing.
"""

from collections.abc import Callable
from types import CodeType, FunctionType, TracebackType

def attach() -> bool:
    """Opens this process's ring file if STEPTRACE_RING_DIR is set. True: records are taken now."""

def attached() -> bool: ...
def disarm(reason: str) -> None:
    """Stops recording for good in this process; the reason is left for the agent."""

def name(text: str, category: int) -> int:
    """Interns a name; the same text and category give the same id. 0: arena full or not attached."""

class Range:
    """A name to be begun again and again, without a frame of Python's."""

    def __init__(self, name_id: int, leave: Callable[[], object] | None = None) -> None: ...
    @property
    def id(self) -> int: ...
    def __enter__(self) -> None:
        """begin(). Nothing here ends it: a class that is to be used in a `with` has end() as its
        __exit__, which takes whatever it is given."""
    def enter(self) -> Callable[[], object]:
        """begin(); returns `leave`."""

class Phase:
    """What a hook puts around a phase that every step has: enter() begins its range without a frame
    of Python's as long as all is usual, else it is `ask` that does.

    Usual is what is so for all of these: `left` is not 0, no stacks are due, the monotonic clock is before `due_ns`,
    `question` answers False, and `known`, if it is given, has an int for the id() of the subject,
    which is `only` if that is not 0.
    """

    def __init__(
        self,
        name_id: int,
        ask: Callable[..., Callable[[], object]],
        end: Callable[[], object],
        end_cpu: Callable[[], object],
        known: dict[int, object] | None = None,
        outer: Phase | None = None,
    ) -> None:
        """`outer`: the phase within which this one is. Where it has taken long when this one begins,
        it measures the next time."""
    @property
    def id(self) -> int: ...
    border: int
    """Not -1: device_border() of it comes before the range's begin, and of the next before its end."""
    measures: bool
    """Whether its thread's CPU time is read too: begin_cpu() instead of begin()."""
    question: Callable[[], bool] | None
    only: int
    taken: int
    """How often it went the short way."""
    left: int
    """How often it may yet go it; 2**64 - 1: without end."""
    due_ns: int
    def enter(self, subject: object = ...) -> Callable[[], object]:
        """Begins the range, with what is known of the subject as its argument; returns what ends it.
        Where anything is not usual: ask(subject)."""
    def begin(self) -> Callable[[], object]:
        """Begins the range without an argument, whatever is usual; returns what ends it."""

class Quiet:
    """A function as a callable without a frame of Python's; while the script's tools are on
    (tools_watch) it is not called."""

    def __init__(self, function: Callable[..., object], ends_range: bool = False) -> None:
        """`ends_range`: instead end() is."""
    def __call__(self, *arguments: object) -> object: ...
    def make_up(self) -> None:
        """Calls it, without arguments, if it has been asked to while they were on."""

def begin(name_id: int) -> None: ...
def begin_args(name_id: int, a: int, b: int) -> None: ...
def end() -> None: ...
def end_args(a: int, b: int) -> None: ...
def begin_cpu(name_id: int) -> None:
    """begin(), and remembers this thread's CPU time and run-queue wait."""

def begin_cpu_args(name_id: int, a: int, b: int) -> None: ...
def end_cpu() -> None:
    """end() with a = thread CPU ns and b = ns spent runnable without a core since begin_cpu()."""

def instant(name_id: int, a: int, b: int) -> None: ...
def counter(name_id: int, value: float) -> None: ...
def fact(kind: str, json: str) -> None:
    """Leaves a fact (wire/vocabulary.h, kFact) for the agent."""

def collection(phase: str, info: dict[str, int]) -> None:
    """For gc.callbacks: the full collections as ranges."""

def pause(on: bool) -> None:
    """start()/stop() of the public API: while paused, user ranges and hooks record nothing."""

def capture_changed() -> bool:
    """Whether the agent asks for another capture than the one that was taken last."""

def capture_request() -> dict[str, int | list[int]] | None:
    """Takes it: request, kinds, first_step, steps, until_ns (monotonic), dur_ns, max_operators,
    enough_operators with steps_of_enough, and next:
    first_step, steps, kinds of each window that follows it (src/wire/ring_layout.h, CaptureControl;
    0: no such bound). None: nothing that can be followed.
    """

def operators(on: bool) -> None:
    """Whether ITT's tasks become ranges, in every thread."""

def operators_step(most: int) -> int:
    """A step begins, of which each thread records at most so many. How many this thread has left out
    since the step before began."""

def operators_fit(operators: int) -> bool:
    """Whether this thread's ring has room for a step of so many; else its reader is woken."""

def operators_recorded() -> int:
    """Of this thread, since it last turned them on."""

def records_lost() -> int:
    """Of this thread's ring, for want of room."""

def exit_plainly() -> None:
    """When this process exits, and Python has ended, it ends at once with its status: what
    libraries would do then, their destructors and exit handlers, is left out."""

def kernels_begin(known_users: int) -> str | None:
    """Device activity by CUPTI, until kernels_end() and kernels_drain(True). Not None: why not.
    `known_users`: of _hooks/other_users.py."""

def kernels_taken() -> bool:
    """Whether the last kernels_begin() refused because another tool has CUPTI."""

def kernels_end() -> None: ...
def kernels_drain(last: bool) -> bool:
    """Hands over what CUPTI has; the last time until it is True: then all is off."""

def kernels_past() -> bool:
    """After the end: whether the device has ended work that was launched behind the window."""

def kernels_detach() -> str | None:
    """All is off: CUPTI leaves the process at the end of the next call. Not None: why it stays."""

def kernels_stay() -> bool:
    """Somebody is about to use CUPTI: it does not leave. Whether it is in the process still."""

def asked() -> bool:
    """Whether the agent asks for something: capture_changed() or stacks_due()."""

def stacks_due() -> bool:
    """Whether the agent asks this process to sample its own stacks, and nobody does."""

def stacks_claim() -> bool:
    """True once: a thread is to be started that calls stacks_take()."""

def stacks_take(tools: tuple[object, ...]) -> None:
    """Samples until told to end (src/probe/stacks.h). `tools`: src/probe/stack_frames.h."""

def stacks_stop(for_good: bool) -> None:
    """Ends that thread, and waits for it: half a second at most."""

def tensor(
    name_id: int,
    role: int,
    element_type: int,
    step: int | None,
    address: int,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
) -> int | None:
    """Measures a tensor in this process's memory (src/probe/tensor_stats.h) and tells the agent: how
    many of its elements are not finite. None: it was not reported, for want of room; -1: it could not be measured. Without a step it waits for
    tensors_step(). The interpreter's lock is given up where it takes long: hold the memory."""

def tensors_step(step: int) -> None:
    """Those that wait are of that step."""

def device_phases_begin(
    stream: Callable[[int], int],
    device: Callable[[], int],
    failed: Callable[[str | BaseException], object],
) -> str | None:
    """Device time by phase (src/probe/device_phases.h), for this thread. Not None: why not.
    `stream(device())`: the driver's handle of torch's current stream, asked where it is needed.
    `failed`: called with why there will be no more borders, or with what the first two raised; what
    it raises is let through."""

def device_border(border: int) -> None:
    """The thread is at that border."""

def device_phases_pause(on: bool) -> None:
    """Somebody else watches the driver's calls."""

def device_phases_end() -> int:
    """Hands over what the device has reached. How many borders were left out for want of an event."""

def tools_watch(aside: Callable[[str], object], back: Callable[[], object], finder: object) -> bool:
    """Once a process: aside(tool) is called when a tool of the script's that sees what Python runs
    (sys.settrace, sys.setprofile, sys.monitoring) is about to begin and none was on, back() when none is on any
    more (src/probe/python_tools.h). What they raise is let through. Where other threads run, functions have
    their own code (tools_change) and `finder` is out of sys.meta_path before aside() is called. False: this
    cannot be seen."""

def tools_record(aside: int, back: int) -> None:
    """The names of the instants that are recorded then."""

def tools_uncaught(
    tell: Callable[[type[BaseException], BaseException, TracebackType | None], object],
) -> None:
    """tell(type, exception, traceback) is called, unseen by the script's tools, where Python is about to print an
    exception that nobody caught, and sys.excepthook is not called yet; not of SystemExit. What it raises is
    dropped. Once a process; not where tools_watch() has said False, or tools_audited() says True."""

def tools_change(own: CodeType, changed: CodeType, function: FunctionType) -> None:
    """Gives the function, which is watched from now on, its changed code, or its own if tools are on."""

def tools_made(own: CodeType, changed: CodeType, function: FunctionType) -> FunctionType:
    """The same of a function that is made with its changed code, which it returns. Never raises."""

def tools_expect(tool: str) -> None:
    """Such a tool begins within 10 s."""

def tools_hurry(urgent: bool) -> None:
    """While it is, aside() is called as soon as Python may run, though a tool of Python 3.10 sees it."""

def tools_own(own: int) -> None:
    """Of the profiler that is on: 0: it is the script's, 1: it is ours, 2: ours begins or ends."""

def tools_audited() -> bool:
    """Whether an audit hook besides the probe's is there, which would see what Python does."""

def tools_aside() -> bool:
    """Whether the script's tools are on."""

def stats() -> dict[str, int]:
    """Counters of this process: records, dropped by cause, threads, names, bytes."""

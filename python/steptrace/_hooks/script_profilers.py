# SPDX-License-Identifier: Apache-2.0
"""torch.autograd.profiler, and the older one: what the script's own profilers begin with.

Before one of them begins, ours is taken off its thread: torch would refuse the script its own.
"""

from . import device_phases, interruption, other_users, profilers, windows
from .surround import Calls, nothing

_PROFILERS = "the script's profilers"  # they would tell of what device_phases calls


def patch(module, hook):
    def aside(self):
        try:
            had = profilers.turn.acquire(timeout=profilers.LONGEST_TURN_S)
            try:
                windows.step_aside()
                profilers.script_begins(self)
                if isinstance(self, module.profile):
                    other_users.note_kineto()
            finally:
                if had:
                    profilers.turn.release()
            device_phases.hold(_PROFILERS)
        except Exception as error:
            return hook.fail(error)
        return nothing

    def with_stacks(self):
        try:
            if getattr(self, "with_stack", False):
                hook.probe.tools_expect("torch.profiler with stacks")
        except Exception as error:
            if interruption.of_the_script(error):
                raise

    def after(self):
        return hook.probe.Quiet(lambda: _end(self))

    begin = Calls(aside, ("self",), leaves=False)
    end = Calls(after, ("self",))
    first = "_prepare_trace" if hasattr(module.profile, "_prepare_trace") else "__enter__"
    hook.around(module.profile, first, begin)
    if hasattr(module.profile, "_start_trace"):
        # It sets a profiler in each thread's name, where none of ours can run any more.
        hook.around(module.profile, "_start_trace", Calls(with_stacks, ("self",), leaves=False))
    hook.around(module.profile, "__exit__", end)
    for other in ("emit_itt", "emit_nvtx"):
        if hasattr(module, other):
            hook.around(getattr(module, other), "__enter__", begin)
            hook.around(getattr(module, other), "__exit__", end)
    profilers.arm()
    hook.on_undo(profilers.disarm)


def _end(profiler):
    profilers.script_ends(profiler)
    if not profilers.script_prepares():
        device_phases.release(_PROFILERS)

# SPDX-License-Identifier: Apache-2.0
"""How much work a command does, as a number that can be compared."""

import ctypes
import os
import struct
import subprocess

# linux/perf_event.h: the count of instructions, of this thread and of what it starts from now on,
# outside of the kernel.
_PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}.get(os.uname().machine)
_ATTRIBUTES_BYTES = 112
_INSTRUCTIONS = 1
_INHERIT_EXCLUDE_KERNEL_AND_HYPERVISOR = 1 << 1 | 1 << 5 | 1 << 6


def _open_counter():
    """Its descriptor; None where the machine lends no counter (most containers and virtual ones)."""
    if _PERF_EVENT_OPEN is None:
        return None
    flags = _INHERIT_EXCLUDE_KERNEL_AND_HYPERVISOR
    head = struct.pack("=IIQQQQQ", 0, _ATTRIBUTES_BYTES, _INSTRUCTIONS, 0, 0, 0, flags)
    attributes = ctypes.create_string_buffer(head, _ATTRIBUTES_BYTES)
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(_PERF_EVENT_OPEN, attributes, 0, -1, -1, 0)
    return fd if fd >= 0 else None


def _instructions(command, fd):
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    (count,) = struct.unpack("=Q", os.read(fd, 8))
    os.close(fd)
    return count, done.returncode, done.stderr


def _cpu_seconds(command):
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        complaint = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime, process.returncode, complaint


class Effort:
    """Of commands: instructions, or where they cannot be counted seconds of a processor, of which
    `noise` may be chance. Times are of use only as the least of several, and only to tell a linear
    rise from a quadratic one."""

    def __init__(self):
        fd = _open_counter()
        self._counts = fd is not None
        if fd is not None:
            os.close(fd)
        self.noise = 20_000_000 if self._counts else 0.05

    def of(self, command):
        if self._counts:
            effort, code, complaint = _instructions(command, _open_counter())
        else:
            effort, code, complaint = _cpu_seconds(command)
        assert code == 0, (command, complaint)
        return effort

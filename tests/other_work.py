# SPDX-License-Identifier: Apache-2.0
"""What else the machine computed while a training ran: beside that, its induced cause is not all that it waits for."""

import os
import pathlib
import time

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def machine_s():
    """CPU time of all processes; idle and I/O wait are none, nor is what guests have, for it is in user time."""
    words = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, words[:8])
    return (user + nice + system + irq + softirq + steal) / TICKS_PER_S


def own_s():
    """CPU time of this process and of all that ended below it."""
    return sum(os.times()[:4])


class OtherWork:
    """`with OtherWork() as other:` and then `other.cores`, which processes not started within kept busy on average."""

    def __enter__(self):
        self.begin = time.monotonic(), machine_s(), own_s()
        return self

    def __exit__(self, *_):
        begun, machine, own = self.begin
        self.cores = (machine_s() - machine - own_s() + own) / (time.monotonic() - begun)

    def shared(self):
        """Whether the training had to share the cores with others all along."""
        return self.cores > 0.25

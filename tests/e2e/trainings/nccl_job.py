# SPDX-License-Identifier: Apache-2.0
"""Two ranks that exchange by the stand-in NCCL: rank 1 comes late to each collective by 20 ms, which
begin when rank 0 is there.

nccl_job.py VERSION STEPS FOLDER     with RANK and WORLD_SIZE; the folder is where ranks meet
"""

import os
import pathlib
import sys
import time

from stand_in_nccl import Communicator

import steptrace

VERSION, STEPS, FOLDER = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
RANK = int(os.environ["RANK"])


def arrive(number):
    (FOLDER / f"{number}.{RANK}").touch()


def wait_for(number, rank):
    while not (FOLDER / f"{number}.{rank}").exists():
        time.sleep(0.0005)


def meet(number):
    """Both ranks are here: a file of each."""
    arrive(number)
    wait_for(number, 1 - RANK)


def main():
    world = Communicator(0xABCDEF0123456789, 2, RANK, VERSION)
    meet("start")
    for step in range(STEPS):
        if RANK == 1:
            with steptrace.annotate("tokenise"):
                wait_for(step, 0)
                time.sleep(0.02)
        handle = world.enqueue("AllReduce", 1000)
        children = world.begin(handle, peer=1 - RANK)
        meet(step)
        world.finish(children)
        steptrace.step()
    transfer = world.enqueue("Send" if RANK == 0 else "Recv", 10, peer=1 - RANK)
    world.finish(world.begin(transfer))
    world.destroy()


main()

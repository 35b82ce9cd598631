# SPDX-License-Identifier: Apache-2.0
"""torch.utils.data._utils.worker: a process says that it is a DataLoader worker, and when it sends.

A batch that is in the queue is not on its way yet: a thread of the worker's makes a message of it
and writes that into a pipe, and needs the interpreter to do so, which the next fetch may keep busy.
"""

from time import thread_time_ns

from . import facts, vocabulary
from .surround import Calls, nothing

_inside = False  # this process is a DataLoader worker
_waiting = []


def when_inside(report):
    """Calls report() in a worker, as soon as it is one."""
    if _inside:
        report()
    else:
        _waiting.append(report)


def patch(module, hook):
    probe = hook.probe
    send = probe.name(vocabulary.SEND, vocabulary.WORKER)

    def enter_worker(worker_id, num_workers, data_queue):
        global _inside
        _inside = True
        try:
            for report in _waiting:
                report()
            fact = facts.process("worker", worker=worker_id, workers=num_workers)
            facts.say(vocabulary.FACT_PROCESS, fact)
            _report_sends(probe, send, data_queue)
        except Exception as error:
            return hook.fail(error)
        return nothing

    arguments = ("worker_id", "num_workers", "data_queue")
    hook.around(module, "_worker_loop", Calls(enter_worker, arguments))


def _report_sends(probe, name, queue):
    """Puts a range around what the queue's thread, which has not started yet, calls to write."""
    send_bytes = getattr(queue, "_send_bytes", None)
    if send_bytes is None or getattr(queue, "_thread", None) is not None:
        return  # another kind of queue
    begin_args, end = probe.begin_args, probe.end
    ran_ns = 0

    def send(message):
        nonlocal ran_ns
        begin_args(name, thread_time_ns() - ran_ns, 0)
        try:
            send_bytes(message)
        finally:
            end()
            ran_ns = thread_time_ns()

    queue._send_bytes = send

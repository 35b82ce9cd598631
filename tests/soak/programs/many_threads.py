# SPDX-License-Identifier: Apache-2.0
import threading

total = [0]
lock = threading.Lock()


def add():
    for _ in range(200):
        with lock:
            total[0] += 1


threads = [threading.Thread(target=add) for _ in range(100)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(total, threading.active_count())

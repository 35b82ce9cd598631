# SPDX-License-Identifier: Apache-2.0
import threading

thread = threading.Thread(target=lambda: 1 / 0, name="worker")
threading.excepthook = lambda args: print(args.exc_type.__name__, args.thread.name)
thread.start()
thread.join()

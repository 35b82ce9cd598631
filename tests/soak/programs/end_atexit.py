# SPDX-License-Identifier: Apache-2.0
import atexit
import sys
import threading

atexit.register(print, "first registered")
atexit.register(print, "last registered")
threading.Thread(target=lambda: print("thread")).start()
sys.excepthook = lambda kind, error, trace: print("hook", kind.__name__, error)
raise ValueError("seen by the hook")

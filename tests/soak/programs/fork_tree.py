# SPDX-License-Identifier: Apache-2.0
import os

for level in range(4):
    child = os.fork()
    if child == 0:
        if level == 3:
            os._exit(level)
        continue
    _, status = os.waitpid(child, 0)
    print(level, os.waitstatus_to_exitcode(status), flush=True)
    os._exit(0)

# SPDX-License-Identifier: Apache-2.0
import os
import sys

if len(sys.argv) < 4:
    print(len(sys.argv), flush=True)
    os.execv(sys.executable, [sys.executable, *sys.argv, "again"])
print("done")

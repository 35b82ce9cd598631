# SPDX-License-Identifier: Apache-2.0
import os

print("before", flush=True)
os.abort()

# SPDX-License-Identifier: Apache-2.0
import ctypes
import faulthandler

print("before", flush=True)
faulthandler.disable()
ctypes.string_at(1)

# SPDX-License-Identifier: Apache-2.0
import resource

resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
try:
    bytearray(2**31)
except MemoryError:
    print("refused")

# SPDX-License-Identifier: Apache-2.0
import sys

for number in range(20000):
    print("line", number, file=sys.stderr if number % 7 == 0 else sys.stdout)

# SPDX-License-Identifier: Apache-2.0
import os

children = [os.fork() or os._exit(number % 5) for number in range(40)]
print(sorted(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))

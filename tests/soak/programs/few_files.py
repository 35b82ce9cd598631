# SPDX-License-Identifier: Apache-2.0
import os
import resource

resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
opened = []
try:
    while True:
        opened.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    print(error.errno, opened[-1])

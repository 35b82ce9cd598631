# SPDX-License-Identifier: Apache-2.0
ulimit -f 8
"$PYTHON" -c "
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    open('big', 'wb').write(bytes(100000))
except OSError as error:
    print(error.errno)
"

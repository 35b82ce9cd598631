# SPDX-License-Identifier: Apache-2.0
"$PYTHON" -I -c "print(1)"
"$PYTHON" -S -c "import sys; print(sorted(p for p in sys.path if 'steptrace' in p))"
"$PYTHON" -E -s -B -c "print(2)"
env -i "$PYTHON" -c "import os; print(sorted(os.environ))"

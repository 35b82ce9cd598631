# SPDX-License-Identifier: Apache-2.0
"$PYTHON" -I -c "print(1)"
"$PYTHON" -S -c "print(3)"
"$PYTHON" -E -s -B -c "print(2)"
env -i "$PYTHON" -c "import os; print(sorted(os.environ))"

# SPDX-License-Identifier: Apache-2.0
"$PYTHON" - one two <<'END'
import sys
print(sys.argv, __name__, __file__ if "__file__" in globals() else None)
END

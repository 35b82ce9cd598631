# SPDX-License-Identifier: Apache-2.0
"$PYTHON" no_such_file.py
echo $?
no-such-command-at-all 2>/dev/null
exit $?

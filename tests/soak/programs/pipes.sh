# SPDX-License-Identifier: Apache-2.0
yes line | head -n 1000 | "$PYTHON" -c 'import sys; print(sum(1 for _ in sys.stdin))'
false | true
echo "${PIPESTATUS[@]}"
exit 4

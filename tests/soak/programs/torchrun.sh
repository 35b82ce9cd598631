# SPDX-License-Identifier: Apache-2.0
"$PYTHON" -m torch.distributed.run --standalone --nproc-per-node 2 --log-dir logs --redirects 3 "$PROGRAMS/soak_ranks.py" 2>/dev/null
status=$?
for log in $(find logs -name stdout.log | sort); do cat "$log"; done
exit $status

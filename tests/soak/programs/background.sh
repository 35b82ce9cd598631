# SPDX-License-Identifier: Apache-2.0
"$PYTHON" -c "import time; time.sleep(0.3); print('behind')" &
wait $!
echo $?

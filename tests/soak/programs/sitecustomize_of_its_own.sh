# SPDX-License-Identifier: Apache-2.0
mkdir site
echo "print('mine')" > site/sitecustomize.py
PYTHONPATH=$PWD/site${PYTHONPATH:+:$PYTHONPATH} "$PYTHON" -c "print('script')"
echo "raise SystemExit(3)" > site/sitecustomize.py
PYTHONPATH=$PWD/site${PYTHONPATH:+:$PYTHONPATH} "$PYTHON" -c "print('script')"
echo $?
echo "raise ValueError('broken')" > site/sitecustomize.py
PYTHONPATH=$PWD/site${PYTHONPATH:+:$PYTHONPATH} "$PYTHON" -c "print('script')"

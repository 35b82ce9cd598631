# SPDX-License-Identifier: Apache-2.0
mkdir package
echo "print(__name__, __package__)" > package/__main__.py
"$PYTHON" -m package
"$PYTHON" -m package.none
zip_it() { "$PYTHON" -m zipapp package -o app.pyz; }
zip_it && "$PYTHON" app.pyz

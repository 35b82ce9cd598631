# SPDX-License-Identifier: Apache-2.0
import importlib
import sys

for name in ("json.decoder", "xml.dom.minidom", "no_such_module", "sqlite3"):
    try:
        module = importlib.import_module(name)
        print(name, module.__spec__.name, type(module.__loader__).__name__)
    except ModuleNotFoundError as error:
        print(error, error.name)
importlib.reload(sys.modules["json.decoder"])

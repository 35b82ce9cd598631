# SPDX-License-Identifier: Apache-2.0
"""The pages' server under test, and a client of it."""

import contextlib
import http.client
import re
import subprocess
import time
from pathlib import Path

from fault_tools import executable

LIMIT_S = 300  # far beyond what any of these takes on a loaded machine


class Server:
    """`steptrace ui` on a folder of runs."""

    def __init__(self, folder, cwd=None):
        line = [executable(), "ui", str(folder), "--port", "0"]
        self.process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True, cwd=cwd)
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline())[1])

    def connect(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        return contextlib.closing(connection)

    def ask(self, path):
        """Status and body, of a client that asks again when it is told to."""
        until = time.monotonic() + LIMIT_S
        while True:
            with self.connect() as connection:
                connection.request("GET", f"/api/runs/{path}".rstrip("/"))
                answer = connection.getresponse()
                body = answer.read()
            if answer.status != 503 or time.monotonic() > until:
                return answer.status, body
            time.sleep(0.2)

    def most_bytes(self):
        """The most memory that the server ever held, without its helper."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1])

    def children(self):
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):  # it ended meanwhile
                parent = path.read_text().rpartition(")")[2].split()[1]
                if int(parent) == self.process.pid:
                    found.append(int(path.parent.name))
        return found

    def end(self):
        self.process.terminate()
        self.process.wait(LIMIT_S)
        self.process.stdout.close()

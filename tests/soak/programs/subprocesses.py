# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

for code in ("print('child')", "import sys; sys.exit(5)", "import os; os.abort()"):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    print(done.returncode, repr(done.stdout), repr(done.stderr))
done = subprocess.run(
    [sys.executable, "-I", "-c", "print('isolated')"], capture_output=True, env={}
)
print(done.returncode, done.stdout, done.stderr)

# SPDX-License-Identifier: Apache-2.0
"""How many ranks the job has: 1 until the process group says more."""

size = 1

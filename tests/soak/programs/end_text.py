# SPDX-License-Identifier: Apache-2.0
import sys

sys.exit("the reason")

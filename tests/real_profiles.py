# SPDX-License-Identifier: Apache-2.0
"""Where real profiles may stand, without which the tests on them are skipped: STEPTRACE_PROFILES,
else a folder `data` of one beside the checkout."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
BESIDE = sorted(ROOT.parent.glob("*/data/kineto"))
PROFILES = pathlib.Path(
    os.environ.get("STEPTRACE_PROFILES") or (BESIDE[0].parent if BESIDE else "no profiles")
)
KINETO = PROFILES / "kineto"
SAGEMAKER = PROFILES / "sagemaker"
ASCEND = PROFILES / "ascend"
XPLANE = PROFILES / "xplane"

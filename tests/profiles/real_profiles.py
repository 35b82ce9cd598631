# SPDX-License-Identifier: Apache-2.0
"""Where real profiles may stand, without which the tests on them are skipped: STEPTRACE_PROFILES,
else ../shared/data beside the checkout."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROFILES = pathlib.Path(os.environ.get("STEPTRACE_PROFILES") or ROOT.parent / "shared" / "data")
KINETO = PROFILES / "kineto"
SAGEMAKER = PROFILES / "sagemaker"
ASCEND = PROFILES / "ascend"

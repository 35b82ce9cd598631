# SPDX-License-Identifier: Apache-2.0
"""The name by which older scripts import SageMaker's profiler."""

from steptrace.smppy import *  # noqa: F403

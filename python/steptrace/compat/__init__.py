# SPDX-License-Identifier: Apache-2.0
"""Modules under names of others, found only where those others are not (steptrace/_drop_in.py)."""

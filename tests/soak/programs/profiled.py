# SPDX-License-Identifier: Apache-2.0
import cProfile
import pstats

profile = cProfile.Profile()
profile.enable()
import decimal  # noqa: E402

decimal.Decimal(3).sqrt()
profile.disable()
print(*sorted(f"{key[2]}" for key in pstats.Stats(profile).stats), sep="\n")

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace steptrace::analyze {

// What a process held when it had made so many steps.
struct GrowthPoint {
  double steps = 0;
  double bytes = 0;
};

enum class GrowthVerdict : uint8_t {
  kNotEnough,  // too few points or steps, or it still settles
  kPlateau,    // does not grow any more
  kLeak,       // grows with each step, to the end
};

// Whose bytes they are: a heap that is used creeps by about as much as it goes up and down, which
// what a device's allocator counts does not.
enum class HeldBy : uint8_t { kHeap, kAllocator };

struct Growth {
  GrowthVerdict verdict = GrowthVerdict::kNotEnough;
  double bytes_per_step = 0;
  double low = 0;  // its interval, 97 %
  double high = 0;
  double steps = 0;  // that were judged, the last ones
};

inline constexpr size_t kLeastGrowthPoints = 21;
inline constexpr double kLeastGrowthSteps = 30;

// Whether memory grows with the steps. `points` in order of steps.
//
// The points are cut into seven equal blocks, each with its medians, so that what comes and goes
// (a batch, garbage until it is collected) is no growth. The slope is the median of those between
// all pairs of blocks (Theil 1950, Sen 1968); its interval lies from the least to the greatest of
// the six between neighbours (sign test: 1 - 2^-5). A leak grows from each block to the next at a
// tenth of its pace or more, in all by 8 MiB, a hundredth and of a heap three times what it goes up
// and down within a block, and at its end at half its pace or more. A plateau grew over the last
// two blocks by less than 1 MiB or half a hundredth. Where the whole is no leak, its last half and
// its last quarter are asked: one may begin late; there it must not have been steeper before.
Growth JudgeGrowth(std::span<const GrowthPoint> points, HeldBy held_by);

const char* NameOf(GrowthVerdict verdict);  // not_enough_data, plateau, leak

}  // namespace steptrace::analyze

// SPDX-License-Identifier: Apache-2.0
// Bytes a second that one core measures of a tensor, by type, size and what is in it; checked
// against a plain loop before it is timed. One line of JSON a case.
#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "probe/tensor_stats.h"

namespace {

using steptrace::probe::Measure;
using steptrace::probe::MeasurePortably;
using steptrace::probe::TensorStats;
using steptrace::probe::TensorView;
using steptrace::wire::ElementType;

double Now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

using Method = bool (*)(const TensorView&, TensorStats*);

// The best of several, as other work on the machine only ever takes time away; of small tensors
// many at a time, for the clock.
double BestSeconds(const TensorView& view, size_t bytes, Method method) {
  constexpr size_t kLeastBytes = 4 << 20;
  const size_t times = bytes < kLeastBytes ? kLeastBytes / bytes : 1;
  double best = 1e9;
  const double until = Now() + 0.5;
  while (Now() < until) {
    TensorStats stats;
    const double begin = Now();
    for (size_t i = 0; i < times; ++i) {
      if (!method(view, &stats)) exit(1);
    }
    const double took = (Now() - begin) / static_cast<double>(times);
    if (took < best) best = took;
  }
  return best;
}

struct Case {
  const char* name;
  ElementType type;
  size_t elements;
  bool zeros;
};

std::vector<uint8_t> Make(const Case& one) {
  const size_t bytes = steptrace::probe::ElementBytes(one.type);
  std::vector<uint8_t> data(bytes * one.elements);
  if (one.zeros) return data;
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 0.02f);
  for (size_t i = 0; i < one.elements; ++i) {
    const float value = normal(random);
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    if (one.type == ElementType::kFloat64) {
      const double wide = value;
      memcpy(&data[i * 8], &wide, 8);
    } else if (bytes == 4) {
      memcpy(&data[i * 4], &bits, 4);
    } else if (one.type == ElementType::kBfloat16) {
      bits >>= 16;
      memcpy(&data[i * 2], &bits, 2);
    } else if (one.type == ElementType::kFloat16) {  // normal numbers near 0.02 alone
      const uint32_t half = (bits >> 16 & 0x8000) | (((bits & 0x7fffffff) >> 13) - (112u << 10));
      const bool fits = std::fabs(value) > 1e-4f;
      const auto narrow = static_cast<uint16_t>(fits ? half : 0x2400u);
      memcpy(&data[i * 2], &narrow, 2);
    } else {
      data[i] = static_cast<uint8_t>(0x30 + (bits >> 20 & 0x8f));
    }
  }
  return data;
}

bool Right(const Case& one, const std::vector<uint8_t>& data, const TensorStats& stats) {
  if (one.type != ElementType::kFloat32) return stats.numel == one.elements;
  double sum = 0, absolute = 0;
  uint64_t zeros = 0;
  for (size_t i = 0; i < one.elements; ++i) {
    float value = 0;
    memcpy(&value, &data[i * 4], 4);
    sum += value;
    absolute += std::fabs(value);
    zeros += value == 0;
  }
  return zeros == stats.zeros && std::fabs(sum - stats.sum) <= 1e-9 * absolute;
}

}  // namespace

int main() {
  constexpr size_t kMany = 16 << 20;
  const Case cases[] = {
      {"float32", ElementType::kFloat32, kMany, false},
      {"float32_zeros", ElementType::kFloat32, kMany, true},
      {"float32_1M", ElementType::kFloat32, 1 << 20, false},
      {"float32_4096", ElementType::kFloat32, 4096, false},
      {"float32_512", ElementType::kFloat32, 512, false},
      {"float64", ElementType::kFloat64, kMany, false},
      {"bfloat16", ElementType::kBfloat16, kMany, false},
      {"float16", ElementType::kFloat16, kMany, false},
      {"float8_e4m3fn", ElementType::kFloat8E4m3fn, kMany, false},
      {"int64", ElementType::kInt64, kMany, true},
  };
  for (const Case& one : cases) {
    const std::vector<uint8_t> data = Make(one);
    const auto elements = static_cast<int64_t>(one.elements);
    const int64_t stride = 1;
    const TensorView view{data.data(), one.type, 1, &elements, &stride};
    TensorStats stats;
    if (!Measure(view, &stats) || !Right(one, data, stats)) {
      fprintf(stderr, "%s: wrong\n", one.name);
      return 1;
    }
    const auto bytes = static_cast<double>(data.size());
    printf("{\"case\": \"%s\", \"bytes\": %zu, \"gb_per_s\": %.2f, \"portable_gb_per_s\": %.2f}\n",
           one.name, data.size(), bytes / BestSeconds(view, data.size(), Measure) / 1e9,
           bytes / BestSeconds(view, data.size(), MeasurePortably) / 1e9);
  }
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "probe/kernels.h"
#include "testing/fake_cupti/fake_cupti.h"
#include "testing/rings.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

// The driver's stand-in must be among the libraries: the linker leaves out what nobody calls.
extern "C" int cuInit(unsigned int);

namespace steptrace::probe {

inline constexpr uint64_t kUs = 1000;
inline constexpr uint64_t kMs = 1'000'000;

// An activity as the ring has it.
struct Seen {
  wire::Category category;
  std::string name;
  std::string place;
  uint64_t start, end;
  uint32_t correlation;
  std::optional<uint64_t> bytes;
};

struct All {
  std::vector<Seen> activities;
  std::map<uint64_t, uint64_t> lost;  // by cause
  size_t clocks = 0;
  std::vector<Seen> Of(wire::Category category) const {
    std::vector<Seen> found;
    for (const Seen& one : activities) {
      if (one.category == category) found.push_back(one);
    }
    return found;
  }
};

inline All Read(const transport::testing::ProcessTrace& trace) {
  All all;
  for (const auto& thread : trace.threads) {
    std::optional<uint64_t> bytes;
    for (const wire::Record& record : thread.records) {
      if (record.kind != static_cast<uint8_t>(wire::RecordKind::kActivity)) continue;
      const std::string name = trace.NameOf(record);
      const auto category = static_cast<wire::Category>(record.category);
      if (category != wire::Category::kWindow) {
        const auto place = static_cast<uint32_t>(record.b >> 32);
        all.activities.push_back({category, name, trace.names.at(place - 1).text, record.tsc,
                                  record.a, static_cast<uint32_t>(record.b),
                                  std::exchange(bytes, std::nullopt)});
      } else if (name == wire::kDeviceBytesName) {
        bytes = record.a;
      } else if (name == wire::kDeviceLostName) {
        all.lost[record.b] += record.a;
      } else if (name == wire::kDeviceClockName) {
        ++all.clocks;
      }
    }
  }
  return all;
}

class KernelsTest : public ::testing::Test {
 protected:
  KernelsTest() {
    cuInit(0);
    fake_reset();
    ResetKernelsForTesting();
    transport::Attach();
  }
  ~KernelsTest() override {
    EXPECT_EQ(fake_misuse(), 0u) << fake_last_misuse();
    EXPECT_EQ(fake_any_enabled(), 0);
    fake_reset();  // its thread has a ring of this test's
    transport::DetachForTesting();
  }

  // Ends the window as the hooks do: after a while, until all is told.
  static void EndAll() {
    EndKernels();
    DrainKernels(false);
    usleep(30'000);
    for (int i = 0; i < 10'000 && !DrainKernels(true); ++i) usleep(1000);
  }
  All Drained() { return Read(transport::testing::DrainAll(folder_.OpenOnly())); }

  transport::testing::TestRingFolder folder_;
};

}  // namespace steptrace::probe

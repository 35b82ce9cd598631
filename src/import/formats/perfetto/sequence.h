// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text_hash.h"
#include "import/core/rows/run_sink.h"

namespace steptrace::import::perfetto {

// A text as the store takes it: U+FFFD in place of bytes that are no UTF-8.
std::string SoundText(std::string_view text, int64_t* invalid);

// What packets of one sequence (trusted_packet_sequence_id: a writer) leave to those behind them:
// interned texts by kind and number, defaults, and the state of clocks and counters that come as
// differences. A flag of a packet clears it.
class Sequence {
 public:
  using Texts = SeededMap<uint64_t, store::StringId>;
  struct Clock {
    int64_t value = 0;  // in units
    int64_t unit_ns = 1;
    bool incremental = false;
  };

  Texts categories, names, annotation_names, annotation_texts, gpu_specs, kernels, argument_names;
  std::optional<uint32_t> default_clock;
  std::optional<uint64_t> default_track;
  std::vector<uint64_t> default_counters, default_double_counters;
  SeededMap<uint32_t, Clock> clocks;           // those with a unit or of differences
  SeededMap<uint64_t, double> counter_values;  // of those that come as differences

  // Takes an InternedData message; throws what protozero throws. `room` is the number of texts that
  // may still come, of all sequences.
  void Intern(std::string_view message, RunSink& sink, int64_t* room, int64_t* invalid);
  void SetDefaults(std::string_view message);
  void TakeSnapshot(std::string_view message);
  void Clear();
};

struct SnapshotClock {
  uint32_t number = 0;
  int64_t value = 0;
  int64_t unit_ns = 1;
  bool incremental = false;
};
struct Snapshot {
  std::vector<SnapshotClock> clocks;
  std::optional<uint32_t> primary;
};
// Throws what protozero throws.
Snapshot ReadSnapshot(std::string_view message);

}  // namespace steptrace::import::perfetto

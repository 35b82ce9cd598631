// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "store/string_table.h"

namespace steptrace::analyze {

// What a hook said, by the names of wire/vocabulary.h; kUser carries its text in Event::text.
enum class HookName : uint8_t {
  kUser,
  kData,
  kDataEnd,
  kLoaderIter,
  kBackward,
  kOptimizer,
  kCheckpoint,
  kForward,
  kEvaluation,
  kLogging,
  kStep,
  kGc,
  kCompile,
  kCapture,  // the hooks begin or end a window
  kCollective,
  kFetch,
  kCollate,
  kSend,         // a: CPU time of making a message of the batch (wire/vocabulary.h)
  kOperator,     // a: 1 if its own time is computing (agent/operator_names.h); in windows alone
  kWindowBegin,  // instants: between them every operator of the thread is told
  kWindowEnd,
  kRecordsLost,  // instant: something of this thread is missing just before
  kHooksAside,   // instants: between them its process says nothing, whatever it does
  kHooksBack,
  kDataFrom,  // instant in data: whose batch it is (wire/vocabulary.h)
};

enum class MarkKind : uint8_t { kBegin, kEnd, kInstant };

// One record of a hook, on the run's clock: the input of derivation.
// kEnd closes the innermost open range of its thread, whatever its name.
struct Event {
  int64_t ts_ns = 0;
  int32_t pid = 0;
  int32_t tid = 0;
  MarkKind kind = MarkKind::kInstant;
  HookName name = HookName::kUser;
  store::StringId text{};  // of kUser and kCollective
  uint64_t a = 0;
  uint64_t b = 0;
};

}  // namespace steptrace::analyze

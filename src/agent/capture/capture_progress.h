// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "wire/vocabulary.h"

namespace steptrace::agent {

// How far a capture on demand has got, over all processes that were asked. A value.
struct CaptureProgress {
  int asked = 0;
  int begun = 0;
  int ended = 0;      // of those, with steps in it
  int refused = 0;    // without
  int64_t steps = 0;  // the most that one had
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  wire::WindowEnd why{};        // of the last that was refused
  bool traces_wait = false;     // profiles are being brought into the run
  int64_t durable_from_ns = 0;  // what of them is in the run, is in its journal by then
  int64_t rows_until_ns = 0;    // till when its steps' rows are waited for; 0: they are there
  std::string refusal{};        // the sentence, where `why` is none of the hooks'
  std::string traces_failed{};  // why one of them could not be

  bool done() const { return asked > 0 && ended + refused >= asked; }
};

}  // namespace steptrace::agent

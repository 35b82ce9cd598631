// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "store/run_reader.h"
#include "timeline/index.h"

namespace steptrace::timeline {

// Keeps what the index of a run that is being written is made of, so that each further one costs
// the rows that came since. One thread at a time.
class LiveRunIndex {
 public:
  LiveRunIndex();
  ~LiveRunIndex();
  LiveRunIndex(const LiveRunIndex&) = delete;
  LiveRunIndex& operator=(const LiveRunIndex&) = delete;

  // The index of a run as its journals stand now. An error: it has to be made as a whole, because
  // rows lie in segments, or too many would have to wait for one that began long ago.
  Result<Index> Open(const store::RunReader& run, uint64_t fingerprint);
  // Lets go of everything, as what is made anew.
  void Forget();
  bool empty() const { return rows_ == nullptr; }

 private:
  struct Rows;

  Status ReadNew(const store::RunReader& run);

  std::unique_ptr<Rows> rows_;
  std::string run_;  // the id of the run that all this is of: another may take its place
  int64_t horizon_ns_;
  bool gave_up_ = false;  // its rows lie too far apart: they are read as a whole each time
};

}  // namespace steptrace::timeline

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analyze/code/stack_class.h"
#include "analyze/samples/sample_threads.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::analyze {

// A function that waits for a lock, and where another thread was at those moments that likely
// holds it.
struct HeldLock {
  std::string function;  // that waits
  std::string file;
  int64_t samples = 0;      // waiting
  std::string holder = {};  // empty: nobody was seen in that lock's code
  std::string holder_file = {};
  int32_t holder_line = 0;     // the line with most samples
  int64_t holder_samples = 0;  // of the waiting ones, those at which it was there
};

// Whose code a lock guards, its stack tells: who runs behind the line of the same function that
// others wait at, or in another method of that class, has it: in the same process, unless the lock
// is one that processes share. Locks themselves have no names. One thread.
class LockHolders {
 public:
  // What is given outlives the object.
  LockHolders(std::span<const store::StackRow> stacks, const store::StringTable& strings,
              const std::vector<StackClass>& classes)
      : stacks_(stacks), strings_(strings), classes_(classes) {}

  // Samples of some time, of whatever threads; `waits`: whether a sample's state says so.
  template <class Waits>
  void Add(std::span<const store::SampleRow> samples, const SampleThreads& threads, Waits waits) {
    moments_.clear();
    for (const store::SampleRow& sample : samples) {
      const SampleThreads::Thread* thread = threads.Of(sample.track);
      if (thread != nullptr) Note(sample, *thread, waits(sample.state));
    }
    Match();
  }

  // That with most waiting first.
  std::vector<HeldLock> All() const;

 private:
  struct Moment {
    size_t rank = 0;
    int32_t node = 0;  // with pid, its process
    int64_t pid = 0;
    int64_t ts_ns = 0;
    int32_t track = 0;
    int32_t user = 0;  // the row of the user's innermost function
    bool in_lock = false;
    bool across = false;  // a lock that processes share

    bool MayShareLockWith(const Moment& other) const {
      return across || (node == other.node && pid == other.pid);
    }
  };
  using Function = std::tuple<store::StringId, store::StringId>;       // file, name
  using Line = std::tuple<store::StringId, store::StringId, int32_t>;  // ... and line
  struct Waiting {
    int64_t samples = 0;
    std::map<Line, int64_t> holders;
  };

  void Note(const store::SampleRow& sample, const SampleThreads::Thread& thread, bool waits);
  void Match();
  void MatchOne(const Moment& one, size_t from);
  const store::StackRow& Row(int32_t at) const { return stacks_[static_cast<size_t>(at)]; }
  bool IsWithin(const store::StackRow& waiter, int32_t at) const;
  bool IsWithin(int32_t waiter, int32_t at);  // the same, by rows: remembered

  std::span<const store::StackRow> stacks_;
  const store::StringTable& strings_;
  const std::vector<StackClass>& classes_;
  std::vector<Moment> moments_;
  std::map<Function, Waiting> waiting_;
  std::unordered_map<uint64_t, bool> within_;  // by the waiter's row and the other's
};

}  // namespace steptrace::analyze

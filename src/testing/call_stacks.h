// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/code/stack_class.h"

// Test helper: call stacks by their frames.
namespace steptrace::analyze {

inline const std::string kPackages = "/venv/lib/python3.11/site-packages/";
inline const std::string kTorch = kPackages + "torch/";
inline const std::string kStandard = "/usr/lib/python3.11/";

struct Frame {
  std::string function;
  std::string file;
  int32_t line = 1;
};

inline const Frame kMain = {"main", "/job/train.py", 90};
inline const Frame kTrain = {"train", "/job/train.py", 50};
inline const Frame kWorker = {"_worker_loop", kTorch + "utils/data/_utils/worker.py"};
inline const Frame kFetch = {"_MapDatasetFetcher.fetch", kTorch + "utils/data/_utils/fetch.py", 52};
inline const Frame kGetitem = {"Rows.__getitem__", "/job/dataset.py", 20};
inline const Frame kNext = {"_BaseDataLoaderIter.__next__", kTorch + "utils/data/dataloader.py"};
inline const Frame kModule = {"Module._call_impl", kTorch + "nn/modules/module.py"};
inline const Frame kOptim = {"Optimizer.profile_hook_step.<locals>.wrapper",
                             kTorch + "optim/optimizer.py"};
inline const Frame kNoGrad = {"context_decorator.<locals>.decorate_context",
                              kTorch + "utils/_contextlib.py"};

class Stacks {
 public:
  int32_t Add(const std::vector<Frame>& frames) {
    std::optional<int32_t> parent;
    for (const Frame& frame : frames) {
      store::StackRow row;
      row.stack = static_cast<int32_t>(rows_.size());
      row.parent = parent;
      row.function = strings_.Intern(frame.function);
      row.file = strings_.Intern(frame.file);
      row.line = frame.line;
      parent = row.stack;
      rows_.push_back(row);
    }
    return *parent;
  }
  std::vector<StackClass> Classify(const CollateCalls& collates = {}) const {
    return ClassifyStacks(rows_, strings_, table_, collates);
  }
  std::string FunctionOf(int32_t row) const {
    return row < 0 ? "-" : strings_.Text(rows_[static_cast<size_t>(row)].function);
  }
  StackClass ClassOf(const std::vector<Frame>& frames) {
    const auto last = static_cast<size_t>(Add(frames));
    return Classify()[last];
  }
  store::StringTable& strings() { return strings_; }
  std::vector<store::StackRow>& rows() { return rows_; }

 private:
  store::StringTable strings_;
  StageTable table_;
  std::vector<store::StackRow> rows_;
};

}  // namespace steptrace::analyze

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyze/code/stage_table.h"

// What samples of stacks come to, by rank.
namespace steptrace::analyze {

// Fewer samples than this say too little of a share to name a stage by.
inline constexpr int64_t kLeastSamples = 30;

// What a sample of a batch being made shows: a WorkStage, or nothing (no code of the user's and
// none that the table knows).
inline constexpr size_t kUnnamed = kWorkStageCount;
// Of the training thread: a function of the script's that calls torch from its own lines. Between
// two operators it goes from one to the next, as a module does.
inline constexpr size_t kTensorCode = kWorkStageCount + 1;
// ... one that runs by its decorator without gradients: whatever it computes, it is no model that
// is being trained.
inline constexpr size_t kGradless = kWorkStageCount + 2;
// ... in a line that calls torch's Python too, as that of a module: what else runs there is mostly
// C code of torch's.
inline constexpr size_t kModelLine = kWorkStageCount + 3;
// ... such a line of a function that runs modules: what is neither an operator nor the way between
// two of them is the machine's doing.
inline constexpr size_t kModuleLine = kWorkStageCount + 4;
// ... code of a package that has nothing to do with tensors, which is no operator of the model's
// and not the way to one either.
inline constexpr size_t kApart = kWorkStageCount + 5;
// ... a function that saves what a training resumes from, as it does.
inline constexpr size_t kSaving = kWorkStageCount + 6;
// ... a function that prepares data, where that itself is nothing that the table knows.
inline constexpr size_t kPreparing = kWorkStageCount + 7;
// ... a function that takes numbers out of tensors, where it does anything else.
inline constexpr size_t kReading = kWorkStageCount + 8;
// ... its own code, where no step tells whether anything was saved in it.
inline constexpr size_t kOfSaver = kWorkStageCount + 9;
inline constexpr size_t kBinCount = kWorkStageCount + 10;

// Samples of steady steps of one rank, in ns of the time that they stand for.
struct BatchBlock {  // of samples in a DataLoader's fetch, its collate function left out
  std::array<double, kBinCount> ran{};
  std::array<double, kBinCount> blocked{};    // waiting, and for no lock
  std::array<double, kBinCount> collating{};  // in the collate function, whether it waits or not
};
struct ThreadBlock {  // of the training thread
  std::array<double, kBinCount>
      outside{};             // running code of Python's that is not torch's, by stage
  double waiting = 0;        // outside torch, and not running
  double awaiting = 0;       // outside torch, for what other threads or processes make
  double on_signal = 0;      // ... of that, until another thread says so
  double asking = 0;         // outside torch, asking another process
  double evaluating = 0;     // in a function of the script's that evaluates: of none of the others
  double sampler = 0;        // in a sampler of the user's, which a DataLoader asked
  double sampler_begin = 0;  // ... of that, as its iterator was made
  double forward = 0;        // torch at work, by what the script called
  double backward = 0;
  double optimizer = 0;
  double leaves = 0;  // workers of an iterator that was given up are sent home
  double saving = 0;  // in torch.save
  double whole = 0;   // everything that it was seen doing
};

struct RankSamples {
  // Of the training thread: what prepares data, what takes numbers out of tensors, and what saves,
  // by itself and in the rest of the functions that do. As long as it is most of these, all is for
  // its sake.
  double prepared = 0, preparing = 0;
  double read = 0, reading = 0;
  double saved = 0, of_savers = 0;
  bool is_for_data() const { return preparing <= prepared; }
  bool is_for_numbers() const { return reading <= read; }
  bool is_for_saving() const { return of_savers <= saved; }
  void NoteOutside(size_t bin, bool reads, double ns) {
    if (bin == kPreparing) preparing += ns;
    if (bin == kReading) reading += ns;
    if (bin == kOfSaver) of_savers += ns;
    if (bin == kApart && reads) read += ns;
    if (bin < kWorkStageCount && IsPreparing(static_cast<WorkStage>(bin))) prepared += ns;
  }

  std::vector<BatchBlock> batch;  // by blocks of neighbouring steps
  std::vector<ThreadBlock> thread;
  BatchBlock made;  // by threads beside the training one, at work on what it may await
  int64_t made_samples = 0;
  int64_t batch_samples = 0;
  int64_t thread_samples = 0;
  double batch_squares = 0;  // of the weights
  int64_t collate_samples = 0;
  double collate_squares = 0;
  // Of the steps that wait for their dataset until the model begins: that time, and what workers
  // were seen making batches in it. By the quotient so many of them are at work at a time.
  double awaited_ns = 0;
  double loading_ns = 0;
  int64_t loading_samples = 0;
  double thread_squares = 0;
};

}  // namespace steptrace::analyze

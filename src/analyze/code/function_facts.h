// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/code/code_place.h"
#include "analyze/code/frame_words.h"
#include "analyze/code/stage_table.h"

// What is known of a function, whatever its line.
namespace steptrace::analyze {

// What a frame says of a stack that ends with it.
struct StackLeaf {
  bool only_waits = false;  // C code that waits: a sleep, a lock
  bool apart = false;       // it has nothing to do with tensors
  bool collects = false;    // gc.collect(), which somebody calls
  bool reads = false;       // C code that takes numbers out of a tensor or an array
  bool goes_over = false;   // Python goes over a tensor, or prints it
  // Python of the script's, whose calls of C are known, or C code that computes: what such a thread
  // waits for, where others of its process run, is the interpreter.
  bool needs_interpreter = false;
};

// What the hooks told of the loaders' collate functions: what they are called ("__main__.collate")
// and from where in torch ("_MapDatasetFetcher.fetch", line). What is called from there collates,
// whatever it is called: an object, a partial, what a decorator made of a function.
struct CollateCalls {
  std::vector<std::string> names;
  std::vector<std::pair<std::string, int32_t>> lines;
};

// By its module and its name.
struct FunctionWords {
  CodePlace place;
  TorchPart part = TorchPart::kNoPart;
  std::optional<StageTable::Match> match;
  StackLeaf leaf;
  bool framework = false;
  bool takes_over = false;
  bool on_signal = false;
  bool asks = false;
  bool runs_compiled = false;
  bool leaves = false;        // gives up an iterator before its end
  bool begins_epoch = false;  // makes the iterator of a DataLoader
  bool sounds_like_evaluation = false;
  bool collates = false;
  bool passes_on = false;
  bool copies = false;
  bool exchanges = false;     // calls a collective
  bool syncs = false;         // to the disk
  bool synchronises = false;  // threads or processes, and nothing else
  bool across = false;        // ... a lock that processes share
  bool saves = false;         // what a training resumes from
};

// By what it calls somewhere, in any of the run's stacks.
struct FunctionCalls {
  bool trains = false;           // backward or an optimizer
  bool calls_model = false;      // what computes in torch, and it is no part of that
  bool runs_module = false;      // ... a module, at whatever depth
  bool calls_torch = false;      // torch, from its own line, in C or not
  bool surrounds_model = false;  // torch: it is a training loop or what calls one
  bool runs_layer = false;       // it trains, or runs a module that is no transform
  bool holds_training = false;   // backward or an optimizer, at whatever depth
  bool reads = false;            // numbers out of tensors, from its own line
  bool saves = false;            // what a training resumes from, from its own line
  bool prepares = false;         // data, by a package that the table knows, at whatever depth
};

struct Function : FunctionWords {
  FunctionCalls seen;
};

FunctionWords WordsOf(const std::string& file, const std::string& name, const StageTable& table,
                      const CollateCalls& collates);

bool IsModuleCall(const Function& frame);
// A transform of a library, which may be written as a module: torchvision's, kornia's.
bool IsTransform(const Function& frame);
// What the script calls so, and is no part of a model: that runs layers.
bool IsOwn(const Function& frame, WorkStage stage);
// On the training's own thread the same packages log and save; "decode" may be what a model does,
// and the name of a loop is no stage.
bool CountsInLoop(const StageTable::Match& match, const Function& frame, bool in_thread);

}  // namespace steptrace::analyze

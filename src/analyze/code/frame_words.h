// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "analyze/code/code_place.h"

// What the names of a frame say by themselves, its module and its function.
namespace steptrace::analyze {

// What torch's own frame says of what is called in it.
enum class TorchPart : uint8_t {
  kNoPart,
  kFetch,
  kCollate,
  kAround,
  kBackward,
  kOptimizer,
  kThrough,
  kInside
};

bool Below(std::string_view module, std::string_view of);

// Packages, and modules of C code, that know no tensors of torch's, of which what runs innermost is
// neither an operator nor the way to one. Not all there are: of others nothing is known.
bool HasNoTensors(const CodePlace& place);

// Loops that call a user's training code: time in them alone is theirs, neither the model's nor
// the user's.
bool IsFramework(std::string_view module);
// Of a library's call it says nothing that these stand first: what they call does.
bool OnlyPassesOn(std::string_view module, std::string_view function);
// What of the standard library comes back to the tensors that it is given: "deepcopy" says more
// than the method by which a tensor is copied.
bool Copies(const CodePlace& place);
// What Python calls to go over a tensor or to print it: the script's loop does that, not its model.
bool GoesOver(std::string_view module, std::string_view function);
TorchPart PartOf(std::string_view module, std::string_view function);
bool Holds(std::string_view text, std::string_view part);
// Whether such a call ends when another thread or process has made something, and returns it.
// Putting, joining and closing wait for others as well, but for nothing that the caller then uses.
bool TakesOver(std::string_view module, std::string_view function);
// Whether such a call ends when another thread says so. A sleep may be written so too.
bool AwaitsSignal(std::string_view module, std::string_view function);
// Whether it asks another process for what that makes: the answer is taken over by another call.
bool IsRequest(std::string_view module, std::string_view function);
// What torch.compile made is called by these. Its other frames stand around what it leaves alone:
// every optimizer's step.
bool RunsCompiled(std::string_view module, std::string_view function);
// What people call a function that evaluates. Those that train are called by other names, and do
// what shows that they train; those that check a batch or a file do not call the model.
bool SoundsLikeEvaluation(std::string_view function);
// ... and one that saves: what it makes sure of on the disk is no log.
bool SoundsLikeSaving(std::string_view function);

}  // namespace steptrace::analyze

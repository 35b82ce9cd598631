// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/hooks.toml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/vocabulary.h"

namespace steptrace::analyze {

// clang-format off
// What a hook said, by the names of wire/vocabulary.h.
enum class HookName : uint8_t {
  kUser,  // its text is Event::text
  kData,
  kDataEnd,
  kDataFrom,  // Reported if batches come in any order
  kLoaderIter,
  kBackward,
  kOptimizer,
  kCheckpoint,
  kForward,  // A framework's own word for it
  kEvaluation,  // A framework's own word for it
  kLogging,  // A framework's own word for it
  kCapture,  // A window of ours begins or ends
  kStep,  // steptrace.step()
  kGc,
  kCompile,  // torch.compile at work
  kHooksAside,  // From here to hooks_back a tool of the script's is on, and its process says nothing, whatever it does
  kHooksBack,
  kCollective,  // all_reduce, barrier, … as torch.distributed names them
  kFetch,
  kCollate,
  kSend,
  kOperator,  // As the framework calls it: aten::mm, AddmmBackward0, a record_function's text; in windows alone
  kWindowBegin,
  kWindowEnd,
  kRecordsLost,  // Instant that the agent adds: something of this thread is missing just before
};
inline constexpr size_t kHookNames = 25;

struct HookRecord {
  wire::Category category;
  std::string_view name;  // empty: any of the category
  bool instant;
  HookName hook;
};
inline constexpr HookRecord kHookRecords[] = {
    {wire::Category::kPhase, wire::kNameData, false, HookName::kData},
    {wire::Category::kPhase, wire::kNameDataEnd, true, HookName::kDataEnd},
    {wire::Category::kPhase, wire::kNameDataFrom, true, HookName::kDataFrom},
    {wire::Category::kPhase, wire::kNameLoaderIter, false, HookName::kLoaderIter},
    {wire::Category::kPhase, wire::kNameBackward, false, HookName::kBackward},
    {wire::Category::kPhase, wire::kNameOptimizer, false, HookName::kOptimizer},
    {wire::Category::kPhase, wire::kNameCheckpoint, false, HookName::kCheckpoint},
    {wire::Category::kPhase, wire::kNameForward, false, HookName::kForward},
    {wire::Category::kPhase, wire::kNameEvaluation, false, HookName::kEvaluation},
    {wire::Category::kPhase, wire::kNameLogging, false, HookName::kLogging},
    {wire::Category::kPhase, wire::kNameCapture, false, HookName::kCapture},
    {wire::Category::kPhase, wire::kNameStep, true, HookName::kStep},
    {wire::Category::kPhase, wire::kNameGc, false, HookName::kGc},
    {wire::Category::kPhase, wire::kNameCompile, false, HookName::kCompile},
    {wire::Category::kPhase, wire::kNameHooksAside, true, HookName::kHooksAside},
    {wire::Category::kPhase, wire::kNameHooksBack, true, HookName::kHooksBack},
    {wire::Category::kCommunication, "", false, HookName::kCollective},
    {wire::Category::kWorker, wire::kNameFetch, false, HookName::kFetch},
    {wire::Category::kWorker, wire::kNameCollate, false, HookName::kCollate},
    {wire::Category::kWorker, wire::kNameSend, false, HookName::kSend},
    {wire::Category::kOperator, "", false, HookName::kOperator},
    {wire::Category::kPrimitive, "", false, HookName::kOperator},
    {wire::Category::kWindow, wire::kNameWindowBegin, true, HookName::kWindowBegin},
    {wire::Category::kWindow, wire::kNameWindowEnd, true, HookName::kWindowEnd},
};
// clang-format on

}  // namespace steptrace::analyze

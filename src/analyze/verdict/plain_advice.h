// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/stages.toml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyze/stages/stage_ids.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

// clang-format off
// What to change about a stage, where there is nothing to weigh; `function`: in which samples saw
// most of it, empty where there is none.
inline std::optional<model::Finding> PlainAdvice(SubStage stage, const model::PlacedText& function) {
  switch (stage) {
    case SubStage::kTokenise:
      return Make(model::finding::DataTokeniseAhead{.function = function});
    case SubStage::kCopy:
      return Make(model::finding::DataCopyLess{.function = function});
    case SubStage::kHostToDevice:
      return Make(model::finding::DataCopyAhead{});
    case SubStage::kGarbageCollection:
      return Make(model::finding::FrameworkCollectSeldom{.function = function});
    case SubStage::kRecompilation:
      return Make(model::finding::FrameworkFixedShapes{});
    case SubStage::kCheckpoint:
      return Make(model::finding::StepFewerCheckpoints{});
    case SubStage::kEvaluation:
      return Make(model::finding::StepFewerEvaluations{});
    case SubStage::kLogging:
      return Make(model::finding::StepLogLess{.function = function});
    case SubStage::kCapture:
      return Make(model::finding::StepFewerWindows{});
    case SubStage::kLoopCode:
      return Make(model::finding::StepComputeLess{.function = function});
    default: return std::nullopt;
  }
}

// Those of which what to change depends on what else is known.
enum class WeighedStage : uint8_t {
  kStorageRead,
  kDecode,
  kAugmentation,
  kDatasetCode,
  kLock,
  kGetitem,
  kCollate,
  kReceive,
  kCpuShortage,
  kWorkerStart,
  kDispatch,
  kLaunch,
  kSynchronisation,
  kUnknown,
};

constexpr std::optional<WeighedStage> WeighedOf(SubStage stage) {
  switch (stage) {
    case SubStage::kStorageRead: return WeighedStage::kStorageRead;
    case SubStage::kDecode: return WeighedStage::kDecode;
    case SubStage::kAugmentation: return WeighedStage::kAugmentation;
    case SubStage::kDatasetCode: return WeighedStage::kDatasetCode;
    case SubStage::kLock: return WeighedStage::kLock;
    case SubStage::kGetitem: return WeighedStage::kGetitem;
    case SubStage::kCollate: return WeighedStage::kCollate;
    case SubStage::kReceive: return WeighedStage::kReceive;
    case SubStage::kCpuShortage: return WeighedStage::kCpuShortage;
    case SubStage::kWorkerStart: return WeighedStage::kWorkerStart;
    case SubStage::kDispatch: return WeighedStage::kDispatch;
    case SubStage::kLaunch: return WeighedStage::kLaunch;
    case SubStage::kSynchronisation: return WeighedStage::kSynchronisation;
    case SubStage::kUnknown: return WeighedStage::kUnknown;
    default: return std::nullopt;
  }
}
// clang-format on

}  // namespace steptrace::analyze

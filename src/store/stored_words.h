// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/stored_words.toml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// NameOf: the text that is stored. …Of: what a stored text is; nothing: none of them, for a run may
// come from somebody else, or of a newer version.
namespace steptrace::store {

// clang-format off
template <class Word, size_t kCount>
constexpr std::optional<Word> FindStoredWord(const std::string_view (&words)[kCount], std::string_view text) {
  for (size_t i = 0; i < kCount; ++i) {
    if (words[i] == text) return static_cast<Word>(i);
  }
  return std::nullopt;
}

// How a run stands, in its manifest.
enum class RunStatus : uint8_t { kUnknown, kInProgress, kCompleted, kFailed, kStopped, kInterrupted };
inline constexpr std::string_view kRunStatusTexts[] = {"", "in_progress", "completed", "failed", "stopped", "interrupted"};
constexpr std::string_view NameOf(RunStatus word) {
  return kRunStatusTexts[static_cast<size_t>(word)];
}
constexpr std::optional<RunStatus> RunStatusOf(std::string_view text) {
  return FindStoredWord<RunStatus>(kRunStatusTexts, text);
}

// What a row of `tracks` is a line of.
enum class TrackKind : uint8_t { kNode, kProcess, kThread, kWorker, kDevice, kStream, kCounter };
inline constexpr std::string_view kTrackKindTexts[] = {"node", "process", "thread", "worker", "device", "stream", "counter"};
constexpr std::string_view NameOf(TrackKind word) {
  return kTrackKindTexts[static_cast<size_t>(word)];
}
constexpr std::optional<TrackKind> TrackKindOf(std::string_view text) {
  return FindStoredWord<TrackKind>(kTrackKindTexts, text);
}

// What a row of `steps` is a step of.
enum class StepKind : uint8_t { kTrain, kEval, kWarmUp };
inline constexpr std::string_view kStepKindTexts[] = {"train", "eval", "warm-up"};
constexpr std::string_view NameOf(StepKind word) {
  return kStepKindTexts[static_cast<size_t>(word)];
}
constexpr std::optional<StepKind> StepKindOf(std::string_view text) {
  return FindStoredWord<StepKind>(kStepKindTexts, text);
}

// What a thread was doing in a row of `samples`.
enum class SampleState : uint8_t { kRunning, kWaiting };
inline constexpr std::string_view kSampleStateTexts[] = {"running", "waiting"};
constexpr std::string_view NameOf(SampleState word) {
  return kSampleStateTexts[static_cast<size_t>(word)];
}
constexpr std::optional<SampleState> SampleStateOf(std::string_view text) {
  return FindStoredWord<SampleState>(kSampleStateTexts, text);
}

// How bad what a row of `findings` says is; info when it is well again.
enum class Severity : uint8_t { kInfo, kWarning, kError };
inline constexpr std::string_view kSeverityTexts[] = {"info", "warning", "error"};
constexpr std::string_view NameOf(Severity word) {
  return kSeverityTexts[static_cast<size_t>(word)];
}
constexpr std::optional<Severity> SeverityOf(std::string_view text) {
  return FindStoredWord<Severity>(kSeverityTexts, text);
}

// Who found what a row of `findings` says, its column `kind`.
enum class FindingSource : uint8_t { kRule, kAlert };
inline constexpr std::string_view kFindingSourceTexts[] = {"rule", "alert"};
constexpr std::string_view NameOf(FindingSource word) {
  return kFindingSourceTexts[static_cast<size_t>(word)];
}
constexpr std::optional<FindingSource> FindingSourceOf(std::string_view text) {
  return FindStoredWord<FindingSource>(kFindingSourceTexts, text);
}

// What the profiles are that a run was made of, by the importer that reads them.
enum class ProfileFormat : uint8_t { kKineto, kChrome, kPerfetto, kSagemaker, kNsight, kXplane };
inline constexpr std::string_view kProfileFormatTexts[] = {"kineto", "chrome", "perfetto", "sagemaker", "nsight", "xplane"};
constexpr std::string_view NameOf(ProfileFormat word) {
  return kProfileFormatTexts[static_cast<size_t>(word)];
}
constexpr std::optional<ProfileFormat> ProfileFormatOf(std::string_view text) {
  return FindStoredWord<ProfileFormat>(kProfileFormatTexts, text);
}

// clang-format on
}  // namespace steptrace::store

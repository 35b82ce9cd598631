// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/run_failure.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/code/code_place.h"
#include "analyze/input/report_input.h"
#include "analyze/report/rank_ends.h"
#include "base/utf8.h"
#include "model/finding_kinds.h"
#include "store/manifest.h"

namespace steptrace::analyze {
namespace {

namespace finding = model::finding;

// Of a message in a sentence; the report has all of it beside that.
constexpr size_t kMostShownBytes = 300;
constexpr int kOfSignals = 128;  // a shell's exit code of a command that a signal killed is more

constexpr std::pair<int, const char*> kSignals[] = {
    {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
    {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
    {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
    {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"},
    {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"},
};

std::string Shortened(const std::string& text) {
  if (text.size() <= kMostShownBytes) return text;
  return text.substr(0, WholeCharacters(text, kMostShownBytes)) + "...";
}

model::PlacedText PlaceText(const UncaughtException& one) {
  return model::PlaceText(FileName(one.file), one.file, one.line);
}

// Before any process trained, a number above 0 is one that a launcher told.
bool HasSeveralRanks(const RunInfo& run, const std::vector<UncaughtException>& all) {
  return run.ranks > 1 ||
         (run.ranks == 0 && std::ranges::any_of(all, [](const auto& one) { return one.rank > 0; }));
}

model::Subject SubjectOf(const UncaughtException& one) {
  model::Subject subject;
  subject.function = ShortFunction(one.function);
  subject.file = one.file;
  subject.line = one.line;
  if (one.rank >= 0) subject.AddRank(one.rank);
  return subject;
}

// ---- which exception ----------------------------------------------------------------------------

// Where none ended a rank, the last: that of the command itself, which waits for all others. That
// of a launcher tells of another that is not known.
const UncaughtException* Decisive(const ReportInput& input,
                                  const std::vector<UncaughtException>& all) {
  const RankEnds ranks(input, all);
  if (const UncaughtException* first = ranks.First()) return first;
  const UncaughtException* last = nullptr;
  for (const UncaughtException& one : all) {
    if (!EndedAProcess(one) || !IsNearTheEnd(input, one) || ranks.WasStartedAnew(one)) continue;
    if (last == nullptr || !IsOfALauncher(one) || IsOfALauncher(*last)) last = &one;
  }
  return last;
}

const UncaughtException* Interrupt(const std::vector<UncaughtException>& all) {
  const auto found = std::ranges::find_if(
      all, [](const UncaughtException& one) { return one.thread.empty() && IsInterrupt(one); });
  return found == all.end() ? nullptr : &*found;
}

// ---- a rank that a signal killed ----------------------------------------------------------------

std::optional<int64_t> NumberBehind(std::string_view label, std::string_view text) {
  const size_t at = text.find(label);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + label.size());
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

constexpr std::string_view kRankLabel = " rank : ";

struct KilledRank {
  int64_t rank = 0;
  int signal = 0;
};

// " rank : 1 (local_rank: 1) exitcode : -9 (pid: 4711)"
std::optional<KilledRank> KilledRankOf(std::string_view process) {
  const auto rank = NumberBehind(kRankLabel, process);
  const auto code = NumberBehind(" exitcode : ", process);
  const bool killed = rank && code && *code < 0 && *code > -kOfSignals;
  if (!killed || !model::IsRank(*rank)) return std::nullopt;
  return KilledRank{*rank, static_cast<int>(-*code)};
}

// A launcher ends the others by SIGTERM, and some libraries theirs by SIGABRT: these may be what
// another rank's exception led to.
bool IsOfTheSystem(int signal) {
  return signal == SIGKILL || signal == SIGSEGV || signal == SIGBUS || signal == SIGILL ||
         signal == SIGFPE;
}

// torchrun's own exception tells of the processes that it saw fail, and which of them it saw first.
// Ranks that waited for one that a signal killed raise exceptions of their own, and may have been
// seen before it: it leaves none.
std::optional<KilledRank> KilledRankIn(std::string_view message) {
  const size_t root = message.find("Root Cause");
  if (root != message.npos) {
    if (const auto first = KilledRankOf(message.substr(root))) return first;
  }
  while (true) {
    const size_t at = message.find(kRankLabel);
    if (at == message.npos) return std::nullopt;
    const size_t next = message.find(kRankLabel, at + kRankLabel.size());
    const auto killed = KilledRankOf(message.substr(at, next - at));
    if (killed && IsOfTheSystem(killed->signal)) return killed;
    message.remove_prefix(std::min(next, message.size()));
  }
}

std::optional<KilledRank> KilledRankIn(const std::vector<UncaughtException>& all) {
  for (const UncaughtException& one : all) {
    if (!one.type.ends_with("ChildFailedError")) continue;
    if (const auto killed = KilledRankIn(one.message)) return killed;
  }
  return std::nullopt;
}

// ---- what is said -------------------------------------------------------------------------------

model::Finding OfException(const UncaughtException& one, bool several_ranks, int64_t steps) {
  const bool of_a_rank = several_ranks && one.rank >= 0;
  model::Finding what = Make(
      finding::RunException{.steps = steps,
                            .rank = of_a_rank ? std::optional<int64_t>(one.rank) : std::nullopt,
                            .type = one.type,
                            .message = Shortened(one.message),
                            .place = PlaceText(one)});
  what.subject = SubjectOf(one);
  return what;
}

model::Finding OfSignal(int number, std::optional<int64_t> rank, int64_t steps) {
  return Make(finding::RunSignal{
      .steps = steps,
      .rank = rank,
      .stopped = number == SIGINT || number == SIGTERM || number == SIGHUP,
      .kill = number == SIGKILL,
      .fault = number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE,
      .signal = SignalName(number)});
}

RunFailure Interrupted(const UncaughtException& one, const std::string& signal, int64_t steps) {
  model::Finding what = Make(finding::RunInterrupted{.steps = steps, .place = PlaceText(one)});
  what.subject = SubjectOf(one);
  return {std::move(what), one, signal};
}

RunFailure OfCommandsEnd(const RunInfo& run, int64_t steps) {
  if (run.signal) return {OfSignal(*run.signal, {}, steps), {}, SignalName(*run.signal)};
  if (!run.exit_code || *run.exit_code == 0) return {};
  const int of_child = *run.exit_code - kOfSignals;
  const bool killed = std::ranges::any_of(
      kSignals, [of_child](const auto& known) { return known.first == of_child; });
  const std::string signal = killed ? SignalName(of_child) : "";
  return {Make(finding::RunExitCode{.steps = steps, .code = *run.exit_code, .signal = signal}),
          {},
          signal};
}

}  // namespace

std::string SignalName(int number) {
  const auto known =
      std::ranges::find(kSignals, number, [](const auto& signal) { return signal.first; });
  return known != std::end(kSignals) ? known->second : "signal " + std::to_string(number);
}

RunFailure FindFailure(const ReportInput& input, int64_t steps) {
  const RunInfo& run = input.run;
  if (run.status != store::kStatusFailed && run.status != store::kStatusStopped) return {};
  const auto all = ReadUncaught(input.facts, *input.strings);
  const UncaughtException* interrupt = Interrupt(all);
  const std::string signal = run.signal ? SignalName(*run.signal) : "";
  if (run.status == store::kStatusStopped) {
    return interrupt != nullptr ? Interrupted(*interrupt, signal, steps)
                                : OfCommandsEnd(run, steps);
  }
  if (run.signal) return OfCommandsEnd(run, steps);
  if (const auto killed = KilledRankIn(all)) {
    return {OfSignal(killed->signal, killed->rank, steps), {}, SignalName(killed->signal)};
  }
  if (const UncaughtException* one = Decisive(input, all)) {
    return {OfException(*one, HasSeveralRanks(run, all), steps), *one, ""};
  }
  if (interrupt != nullptr) return Interrupted(*interrupt, signal, steps);
  return OfCommandsEnd(run, steps);
}

}  // namespace steptrace::analyze

// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/run_json.h"

#include "analyze/json/json_parts.h"
#include "analyze/json/sentence_json.h"
#include "analyze/report/run_card_lines.h"

namespace steptrace::analyze {
namespace {

Json UncaughtJson(const UncaughtException& one) {
  return {{"file", one.file},
          {"line", one.line > 0 ? Json(one.line) : Json()},
          {"type", one.type},
          {"message", TextOrNull(one.message)},
          {"rank", one.rank >= 0 ? Json(one.rank) : Json()},
          {"pid", one.pid},
          {"ts_ns", one.ts_ns}};
}

}  // namespace

nlohmann::ordered_json SettingsJson(const std::vector<NamedText>& settings, const char* value) {
  return Each(settings, [value](const NamedText& one) -> Json {
    return {{"name", one.first}, {value, one.second}};
  });
}

nlohmann::ordered_json RunJson(const RunSection& run) {
  return {{"id", run.id},
          {"name", run.name},
          {"status", run.status},
          {"exit_code", OrNull(run.exit_code)},
          {"signal", OrNull(run.signal)},
          {"command", run.command},
          {"started_utc", run.started_utc},
          {"duration_ns", run.duration_ns},
          {"nodes", run.nodes},
          {"ranks", run.ranks},
          {"frameworks", SettingsJson(run.frameworks, "version")},
          {"devices", run.devices},
          {"host_overhead_share", OrNull(run.host_overhead_share)},
          {"agent_cpu_share", OrNull(run.agent_cpu_share)}};
}

nlohmann::ordered_json FailureJson(const RunFailure& failure) {
  const auto& exception = failure.exception;
  return {{"what", failure.what ? FindingJson(*failure.what) : Json()},
          {"exception", exception ? UncaughtJson(*exception) : Json()},
          {"signal", TextOrNull(failure.signal)}};
}

nlohmann::ordered_json CardJson(const RunSection& run, const RunCard& card) {
  const auto host = [](const CardHost& one) -> Json {
    return {{"node", one.node},
            {"host", one.host},
            {"cpus", OrNull(one.cpus)},
            {"allowed_cores", OrNull(one.allowed_cores)},
            {"memory_bytes", OrNull(one.memory_bytes)}};
  };
  const auto line = [](const CardLine& one) -> Json {
    return {{"id", one.id},
            {"title", one.title},
            {"text", one.text},
            {"compared_only", one.compared_only}};
  };
  const auto writer = [](store::ProfileWriter one) -> Json { return InfoOf(one).id; };
  return {{"lines", Each(CardLines(run, card), line)},
          {"hosts", Each(card.hosts, host)},
          {"devices", card.devices},
          {"gpus", card.gpus},
          {"frameworks", SettingsJson(card.frameworks, "version")},
          {"python", TextOrNull(card.python)},
          {"cuda", TextOrNull(card.cuda)},
          {"hip", TextOrNull(card.hip)},
          {"world_size", OrNull(card.world_size)},
          {"backend", TextOrNull(card.backend)},
          {"batch_size", OrNull(card.batch_size)},
          {"workers", OrNull(card.workers)},
          {"settings", SettingsJson(card.settings, "value")},
          {"imported_as", TextOrNull(card.imported_as)},
          {"writers", Each(card.writers, writer)},
          {"job_id", OrNull(card.job_id)},
          {"attempt", OrNull(card.attempt)},
          {"git_commit", OrNull(card.git_commit)},
          {"git_changed", OrNull(card.git_changed)},
          {"tags", SettingsJson(card.tags, "value")}};
}

}  // namespace steptrace::analyze

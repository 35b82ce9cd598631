// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/inert_text.h"
#include "cli/cell_text.h"
#include "cli/commands.h"
#include "cli/text_table.h"
#include "serve/rpc/run_path.h"
#include "serve/rpc/tensor_diff.h"
#include "serve/rpc/tensors.h"

namespace steptrace::cli {
namespace {

struct TensorsArguments {
  std::string run;
  rpc::TensorsQuery query;
  std::string other;  // the run they are compared with; empty: none
  bool json = false;
};

// JSON has no infinity: a sum of squares may be beyond what a double holds.
nlohmann::ordered_json NumberOrNull(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json SeenJson(const rpc::SeenTensor& one) {
  return {{"tensor", one.tensor},
          {"role", one.role},
          {"type", one.type},
          {"rank", one.rank},
          {"step", one.step},
          {"numel", one.numel},
          {"not_finite", one.not_finite},
          {"zeros", one.zeros},
          {"min", NumberOrNull(one.min)},
          {"max", NumberOrNull(one.max)},
          {"mean", NumberOrNull(one.mean)},
          {"mean_abs", NumberOrNull(one.mean_abs)},
          {"rms", NumberOrNull(one.rms)}};
}

void PrintJson(const rpc::SeenTensors& seen) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const rpc::SeenTensor& one : seen.tensors) list.push_back(SeenJson(one));
  PrintLine(list.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), stdout);
}

std::string Short(const std::optional<double>& value) {
  return value ? fmt::format("{:.3g}", *value) : std::string("-");
}

void PrintText(const rpc::SeenTensors& seen) {
  TextTable table({{"tensor", Align::kLeft},
                   {"role", Align::kLeft},
                   {"rank", Align::kRight},
                   {"step", Align::kRight},
                   {"not finite", Align::kRight},
                   {"rms", Align::kRight},
                   {"mean |x|", Align::kRight},
                   {"min", Align::kRight},
                   {"max", Align::kRight},
                   {"zeros", Align::kRight},
                   {"elements", Align::kRight},
                   {"type", Align::kLeft}},
                  TerminalColumns(stdout), stdout);
  for (const rpc::SeenTensor& one : seen.tensors) {
    table.Row({InertText(one.tensor), one.role, std::to_string(one.rank), std::to_string(one.step),
               std::to_string(one.not_finite), Short(one.rms), Short(one.mean_abs), Short(one.min),
               Short(one.max), std::to_string(one.zeros), std::to_string(one.numel), one.type});
  }
  table.Finish();
}

nlohmann::ordered_json SideJson(const std::optional<rpc::SeenTensor>& side) {
  return side ? SeenJson(*side) : nlohmann::ordered_json();
}

void PrintDiffJson(const std::vector<rpc::ComparedTensor>& compared) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const rpc::ComparedTensor& one : compared) {
    list.push_back({{"tensor", one.tensor},
                    {"role", one.role},
                    {"rank", one.rank},
                    {"alike", one.alike()},
                    {"ratio", NumberOrNull(one.ratio())},
                    {"a", SideJson(one.a)},
                    {"b", SideJson(one.b)}});
  }
  PrintLine(list.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), stdout);
}

std::string NotFinite(const std::optional<rpc::SeenTensor>& side) {
  return side ? std::to_string(side->not_finite) : std::string("-");
}

std::string Rms(const std::optional<rpc::SeenTensor>& side) {
  return Short(side ? side->rms : std::nullopt);
}

void PrintDiffText(const std::vector<rpc::ComparedTensor>& compared) {
  TextTable table({{"tensor", Align::kLeft},
                   {"role", Align::kLeft},
                   {"rank", Align::kRight},
                   {"step", Align::kRight},
                   {"rms A", Align::kRight},
                   {"rms B", Align::kRight},
                   {"B / A", Align::kRight},
                   {"not finite A", Align::kRight},
                   {"not finite B", Align::kRight}},
                  TerminalColumns(stdout), stdout);
  for (const rpc::ComparedTensor& one : compared) {
    const int64_t step = one.a ? one.a->step : one.b->step;
    table.Row({InertText(one.tensor), one.role, std::to_string(one.rank), std::to_string(step),
               Rms(one.a), Rms(one.b), one.alike() ? "alike" : Short(one.ratio()), NotFinite(one.a),
               NotFinite(one.b)});
  }
  table.Finish();
}

int Diff(const TensorsArguments& arguments, const std::filesystem::path& run,
         const Session& session) {
  const auto other = rpc::ResolveRun(arguments.other, session.settings.folder);
  if (!other.ok()) return Fail(other.error());
  const auto compared = rpc::CompareTensors(run, *other, arguments.query);
  if (!compared.ok()) return Fail(compared.error());
  if (arguments.json) {
    PrintDiffJson(*compared);
  } else if (compared->empty()) {
    PrintLine(
        "no tensor that matches was looked at by both runs at one step; @every of --tensors "
        "gives both the same steps",
        stdout);
  } else {
    PrintDiffText(*compared);
  }
  return FinishOutput(stdout);
}

int Tensors(const TensorsArguments& arguments, const Session& session) {
  auto run = rpc::ResolveRun(arguments.run, session.settings.folder);
  if (!run.ok()) return Fail(run.error());
  if (!arguments.other.empty()) return Diff(arguments, *run, session);
  const auto seen = rpc::ReadTensors(*run, arguments.query);
  if (!seen.ok()) return Fail(seen.error());
  if (arguments.json) {
    PrintJson(*seen);
  } else if (!seen->any) {
    PrintLine("no tensors were recorded; record with steptrace run --tensors", stdout);
  } else if (seen->tensors.empty()) {
    PrintLine("no tensor matches", stdout);
  } else {
    PrintText(*seen);
  }
  return FinishOutput(stdout);
}

}  // namespace

void AddTensorsCommand(CLI::App& app, Session& session) {
  CLI::App* command = AddCommand(
      app,
      {.name = "tensors",
       .sentence = "Print the statistics of a model's tensors",
       .usage = "[RUN] [OPTIONS]",
       .examples = {"steptrace tensors", "steptrace tensors train-slow --role gradient --step 100",
                    "steptrace tensors train-slow --module 'layer4.*weight' --json",
                    "steptrace tensors train-slow --diff train-fixed"}});
  auto arguments = std::make_shared<TensorsArguments>();
  AddRunArgument(command, arguments->run);
  command
      ->add_option("--module", arguments->query.module,
                   "Only tensors whose name has this regular expression")
      ->type_name("REGEX");
  command
      ->add_option("--step", arguments->query.step,
                   "As they were last seen by this step (default: at the end)")
      ->type_name("N")
      ->check(AtLeast(0));
  command->add_option("--role", arguments->query.role, "Only loss, gradient or weight")
      ->type_name("ROLE")
      ->check(CLI::IsMember({"loss", "gradient", "weight"}).description(""));
  command
      ->add_option("--diff", arguments->other,
                   "Compare with this run, at the last step at which both looked: the largest "
                   "change first")
      ->type_name("RUN");
  AddJsonFlag(command, arguments->json);
  AddFolderOption(command, session);
  command->callback([&session, arguments] {
    session.action = [&session, arguments] { return Tensors(*arguments, session); };
  });
}

}  // namespace steptrace::cli

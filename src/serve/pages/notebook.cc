// SPDX-License-Identifier: Apache-2.0
#include "serve/pages/notebook.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "serve/export/output.h"

namespace steptrace::pages {
namespace {

using Json = nlohmann::ordered_json;

// Cells are numbered, so that the same run gives the same file.
class Cells {
 public:
  void Text(const std::string& text) {
    cells_.push_back(
        {{"cell_type", "markdown"}, {"id", Id()}, {"metadata", Json::object()}, {"source", text}});
  }
  void Code(const std::string& code) {
    cells_.push_back({{"cell_type", "code"},
                      {"id", Id()},
                      {"execution_count", nullptr},
                      {"metadata", Json::object()},
                      {"outputs", Json::array()},
                      {"source", code}});
  }
  // A question and the figure that answers it.
  void View(const std::string& question, const std::string& view) {
    Text("## " + question);
    Code("run.plot." + view + "()");
  }
  Json Take() && { return std::move(cells_); }

 private:
  std::string Id() const { return fmt::format("steptrace-{}", cells_.size()); }

  Json cells_ = Json::array();
};

// Names of a run are data: they stand in the code as literals and nowhere in the text. A literal of
// JSON in ASCII is one of Python.
std::string Literal(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

void AddProfile(const analyze::Report& report, Cells& cells) {
  if (!report.profile) return;
  cells.View("What do the devices do?", "devices");
  cells.View("Which operators take the time?", "operators");
  cells.View("Which kernels?", "kernels");
  cells.View("What is on the critical path?", "critical_path");
  cells.View("Where does the memory go?", "memory");
}

void AddRows(Cells& cells) {
  cells.Text(
      "## Down to the rows\n\nEvery figure above comes from rows of the run's tables: `steptrace "
      "schema` lists them.");
  cells.Code(
      "for step in run.rows(\"steps\", limit=5):\n"
      "    print(step[\"rank\"], step[\"step\"], step[\"kind\"], step[\"dur_ns\"] / 1e6, \"ms\")");
  cells.Code("for loss in report.losses:\n    print(loss.table, loss.cause, loss.detail)");
}

}  // namespace

std::string NotebookOf(const analyze::Report& report, const std::filesystem::path& run) {
  Cells cells;
  cells.Text("# Why is this training slow?\n\nMade by `steptrace report --notebook`.");
  cells.Code(
      fmt::format("import steptrace\n\nrun = steptrace.open({})\nrun", Literal(run.string())));
  cells.Code(
      "report = run.report()\nprint(report.verdict.headline)\n"
      "for evidence in report.verdict.evidence:\n    print(\"-\", evidence.text)\n"
      "for advice in report.verdict.advice:\n    print(\"try:\", advice.text)");
  cells.View("Where does a step go?", "breakdown");
  cells.View("How long do steps take?", "steps");
  cells.View("How are they distributed?", "histogram");
  if (report.data_pipeline.applicable) {
    cells.View("What does the data pipeline do meanwhile?", "data_pipeline");
  }
  if (!report.system.empty()) cells.View("How busy are the machines?", "system");
  AddProfile(report, cells);
  if (report.distributed.applicable) cells.View("How do the ranks compare?", "distributed");
  AddRows(cells);
  const Json notebook = {
      {"cells", std::move(cells).Take()},
      {"metadata",
       {{"kernelspec", {{"display_name", "Python 3"}, {"language", "python"}, {"name", "python3"}}},
        {"language_info", {{"name", "python"}}}}},
      {"nbformat", 4},
      {"nbformat_minor", 5}};
  return notebook.dump(1) + "\n";
}

Status WriteNotebook(const analyze::Report& report, const std::filesystem::path& run,
                     const std::filesystem::path& destination) {
  STEPTRACE_ASSIGN_OR_RETURN(exporter::Output output, exporter::Output::To(destination));
  STEPTRACE_RETURN_IF_ERROR(output.Write(NotebookOf(report, run)));
  return output.Commit();
}

}  // namespace steptrace::pages

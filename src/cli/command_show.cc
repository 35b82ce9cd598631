// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <memory>

#include "cli/cell_text.h"
#include "cli/commands.h"
#include "cli/damaged_files.h"
#include "cli/text_table.h"
#include "serve/rpc/run_path.h"
#include "serve/rpc/table.h"

namespace steptrace::cli {
namespace {

struct ShowArguments {
  std::vector<std::string> words;  // [RUN] TABLE
  std::vector<std::string> columns;
  std::string where;
  std::optional<int64_t> limit;
  bool json = false;
};

// Whoever reads our output has gone: no reason to say so, none to go on.
Status OutputStatus() {
  if (std::ferror(stdout) == 0) return {};
  return Error{""};
}

class JsonRows : public rpc::RowVisitor {
 public:
  Status Begin(const std::vector<rpc::Column>& columns) override {
    for (const auto& column : columns) keys_.push_back(JsonString(column.name) + ": ");
    return {};
  }
  Status Row(std::span<const rpc::Cell> cells) override {
    std::string line = rows_++ == 0 ? "[\n" : ",\n";
    for (size_t i = 0; i < cells.size(); ++i) {
      line += (i == 0 ? "{" : ", ") + keys_[i] + JsonCell(cells[i]);
    }
    line += "}";
    std::fputs(line.c_str(), stdout);
    return OutputStatus();
  }
  void Finish() { std::fputs(rows_ == 0 ? "[]\n" : "\n]\n", stdout); }

 private:
  std::vector<std::string> keys_;
  int64_t rows_ = 0;
};

class TextRows : public rpc::RowVisitor {
 public:
  explicit TextRows(std::optional<int64_t> shown) : shown_(shown) {}
  Status Begin(const std::vector<rpc::Column>& columns) override {
    std::vector<TextColumn> titles;
    for (const auto& column : columns) {
      bool text = column.type == rpc::ColumnType::kText;
      titles.push_back({column.name, text ? Align::kLeft : Align::kRight});
    }
    table_ = std::make_unique<TextTable>(std::move(titles), TerminalColumns(stdout), stdout);
    return {};
  }
  Status Row(std::span<const rpc::Cell> cells) override {
    if (shown_ && rows_++ >= *shown_) {
      more_ = true;
      return {};
    }
    std::vector<std::string> texts;
    for (const auto& cell : cells) texts.push_back(TextCell(cell));
    table_->Row(std::move(texts));
    return OutputStatus();
  }
  void Finish() {
    if (table_ == nullptr) return;
    table_->Finish();
    if (size_t hidden = table_->hidden_columns(); hidden > 0) {
      PrintLine(fmt::format("({} more columns; choose with --columns A,B)", hidden), stderr);
    }
    if (more_) PrintLine(fmt::format("(first {} rows; --limit N shows more)", *shown_), stderr);
  }

 private:
  std::optional<int64_t> shown_;
  int64_t rows_ = 0;
  bool more_ = false;
  std::unique_ptr<TextTable> table_;
};

// What fits a screen or two, when nobody asked for a number and somebody reads it.
constexpr int64_t kRowsOnTerminal = 50;

Status ShowText(rpc::TableQuery query) {
  std::optional<int64_t> shown;
  if (!query.limit && TerminalColumns(stdout) > 0) {
    shown = kRowsOnTerminal;
    query.limit = kRowsOnTerminal + 1;
  }
  TextRows rows(shown);
  Status status = rpc::VisitRows(query, rows);
  rows.Finish();
  return status;
}

Status ShowJson(const rpc::TableQuery& query) {
  JsonRows rows;
  STEPTRACE_RETURN_IF_ERROR(rpc::VisitRows(query, rows));
  rows.Finish();
  return {};
}

int Show(const ShowArguments& arguments, const Session& session) {
  bool newest = arguments.words.size() == 1;
  auto run = rpc::ResolveRun(newest ? "" : arguments.words.front(), session.settings.folder);
  auto table = rpc::FindTable(arguments.words.back());
  if (!table.ok()) return Fail(table.error());
  if (!run.ok()) return Fail(run.error());
  std::vector<store::DamagedSegment> damaged;
  rpc::TableQuery query{*run,    table->name, arguments.columns, arguments.where, arguments.limit,
                        &damaged};
  Status status = arguments.json ? ShowJson(query) : ShowText(query);
  if (!status.ok() && !status.error().text().empty()) return Fail(status.error());
  PrintDamaged(damaged, "what is shown");
  return FinishOutput(stdout);
}

}  // namespace

void AddShowCommand(CLI::App& app, Session& session) {
  CLI::App* command = AddCommand(
      app, {.name = "show",
            .sentence = "Print a table of a run",
            .usage = "[RUN] TABLE [OPTIONS]",
            .examples = {"steptrace show steps", "steptrace show train-slow slices --limit 20",
                         "steptrace show train-slow data_loss --json",
                         "steptrace show train-slow steps --columns step,dur_ns \\\n"
                         "    --where \"dur_ns > 100000000 and kind = 'train'\""}});
  auto arguments = std::make_shared<ShowArguments>();
  command->add_option("RUN TABLE", arguments->words, "Run (default: the newest) and table")
      ->type_name("")
      ->required()
      ->expected(1, 2);
  command->add_option("--columns", arguments->columns, "Only these columns, in this order")
      ->type_name("A,B")
      ->delimiter(',');
  command
      ->add_option("--where", arguments->where,
                   "Only rows for which this holds: column op value [and ...]")
      ->type_name("FILTER");
  command->add_option("-n,--limit", arguments->limit, "At most N rows")
      ->type_name("N")
      ->check(AtLeast(0));
  AddJsonFlag(command, arguments->json);
  AddFolderOption(command, session);
  command->callback([&session, arguments] {
    session.action = [&session, arguments] { return Show(*arguments, session); };
  });
}

}  // namespace steptrace::cli

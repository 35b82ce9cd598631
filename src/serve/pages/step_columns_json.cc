// SPDX-License-Identifier: Apache-2.0
#include "serve/pages/step_columns_json.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "serve/rpc/table.h"

namespace steptrace::pages {
namespace {

using Json = nlohmann::ordered_json;

struct ToJson {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(std::string_view text) const { return std::string(text); }
  template <class T>
  Json operator()(T value) const {
    return value;
  }
};

class Columns : public rpc::RowVisitor {
 public:
  Status Begin(const std::vector<rpc::Column>& columns) override {
    for (const rpc::Column& column : columns) {
      names_.push_back(column.name);
      values_.push_back(Json::array());
    }
    return {};
  }
  Status Row(std::span<const rpc::Cell> cells) override {
    for (size_t i = 0; i < cells.size(); ++i) values_[i].push_back(std::visit(ToJson(), cells[i]));
    ++rows_;
    return {};
  }
  int64_t rows() const { return rows_; }
  std::string Text() && {
    Json columns = Json::object();
    for (size_t i = 0; i < names_.size(); ++i) columns[names_[i]] = std::move(values_[i]);
    return columns.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  std::vector<std::string> names_;
  std::vector<Json> values_;
  int64_t rows_ = 0;
};

}  // namespace

Result<std::string> StepColumns(const std::filesystem::path& run, int64_t most) {
  Columns columns;
  STEPTRACE_RETURN_IF_ERROR(rpc::VisitRows(
      {.run = run, .table = "steps", .columns = {}, .where = "", .limit = most + 1}, columns));
  if (columns.rows() == 0 || columns.rows() > most) return std::string();
  return std::move(columns).Text();
}

Result<std::string> CheckpointColumns(const std::filesystem::path& run, int64_t most) {
  Columns columns;
  STEPTRACE_RETURN_IF_ERROR(
      rpc::VisitRows({.run = run,
                      .table = "slices",
                      .columns = {"rank", "ts_ns", "dur_ns", "step", "depth", "args"},
                      .where = "name = 'checkpoint' and category = 'phase'",
                      .limit = most + 1},
                     columns));
  if (columns.rows() == 0 || columns.rows() > most) return std::string();
  return std::move(columns).Text();
}

}  // namespace steptrace::pages

// SPDX-License-Identifier: Apache-2.0
#include "analyze/json/json_parts.h"
#include "analyze/operators/operators_section.h"

namespace steptrace::analyze {
namespace {

void AddSums(const OperatorSums& sums, Json& row) {
  row["calls"] = sums.calls;
  row["host_total_ns"] = sums.host_total_ns;
  row["host_self_ns"] = sums.host_self_ns;
  row["device_total_ns"] = sums.device_total_ns;
  row["device_self_ns"] = sums.device_self_ns;
  row["kernel_total_ns"] = sums.kernel_total_ns;
  row["kernel_self_ns"] = sums.kernel_self_ns;
  row["tensor_core_eligible"] = sums.tensor_core_eligible;
  row["tensor_core_total_ns"] = sums.tensor_core_total_ns;
  row["tensor_core_self_ns"] = sums.tensor_core_self_ns;
  row["tensor_core_total_share"] = OrNull(sums.tensor_core_total_share());
  row["tensor_core_self_share"] = OrNull(sums.tensor_core_self_share());
}

Json Frames(const std::string& stack) {
  Json frames = Json::array();
  for (size_t begin = 0; begin <= stack.size();) {
    const size_t end = std::min(stack.find(';', begin), stack.size());
    if (end > begin) frames.push_back(stack.substr(begin, end - begin));
    begin = end + 1;
  }
  return frames;
}

// Of a row or of one of its variants.
void AddTimes(const auto& one, Json& json) {
  AddSums(one.sums, json);
  json["host_self_share"] = one.host_self_share;
  json["device_self_share"] = one.device_self_share;
}

Json RowJson(const OperatorRow& row) {
  Json json = {{"rank", row.rank}, {"name", row.name}};
  AddTimes(row, json);
  Json shapes = Json::array();
  for (const OperatorVariant& variant : row.shapes) {
    Json shape = {{"input_shapes", DetailJson(variant.key)}};
    AddTimes(variant, shape);
    shapes.push_back(std::move(shape));
  }
  json["shapes"] = std::move(shapes);
  Json stacks = Json::array();
  for (const OperatorVariant& variant : row.stacks) {
    Json stack = {{"call_stack", Frames(variant.key)}};
    AddTimes(variant, stack);
    stacks.push_back(std::move(stack));
  }
  json["stacks"] = std::move(stacks);
  return json;
}

Json TotalsJson(const OperatorsSection& section) {
  Json rows = Json::array();
  for (const OperatorTotals& totals : section.totals) {
    rows.push_back({{"rank", totals.rank},
                    {"calls", totals.sums.calls},
                    {"host_self_ns", totals.sums.host_self_ns},
                    {"device_self_ns", totals.sums.device_self_ns},
                    {"tensor_core_self_ns", totals.sums.tensor_core_self_ns},
                    {"device_outside_ns", totals.device_outside_ns}});
  }
  return rows;
}

}  // namespace

void AddOperatorsJson(const OperatorsSection& section, Json& report) {
  Json rows = Json::array();
  for (const OperatorRow& row : section.rows) rows.push_back(RowJson(row));
  report["operators"] = std::move(rows);
  report["operator_totals"] = TotalsJson(section);
}

}  // namespace steptrace::analyze

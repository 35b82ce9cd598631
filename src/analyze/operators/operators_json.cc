// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <unordered_map>

#include "analyze/code/code_place.h"
#include "analyze/code/profile_frame.h"
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
  row["host_self_in_steps_ns"] = sums.host_self_in_steps_ns;
  row["device_self_in_steps_ns"] = sums.device_self_in_steps_ns;
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

// Which frame of a stack is the script's own. Stacks share their frames: each is read once.
class UserFrames {
 public:
  // Its place, of several that of the innermost; null: none is.
  Json PlaceIn(const Json& frames) {
    for (size_t i = 0; i < frames.size(); ++i) {
      if (IsUsers(frames[i].get_ref<const std::string&>())) return i;
    }
    return nullptr;
  }

 private:
  bool IsUsers(const std::string& frame) {
    const auto [known, is_new] = users_.try_emplace(frame, false);
    if (is_new) known->second = PlaceOf(ProfileFrameOf(frame).file).origin == CodeOrigin::kUser;
    return known->second;
  }

  std::unordered_map<std::string, bool> users_;
};

Json RowJson(const OperatorRow& row, UserFrames& users) {
  Json json = {{"rank", row.rank}, {"name", row.name}};
  AddTimes(row, json);
  json["host_self_per_step_ns"] = OrNull(row.steps.PerStep(row.sums.host_self_in_steps_ns));
  json["device_self_per_step_ns"] = OrNull(row.steps.PerStep(row.sums.device_self_in_steps_ns));
  json["host_self_step_share"] = OrNull(row.steps.ShareOf(row.sums.host_self_in_steps_ns));
  json["device_self_step_share"] = OrNull(row.steps.ShareOf(row.sums.device_self_in_steps_ns));
  Json shapes = Json::array();
  for (const OperatorVariant& variant : row.shapes) {
    Json shape = {{"input_shapes", DetailJson(variant.key)}};
    AddTimes(variant, shape);
    shapes.push_back(std::move(shape));
  }
  json["shapes"] = std::move(shapes);
  Json stacks = Json::array();
  for (const OperatorVariant& variant : row.stacks) {
    Json frames = Frames(variant.key);
    Json user_frame = users.PlaceIn(frames);
    Json stack = {{"call_stack", std::move(frames)}, {"user_frame", std::move(user_frame)}};
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
                    {"steps", totals.steps.steps},
                    {"steps_ns", totals.steps.ns},
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
  UserFrames users;
  for (const OperatorRow& row : section.rows) rows.push_back(RowJson(row, users));
  report["operators"] = std::move(rows);
  report["operator_totals"] = TotalsJson(section);
}

}  // namespace steptrace::analyze

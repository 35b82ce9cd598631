// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "serve/rpc/timeline.h"

// What the timeline's answers share; private to rpc.
namespace steptrace::rpc {

std::string ToText(const nlohmann::ordered_json& json);
timeline::Stretch StretchOf(const RunTimeline& timeline, const TimelineRange& range);
// The tracks' places in the index, each once.
std::vector<uint32_t> PlacesOf(const RunTimeline& timeline, const TimelineRange& range);
// {slice, track, lane, ts_ns, dur_ns, name}
nlohmann::ordered_json BriefJson(const RunTimeline& timeline, timeline::SliceId id);

// The labels that a column uses, each once, numbered as they come.
class LabelColumn {
 public:
  explicit LabelColumn(const timeline::Index& index) : index_(index) {}
  int32_t Of(uint32_t label);
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& categories() const { return categories_; }

 private:
  const timeline::Index& index_;
  std::vector<int32_t> numbers_;
  std::vector<std::string> names_;
  std::vector<std::string> categories_;
};

// A row of `slices` as the index has it; `label`: its name, as timeline::LabelName cuts it.
std::optional<timeline::SliceId> IdOfRow(const RunTimeline& timeline, const store::SliceRow& row,
                                         std::string_view label);

}  // namespace steptrace::rpc

// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/file_categories.h"

#include <utility>

#include "analyze/trace/trace.h"

namespace steptrace::import::kineto {
namespace {

constexpr int64_t kMostCategories = 1 << 12;

// From where CANN hands a task to the device to where that runs it.
constexpr std::string_view kLaunchFlow = "HostToDevice";

// Names of 2021 and those that came after.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kRenamed = {
    std::pair<std::string_view, std::string_view>{"Operator", "cpu_op"},
    {"Runtime", "cuda_runtime"},
    {"Kernel", "kernel"},
    {"Memcpy", "gpu_memcpy"},
    {"Memset", "gpu_memset"}};

}  // namespace

const FileCategory& FileCategories::Learn(const RawEvent& event) {
  uint32_t place = PlaceOf(event.category, event.name.text);
  if (event.origin != 0) {
    if (event.origin >= origins_.size()) origins_.resize(event.origin + 1);
    origins_[event.origin] = {static_cast<int32_t>(place), -1};
  }
  return categories_[place];
}

uint32_t FileCategories::PlaceOf(const json::Value& value, std::string_view event_name) {
  // Kinds of events take turns: a few places by length and last character find nearly all.
  auto last = value.text.empty() ? 0u : static_cast<unsigned char>(value.text.back());
  uint32_t& place = places_[(value.text.size() * 5 + last) % places_.size()];
  if (place < categories_.size() && categories_[place].raw == value.text) return place;
  const auto known = numbers_.find(value.text);
  if (known != numbers_.end()) return place = known->second;
  FileCategory category = Made(value, event_name);
  if (static_cast<int64_t>(categories_.size()) >= kMostCategories) {
    categories_.clear();
    numbers_.clear();
    origins_.clear();
  }
  place = static_cast<uint32_t>(categories_.size());
  numbers_.emplace(category.raw, place);
  categories_.push_back(std::move(category));
  return place;
}

FileCategory FileCategories::Made(const json::Value& value, std::string_view event_name) {
  FileCategory category;
  category.raw = value.text;
  std::string name = texts_.TextOf(value);
  for (const auto& [old_name, new_name] : kRenamed) {
    if (name != old_name) continue;
    name = new_name;
    of_2021_ = true;
  }
  marks_.Category(name);
  category.id = sink_.Intern(name);
  // One maker's collective_comm are calls of the host, others' kernels: the first tells for all.
  category.on_device = analyze::KindOf(name, event_name) >= analyze::EventKind::kKernel;
  category.is_operator = name == "cpu_op";
  category.tells_stream = name == "mtia_ccp_events";
  category.is_mark = name == "Trace";
  category.is_step = name == analyze::kStepAnnotation;
  category.is_link = name == "ac2g" || name == "async" || name == "async_cpu_to_gpu" ||
                     name == "async_gpu" || name == "async_npu" || name == "async_task_queue";
  category.is_launch = name == kLaunchFlow;
  return category;
}

}  // namespace steptrace::import::kineto

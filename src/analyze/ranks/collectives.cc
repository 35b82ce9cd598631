// SPDX-License-Identifier: Apache-2.0
#include "analyze/ranks/collectives.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>

#include "base/shallow_json.h"

namespace steptrace::analyze {
namespace {

constexpr std::string_view kCoalesced = "coalesced";  // several calls in one, of whatever kind

bool IsCollectiveAnnotation(std::string_view name) {
  return name.starts_with("nccl:") || name.starts_with("rccl:") || name.starts_with("gloo:") ||
         name.starts_with("xccl:");
}

nlohmann::json ParseObject(const std::string& text) {
  nlohmann::json parsed =
      text.empty() ? nlohmann::json::object() : ParseShallow<nlohmann::json>(text);
  return parsed.is_object() ? parsed : nlohmann::json::object();
}

int64_t ToInteger(std::string_view text) {
  int64_t value = kNone;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : kNone;
}

int64_t IntegerOf(const nlohmann::json& object, const char* key) {
  auto found = object.find(key);
  if (found == object.end()) return kNone;
  if (found->is_number_integer()) return found->get<int64_t>();
  return found->is_string() ? ToInteger(found->get_ref<const std::string&>()) : kNone;
}

std::string TextOf(const nlohmann::json& object, const char* key) {
  auto found = object.find(key);
  if (found == object.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

// "[0, 1, 2]" or a list; shortened ones ("...") give nothing.
std::vector<int32_t> RanksOf(const nlohmann::json& object) {
  const std::string text = TextOf(object, "Process Group Ranks");
  std::vector<int32_t> ranks;
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
  if (!list.is_array()) return ranks;
  for (const nlohmann::json& rank : list) {
    if (!rank.is_number_integer()) return {};
    ranks.push_back(rank.get<int32_t>());
  }
  return ranks;
}

// Those of "[0, 1, 2, ...]" before the dots; none of a list that is not shortened.
std::vector<int32_t> ShownRanksOf(const nlohmann::json& object) {
  const std::string text = TextOf(object, "Process Group Ranks");
  const size_t dots = text.find("...");
  if (dots == std::string::npos || !text.starts_with('[')) return {};
  std::vector<int32_t> ranks;
  const char* at = text.data() + 1;
  const char* end = text.data() + dots;
  while (at < end) {
    int32_t rank = 0;
    auto [after, error] = std::from_chars(at, end, rank);
    if (error != std::errc()) {
      ++at;
      continue;
    }
    ranks.push_back(rank);
    at = after;
  }
  return ranks;
}

std::vector<int32_t> RanksByStride(const nlohmann::json& object, int64_t size) {
  const int64_t start = IntegerOf(object, "Global rank start");
  const int64_t stride = IntegerOf(object, "Global rank stride");
  constexpr int64_t kMostRanks = 1 << 20;
  std::vector<int32_t> ranks;
  if (start < 0 || start > kMostRanks || stride < 1 || size < 1 || size > kMostRanks) return ranks;
  for (int64_t i = 0; i < size && start + i * stride < std::numeric_limits<int32_t>::max(); ++i) {
    ranks.push_back(static_cast<int32_t>(start + i * stride));
  }
  return ranks;
}

// Takes from an object of arguments what is not known yet.
void TakeArguments(const nlohmann::json& object, CollectiveInfo& info) {
  auto take_text = [&](std::string& to, const char* key) {
    if (to.empty()) to = TextOf(object, key);
  };
  auto take_integer = [&](int64_t& to, const char* key) {
    if (to == kNone) to = IntegerOf(object, key);
  };
  take_text(info.reported_name, "Collective name");
  take_text(info.group, "Process Group Name");
  take_text(info.group, "Process Group ID");
  take_text(info.description, "Process Group Description");
  take_text(info.dtype, "dtype");
  take_text(info.dtype, "data_type");  // HCCL's
  take_integer(info.group_size, "Group size");
  take_integer(info.in_elements, "In msg nelems");
  take_integer(info.out_elements, "Out msg nelems");
  take_integer(info.source, "Src Rank");
  take_integer(info.target, "Dst Rank");
  if (info.ranks.empty()) info.ranks = RanksOf(object);
  if (info.ranks.empty()) info.ranks = RanksByStride(object, info.group_size);
  if (info.ranks.empty() && info.shown_ranks.empty()) info.shown_ranks = ShownRanksOf(object);
  if (info.group_size == kNone && !info.ranks.empty()) {
    info.group_size = static_cast<int64_t>(info.ranks.size());
  }
}

// Product of a shape, or the sum of those of a list of tensors; kNone: none told.
int64_t ElementsOf(const nlohmann::json& dims) {
  if (!dims.is_array() || dims.empty()) return kNone;
  if (dims.front().is_array()) {
    int64_t sum = 0;
    for (const nlohmann::json& tensor : dims) {
      const int64_t elements = ElementsOf(tensor);
      if (elements != kNone && __builtin_add_overflow(sum, elements, &sum)) return kNone;
    }
    return sum;
  }
  int64_t product = 1;
  for (const nlohmann::json& size : dims) {
    if (!size.is_number_integer()) return kNone;
    if (__builtin_mul_overflow(product, size.get<int64_t>(), &product)) return kNone;
  }
  return product;
}

// Profiles before 2023 tell shapes and types of the operator and nothing else.
void TakeShapes(const nlohmann::json& object, CollectiveInfo& info) {
  if (info.in_elements != kNone) return;
  auto dims = object.find("Input Dims");
  auto types = object.find("Input type");
  if (dims == object.end() || !dims->is_array()) return;
  for (size_t i = 0; i < dims->size(); ++i) {
    const int64_t elements = ElementsOf((*dims)[i]);
    if (elements == kNone) continue;
    info.in_elements = elements;
    if (info.dtype.empty() && types != object.end() && types->is_array() && i < types->size() &&
        (*types)[i].is_string() && ElementBytes((*types)[i].get<std::string>()) != kNone) {
      info.dtype = (*types)[i].get<std::string>();
    }
    return;
  }
}

// Ascend's: the import keeps of the name what is called in which group, hcom_allReduce__868.
void TakeHcclName(std::string_view name, CollectiveInfo& info) {
  const size_t between = name.find("__");
  if (!name.starts_with("hcom_") || between == std::string_view::npos) return;
  if (info.group.empty()) info.group = name.substr(between + 2);
  if (info.reported_name.empty()) info.reported_name = name.substr(0, between);
}

// What surrounds the launch of a collective.
struct Launcher {
  int32_t comms = kNone;       // record_param_comms
  int32_t annotation = kNone;  // nccl:all_reduce
};

// Of one rank. What is around was looked at once, however deep collectives nest.
class Launchers {
 public:
  Launchers(const RankTrace& rank, const store::StringTable& strings)
      : rank_(rank), strings_(strings) {}

  Launcher Of(const TraceEvent& event) {
    Launcher launcher;
    for (int32_t from : {event.launch, event.op}) {
      launcher = Around(from);
      if (launcher.comms != kNone || launcher.annotation != kNone) break;
    }
    return launcher;
  }

 private:
  // The nearest of each, the event itself included.
  Launcher Around(int32_t from) {
    std::vector<int32_t> path;
    Launcher launcher;
    for (int32_t i = from; i != kNone; i = rank_.host[static_cast<size_t>(i)].parent) {
      const auto found = known_.find(i);
      if (found != known_.end()) {
        launcher = found->second;
        break;
      }
      path.push_back(i);
    }
    for (size_t p = path.size(); p-- > 0;) {
      Inspect(path[p], launcher);
      known_.emplace(path[p], launcher);
    }
    return launcher;
  }
  void Inspect(int32_t i, Launcher& launcher) const {
    const TraceEvent& event = rank_.host[static_cast<size_t>(i)];
    if (event.kind != EventKind::kOperator && event.kind != EventKind::kAnnotation) return;
    const std::string& name = strings_.Text(event.name);
    if (name == kCommsOperator) launcher.comms = i;
    if (IsCollectiveAnnotation(name)) launcher.annotation = i;
  }

  const RankTrace& rank_;
  const store::StringTable& strings_;
  std::unordered_map<int32_t, Launcher> known_;  // by host event
};

class Reader {
 public:
  explicit Reader(const Trace& trace) : trace_(trace) {}

  Collectives Read() {
    for (size_t r = 0; r < trace_.ranks.size(); ++r) {
      std::vector<CollectiveCall> calls;
      const RankTrace& rank = trace_.ranks[r];
      Launchers launchers(rank, *trace_.strings);
      for (size_t i = 0; i < rank.device.size(); ++i) {
        const TraceEvent& event = rank.device[i];
        if (event.role != DeviceRole::kCommunication || event.kind != EventKind::kKernel) continue;
        calls.push_back(
            CallOf(rank, static_cast<int32_t>(r), static_cast<int32_t>(i), launchers.Of(event)));
      }
      result_.rank_numbers.push_back(rank.rank);
      result_.of_rank.push_back(std::move(calls));
    }
    return std::move(result_);
  }

 private:
  using Key = std::array<int64_t, 6>;

  CollectiveCall CallOf(const RankTrace& rank, int32_t rank_index, int32_t index,
                        const Launcher& launcher) {
    const TraceEvent& event = rank.device[static_cast<size_t>(index)];
    CollectiveCall call;
    call.rank = rank_index;
    call.event = index;
    call.begin_ns = event.ts_ns;
    call.end_ns = event.end_ns();
    call.sequence = rank.NumbersOf(event).sequence;
    if (call.sequence == kNone && launcher.comms != kNone) {
      call.sequence = rank.SequenceOf(launcher.comms);
    }
    call.stream = rank.lanes[static_cast<size_t>(event.lane)].stream;
    call.step = event.step;
    call.info = InfoOf(rank, event, launcher);
    return call;
  }

  int32_t InfoOf(const RankTrace& rank, const TraceEvent& event, const Launcher& launcher) {
    auto host = [&](int32_t i) {
      return i == kNone ? nullptr : &rank.host[static_cast<size_t>(i)];
    };
    const TraceEvent* comms = host(launcher.comms);
    const TraceEvent* annotation = host(launcher.annotation);
    auto number = [](store::StringId id) { return static_cast<int64_t>(id); };
    Key key = {number(event.name),
               number(event.details),
               comms ? number(comms->details) : 0,
               annotation ? number(annotation->name) : 0,
               annotation ? number(annotation->details) : 0,
               rank.NumbersOf(event).bytes};
    auto [found, added] = known_.try_emplace(key, static_cast<int32_t>(result_.infos.size()));
    if (added) result_.infos.push_back(Make(rank, event, comms, annotation));
    return found->second;
  }

  CollectiveInfo Make(const RankTrace& rank, const TraceEvent& event, const TraceEvent* comms,
                      const TraceEvent* annotation) const {
    CollectiveInfo info;
    const nlohmann::json own = ParseObject(trace_.Text(event.details));
    TakeArguments(own, info);
    TakeShapes(own, info);
    if (comms) {
      const nlohmann::json arguments = ParseObject(trace_.Text(comms->details));
      TakeArguments(arguments, info);
      TakeShapes(arguments, info);
    }
    if (annotation) TakeShapes(ParseObject(trace_.Text(annotation->details)), info);
    TakeHcclName(trace_.Text(event.name), info);
    if (info.reported_name.empty()) {
      info.reported_name = trace_.Text(annotation ? annotation->name : event.name);
    }
    info.name = CanonicalCollective(info.reported_name);
    if (info.name.empty() || info.name == kCoalesced) {  // of the latter the kernel tells more
      const std::string of_kernel = CanonicalCollective(trace_.Text(event.name));
      if (!of_kernel.empty()) info.name = of_kernel;
    }
    info.element_bytes = ElementBytes(info.dtype);
    info.rank_bytes = rank.NumbersOf(event).bytes;
    return info;
  }

  const Trace& trace_;
  Collectives result_;
  std::map<Key, int32_t> known_;
};

}  // namespace

Collectives ReadCollectives(const Trace& trace) {
  return Reader(trace).Read();
}

int64_t CollectiveInfo::bytes() const {
  const int64_t elements = std::max(in_elements, out_elements);
  int64_t bytes = 0;
  if (elements < 0 || element_bytes < 0) {
    const bool gathers = name == "all_gather" && rank_bytes > 0 && group_size > 0;
    if (!gathers) return rank_bytes;
    return __builtin_mul_overflow(rank_bytes, group_size, &bytes) ? kNone : bytes;
  }
  return __builtin_mul_overflow(elements, element_bytes, &bytes) ? kNone : bytes;
}

std::string CanonicalCollective(std::string_view spelled) {
  std::string letters;
  for (char c : spelled) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  // The more special first: reducescatter and allreduce hold reduce.
  constexpr std::pair<std::string_view, const char*> kNames[] = {
      {"allreduce", "all_reduce"},
      {"crossdevicereduce", "all_reduce"},
      {"allgather", "all_gather"},
      {"reducescatter", "reduce_scatter"},
      {"alltoall", "all_to_all"},
      {"sendrecv", "send_recv"},
      {"broadcast", "broadcast"},
      {"barrier", "barrier"},
      {"reduce", "reduce"},
      {"scatter", "scatter"},
      {"gather", "gather"},
      {"send", "send"},
      {"recv", "recv"},
      {"receive", "recv"},
      {"collectivepermute", "send_recv"},
      {"coalesced", "coalesced"}};
  for (const auto& [part, name] : kNames) {
    if (letters.find(part) != std::string::npos) return name;
  }
  return "";
}

int64_t ElementBytes(std::string_view dtype) {
  if (dtype.starts_with("c10::")) dtype.remove_prefix(5);
  if (dtype.starts_with("Float8") || dtype.starts_with("float8")) return 1;
  static const std::unordered_map<std::string_view, int64_t> sizes = {
      {"Double", 8},     {"double", 8},        {"Long", 8},         {"long int", 8},
      {"long", 8},       {"int64_t", 8},       {"Float", 4},        {"float", 4},
      {"Int", 4},        {"int", 4},           {"Half", 2},         {"half", 2},
      {"BFloat16", 2},   {"Short", 2},         {"short", 2},        {"Char", 1},
      {"char", 1},       {"Byte", 1},          {"signed char", 1},  {"Bool", 1},
      {"bool", 1},       {"unsigned char", 1}, {"ComplexFloat", 8}, {"ComplexDouble", 16},
      {"ComplexHalf", 4}};
  auto found = sizes.find(dtype);
  return found == sizes.end() ? kNone : found->second;
}

double BusFactor(std::string_view name, int64_t ranks) {
  if (ranks < 1) return 0;
  const double n = static_cast<double>(ranks);
  if (name == "all_reduce") return 2 * (n - 1) / n;
  if (name == "all_gather" || name == "reduce_scatter" || name == "all_to_all") return (n - 1) / n;
  if (name == "broadcast" || name == "reduce" || name == "send" || name == "recv") return 1;
  return 0;
}

}  // namespace steptrace::analyze

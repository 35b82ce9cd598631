// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/python_stats.h"

#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "import/core/bounded_name.h"
#include "import/formats/sagemaker/marshal_reader.h"

namespace steptrace::import::sagemaker {
namespace {

using Type = MarshalValue::Type;

constexpr int kMantissaBits = 53;

bool IsCount(const MarshalPtr& value) {
  return value->type == Type::kInteger && value->integer >= 0;
}

bool ReadSeconds(const MarshalPtr& value, int64_t* ns) {
  if (value->type == Type::kInteger) {
    return !__builtin_mul_overflow(value->integer, int64_t{1'000'000'000}, ns);
  }
  return value->type == Type::kReal && SecondsToNs(value->real, ns);
}

bool ReadFunction(const MarshalPtr& key, PythonFunction& function, int64_t* cut) {
  if (key->type != Type::kTuple || key->items.size() != 3) return false;
  const auto& items = key->items;
  if (items[0]->type != Type::kText || items[1]->type != Type::kInteger ||
      items[2]->type != Type::kText) {
    return false;
  }
  function = {ShortName(items[0]->text, cut), items[1]->integer, ShortName(items[2]->text, cut)};
  return true;
}

// Two counts and two times, in this order; which count comes first differs.
bool ReadNumbers(const std::vector<MarshalPtr>& items, int64_t* first, int64_t* second,
                 PythonCalls& calls) {
  if (!IsCount(items[0]) || !IsCount(items[1])) return false;
  *first = items[0]->integer;
  *second = items[1]->integer;
  return ReadSeconds(items[2], &calls.self_ns) && ReadSeconds(items[3], &calls.total_ns);
}

class Builder {
 public:
  // False: no entry of a profile.
  bool Add(const MarshalPtr& key, const MarshalPtr& content);
  PythonStats stats;

 private:
  size_t IndexOf(const PythonFunction& function);
  bool AddCaller(size_t callee, const MarshalPtr& key, const MarshalPtr& content);

  std::map<std::tuple<std::string, int64_t, std::string>, size_t> index_;
};

size_t Builder::IndexOf(const PythonFunction& function) {
  const auto [found, added] =
      index_.try_emplace({function.file, function.line, function.name}, stats.functions.size());
  if (added) {
    stats.functions.push_back(function);
    stats.totals.emplace_back();
  }
  return found->second;
}

bool Builder::AddCaller(size_t callee, const MarshalPtr& key, const MarshalPtr& content) {
  PythonFunction function;
  PythonCalls calls;
  if (!ReadFunction(key, function, &stats.cut_names)) return false;
  if (content->type == Type::kTuple && content->items.size() == 4) {
    if (!ReadNumbers(content->items, &calls.calls, &calls.primitive_calls, calls)) return false;
  } else if (IsCount(content)) {  // Python's own `profile` counts callers only
    calls.calls = calls.primitive_calls = content->integer;
  } else {
    return false;
  }
  stats.edges.push_back({callee, IndexOf(function), calls});
  return true;
}

bool Builder::Add(const MarshalPtr& key, const MarshalPtr& content) {
  PythonFunction function;
  PythonCalls calls;
  if (!ReadFunction(key, function, &stats.cut_names) || content->type != Type::kTuple ||
      content->items.size() != 5 || content->items[4]->type != Type::kDict ||
      !ReadNumbers(content->items, &calls.primitive_calls, &calls.calls, calls)) {
    return false;
  }
  const size_t callee = IndexOf(function);
  stats.totals[callee] = calls;
  const auto& callers = content->items[4]->items;
  for (size_t i = 0; i + 1 < callers.size(); i += 2) {
    if (!AddCaller(callee, callers[i], callers[i + 1])) ++stats.bad_entries;
  }
  return true;
}

}  // namespace

bool SecondsToNs(double seconds, int64_t* ns) {
  *ns = 0;
  if (!std::isfinite(seconds)) return false;
  if (seconds == 0) return true;
  int exponent = 0;
  const double fraction = std::frexp(seconds, &exponent);  // seconds = fraction * 2^exponent
  const auto mantissa = static_cast<int64_t>(std::ldexp(fraction, kMantissaBits));
  const int shift = exponent - kMantissaBits;
  __int128 product = static_cast<__int128>(mantissa) * 1'000'000'000;  // below 2^83
  const bool negative = product < 0;
  if (negative) product = -product;
  if (shift >= 0) {
    if (shift > 10) return false;  // 2^63 s at the least
    product <<= shift;
  } else if (shift <= -100) {
    product = 0;
  } else {  // to the nearest, halves away from 0
    product = (product + (static_cast<__int128>(1) << (-shift - 1))) >> -shift;
  }
  if (product > std::numeric_limits<int64_t>::max()) return false;
  *ns = static_cast<int64_t>(negative ? -product : product);
  return true;
}

Result<PythonStats> ParsePythonStats(std::string_view bytes) {
  MarshalReader reader(bytes);
  Builder builder;
  const Error no_profile{"no Python profile: its bytes are not those of cProfile's dict"};
  if (!reader.BeginDict()) return no_profile;
  bool first = true;
  while (true) {
    const MarshalPtr key = reader.Read();
    if (!key || key->type == Type::kNull) break;
    const MarshalPtr content = reader.Read();
    if (!content) break;
    if (!builder.Add(key, content)) {
      if (first) return no_profile;
      ++builder.stats.bad_entries;
    }
    first = false;
  }
  if (reader.state() == MarshalReader::State::kDamaged && first) return no_profile;
  builder.stats.cut_off = reader.state() != MarshalReader::State::kOk;
  if (!builder.stats.cut_off) builder.stats.bytes_left = static_cast<int64_t>(reader.bytes_left());
  return std::move(builder.stats);
}

}  // namespace steptrace::import::sagemaker

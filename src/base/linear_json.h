// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text_hash.h"

// nlohmann's ordered types look for each key among all keys before it: an object of a megabyte
// takes seconds, one of 30 MB hours. Here a text becomes the same value in linear time.
namespace steptrace {

// Takes what nlohmann's reader finds, as its `json_sax` describes. An object's members are added as
// they come; of a key that stands twice the place of the first and the value of the last are kept.
template <class Json>
class LinearJsonBuilder {
 public:
  using Text = typename Json::string_t;
  using Object = typename Json::object_t;

  bool null() { return Put(nullptr); }
  bool boolean(bool value) { return Put(value); }
  bool number_integer(typename Json::number_integer_t value) { return Put(value); }
  bool number_unsigned(typename Json::number_unsigned_t value) { return Put(value); }
  bool number_float(typename Json::number_float_t value, const Text&) { return Put(value); }
  bool string(Text& value) { return Put(std::move(value)); }
  bool binary(typename Json::binary_t& value) { return Put(std::move(value)); }
  bool start_object(size_t) { return Open(Json::object()); }
  bool key(Text& name) {
    MembersOf(open_.back()->template get_ref<Object&>()).emplace_back(std::move(name), nullptr);
    return true;
  }
  bool end_object() {
    TakeLastOfEachKey(open_.back()->template get_ref<Object&>());
    open_.pop_back();
    return true;
  }
  bool start_array(size_t) { return Open(Json::array()); }
  bool end_array() {
    open_.pop_back();
    return true;
  }
  template <class Exception>
  bool parse_error(size_t, const std::string&, const Exception&) {
    return false;
  }

  Json Take() { return std::move(root_); }

 private:
  // Where the next value goes: nothing is added to what encloses it until it is closed.
  template <class Value>
  Json* Place(Value&& value) {
    if (open_.empty()) {
      root_ = std::forward<Value>(value);
      return &root_;
    }
    Json& around = *open_.back();
    if (around.is_array()) {
      around.push_back(std::forward<Value>(value));
      return &around.back();
    }
    Json& member = around.template get_ref<Object&>().back().second;
    member = std::forward<Value>(value);
    return &member;
  }
  template <class Value>
  bool Put(Value&& value) {
    Place(std::forward<Value>(value));
    return true;
  }
  bool Open(Json value) {
    open_.push_back(Place(std::move(value)));
    return true;
  }

  // Members without the object's own way to them, which seeks.
  static typename Object::Container& MembersOf(Object& object) { return object; }

  static void TakeLastOfEachKey(Object& object) {
    if (object.size() < 2) return;
    auto& members = MembersOf(object);
    SeededMap<std::string_view, size_t> first_of;
    std::vector<bool> again(object.size());
    size_t count = 0;
    for (size_t i = 0; i < object.size(); ++i) {
      const auto [first, added] = first_of.try_emplace(members[i].first, i);
      if (added) continue;
      members[first->second].second = std::move(members[i].second);
      again[i] = true;
      ++count;
    }
    if (count == 0) return;
    Object kept;
    kept.reserve(object.size() - count);
    for (size_t i = 0; i < object.size(); ++i) {
      auto& at = members[i];
      if (again[i]) continue;
      MembersOf(kept).emplace_back(at.first, std::move(at.second));
    }
    object = std::move(kept);
  }

  Json root_;
  std::vector<Json*> open_;
};

// As Json::parse without exceptions does it: discarded where it is no JSON.
template <class Json>
Json ParseLinear(std::string_view text) {
  using Object = typename Json::object_t;
  if constexpr (requires { typename Object::Container; }) {
    LinearJsonBuilder<Json> builder;
    const bool sound = Json::sax_parse(text, &builder);
    return sound ? builder.Take() : Json(Json::value_t::discarded);
  } else {
    return Json::parse(text, nullptr, /*allow_exceptions=*/false);
  }
}

}  // namespace steptrace

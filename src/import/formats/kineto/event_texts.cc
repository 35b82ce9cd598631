// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/event_texts.h"

#include "base/fnv.h"
#include "base/utf8.h"
#include "import/json/json_text.h"

namespace steptrace::import::kineto {

store::StringId EventTexts::NameOf(const json::Value& value) {
  constexpr size_t kMostKept = 256;
  TextCache::Name& known = learnt_.names[json::ShortHash(value.text) >> 56];
  store::StringId id = known.id;
  if (value.escaped || known.text != value.text) {
    std::string_view text = value.text;
    int64_t halves = 0;
    if (value.escaped) {
      scratch_.clear();
      halves = json::Unescape(value.text, &scratch_);
      text = scratch_;
    }
    TextFacts facts;
    id = sink_.Intern(text, &facts);
    if (halves > 0 || !facts.is_utf8) learnt_.not_utf8.insert(id);
    if (facts.added) marks_.EventName(text);
    // One that the run has no room for is told anew each time it comes.
    if (!facts.added && text.size() <= kMostKept) known = {std::string(text), id};
  }
  if (!learnt_.not_utf8.empty() && learnt_.not_utf8.count(id) > 0) not_utf8_.insert(id);
  return id;
}

std::string EventTexts::TextOf(const json::Value& value) {
  std::string text;
  int64_t halves = 0;
  if (value.kind == json::Value::Kind::kString && value.escaped) {
    halves = json::Unescape(value.text, &text);
  } else {
    text = value.text;
  }
  return Cleaned(text, halves > 0);
}

std::string EventTexts::Cleaned(const std::string& text, bool replaced) {
  std::string clean = CleanUtf8(text);
  if (replaced || clean != text) NoteBadText(Fnv1a(clean));
  return clean;
}

// Each text counts once, as far as a bounded list tells.
void EventTexts::NoteBadText(uint64_t hash) {
  constexpr size_t kMostBadTexts = 1 << 16;
  if (bad_texts_.size() < kMostBadTexts) {
    bad_texts_.insert(hash);
  } else if (!bad_texts_.contains(hash)) {
    ++lost_[LossCause::kInvalidUtf8];
  }
}

void EventTexts::Absorb(const EventTexts& piece) {
  lost_[LossCause::kNotANumber] += piece.not_a_number_;
  not_utf8_.insert(piece.not_utf8_.begin(), piece.not_utf8_.end());
  for (const uint64_t hash : piece.bad_texts_) NoteBadText(hash);
}

void EventTexts::Finish() {
  lost_[LossCause::kNotANumber] += learnt_.args.not_a_number() - not_a_number_;
  lost_[LossCause::kInvalidUtf8] += static_cast<int64_t>(not_utf8_.size() + bad_texts_.size());
}

}  // namespace steptrace::import::kineto

// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of events: no crash, the same events whatever the size of the pieces, and
// steps that sum.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "analyze/derive/phase_sums.h"
#include "import/formats/sagemaker/step_marks.h"
#include "import/formats/sagemaker/trace_file.h"
#include "import/json/elements.h"

namespace {

using namespace steptrace;
using namespace steptrace::import::sagemaker;

struct Seen {
  int64_t events = 0;
  int64_t sum = 0;
  bool operator==(const Seen&) const = default;
};

Seen Read(std::string_view text, size_t piece, StepMarks* marks) {
  Seen seen;
  TraceFile file([&](const TraceFileEvent& event) {
    if (event.dur_ns < 0) std::abort();
    ++seen.events;
    seen.sum ^= event.ts_ns + 3 * event.dur_ns + static_cast<int64_t>(event.name.size());
    if (marks != nullptr) marks->Add(event, PlaceOfEvent(event, event.ts_ns % 2 == 0).role);
  });
  import::json::Elements elements(4096, 64, [&](std::string_view object) { file.Add(object);
});
for (size_t at = 0; at < text.size(); at += piece) elements.Push(text.substr(at, piece));
elements.Finish();
file.Finish();
return seen;
}  // namespace

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  StepMarks marks;
  const Seen whole = Read(text, size + 1, &marks);
  if (!(whole == Read(text, 7, nullptr))) std::abort();
  for (const auto& row : marks.Take({store::StringId{1}, store::StringId{2}, store::StringId{3}})) {
    if (!analyze::SumsExactly(row)) std::abort();
  }
  return 0;
}

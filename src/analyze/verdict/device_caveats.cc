// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/device_caveats.h"

#include <string>
#include <utility>

#include "analyze/report/sentence.h"

namespace steptrace::analyze {
namespace {

Sentence LeftOutText(int64_t steps, bool profiled) {
  const char* counted = steps == 1 ? "it is not counted" : "they are not counted";
  return Phrase("{} {} lost slices with a damaged file: {}", figure::Count(steps),
                steps == 1 ? "step" : "steps",
                profiled ? counted : "what devices did in the others is too little to go by");
}

}  // namespace

std::vector<Evidence> DeviceCaveats(const VerdictInput& input) {
  std::vector<Evidence> caveats;
  if (input.left_out > 0) {
    caveats.push_back(
        {LeftOutText(input.left_out, input.profiled), "losses", "cause = 'segment_damaged'"});
  }
  if (!MayUseDevice(input.facts)) return caveats;
  for (std::string& text : input.facts.gpus.Others()) {
    caveats.push_back({std::move(text), "facts", "kind = 'gpu'"});
  }
  for (std::string& text : input.facts.gpus.RanksTogether()) {
    caveats.push_back({std::move(text), "facts", "kind = 'device'"});
  }
  return caveats;
}

}  // namespace steptrace::analyze

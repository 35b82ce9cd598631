// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace steptrace::analyze {

// Where samples of stacks saw the time of a stage: a function of the user's, the line of it with
// most time, and what it called there of a library. Without code of the user's in the stack it is
// the library's function itself.
struct StageFunction {
  std::string function;  // qualified: "Clicks.read_row"
  std::string file;
  int32_t line = 0;  // 0: not known
  std::string call;  // qualified: "ParquetFile.read_row_group"; empty: none
  int64_t ns = 0;
  double share = 0;   // of the steady steps
  bool in_c = false;  // the call is of C code, by its name in the source: "zlib.decompress"
  // "json" of "loads": the call's name says too little without its module. Empty: it says enough.
  std::string call_module;
};

// A part of the step by who has it (schema/stages.toml).
struct SuspectRow {
  std::string name;
  int64_t ns = 0;
  double share = 0;
  // 95 % interval; nullopt: none was drawn, as of a rank's own steps.
  std::optional<double> share_low{};
  std::optional<double> share_high{};
};

// A part of the step by its finest name (schema/stages.toml): the stages of all suspects sum to the
// steady steps exactly.
struct StageRow {
  std::string suspect;
  std::string name;
  int64_t ns = 0;
  double share = 0;
  double share_low = 0, share_high = 0;  // 95 % interval: of the steps, and of the samples
  int64_t samples = 0;                   // of stacks, that fell in it
  std::vector<StageFunction> functions;  // the most first, at most 10
};

}  // namespace steptrace::analyze

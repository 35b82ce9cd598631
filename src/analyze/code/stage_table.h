// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/code/code_place.h"
#include "analyze/code/work_stage.h"
#include "base/result.h"

namespace steptrace::analyze {

// Patterns of functions and the stage of each: those that are built in, and the user's own over
// them ([stages] of steptrace.toml). A pattern is "MODULE:FUNCTION", each a glob in which `*` is
// any text:
//   module    "pyarrow.parquet" is that module and all beneath it. Of libraries and the standard
//             library it counts from the package; of the user's files it may begin at any folder of
//             the path: "mypkg.io" is ".../mypkg/io.py" and ".../mypkg/io/reader.py". "*" is every
//             file of the user's. One that ends in ".py" is a file by name: "dataset.py".
//   function  fits the qualified name, or its last part: "Clicks.read", "read", "read_*".
// A value; matching takes no memory.
class StageTable {
 public:
  StageTable() = default;  // what is built in alone
  // pattern, stage. An error is one line that names the pattern.
  static Result<StageTable> Create(std::vector<std::pair<std::string, std::string>> patterns);

  struct Match {
    WorkStage stage;
    bool by_user = false;      // the user's own pattern
    bool by_own_name = false;  // a function of the user's files is called so
  };
  // The user's patterns first; of several that fit the longest.
  std::optional<Match> Find(const CodePlace& place, std::string_view function) const;

  bool empty() const { return patterns_.empty(); }  // nothing of the user's own

 private:
  struct Pattern {
    std::string module;
    std::string function;
    WorkStage stage;
  };
  std::vector<Pattern> patterns_;
};

}  // namespace steptrace::analyze

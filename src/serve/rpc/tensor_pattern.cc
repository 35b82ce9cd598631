// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/tensor_pattern.h"

#include <regex.h>

#include <utility>

namespace steptrace::rpc {

struct TensorPattern::Compiled {
  regex_t expression{};
  bool whole = false;  // it compiled, and is freed
  ~Compiled() {
    if (whole) regfree(&expression);
  }
};

TensorPattern::TensorPattern(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
TensorPattern::TensorPattern(TensorPattern&&) noexcept = default;
TensorPattern::~TensorPattern() = default;

Result<TensorPattern> TensorPattern::Of(const std::string& text) {
  if (text.empty()) return TensorPattern(nullptr);
  auto compiled = std::make_unique<Compiled>();
  const int code = regcomp(&compiled->expression, text.c_str(), REG_EXTENDED | REG_NOSUB);
  compiled->whole = code == 0;
  if (code == 0) return TensorPattern(std::move(compiled));
  char why[128] = {};
  regerror(code, &compiled->expression, why, sizeof why);
  return Error{"module: not a regular expression: " + std::string(why), "as 'layer4.*weight'"};
}

bool TensorPattern::In(const std::string& name) const {
  return !compiled_ || regexec(&compiled_->expression, name.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace steptrace::rpc

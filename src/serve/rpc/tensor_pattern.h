// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace steptrace::rpc {

// An extended regular expression that names of tensors have: libc's, on names that are short.
class TensorPattern {
 public:
  // Empty: all names have it.
  static Result<TensorPattern> Of(const std::string& text);
  TensorPattern(TensorPattern&&) noexcept;
  TensorPattern& operator=(TensorPattern&&) = delete;
  ~TensorPattern();

  bool In(const std::string& name) const;

 private:
  struct Compiled;
  explicit TensorPattern(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;  // null: all
};

inline Status CheckTensorPattern(const std::string& text) {
  const auto pattern = TensorPattern::Of(text);
  return pattern.ok() ? Status() : Status(pattern.error());
}

}  // namespace steptrace::rpc

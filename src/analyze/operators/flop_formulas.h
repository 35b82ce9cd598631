// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/trace/kernel_classes.h"

namespace steptrace::analyze {

using Shape = std::vector<int64_t>;

// What a profile tells of a call's inputs. What is not known is empty.
struct CallInputs {
  std::vector<Shape> shapes;          // "Input Dims"; of what is no tensor empty
  std::vector<std::string> types;     // "Input type"
  std::vector<std::string> concrete;  // "Concrete Inputs": "[2, 2]", "True"

  Shape ShapeOf(size_t input) const { return input < shapes.size() ? shapes[input] : Shape(); }
};

CallInputs ReadInputs(std::string_view details);

// What computes: which class its kernels are of, and how many floating-point operations it takes,
// a multiply and an add being two. As torch.utils.flop_counter has it; causal attention in full.
struct CallFlops {
  KernelClass of = KernelClass::kGemm;
  double flops = 0;
};

// Outputs of convolutions, which forward does not tell and backward does: by input and weight.
class ConvolutionOutputs {
 public:
  void Learn(std::string_view op, const CallInputs& inputs);
  // Empty: not known, or there were several.
  Shape Of(const Shape& input, const Shape& weight) const;

 private:
  std::map<std::pair<Shape, Shape>, Shape> outputs_;
};

// Whether the operator has a formula.
bool HasFormula(std::string_view op);
// Of an operator with one. `around`: the inputs of the operator that called it. Nothing: what it
// takes is not known.
std::optional<CallFlops> FlopsOf(std::string_view op, const CallInputs& inputs,
                                 const CallInputs& around, const ConvolutionOutputs& outputs);

}  // namespace steptrace::analyze

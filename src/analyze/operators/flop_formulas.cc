// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/flop_formulas.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "analyze/operators/detail_members.h"
#include "base/shallow_json.h"

namespace steptrace::analyze {
namespace {

using FlopJson = nlohmann::json;

enum class Formula {
  kProduct,  // [m, k], [k, n], from the input `first` on
  kBatchProduct,
  kConvolution,
  kConvolutionByShapes,  // backend's: their arguments have other places
  kConvolutionBackward,
  kGradientOfConvolution,  // one of two, in an operator that has all three shapes
  kAttention,
  kAttentionBackward,
};

struct FormulaRow {
  std::string_view op;
  Formula formula;
  size_t first = 0;  // which input is the first operand
};

constexpr FormulaRow kFormulas[] = {
    {"aten::mm", Formula::kProduct},
    {"aten::addmm", Formula::kProduct, 1},
    {"aten::_addmm_activation", Formula::kProduct, 1},
    {"aten::_scaled_mm", Formula::kProduct},
    {"aten::bmm", Formula::kBatchProduct},
    {"aten::baddbmm", Formula::kBatchProduct, 1},
    {"aten::convolution", Formula::kConvolution},
    {"aten::cudnn_convolution", Formula::kConvolutionByShapes},
    {"aten::miopen_convolution", Formula::kConvolutionByShapes},
    {"aten::mkldnn_convolution", Formula::kConvolutionByShapes},
    {"aten::convolution_backward", Formula::kConvolutionBackward},
    {"aten::cudnn_convolution_backward_input", Formula::kGradientOfConvolution},
    {"aten::cudnn_convolution_backward_weight", Formula::kGradientOfConvolution},
    {"aten::miopen_convolution_backward_input", Formula::kGradientOfConvolution},
    {"aten::miopen_convolution_backward_weight", Formula::kGradientOfConvolution},
    {"aten::_scaled_dot_product_flash_attention", Formula::kAttention},
    {"aten::_scaled_dot_product_efficient_attention", Formula::kAttention},
    {"aten::_scaled_dot_product_cudnn_attention", Formula::kAttention},
    {"aten::_scaled_dot_product_fused_attention_overrideable", Formula::kAttention},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", Formula::kAttention},
    {"aten::_scaled_dot_product_flash_attention_backward", Formula::kAttentionBackward, 1},
    {"aten::_scaled_dot_product_efficient_attention_backward", Formula::kAttentionBackward, 1},
    {"aten::_scaled_dot_product_cudnn_attention_backward", Formula::kAttentionBackward, 1},
    {"aten::_scaled_dot_product_fused_attention_overrideable_backward", Formula::kAttentionBackward,
     1},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", Formula::kAttentionBackward, 1},
};

// More is no size of what is multiplied; two of them multiply without overflow.
constexpr int64_t kMostOfASize = int64_t{1} << 31;

const FormulaRow* FormulaRowOf(std::string_view op) {
  const auto found = std::ranges::find(kFormulas, op, &FormulaRow::op);
  return found == std::end(kFormulas) ? nullptr : found;
}

Shape ReadShape(const FlopJson& json) {
  Shape shape;
  if (!json.is_array()) return shape;
  for (const FlopJson& size : json) {
    if (!size.is_number_integer()) return {};
    const auto value = size.get<int64_t>();
    if (value < 0 || value > kMostOfASize) return {};
    shape.push_back(value);
  }
  return shape;
}

std::vector<std::string> ReadTexts(std::string_view list) {
  std::vector<std::string> texts;
  const FlopJson json = ParseShallow<FlopJson>(list);
  if (!json.is_array()) return texts;
  for (const FlopJson& one : json) texts.push_back(one.is_string() ? one.get<std::string>() : "");
  return texts;
}

double Elements(const Shape& shape, size_t from = 0) {
  double elements = 1;
  for (size_t i = from; i < shape.size(); ++i) elements *= static_cast<double>(shape[i]);
  return elements;
}

double Extent(const Shape& shape, size_t i) {
  return static_cast<double>(shape[i]);
}

std::optional<double> Product(const Shape& a, const Shape& b) {
  if (a.size() != 2 || b.size() != 2 || a[1] != b[0]) return std::nullopt;
  return 2 * Extent(a, 0) * Extent(a, 1) * Extent(b, 1);
}

std::optional<double> BatchProduct(const Shape& a, const Shape& b) {
  if (a.size() != 3 || b.size() != 3 || a[0] != b[0] || a[2] != b[1]) return std::nullopt;
  return 2 * Extent(a, 0) * Extent(a, 1) * Extent(a, 2) * Extent(b, 2);
}

// Each element of the weight is multiplied once at each place of each result; of a transposed
// convolution at each place of its input.
std::optional<double> Convolved(const Shape& places, const Shape& weight) {
  if (places.size() < 3 || places.size() != weight.size()) return std::nullopt;
  return 2 * Extent(places, 0) * Elements(places, 2) * Elements(weight);
}

Shape ConcreteShape(const CallInputs& inputs, size_t input) {
  if (input >= inputs.concrete.size()) return {};
  return ReadShape(ParseShallow<FlopJson>(std::string_view(inputs.concrete[input])));
}

// "aten::convolution": input, weight, bias, stride, padding, dilation, transposed, ...
std::optional<double> Convolution(const CallInputs& inputs, const ConvolutionOutputs& outputs) {
  const Shape input = inputs.ShapeOf(0), weight = inputs.ShapeOf(1);
  if (inputs.concrete.size() > 6 && inputs.concrete[6] == "True") return Convolved(input, weight);
  const Shape stride = ConcreteShape(inputs, 3), padding = ConcreteShape(inputs, 4),
              dilation = ConcreteShape(inputs, 5);
  const size_t sizes = input.size() < 3 ? 0 : input.size() - 2;
  if (sizes == 0 || weight.size() != input.size()) return std::nullopt;
  if (stride.size() != sizes || padding.size() != sizes || dilation.size() != sizes) {
    return Convolved(outputs.Of(input, weight), weight);
  }
  Shape output = {input[0], weight[0]};
  for (size_t i = 0; i < sizes; ++i) {
    if (stride[i] <= 0) return std::nullopt;
    const int64_t reach = dilation[i] * (weight[i + 2] - 1) + 1;
    output.push_back(std::max<int64_t>(0, (input[i + 2] + 2 * padding[i] - reach) / stride[i] + 1));
  }
  return Convolved(output, weight);
}

std::optional<double> ConvolutionBackward(const CallInputs& inputs) {
  constexpr size_t kTransposed = 7, kMask = 10;
  if (inputs.concrete.size() <= kMask) return std::nullopt;
  const bool transposed = inputs.concrete[kTransposed] == "True";
  const auto once = Convolved(inputs.ShapeOf(transposed ? 1 : 0), inputs.ShapeOf(2));
  const std::string& mask = inputs.concrete[kMask];  // "[True, True, False]"
  if (!once || !mask.starts_with('[')) return std::nullopt;
  const size_t comma = mask.find(',');
  const size_t second = mask.find(',', comma + 1);
  if (second == mask.npos) return std::nullopt;
  const auto asked = [](std::string_view flag) { return flag.find("True") != flag.npos ? 1 : 0; };
  const std::string_view text = mask;
  return *once * (asked(text.substr(0, comma)) + asked(text.substr(comma, second - comma)));
}

std::optional<double> Attention(const CallInputs& inputs, size_t first, double of_keys,
                                double of_values) {
  const Shape q = inputs.ShapeOf(first), k = inputs.ShapeOf(first + 1),
              v = inputs.ShapeOf(first + 2);
  if (q.size() != 4 || k.size() != 4 || v.size() != 4) return std::nullopt;
  const double pairs = Extent(q, 0) * Extent(q, 1) * Extent(q, 2) * Extent(k, 2);
  return 2 * pairs * (of_keys * Extent(q, 3) + of_values * Extent(v, 3));
}

std::optional<double> CountByFormula(const FormulaRow& row, const CallInputs& inputs,
                                     const CallInputs& around, const ConvolutionOutputs& outputs) {
  const Shape a = inputs.ShapeOf(row.first), b = inputs.ShapeOf(row.first + 1);
  switch (row.formula) {
    case Formula::kProduct:
      return Product(a, b);
    case Formula::kBatchProduct:
      return BatchProduct(a, b);
    case Formula::kConvolution:
      return Convolution(inputs, outputs);
    case Formula::kConvolutionByShapes:
      return Convolved(outputs.Of(a, b), b);
    case Formula::kConvolutionBackward:
      return ConvolutionBackward(inputs);
    case Formula::kGradientOfConvolution:  // around it: input, gradient of the output, weight
      return Convolved(around.ShapeOf(1), around.ShapeOf(2));
    case Formula::kAttention:
      return Attention(inputs, row.first, 1, 1);
    case Formula::kAttentionBackward:
      return Attention(inputs, row.first, 3, 2);
  }
  return std::nullopt;
}

KernelClass ClassOf(Formula formula) {
  switch (formula) {
    case Formula::kProduct:
    case Formula::kBatchProduct:
      return KernelClass::kGemm;
    case Formula::kAttention:
    case Formula::kAttentionBackward:
      return KernelClass::kAttention;
    default:
      return KernelClass::kConvolution;
  }
}

}  // namespace

CallInputs ReadInputs(std::string_view details) {
  CallInputs inputs;
  for (DetailMembers members(details); members.Next();) {
    if (members.key() == "Input type") inputs.types = ReadTexts(members.value());
    if (members.key() == "Concrete Inputs") inputs.concrete = ReadTexts(members.value());
    if (members.key() != "Input Dims") continue;
    const FlopJson dims = ParseShallow<FlopJson>(members.value());
    if (!dims.is_array()) continue;
    for (const FlopJson& one : dims) inputs.shapes.push_back(ReadShape(one));
  }
  return inputs;
}

void ConvolutionOutputs::Learn(std::string_view op, const CallInputs& inputs) {
  const bool modern = op == "aten::convolution_backward";
  if (!modern && op != "aten::cudnn_convolution_backward" &&
      op != "aten::miopen_convolution_backward") {
    return;
  }
  const Shape output = inputs.ShapeOf(modern ? 0 : 1);
  const auto [known, added] =
      outputs_.try_emplace({inputs.ShapeOf(modern ? 1 : 0), inputs.ShapeOf(2)}, output);
  if (!added && known->second != output) known->second.clear();
}

Shape ConvolutionOutputs::Of(const Shape& input, const Shape& weight) const {
  const auto found = outputs_.find({input, weight});
  return found == outputs_.end() ? Shape() : found->second;
}

bool HasFormula(std::string_view op) {
  return FormulaRowOf(op) != nullptr;
}

std::optional<CallFlops> FlopsOf(std::string_view op, const CallInputs& inputs,
                                 const CallInputs& around, const ConvolutionOutputs& outputs) {
  const FormulaRow* row = FormulaRowOf(op);
  if (row == nullptr) return std::nullopt;
  const auto flops = CountByFormula(*row, inputs, around, outputs);
  if (!flops) return std::nullopt;
  return CallFlops{ClassOf(row->formula), *flops};
}

}  // namespace steptrace::analyze

// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/precision.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace steptrace::analyze {
namespace {

constexpr size_t kMostOfName = 2000;  // bytes of a name: those of templates go on for ever

bool IsLetter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool IsWord(char c) {
  return IsLetter(c) || IsDigit(c) || c == '_';
}

// What may stand next to a form for it to be one; the text's ends always may.
enum class Neighbour : uint8_t {
  kAnything,
  kNoLetter,
  kNoDigit,
  kNeither,     // no letter and no digit
  kEdge,        // nothing of a word
  kDigitEdge,   // the same, behind one digit or none: float4
  kNoPointer,   // an edge, and no pointer: char* points to bytes of any type
  kNoUnsigned,  // an edge, and no "unsigned "
};

struct Form {
  Precision precision;
  std::string_view text;
  Neighbour before = Neighbour::kAnything;
  Neighbour after = Neighbour::kAnything;
  bool as_written = false;  // else in any case
};

// The first that fits decides.
constexpr Form kPrecisionForms[] = {
    {Precision::kFp8, "e4m3"},
    {Precision::kFp8, "e5m2"},
    {Precision::kFp8, "fp8"},
    {Precision::kFp8, "float8"},
    {Precision::kFp4, "e2m1"},
    {Precision::kFp4, "fp4"},
    {Precision::kInt8, "int8", Neighbour::kNeither, Neighbour::kNoDigit},
    {Precision::kInt8, "uint8", Neighbour::kNeither, Neighbour::kNoDigit},
    {Precision::kInt8, "i8i8", Neighbour::kNeither},
    {Precision::kInt8, "i8816"},
    {Precision::kInt8, "i8832"},
    {Precision::kInt8, "i16832"},
    {Precision::kInt8, "imma", Neighbour::kAnything, Neighbour::kNoLetter},
    {Precision::kBf16, "bf16"},
    {Precision::kBf16, "bfp16"},
    {Precision::kBf16, "bfloat"},
    {Precision::kFp16, "f16", Neighbour::kNoLetter, Neighbour::kNoDigit},
    {Precision::kFp16, "fp16", Neighbour::kNoLetter, Neighbour::kNoDigit},
    {Precision::kFp16, "float16"},
    {Precision::kFp16, "half", Neighbour::kEdge, Neighbour::kEdge},
    {Precision::kFp16, "half2", Neighbour::kEdge, Neighbour::kEdge},
    {Precision::kFp16, "half_t", Neighbour::kEdge, Neighbour::kEdge},
    {Precision::kFp16, "__half", Neighbour::kEdge, Neighbour::kEdge},
    {Precision::kFp16, "__half2", Neighbour::kEdge, Neighbour::kEdge},
    {Precision::kFp16, "__half_t", Neighbour::kEdge, Neighbour::kEdge},
    {Precision::kFp16, "hgemm", Neighbour::kNoLetter},
    {Precision::kFp16, "hcudnn", Neighbour::kNoLetter},
    {Precision::kFp16, "h884", Neighbour::kNoLetter},
    {Precision::kFp16, "h1688", Neighbour::kNoLetter},
    {Precision::kFp16, "h16816", Neighbour::kNoLetter},
    {Precision::kFp16, "s884", Neighbour::kNoLetter},
    {Precision::kTf32, "tf32"},
    {Precision::kTf32, "s1688"},
    {Precision::kFp32, "float", Neighbour::kEdge, Neighbour::kDigitEdge},
    {Precision::kFp32, "f32", Neighbour::kNoLetter, Neighbour::kNoDigit},
    {Precision::kFp32, "fp32", Neighbour::kNoLetter, Neighbour::kNoDigit},
    {Precision::kFp32, "sgemm", Neighbour::kNoLetter},
    {Precision::kFp32, "cgemm", Neighbour::kNoLetter},
    {Precision::kFp32, "gcgemm", Neighbour::kNoLetter},
    {Precision::kFp32, "scudnn", Neighbour::kNoLetter},
    {Precision::kFp64, "double", Neighbour::kEdge, Neighbour::kDigitEdge},
    {Precision::kFp64, "f64", Neighbour::kNoLetter, Neighbour::kNoDigit},
    {Precision::kFp64, "fp64", Neighbour::kNoLetter, Neighbour::kNoDigit},
    {Precision::kFp64, "dgemm", Neighbour::kNoLetter},
    {Precision::kFp64, "zgemm", Neighbour::kNoLetter},
    {Precision::kFp64, "d884", Neighbour::kNeither},
    {Precision::kInt8, "signed char", Neighbour::kEdge, Neighbour::kNoPointer},
    {Precision::kInt8, "unsigned char", Neighbour::kEdge, Neighbour::kNoPointer},
    // MIOpen's igemm is an implicit GEMM, of a type that it names; cuBLAS's one of INT8.
    {Precision::kInt8, "igemm", Neighbour::kNoLetter},
    {Precision::kInt32, "int", Neighbour::kNoUnsigned, Neighbour::kEdge, true},
    {Precision::kInt32, "int32", Neighbour::kNoLetter, Neighbour::kAnything, true},
    {Precision::kInt64, "long", Neighbour::kNoUnsigned, Neighbour::kEdge, true},
    {Precision::kInt64, "int64", Neighbour::kNoLetter, Neighbour::kAnything, true},
};

bool FitsBefore(std::string_view before, Neighbour rule) {
  if (before.empty()) return true;
  const char last = before.back();
  switch (rule) {
    case Neighbour::kNoLetter:
      return !IsLetter(last);
    case Neighbour::kNeither:
      return !IsLetter(last) && !IsDigit(last);
    case Neighbour::kEdge:
      return !IsWord(last);
    case Neighbour::kNoUnsigned:
      return !IsWord(last) && !before.ends_with("unsigned ");
    default:
      return true;
  }
}

std::string_view WithoutSpaces(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0])) != 0) {
    text.remove_prefix(1);
  }
  return text;
}

bool PointsTo(std::string_view after) {
  after = WithoutSpaces(after);
  if (after.starts_with("const")) after = WithoutSpaces(after.substr(5));
  return after.starts_with("*");
}

bool FitsAfter(std::string_view after, Neighbour rule) {
  if (after.empty()) return true;
  switch (rule) {
    case Neighbour::kNoLetter:
      return !IsLetter(after[0]);
    case Neighbour::kNoDigit:
      return !IsDigit(after[0]);
    case Neighbour::kEdge:
      return !IsWord(after[0]);
    case Neighbour::kDigitEdge:
      if (IsDigit(after[0])) after.remove_prefix(1);
      return after.empty() || !IsWord(after[0]);
    case Neighbour::kNoPointer:
      return !IsWord(after[0]) && !PointsTo(after);
    default:
      return true;
  }
}

bool HoldsForm(std::string_view text, const Form& form) {
  for (size_t at = text.find(form.text); at != text.npos; at = text.find(form.text, at + 1)) {
    if (FitsBefore(text.substr(0, at), form.before) &&
        FitsAfter(text.substr(at + form.text.size()), form.after)) {
      return true;
    }
  }
  return false;
}

Precision PrecisionInText(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Form& form : kPrecisionForms) {
    if (HoldsForm(form.as_written ? text : std::string_view(lower), form)) return form.precision;
  }
  return Precision::kNotStated;
}

// By the first of the letters that nvjet and Tensile name their operands' types by.
Precision OfLetters(std::string_view letters) {
  if (letters == "F8" || letters == "B8") return Precision::kFp8;
  if (letters == "I8") return Precision::kInt8;
  switch (std::toupper(static_cast<unsigned char>(letters[0]))) {
    case 'Q':
    case 'R':
      return Precision::kFp8;
    case 'O':
      return Precision::kFp4;
    case 'T':
    case 'B':
      return Precision::kBf16;
    case 'H':
      return Precision::kFp16;
    case 'S':
    case 'C':
      return Precision::kFp32;
    case 'D':
    case 'Z':
      return Precision::kFp64;
    default:
      return Precision::kNotStated;
  }
}

template <class Is>
size_t CountOf(std::string_view text, Is is) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is) - text.begin());
}

// cuBLAS: nvjet_tst_64x64_..., nvjet_sm100_qqtst_...; a later _h_ or _v_ is an orientation.
Precision OfNvjet(std::string_view name) {
  if (!name.starts_with("nvjet_")) return Precision::kNotStated;
  name.remove_prefix(6);
  if (name.starts_with("sm")) {
    const size_t digits = CountOf(name.substr(2), IsDigit);
    if (digits > 0 && name.substr(2 + digits).starts_with("_")) name.remove_prefix(3 + digits);
  }
  const std::string_view letters = name.substr(0, CountOf(name, IsLower));
  const bool whole = !letters.empty() && name.substr(letters.size()).starts_with("_");
  if (!whole || std::string_view("qrothsd").find(letters[0]) == name.npos) {
    return Precision::kNotStated;
  }
  return OfLetters(letters.substr(0, 1));
}

// rocBLAS and hipBLASLt: Cijk_Ailk_Bljk_BBS_BH_MT64x64x64_...; S_MX_B: float as XF32.
Precision OfTensile(std::string_view name) {
  if (!name.starts_with("Cijk_")) return Precision::kNotStated;
  name.remove_prefix(5);
  for (int index = 0; index < 2; ++index) {
    if (name.empty() || !IsUpper(name[0])) return Precision::kNotStated;
    const size_t rest = CountOf(name.substr(1), IsLower);
    if (rest == 0 || !name.substr(1 + rest).starts_with("_")) return Precision::kNotStated;
    name.remove_prefix(2 + rest);
  }
  for (const char* two : {"F8", "B8", "I8"}) {
    if (name.starts_with(two)) return OfLetters(two);
  }
  if (name.empty() || std::string_view("HBSDCZ").find(name[0]) == name.npos) {
    return Precision::kNotStated;
  }
  return OfLetters(name.substr(0, 1));
}

// A signature without its functions' parameters, which are scalars, indices and sizes beside the
// elements. A lambda's stay: PyTorch's elementwise kernels have the elements' types nowhere else.
std::string WithoutParameters(std::string_view name) {
  std::string kept;
  int depth = 0;
  int lambda = -1;  // the depth at which the lambda's list was opened
  for (const char c : name) {
    if (c == '(') {
      if (lambda < 0 && depth == 0 && kept.ends_with("lambda")) lambda = depth;
      ++depth;
    }
    if (depth == 0 || lambda >= 0) kept += c;
    if (c != ')') continue;
    depth = std::max(depth - 1, 0);
    if (depth == lambda) lambda = -1;
  }
  return kept;
}

// Types of what pointers among the parameters point to, but for bytes; numbers beside them are
// scalars.
std::string Pointees(std::string_view name) {
  std::string types;
  const auto is_name = [](char c) { return IsWord(c) || c == ':'; };
  while (!name.empty()) {
    const std::string_view type = name.substr(0, CountOf(name, is_name));
    name.remove_prefix(std::max<size_t>(type.size(), 1));
    if (type.empty()) continue;
    std::string_view after = name;
    if (after.starts_with(" const")) after.remove_prefix(6);
    if (!WithoutSpaces(after).starts_with("*")) continue;
    if (HoldsForm(type, {Precision::kInt8, "char", Neighbour::kEdge, Neighbour::kEdge})) continue;
    types.append(type).append(" ");
  }
  return types;
}

bool IsInteger(Precision precision) {
  return precision == Precision::kInt8 || precision == Precision::kInt32 ||
         precision == Precision::kInt64;
}

}  // namespace

const char* PrecisionName(Precision precision) {
  constexpr const char* kNames[kPrecisionCount] = {"",    "FP64", "FP32", "TF32",  "FP16", "BF16",
                                                   "FP8", "FP4",  "INT8", "INT32", "INT64"};
  return kNames[static_cast<size_t>(precision)];
}

Precision PrecisionOf(std::string_view kernel) {
  const std::string_view name = kernel.substr(0, kMostOfName);
  if (name.find("tf32") != name.npos) return Precision::kTf32;
  const std::string types = WithoutParameters(name);
  Precision named = OfNvjet(name);
  if (named == Precision::kNotStated) named = OfTensile(name);
  if (named == Precision::kNotStated) named = PrecisionInText(types);
  // What moves bytes of any type has integers for offsets alone.
  const bool opaque = IsInteger(named) && name.find("OpaqueType") != name.npos;
  if (named != Precision::kNotStated && !opaque) return named;
  // A kernel without a template has its elements' type among its parameters alone.
  return types.find('<') != types.npos ? Precision::kNotStated : PrecisionInText(Pointees(name));
}

}  // namespace steptrace::analyze

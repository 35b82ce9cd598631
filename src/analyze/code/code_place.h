// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace steptrace::analyze {

enum class CodeOrigin : uint8_t {
  kUser,      // the training's own files
  kLibrary,   // below site-packages or dist-packages
  kStandard,  // Python's standard library, frozen modules
  kBuiltIn,   // C code, named by the source that calls it ("<built-in zlib>")
  kOwn,       // steptrace itself: never named
};

// Whose code a frame runs, by the path of its file alone.
struct CodePlace {
  CodeOrigin origin = CodeOrigin::kUser;
  // Dotted, without the extension: "pyarrow.parquet.core" of a library, "json.decoder" of the
  // standard library, "zlib" of C code (empty: not known); of the user's files the whole path:
  // "home.ann.rank.dataset".
  std::string module;
};

CodePlace PlaceOf(std::string_view file);

// Code that was made as the program ran, of a dataclass, by exec: its file is "<string>" and the
// like. Who calls it says what it is for. The cells of a notebook are files.
bool IsGenerated(std::string_view file);

// The package that a function of it is to be named with, as its name alone says too little: all of
// the standard library ("json" of "loads"), and of other packages those that many have ("torch" of
// "load"). Empty: the name says enough, or it is no package's.
std::string ModuleToName(const CodePlace& place, std::string_view function);

// "/home/ann/rank/dataset.py" -> "dataset.py".
std::string_view FileName(std::string_view file);

// What people call a function: the last name that is no lambda, comprehension or generator
// expression: "Clicks.augment.<locals>.<genexpr>" -> "augment"; of an object that is called its
// class: "Mixup.__call__" -> "Mixup".
std::string_view ShortFunction(std::string_view qualified);

// The qualified name without lambdas, comprehensions and generator expressions at its end: they are
// the function that they stand in. "<lambda>" alone stays.
std::string_view EnclosingFunction(std::string_view qualified);

}  // namespace steptrace::analyze

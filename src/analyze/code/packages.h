// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "analyze/code/work_stage.h"

// What is known of packages and of the standard library. What each list is, schema/packages.toml
// says.
namespace steptrace::analyze {

// Functions of a module that do one kind of work; globs as in StageTable.
struct KnownFunctions {
  std::string_view module;
  std::string_view function;
  WorkStage stage;
};
std::span<const KnownFunctions> PackageFunctions();

// A glob of a name that says by itself what work is done.
struct KnownName {
  std::string_view pattern;
  WorkStage stage;
};
std::span<const KnownName> OwnNames();
std::span<const KnownName> MethodNames();

std::span<const std::string_view> StandardModules();
std::span<const std::string_view> KnownPackages();
std::span<const std::string_view> FrameworkPackages();
std::span<const std::string_view> PackagesWithoutTensors();

}  // namespace steptrace::analyze

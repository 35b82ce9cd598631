// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/code_place.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace steptrace::analyze {
namespace {

constexpr size_t kMaxPath = 4096;  // longer is no path that a kernel takes

std::string Dotted(std::string_view path) {
  const size_t name = path.find_last_of('/') + 1;  // npos + 1 is 0
  if (const size_t dot = path.find('.', name); dot != std::string_view::npos && dot > name) {
    path = path.substr(0, dot);
  }
  while (!path.empty() && path.front() == '/') path.remove_prefix(1);
  std::string module(path);
  std::replace(module.begin(), module.end(), '/', '.');
  constexpr std::string_view kInit = ".__init__";
  if (module.size() > kInit.size() && module.ends_with(kInit)) {
    module.resize(module.size() - kInit.size());
  }
  return module;
}

// What follows the last ".../site-packages/"; empty: the path is in none.
std::string_view BelowPackages(std::string_view file) {
  for (std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = file.rfind(folder);
    if (at != std::string_view::npos) return file.substr(at + folder.size());
  }
  return {};
}

// What follows ".../lib/python3.12/" or ".../python312.zip/".
std::string_view BelowStandard(std::string_view file) {
  for (size_t at = file.find("/python3"); at != std::string_view::npos;
       at = file.find("/python3", at + 1)) {
    const size_t end = file.find('/', at + 1);
    if (end == std::string_view::npos) break;
    const std::string_view version = file.substr(at + 8, end - at - 8);  // ".12", "12.zip"
    const bool numbers = std::all_of(version.begin(), version.end(), [](unsigned char c) {
      return std::isdigit(c) != 0 || c == '.' || c == 't';
    });
    const bool in_lib =
        file.substr(0, at).ends_with("/lib") || file.substr(0, at).ends_with("/lib64");
    if ((in_lib && numbers) || version.ends_with(".zip")) return file.substr(end + 1);
  }
  return {};
}

// "<frozen zlib>" -> "zlib", "<frozen>" -> "".
std::optional<std::string> Within(std::string_view file, std::string_view begin) {
  if (!file.starts_with(begin)) return std::nullopt;
  file.remove_prefix(begin.size());
  if (file.ends_with('>')) file.remove_suffix(1);
  if (file.starts_with(' ')) file.remove_prefix(1);
  return std::string(file);
}

}  // namespace

bool IsGenerated(std::string_view file) {
  constexpr std::array<std::string_view, 3> kOthers = {"<frozen", "<built-in", "<ipython-input"};
  return file.starts_with('<') &&
         std::none_of(kOthers.begin(), kOthers.end(),
                      [file](std::string_view begin) { return file.starts_with(begin); });
}

CodePlace PlaceOf(std::string_view file) {
  file = file.substr(0, kMaxPath);
  if (const auto module = Within(file, "<frozen")) return {CodeOrigin::kStandard, *module};
  if (const auto module = Within(file, "<built-in")) return {CodeOrigin::kBuiltIn, *module};
  if (const std::string_view below = BelowPackages(file); !below.empty()) {
    std::string module = Dotted(below);
    const bool own = module == "steptrace" || module.starts_with("steptrace.");
    return {own ? CodeOrigin::kOwn : CodeOrigin::kLibrary, std::move(module)};
  }
  if (const std::string_view below = BelowStandard(file); !below.empty()) {
    return {CodeOrigin::kStandard, Dotted(below)};
  }
  if (file.find("/torchinductor_") != std::string_view::npos) {  // in a folder for temporary files
    return {CodeOrigin::kLibrary, "torch._inductor.output_code"};
  }
  // An editable install of ours, or a tree in which it is built.
  if (file.find("/steptrace/_hooks/") != std::string_view::npos) {
    return {CodeOrigin::kOwn, "steptrace"};
  }
  return {CodeOrigin::kUser, Dotted(file)};
}

std::string ModuleToName(const CodePlace& place, std::string_view function) {
  constexpr std::array<std::string_view, 5> kOfMany = {"load", "loads", "open", "read", "get"};
  const bool of_many = place.origin == CodeOrigin::kLibrary &&
                       std::find(kOfMany.begin(), kOfMany.end(), function) != kOfMany.end();
  if (place.origin != CodeOrigin::kStandard && !of_many) return "";
  return place.module.substr(0, place.module.find('.'));
}

std::string_view FileName(std::string_view file) {
  const size_t slash = file.find_last_of('/');
  return slash == std::string_view::npos || slash + 1 == file.size() ? file
                                                                     : file.substr(slash + 1);
}

std::string_view EnclosingFunction(std::string_view qualified) {
  constexpr std::string_view kLocals = ".<locals>";
  while (qualified.ends_with('>')) {
    const size_t at = qualified.rfind(".<");  // a comprehension in another stands at once below it
    if (at == std::string_view::npos || at == 0) break;
    qualified = qualified.substr(0, at);
    if (qualified.ends_with(kLocals)) qualified.remove_suffix(kLocals.size());
  }
  return qualified;
}

std::string_view ShortFunction(std::string_view qualified) {
  std::string_view rest = qualified;
  while (!rest.empty()) {
    const size_t dot = rest.find_last_of('.');
    const std::string_view last = dot == std::string_view::npos ? rest : rest.substr(dot + 1);
    if (!last.empty() && last.front() != '<' && (last != "__call__" || last == rest)) return last;
    if (dot == std::string_view::npos) break;
    rest = rest.substr(0, dot);
  }
  return qualified;
}

}  // namespace steptrace::analyze

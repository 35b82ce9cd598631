// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/profile_frame.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include "analyze/code/code_place.h"
#include "analyze/code/frame_words.h"
#include "analyze/code/packages.h"

namespace steptrace::analyze {
namespace {

constexpr size_t kMaxName = 4096;  // longer is no name of a function

bool IsOneOf(std::string_view root, std::span<const std::string_view> names) {
  return std::ranges::find(names, root) != names.end();
}

bool IsPackage(std::string_view root) {
  if (IsOneOf(root, KnownPackages()) || IsFramework(root)) return true;
  const auto known = PackageFunctions();
  return std::any_of(known.begin(), known.end(), [root](const KnownFunctions& one) {
    return one.module.substr(0, one.module.find('.')) == root;
  });
}

// The path as it would stand in the file system, as far as whose code it is depends on that.
std::string Located(std::string_view path) {
  if (IsGenerated(path)) return "<frozen>";  // dataclasses, "<string>"
  if (path.starts_with('<')) return std::string(path);
  if (path.starts_with('/')) return std::string(path);
  for (std::string_view folder : {"site-packages/", "dist-packages/"}) {
    if (path.find(folder) != path.npos) return "/" + std::string(path);
  }
  std::string_view root = path.substr(0, path.find('/'));
  if (root.size() == path.size() && root.ends_with(".py")) root.remove_suffix(3);
  if (IsOneOf(root, StandardModules())) return "/lib/python3.0/" + std::string(path);
  if (IsPackage(root)) return "/site-packages/" + std::string(path);
  return std::string(path);
}

// What pybind11 binds C++ functions with, in its versions, says nothing of whose they are. Of them
// `wait` is that of the work that torch.distributed gives back.
bool IsPybind(std::string_view type) {
  return type == "PyCapsule" || type.find("pybind11_detail_function_record") != type.npos;
}

// "_thread.lock" of "acquire of _thread.lock object at 0x7f00"; empty: a function of a type's, or
// of none.
std::string_view TypeOf(std::string_view of) {
  of = of.substr(0, of.find(" object"));
  const bool is_type = of != "type" && of != "module" && of.find(' ') == of.npos;
  return is_type ? of : std::string_view();
}

// Within "<built-in " and ">".
ProfileFrame BuiltIn(std::string_view text) {
  ProfileFrame frame{"<built-in>", "", "", 0};
  for (std::string_view kind : {"function ", "method "}) {
    if (text.starts_with(kind)) text.remove_prefix(kind.size());
  }
  const size_t of = text.find(" of ");
  const std::string_view name = text.substr(0, of);
  const std::string_view type = of == text.npos ? std::string_view() : TypeOf(text.substr(of + 4));
  frame.function = name;
  if (type.empty() && name == "sleep") return {"<built-in time>", "", "time.sleep", 0};
  if (IsPybind(type) && name == "wait") {
    return {"<built-in torch._C._distributed_c10d>", "", "Work.wait", 0};
  }
  if (type.empty() || IsPybind(type)) return frame;
  const size_t dot = type.rfind('.');
  if (dot != type.npos) frame.file = "<built-in " + std::string(type.substr(0, dot)) + ">";
  frame.function =
      std::string(dot == type.npos ? type : type.substr(dot + 1)) + "." + std::string(name);
  return frame;
}

// "train.py(12): main"
std::optional<ProfileFrame> Python(std::string_view name) {
  const size_t end = name.find("): ");
  if (end == name.npos || end == 0) return std::nullopt;
  const size_t open = name.rfind('(', end);
  if (open == name.npos || open == 0) return std::nullopt;
  int32_t line = 0;
  const char* last = name.data() + end;
  const auto [stop, error] = std::from_chars(name.data() + open + 1, last, line);
  if (error != std::errc() || stop != last) return std::nullopt;
  const std::string_view path = name.substr(0, open);
  ProfileFrame frame{Located(path), std::string(path), std::string(name.substr(end + 3)),
                     std::max(line, 0)};
  // The qualified name is not reported; where it decides, there is one such function in the file.
  if (frame.function == "backward" && frame.file.ends_with("/torch/_tensor.py")) {
    frame.function = "Tensor.backward";
  }
  return frame;
}

}  // namespace

ProfileFrame ProfileFrameOf(std::string_view name) {
  name = name.substr(0, kMaxName);
  constexpr std::string_view kModule = "nn.Module: ";
  if (name.starts_with(kModule)) {
    return {"/site-packages/torch/nn/modules/module.py", "torch/nn/modules/module.py",
            "Module._call_impl", 0};
  }
  constexpr std::string_view kBuiltIn = "<built-in ";
  if (name.starts_with(kBuiltIn) && name.ends_with('>')) {
    return BuiltIn(name.substr(kBuiltIn.size(), name.size() - kBuiltIn.size() - 1));
  }
  if (auto frame = Python(name)) return *std::move(frame);
  return {"<built-in>", "", std::string(name), 0};
}

}  // namespace steptrace::analyze

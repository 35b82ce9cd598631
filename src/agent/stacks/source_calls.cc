// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/source_calls.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/lock_name.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

constexpr size_t kMaxSourceBytes = size_t{2} << 20;  // of one file
constexpr size_t kMaxAllBytes = size_t{8} << 20;     // of all that are kept
constexpr size_t kMaxSources = 512;
constexpr size_t kMaxCallBytes = size_t{4} << 10;  // of a call's text, with its arguments
constexpr size_t kMaxNameBytes = 128;              // of a dotted name; a longer one is no name
constexpr size_t kTooLong = kMaxNameBytes + 1;     // as much of it as shows that
constexpr size_t kMaxDepth = 64;                   // of brackets in a call's arguments
constexpr size_t kMaxNames = 4096;                 // of a file: imports, definitions

bool IsName(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

// These stand before a bracket, and call nothing.
bool IsKeyword(std::string_view word) {
  constexpr std::array<std::string_view, 16> kWords = {
      "and", "assert", "await",  "del", "elif", "else",   "for",   "if",
      "in",  "is",     "lambda", "not", "or",   "return", "while", "yield"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// Where the text that begins with the quote at `at` ends; npos: nowhere.
size_t EndOfText(std::string_view source, size_t at) {
  const char quote = source[at];
  const bool triple = source.substr(at, 3) == std::string(3, quote);
  const size_t width = triple ? 3 : 1;
  for (size_t i = at + width; i < source.size(); ++i) {
    if (source[i] == '\\') {
      ++i;
    } else if (source[i] == quote && (!triple || source.substr(i, 3) == std::string(3, quote))) {
      return i + width;
    }
  }
  return std::string_view::npos;
}

char OpeningOf(char closing) {
  return closing == ')' ? '(' : closing == ']' ? '[' : '{';
}

// Goes over an expression of names, dots, texts and brackets with anything in them: what Python
// calls a primary. Operators beside them are none.
class PrimaryScan {
 public:
  explicit PrimaryScan(std::string_view text) : text_(text) {}

  // Where the bracket opens that the expression's end closes.
  std::optional<size_t> LastCall() {
    while (at_ < text_.size()) {
      if (!Step()) return std::nullopt;
    }
    const bool ends_in_call = depth_ == 0 && text_.ends_with(')') && opened_[0] > 0;
    return ends_in_call ? std::optional(opened_[0]) : std::nullopt;
  }

 private:
  bool Step() {
    const char c = text_[at_];
    if (c == '\'' || c == '"') {
      at_ = EndOfText(text_, at_);
      return at_ != std::string_view::npos;
    }
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return true;
    }
    if (c == '(' || c == '[' || c == '{') {
      if (depth_ == kMaxDepth) return false;
      opened_[depth_++] = at_;
    } else if (c == ')' || c == ']' || c == '}') {
      if (depth_ == 0 || text_[opened_[--depth_]] != OpeningOf(c)) return false;
    } else if (depth_ == 0 && IsBlank(c)) {
      return SkipBlanksAroundDot();
    } else if (depth_ == 0 && !IsName(c) && c != '.') {
      return false;
    }
    ++at_;
    return true;
  }
  // A chain of calls may go on behind a line's end.
  bool SkipBlanksAroundDot() {
    const bool behind = at_ > 0 && text_[at_ - 1] == '.';
    while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
    return behind || (at_ < text_.size() && text_[at_] == '.');
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t depth_ = 0;
  std::array<size_t, kMaxDepth> opened_{};
};

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// The parts between commas, without blanks and comments.
std::vector<std::string_view> PartsOf(std::string_view list) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (const auto part = Trimmed(list.substr(0, comma)); !part.empty()) parts.push_back(part);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return parts;
}

// "sort as order" -> {"sort", "order"}; without an "as" the same twice.
std::pair<std::string_view, std::string_view> NameAndAlias(std::string_view part) {
  const size_t as = part.find(" as ");
  if (as == std::string_view::npos) return {part, part};
  return {Trimmed(part.substr(0, as)), Trimmed(part.substr(as + 4))};
}

std::string_view WithoutComment(std::string_view line) {
  return line.substr(0, std::min(line.find('#'), line.size()));
}

// When it or its name was last changed, whatever it says of its time.
int64_t ChangedNs(const struct stat& facts) {
  const auto ns = [](const timespec& time) { return time.tv_sec * kNsPerSecond + time.tv_nsec; };
  return std::max(ns(facts.st_mtim), ns(facts.st_ctim));
}

// As the analysis tells them apart (analyze/code/code_place.h), which lies above this layer.
bool IsUsers(std::string_view file) {
  constexpr std::array<std::string_view, 6> kOthers = {"/site-packages/",    "/dist-packages/",
                                                       "/lib/python3",       "/lib64/python3",
                                                       "/steptrace/_hooks/", "/torchinductor_"};
  return file.starts_with('/') && std::none_of(kOthers.begin(), kOthers.end(), [&](auto other) {
           return file.find(other) != std::string_view::npos;
         });
}

}  // namespace

std::optional<std::string_view> CalleeOf(std::string_view expression) {
  const auto opened = PrimaryScan(expression).LastCall();
  if (!opened) return std::nullopt;
  size_t begin = *opened;
  while (begin > 0 && (IsName(expression[begin - 1]) || expression[begin - 1] == '.')) --begin;
  std::string_view name = expression.substr(begin, *opened - begin);
  while (name.starts_with('.')) name.remove_prefix(1);
  const bool names = !name.empty() && !name.ends_with('.') && name.size() <= kMaxNameBytes &&
                     std::isdigit(static_cast<unsigned char>(name.front())) == 0;
  return names && !IsKeyword(name) ? std::optional(name) : std::nullopt;
}

std::optional<std::string_view> EnteredBy(std::string_view text, size_t begin, size_t end) {
  constexpr std::string_view kWith = "with ";
  std::string_view rest = text.substr(0, end).substr(begin);
  if (rest.starts_with(kWith)) {
    rest.remove_prefix(kWith.size());
  } else {
    const std::string_view before = text.substr(0, begin);
    // npos + 1 is 0
    if (Trimmed(before.substr(before.find_last_of('\n') + 1)) != "with") return std::nullopt;
    rest = text.substr(begin);
  }
  while (!rest.empty() && IsBlank(rest.front())) rest.remove_prefix(1);
  const auto after =
      std::find_if_not(rest.begin(), rest.end(), [](char c) { return IsName(c) || c == '.'; });
  const auto size = static_cast<size_t>(after - rest.begin());
  const bool alone = size > 0 && size <= kMaxNameBytes && rest.substr(size).starts_with(':');
  return alone && rest[size - 1] != '.' ? std::optional(rest.substr(0, size)) : std::nullopt;
}

std::map<std::string, std::string, std::less<>> ImportsOf(std::string_view source) {
  std::map<std::string, std::string, std::less<>> imports;
  std::string joined;
  const auto add = [&imports](std::string_view alias, std::string name) {
    const bool fits =
        !alias.empty() && alias.size() <= kMaxNameBytes && name.size() <= kMaxNameBytes;
    if (fits && imports.size() < kMaxNames) imports[std::string(alias)] = std::move(name);
  };
  while (!source.empty() && imports.size() < kMaxNames) {
    const auto take_line = [&source] {
      const size_t end = std::min(source.find('\n'), source.size());
      const std::string_view line = source.substr(0, end);
      source.remove_prefix(std::min(end + 1, source.size()));
      return WithoutComment(line);
    };
    std::string_view line = Trimmed(take_line());
    if (line.starts_with("import ")) {
      for (const std::string_view part : PartsOf(line.substr(7))) {
        const auto [name, alias] = NameAndAlias(part);
        const bool renamed = alias.data() != name.data();
        const std::string_view root = name.substr(0, std::min(name.find('.'), name.size()));
        add(renamed ? alias : root, std::string((renamed ? name : root).substr(0, kTooLong)));
      }
    } else if (line.starts_with("from ") && !line.starts_with("from .")) {
      const size_t at = line.find(" import ");
      if (at == std::string_view::npos) continue;
      const std::string module(Trimmed(line.substr(5, at - 5)).substr(0, kTooLong));
      std::string_view names = Trimmed(line.substr(at + 8));
      if (names.starts_with('(')) {
        joined = names.substr(1);
        size_t end = joined.find(')');
        while (end == std::string::npos && joined.size() < kMaxCallBytes && !source.empty()) {
          const size_t added = joined.size();
          joined += ' ';
          joined += take_line();
          end = joined.find(')', added);
        }
        names = std::string_view(joined).substr(0, std::min(end, joined.size()));
      }
      for (const std::string_view part : PartsOf(names)) {
        const auto [name, alias] = NameAndAlias(part);
        add(alias, module + "." + std::string(name.substr(0, kTooLong)));
      }
    }
  }
  return imports;
}

std::set<std::string, std::less<>> DefinitionsIn(std::string_view source) {
  std::set<std::string, std::less<>> names;
  while (!source.empty() && names.size() < kMaxNames) {
    const size_t end = std::min(source.find('\n'), source.size());
    std::string_view line = Trimmed(source.substr(0, end));
    source.remove_prefix(std::min(end + 1, source.size()));
    for (const std::string_view word : {"async ", "def ", "class "}) {
      if (!line.starts_with(word)) continue;
      line = Trimmed(line.substr(word.size()));
      if (word == "async ") continue;
      const auto after = std::find_if_not(line.begin(), line.end(), IsName);
      if (after != line.begin()) names.emplace(line.begin(), after);
      break;
    }
  }
  return names;
}

SourceRoot SourceRoot::Open(const std::string& folder) {
  SourceRoot root;
  root.fd_ = UniqueFd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat facts {};
  if (root.fd_.valid() && ::fstat(root.fd_.get(), &facts) == 0) {
    root.key_ = std::to_string(facts.st_dev) + ":" + std::to_string(facts.st_ino) + ":";
  }
  return root;
}

size_t SourceCalls::Source::Bytes() const {
  constexpr size_t kBytesOfAName = 128;
  return text.size() + lines.size() * sizeof(lines[0]) +
         (imports.size() + definitions.size()) * kBytesOfAName;
}

std::string SourceCalls::Read(const SourceRoot& root, const std::string& file) const {
  if (before_utc_ns_ == kNone || root.fd() < 0 || !IsUsers(file) ||
      file.find('\0') != std::string::npos) {
    return {};
  }
  // Links are meant below that root, and what is no file is not opened: it may be a device.
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const UniqueFd place(
      static_cast<int>(::syscall(SYS_openat2, root.fd(), file.c_str(), &how, sizeof(how))));
  struct stat facts {};
  if (!place.valid() || ::fstat(place.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return {};
  if (facts.st_size <= 0 || static_cast<size_t>(facts.st_size) > kMaxSourceBytes) return {};
  if (ChangedNs(facts) >= before_utc_ns_) return {};
  const std::string again = "/proc/self/fd/" + std::to_string(place.get());
  const UniqueFd fd(::open(again.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return {};
  std::string text(static_cast<size_t>(facts.st_size), '\0');
  size_t got = 0;
  while (got < text.size()) {
    const ssize_t count = ::read(fd.get(), text.data() + got, text.size() - got);
    if (count <= 0) return {};
    got += static_cast<size_t>(count);
  }
  struct stat after {};
  const bool same = ::fstat(fd.get(), &after) == 0 && after.st_size == facts.st_size &&
                    ChangedNs(after) == ChangedNs(facts);
  return same ? text : std::string();
}

const SourceCalls::Source& SourceCalls::SourceOf(const SourceRoot& root, const std::string& file) {
  const std::string key = root.key() + file;
  if (const auto found = sources_.find(key); found != sources_.end()) return found->second;
  Source source;
  source.text = Read(root, file);
  for (size_t at = 0; at < source.text.size();) {
    source.lines.push_back(static_cast<uint32_t>(at));
    at = std::min(source.text.find('\n', at), source.text.size()) + 1;
  }
  source.imports = ImportsOf(source.text);
  source.definitions = DefinitionsIn(source.text);
  if (sources_.size() >= kMaxSources || bytes_ + source.Bytes() > kMaxAllBytes) {
    sources_.clear();
    bytes_ = 0;
  }
  bytes_ += source.Bytes();
  return sources_[key] = std::move(source);
}

std::optional<SourceCalls::Place> SourceCalls::PlaceOf(const Source& source,
                                                       const SourceRange& range) {
  if (range.line <= 0 || range.column < 0 || range.end_column < 0) return std::nullopt;
  const auto last = static_cast<size_t>(range.end_line);
  if (last > source.lines.size() || range.end_line < range.line) return std::nullopt;
  const size_t begin =
      source.lines[static_cast<size_t>(range.line) - 1] + static_cast<size_t>(range.column);
  const size_t end = source.lines[last - 1] + static_cast<size_t>(range.end_column);
  if (end <= begin || end > source.text.size()) return std::nullopt;
  return Place{begin, end};
}

std::string SourceCalls::NameCalledAt(const SourceRoot& root, const std::string& file,
                                      const SourceRange& range) {
  const Source& source = SourceOf(root, file);
  const auto place = PlaceOf(source, range);
  if (!place || place->end - place->begin > kMaxCallBytes) return "";
  const std::string_view text = source.text;
  const auto callee = CalleeOf(text.substr(place->begin, place->end - place->begin));
  return callee ? std::string(callee->substr(callee->rfind('.') + 1)) : "";  // npos + 1 is 0
}

std::optional<SourceCall> SourceCalls::CallAt(const SourceRoot& root, const std::string& file,
                                              const SourceRange& range) {
  const Source& source = SourceOf(root, file);
  const auto place = PlaceOf(source, range);
  if (!place) return std::nullopt;
  const auto [begin, end] = *place;
  const std::string_view text = source.text;
  if (const auto entered = EnteredBy(text, begin, end)) {
    for (const char* own : {"__enter__", "__exit__"}) {
      if (source.definitions.contains(own)) return std::nullopt;
    }
    // Its end stands at the same place. Of a lock that takes no time; of a connection it may
    // commit.
    if (NamesLock(*entered)) return SourceCall{std::string(*entered) + ".__enter__", ""};
    return SourceCall{"with " + std::string(*entered), ""};
  }
  if (end - begin > kMaxCallBytes) return std::nullopt;
  const auto callee = CalleeOf(text.substr(begin, end - begin));
  if (!callee) return std::nullopt;
  const size_t dot = std::min(callee->find('.'), callee->size());
  const auto import = source.imports.find(callee->substr(0, dot));
  const bool imported = import != source.imports.end();
  // A method of what stands before it: the range of a call over several lines begins at its name.
  size_t before = static_cast<size_t>(callee->data() - text.data());
  while (before > 0 && IsBlank(text[before - 1])) --before;
  const bool method = before > 0 && text[before - 1] == '.';
  if (method || !imported) {
    const size_t last_name = callee->rfind('.') + 1;  // npos + 1 is 0
    if (source.definitions.contains(callee->substr(last_name))) return std::nullopt;
    return SourceCall{std::string(*callee), *callee == "open" && !method ? "builtins" : ""};
  }
  SourceCall call;
  call.function = import->second + std::string(callee->substr(dot));
  const size_t end_of_module = call.function.rfind('.');
  // A name by itself that is imported as a module is an object that is called.
  if (end_of_module != std::string::npos) call.module = call.function.substr(0, end_of_module);
  return call;
}

}  // namespace steptrace::agent

// SPDX-License-Identifier: Apache-2.0
#include "agent/run/git_commit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "base/unique_fd.h"

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostLineBytes = 4096;         // of HEAD, a ref, a pointer to another folder
constexpr size_t kMostPackedBytes = 256 << 20;  // millions of refs
constexpr size_t kBlockBytes = 64 << 10;
constexpr int kMostFoldersUp = 64;
constexpr int kMostRefs = 5;  // that lead to each other, as git allows
constexpr std::string_view kHexDigits = "0123456789abcdef";

// A regular file: another kind may block, or never end.
UniqueFd OpenFile(const fs::path& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return file;
}

// Adds what comes next, a block at most; false: nothing does.
bool ReadMore(const UniqueFd& file, std::string& text) {
  std::array<char, kBlockBytes> block;
  const ssize_t got = ::read(file.get(), block.data(), block.size());
  if (got <= 0) return false;
  text.append(block.data(), static_cast<size_t>(got));
  return true;
}

// The first line of a small file; empty: there is none.
std::string LineOf(const fs::path& path) {
  const UniqueFd file = OpenFile(path);
  std::string text;
  if (!file.valid() || !ReadMore(file, text)) return {};
  text.resize(std::min(text.find('\n'), text.size()));
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
  return text.size() <= kMostLineBytes ? text : std::string();
}

bool IsCommit(std::string_view text) {
  const bool length = text.size() == 40 || text.size() == 64;  // SHA-1, SHA-256
  return length && text.find_first_not_of(kHexDigits) == text.npos;
}

// A name that stays below refs/.
bool IsRef(std::string_view name) {
  return name.starts_with("refs/") && name.find("..") == name.npos &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7f'; });
}

// What stands behind `word` in a line, nullopt: it does not begin so.
std::optional<std::string> After(std::string_view word, std::string_view line) {
  if (!line.starts_with(word)) return std::nullopt;
  line.remove_prefix(word.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return std::string(line);
}

// Of lines "<commit> <ref>".
std::optional<std::string> PackedCommit(const fs::path& git, std::string_view ref) {
  const UniqueFd file = OpenFile(git / "packed-refs");
  std::string text;
  for (size_t bytes = 0; file.valid() && bytes < kMostPackedBytes; bytes += kBlockBytes) {
    if (!ReadMore(file, text)) return std::nullopt;
    size_t begin = 0;
    for (size_t end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
      const std::string_view line = std::string_view(text).substr(begin, end - begin);
      const std::string_view commit = line.substr(0, line.find(' '));
      if (IsCommit(commit) && line.substr(std::min(commit.size() + 1, line.size())) == ref) {
        return std::string(commit);
      }
    }
    text.erase(0, begin);
    if (text.size() > kMostLineBytes) return std::nullopt;
  }
  return std::nullopt;
}

// The repository's own folder: .git, or where a file of that name leads to, as in a worktree or a
// submodule. Empty: there is none here.
fs::path GitFolder(const fs::path& folder) {
  const fs::path git = folder / ".git";
  std::error_code failed;
  if (fs::is_directory(git, failed)) return git;
  const auto elsewhere = After("gitdir:", LineOf(git));
  return elsewhere && !elsewhere->empty() ? folder / *elsewhere : fs::path();
}

// Where the refs are that all worktrees of a repository have.
fs::path SharedFolder(const fs::path& git) {
  const std::string common = LineOf(git / "commondir");
  return common.empty() ? git : git / common;
}

std::optional<std::string> CheckedOut(const fs::path& git) {
  const fs::path shared = SharedFolder(git);
  std::string line = LineOf(git / "HEAD");
  for (int i = 0; i < kMostRefs; ++i) {
    if (IsCommit(line)) return line;
    const auto ref = After("ref:", line);
    if (!ref || !IsRef(*ref)) return std::nullopt;
    line = LineOf(git / *ref);
    if (line.empty()) line = LineOf(shared / *ref);
    if (line.empty()) return PackedCommit(shared, *ref);
  }
  return std::nullopt;
}

}  // namespace

fs::path ScriptFolder(const std::vector<std::string>& command) {
  std::error_code failed;
  for (const std::string& word : command) {
    const fs::path path(word);
    const bool is_script = path.extension() == ".py" || path.extension() == ".sh";
    if (is_script && fs::is_regular_file(path, failed)) {
      return fs::absolute(path, failed).parent_path();
    }
  }
  return fs::current_path(failed);
}

std::optional<std::string> GitCommitAt(const fs::path& folder) {
  fs::path at = folder.lexically_normal();
  for (int i = 0; i < kMostFoldersUp && !at.empty(); ++i) {
    const fs::path git = GitFolder(at);
    if (!git.empty()) return CheckedOut(git);
    if (at == at.parent_path()) break;
    at = at.parent_path();
  }
  return std::nullopt;
}

}  // namespace steptrace::agent

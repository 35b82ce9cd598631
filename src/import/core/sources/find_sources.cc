// SPDX-License-Identifier: Apache-2.0
#include "import/core/sources/find_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <system_error>

#include "import/core/sources/archive.h"
#include "store/manifest.h"

namespace steptrace::import {
namespace {

namespace fs = std::filesystem;

constexpr size_t kArchiveHead = 512;
constexpr size_t kMostFiles = 1 << 20;

bool IsDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// rank2 before rank10: runs of digits compare by value.
bool NaturalLess(std::string_view a, std::string_view b) {
  size_t i = 0;
  size_t j = 0;
  auto digits = [](std::string_view text, size_t at) {
    size_t end = at;
    while (end < text.size() && IsDigit(text[end])) ++end;
    while (at + 1 < end && text[at] == '0') ++at;
    return text.substr(at, end - at);
  };
  while (i < a.size() && j < b.size()) {
    if (!IsDigit(a[i]) || !IsDigit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    std::string_view x = digits(a, i);
    std::string_view y = digits(b, j);
    if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
    while (i < a.size() && IsDigit(a[i])) ++i;
    while (j < b.size() && IsDigit(b[j])) ++j;
  }
  return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

Source FileSource(const fs::path& path, const std::string& inside, const Limits& limits) {
  Source source;
  source.path = path.string();
  source.file = path;
  source.inside = inside;
  std::error_code error;
  auto size = fs::file_size(path, error);
  source.bytes = error ? 0 : static_cast<int64_t>(size);
  source.open = [name = source.path, limits]() -> StreamResult {
    STEPTRACE_ASSIGN_OR_RETURN(auto raw, OpenRaw(name));
    return MaybeUnzip(std::move(raw), name, SizeOf(name).on_disk, limits);
  };
  return source;
}

// A file that is no archive, whose members have each the limits of a file: it is refused before it
// is read where it has more bytes than a file may have.
void LimitSize(Source& source, const Limits& limits) {
  source.open = [open = std::move(source.open), path = source.file->string(),
                 limits]() -> StreamResult {
    STEPTRACE_ASSIGN_OR_RETURN(auto stream, open());
    if (!stream->is_packed()) STEPTRACE_RETURN_IF_ERROR(CheckSize(path, SizeOf(path), limits));
    return stream;
  };
}

// A file stands for itself or for its members. What cannot be read stays as it is: opening it
// tells.
std::vector<Source> Expand(Source source, const Limits& limits) {
  auto head = ReadHead(source, kArchiveHead);
  if (head.ok() && IsArchive(*head)) {
    auto archive = ListArchive(source.file->string(), limits);
    if (archive.ok()) {
      std::vector<Source>& members = archive->members;
      if (!members.empty() && !archive->damage.empty()) {
        members.back().archive_damage =
            fmt::format("{}: {}; what came after {} is missing; create the archive again",
                        source.path, archive->damage, members.back().inside);
      }
      return std::move(members);
    }
    source.open = [error = archive.error()]() -> StreamResult { return error; };
  } else {
    LimitSize(source, limits);
  }
  return {std::move(source)};
}

bool IsOneOf(const std::error_code& error, std::initializer_list<std::errc> kinds) {
  return std::find(kinds.begin(), kinds.end(), error) != kinds.end();
}

Error CannotBeRead(const fs::path& path, const std::error_code& error) {
  const char* next = "check the disk and its mount";
  if (error == std::errc::permission_denied) next = "ask its owner for the right to read it";
  if (error == std::errc::no_such_file_or_directory) next = "it was removed meanwhile: try again";
  if (IsOneOf(error, {std::errc::too_many_files_open, std::errc::too_many_files_open_in_system})) {
    next = "raise the limit of open files (ulimit -n)";
  }
  return Error{fmt::format("{}: {}", path.string(), error.message()), next};
}

// Sorts what a folder holds into files and folders to look into; hidden ones are nobody's profile,
// and folders behind links may lead back.
Status SortEntry(const fs::directory_entry& entry, std::vector<fs::path>* files,
                 std::vector<fs::path>* folders) {
  if (entry.path().filename().string().starts_with(".")) return {};
  std::error_code error;
  if (entry.is_directory(error)) {
    if (!entry.is_symlink(error)) folders->push_back(entry.path());
    return {};
  }
  if (entry.is_regular_file(error)) files->push_back(entry.path());
  // A link to what cannot be seen; one to nothing, or to itself, is nothing.
  const bool to_nothing =
      IsOneOf(error, {std::errc::no_such_file_or_directory, std::errc::not_a_directory,
                      std::errc::too_many_symbolic_link_levels});
  return error && !to_nothing ? CannotBeRead(entry.path(), error) : Status();
}

// `refused`: what below the folder cannot be looked at. That of the folder itself is an error:
// nothing would be left to import.
Result<std::vector<fs::path>> FilesBelow(const fs::path& top, std::vector<Error>* refused) {
  std::vector<fs::path> files;
  std::vector<fs::path> folders = {top};
  while (!folders.empty()) {
    const fs::path folder = std::move(folders.back());
    folders.pop_back();
    std::error_code error;
    fs::directory_iterator it(folder, error);
    for (; !error && it != fs::directory_iterator(); it.increment(error)) {
      const Status sorted = SortEntry(*it, &files, &folders);
      if (!sorted.ok()) refused->push_back(sorted.error());
      if (files.size() > kMostFiles) {
        return Error{fmt::format("{}: holds more than {} files", top.string(), kMostFiles),
                     "name the folder of one profile"};
      }
    }
    if (error && folder == top) return CannotBeRead(folder, error);
    if (error) refused->push_back(CannotBeRead(folder, error));
  }
  const auto by_name = [](const Error& a, const Error& b) { return NaturalLess(a.cause, b.cause); };
  std::sort(refused->begin(), refused->end(), by_name);
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return NaturalLess(a.string(), b.string());
  });
  return files;
}

}  // namespace

Result<FoundSources> FindSources(const std::string& path, const Limits& limits) {
  FoundSources found;
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return Error{fmt::format("{}: {}", path,
                             error ? error.message() : std::string("no such file or folder")),
                 "check the path"};
  }
  if (!fs::is_directory(status)) {
    found.sources = Expand(FileSource(path, fs::path(path).filename().string(), limits), limits);
    return found;
  }
  if (store::HasManifest(path)) {
    return Error{path + ": is a run of Steptrace already", "`steptrace report` shows it"};
  }
  STEPTRACE_ASSIGN_OR_RETURN(auto files, FilesBelow(path, &found.refused));
  if (files.empty() && found.refused.empty()) {
    return Error{path + ": the folder holds no file", "name the one of a profile"};
  }
  for (const fs::path& file : files) {
    std::string inside = file.lexically_relative(path).string();
    for (Source& source : Expand(FileSource(file, inside, limits), limits)) {
      found.sources.push_back(std::move(source));
    }
  }
  return found;
}

}  // namespace steptrace::import

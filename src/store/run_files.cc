// SPDX-License-Identifier: Apache-2.0
#include "store/run_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <tuple>

#include "base/inherited_mode.h"
#include "base/random_digits.h"
#include "store/all_tables.h"
#include "store/arrow_support.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostLostJournals = 1000;  // the numbers come from names of files

std::optional<int32_t> ParseNumber(std::string_view text) {
  int32_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// The name of a table in the name of one of its journals, as it stands there.
std::string WrittenTable(const fs::path& journal) {
  const std::string stem = journal.stem();
  return stem.substr(0, stem.rfind('-'));
}

// <table>-<k>.arrows, of a table that there is; `bytes` is -1 where that is no file.
std::optional<JournalFile> ParseJournal(const fs::path& path, const std::string& folder) {
  std::string stem = path.stem();
  size_t dash = stem.rfind('-');
  if (path.extension() != ".arrows" || dash == std::string::npos) return std::nullopt;
  auto number = ParseNumber(std::string_view(stem).substr(dash + 1));
  JournalFile file{path,
                   folder,
                   NodeOfFolder(folder).value_or(0),
                   TableName(WrittenTable(path)),
                   number.value_or(0),
                   0};
  if (!number || !VisitTable(file.table, []<class>() {})) return std::nullopt;
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) return std::nullopt;
  file.bytes = S_ISREG(facts.st_mode) ? int64_t{facts.st_size} : -1;
  return file;
}

std::vector<JournalFile> AllJournals(const fs::path& run, const std::optional<std::string>& only) {
  std::vector<JournalFile> files;
  const auto folders = only ? std::vector{JournalDir(run, *only)} : Entries(run / "journal");
  for (const fs::path& folder : folders) {
    for (const fs::path& path : Entries(folder)) {
      if (auto file = ParseJournal(path, folder.filename())) files.push_back(*std::move(file));
    }
  }
  std::sort(files.begin(), files.end(), [](const JournalFile& a, const JournalFile& b) {
    return std::tie(a.node, a.folder, a.table, a.number) <
           std::tie(b.node, b.folder, b.table, b.number);
  });
  return files;
}

// Gives a file its name, which nothing has; some file systems have no links.
int LinkInPlace(const char* temporary, const char* path) {
  if (::link(temporary, path) == 0) {
    ::unlink(temporary);
    return 0;
  }
  const int error = errno;
  struct stat facts {};
  if (error == EEXIST || ::lstat(path, &facts) == 0) {
    errno = EEXIST;
    return -1;
  }
  return ::rename(temporary, path);
}

constexpr std::string_view kTemporary = ".tmp";

Result<UniqueFd> CreateFile(const fs::path& path) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FileModeAt(path)));
  if (!fd.valid()) return SystemError("cannot write " + path.string(), errno);
  return fd;
}

// Whether a file is still in its folder: who held its lock before may have removed it.
bool HasName(int fd) {
  struct stat facts {};
  return ::fstat(fd, &facts) == 0 && facts.st_nlink > 0;
}

enum class Durable { kNow, kLater };

// Writes a file beside its place, which `move` then gives it.
Status PutFile(const fs::path& path, std::string_view content, Durable durable,
               int (*move)(const char* from, const char* to)) {
  // By chance: processes of several machines or containers have the same numbers.
  const fs::path temporary = fmt::format("{}.{}{}", path.string(), RandomDigits(), kTemporary);
  int error = 0;
  {
    STEPTRACE_ASSIGN_OR_RETURN(UniqueFd fd, CreateFile(temporary));
    error = WriteAll(fd.get(), content.data(), content.size());
    if (error == 0 && durable == Durable::kNow && ::fdatasync(fd.get()) != 0) error = errno;
  }
  if (error == 0 && move(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    return SystemError("cannot write " + path.string(), error);
  }
  return durable == Durable::kNow ? SyncFile(path.parent_path()) : Status();
}

}  // namespace

bool CanBeOpened(const fs::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return fd.valid() || errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENXIO;
}

std::string JournalFolder(int32_t node) {
  return fmt::format("node={}", node);
}

std::optional<int32_t> NodeOfFolder(std::string_view folder) {
  constexpr std::string_view kPrefix = "node=";
  if (!folder.starts_with(kPrefix)) return std::nullopt;
  return ParseNumber(folder.substr(kPrefix.size()));
}

fs::path JournalDir(const fs::path& run, const std::string& folder) {
  return run / "journal" / folder;
}

fs::path JournalPath(const fs::path& run, const std::string& folder, std::string_view table,
                     int32_t number) {
  return JournalDir(run, folder) / fmt::format("{}-{}.arrows", table, number);
}

std::string SegmentFile(std::string_view table, std::string_view writer, int32_t node,
                        std::optional<int32_t> rank, int64_t number) {
  const std::string writer_folder = writer.empty() ? "" : fmt::format("writer={}/", writer);
  const std::string rank_folder = rank ? fmt::format("rank={}/", *rank) : "";
  return fmt::format("tables/{}/{}node={}/{}{}.parquet", table, writer_folder, node, rank_folder,
                     number);
}

int64_t FreeSegmentNumber(const fs::path& run, std::string_view table, std::string_view writer,
                          int32_t node, std::optional<int32_t> rank, int64_t number) {
  std::error_code failed;
  while (
      fs::exists(fs::symlink_status(run / SegmentFile(table, writer, node, rank, number), failed)))
    ++number;
  return number;
}

void RemoveOldTemporaries(const fs::path& folder, std::string_view begin) {
  const auto oldest = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const fs::path& file : Entries(folder)) {
    const std::string name = file.filename();
    if (!name.starts_with(begin) || !name.ends_with(kTemporary)) continue;
    std::error_code failed;
    const auto written = fs::last_write_time(file, failed);
    if (!failed && written < oldest) fs::remove(file, failed);
  }
}

std::vector<fs::path> Entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    entries.push_back(it->path());
  }
  return entries;
}

std::vector<JournalFile> ListJournals(const fs::path& run,
                                      const std::optional<std::string>& folder) {
  std::vector<JournalFile> files = AllJournals(run, folder);
  std::erase_if(files, [](const JournalFile& file) { return file.bytes < 0; });
  return files;
}

std::vector<JournalFile> LostJournals(const fs::path& run,
                                      const std::optional<std::string>& folder) {
  std::vector<JournalFile> lost;
  const JournalFile* last = nullptr;
  const std::vector<JournalFile> files = AllJournals(run, folder);
  for (const JournalFile& file : files) {
    const bool same = last != nullptr && last->folder == file.folder && last->table == file.table;
    for (int32_t number = same ? last->number + 1 : 0; number < file.number; ++number) {
      if (lost.size() == kMostLostJournals) return lost;
      lost.push_back({JournalPath(run, file.folder, WrittenTable(file.path), number), file.folder,
                      file.node, file.table, number, -1});
    }
    if (file.bytes < 0) lost.push_back(file);
    last = &file;
  }
  return lost;
}

bool HoldsRows(const fs::path& run) {
  if (!ListJournals(run).empty()) return true;
  for (const fs::path& table : Entries(run / "tables")) {
    if (!VisitTable(table.filename().string(), []<class>() {})) continue;
    std::error_code failed;
    fs::recursive_directory_iterator it(table, failed);
    for (; !failed && it != fs::recursive_directory_iterator(); it.increment(failed)) {
      if (it->path().extension() == ".parquet") return true;
    }
  }
  return false;
}

Result<fs::path> PutAside(const fs::path& run, const fs::path& file) {
  STEPTRACE_RETURN_IF_ERROR(MakeDirs(run / kDamagedFolder));
  std::string name = file.lexically_relative(run);
  std::replace(name.begin(), name.end(), '/', '_');
  fs::path to = run / kDamagedFolder / name;
  std::error_code failed;
  for (int more = 2; fs::exists(fs::symlink_status(to, failed)); ++more) {
    to = run / kDamagedFolder / fmt::format("{}.{}", name, more);
  }
  if (::rename(file.c_str(), to.c_str()) == 0) return to;
  return SystemError("cannot move " + file.string(), errno);
}

Result<RunLock> RunLock::Take(const fs::path& run, const std::string& folder) {
  fs::path path = JournalDir(run, folder) / kLockName;
  // A reader that looks whether the run lives holds a shared lock for a moment.
  constexpr int kTries = 20;
  constexpr useconds_t kPauseUs = 5000;
  for (int i = 0; i < kTries; ++i) {
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FileModeAt(path)));
    if (!fd.valid()) return SystemError("cannot lock " + path.string(), errno);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return SystemError("cannot lock " + path.string(), errno);
      ::usleep(kPauseUs);
    } else if (HasName(fd.get())) {
      return RunLock(std::move(fd));
    }
  }
  return Error{run.string() + ": the run is still being written", "wait until its agent has ended"};
}

bool RunLock::IsHeld(const fs::path& run) {
  for (const fs::path& folder : Entries(run / "journal")) {
    UniqueFd fd(::open((folder / kLockName).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd.valid()) continue;
    if (::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) return true;
  }
  return false;
}

Result<std::string> ReadFile(const fs::path& path, int64_t at_most_bytes) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe is refused below
  if (!fd.valid()) return SystemError("cannot read " + path.string(), errno);
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return SystemError("cannot read " + path.string(), errno);
  if (!S_ISREG(facts.st_mode)) {
    return Error{"cannot read " + path.string() + ": not a file", "check the path"};
  }
  std::string content;
  char block[1 << 16];
  while (true) {
    ssize_t n = ::read(fd.get(), block, sizeof(block));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError("cannot read " + path.string(), errno);
    if (n == 0) return content;
    content.append(block, static_cast<size_t>(n));
    if (static_cast<int64_t>(content.size()) > at_most_bytes) {
      return Error{"cannot read " + path.string() + ": larger than any that Steptrace writes",
                   "check that this is a run's folder"};
    }
  }
}

Status ReplaceFile(const fs::path& path, std::string_view content) {
  return PutFile(path, content, Durable::kNow, ::rename);
}

Status ReplaceCopy(const fs::path& path, std::string_view content) {
  return PutFile(path, content, Durable::kLater, ::rename);
}

Status WriteOnce(const fs::path& path, std::string_view content) {
  return PutFile(path, content, Durable::kNow, LinkInPlace);
}

std::error_code MakeFolderOfRuns(const fs::path& folder, mode_t mode) {
  const fs::path own = folder.has_filename() ? folder : folder.parent_path();
  std::error_code failed;
  if (own.has_parent_path()) fs::create_directories(own.parent_path(), failed);
  if (failed || ::mkdir(own.c_str(), mode) == 0 || errno == EEXIST) return failed;
  return {errno, std::generic_category()};
}

Status MakeDirs(const fs::path& folder) {
  std::error_code failed;
  if (fs::is_directory(folder, failed)) return {};
  const fs::path parent = folder.parent_path();
  if (!parent.empty() && parent != folder) STEPTRACE_RETURN_IF_ERROR(MakeDirs(parent));
  if (::mkdir(folder.c_str(), FolderModeIn(parent)) == 0) return {};
  const int error = errno;
  if (error == EEXIST && fs::is_directory(folder, failed)) return {};
  return SystemError("cannot make the folder " + folder.string(), error);
}

Status SyncFile(const fs::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return SystemError("cannot open " + path.string(), errno);
  // Some file systems sync no folders (EINVAL): there is nothing to be done about it.
  if (::fsync(fd.get()) != 0 && errno != EINVAL && errno != EROFS) {
    return SystemError("cannot sync " + path.string(), errno);
  }
  return {};
}

}  // namespace steptrace::store

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

// Where the files of a run stand, and the few things that are done with files as such.
namespace steptrace::store {

// `folder`: the name of the writer, of format 1 JournalFolder of a node.
std::filesystem::path JournalDir(const std::filesystem::path& run, const std::string& folder);
std::filesystem::path JournalPath(const std::filesystem::path& run, const std::string& folder,
                                  std::string_view table, int32_t number);
// Of format 1: node=<n>, and the number in it.
std::string JournalFolder(int32_t node);
std::optional<int32_t> NodeOfFolder(std::string_view folder);
// Relative to the run: tables/<table>/writer=<w>/node=<n>/rank=<r>/<k>.parquet; of format 1, whose
// writers have no names, without the writer.
std::string SegmentFile(std::string_view table, std::string_view writer, int32_t node,
                        std::optional<int32_t> rank, int64_t number);
// The first number from `number` on of which nothing lies there. No segment is written over
// another.
int64_t FreeSegmentNumber(const std::filesystem::path& run, std::string_view table,
                          std::string_view writer, int32_t node, std::optional<int32_t> rank,
                          int64_t number);

// Where damaged files are put aside, in the run's folder: for those who can make something of them.
inline constexpr const char* kDamagedFolder = "damaged";

struct JournalFile {
  std::filesystem::path path;
  std::string folder;
  int32_t node = 0;  // by the folder's name; of a writer's it stands in its manifest (JournalsOf)
  std::string table;
  int32_t number = 0;
  int64_t bytes = 0;
};

// The journals of a run, or of one folder, by folder, table and number; files of other names are
// left out.
std::vector<JournalFile> ListJournals(const std::filesystem::path& run,
                                      const std::optional<std::string>& folder = {});

// Those of which nothing is left, by folder, table and number: their numbers lie below that of
// another, or what has their name is no file.
std::vector<JournalFile> LostJournals(const std::filesystem::path& run,
                                      const std::optional<std::string>& folder = {});

// Whether the folder has journals or segments, of a table that there is.
bool HoldsRows(const std::filesystem::path& run);

// Moves a file, or what stands in its place, into kDamagedFolder of the run, under a name that no
// other has there; returns where it lies now. Nothing to move is an error.
Result<std::filesystem::path> PutAside(const std::filesystem::path& run,
                                       const std::filesystem::path& file);

// Whether the system lets a file be opened, or says that there is none. What it refuses or cannot
// do now is no damage.
bool CanBeOpened(const std::filesystem::path& file);

inline constexpr const char* kLockName = "lock";  // in JournalDir
inline constexpr const char* kReserveName = "reserve";

// Held by a writer while it lives; the kernel lets it go with the process.
class RunLock {
 public:
  static Result<RunLock> Take(const std::filesystem::path& run, const std::string& folder);
  // Whether any writer's lock is held by someone. A run without locks is not.
  static bool IsHeld(const std::filesystem::path& run);

 private:
  explicit RunLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

Result<std::string> ReadFile(const std::filesystem::path& path, int64_t at_most_bytes);
// By a temporary file and rename; both the file and its folder are on the disk when it returns.
Status ReplaceFile(const std::filesystem::path& path, std::string_view content);
// As ReplaceFile, of a file that can be made anew: the system brings it to the disk when it likes.
Status ReplaceCopy(const std::filesystem::path& path, std::string_view content);
// The same, but never in the place of another file: that is an error.
Status WriteOnce(const std::filesystem::path& path, std::string_view content);
// Temporary files of ReplaceFile and its like, for files whose names begin so, that a process left
// behind: those that nobody has written to for an hour.
void RemoveOldTemporaries(const std::filesystem::path& folder, std::string_view begin);
// What a folder holds, in no order; nothing of one that cannot be read.
std::vector<std::filesystem::path> Entries(const std::filesystem::path& folder);
// The folder where runs are gathered, which holds them alone; those above it are the user's.
std::error_code MakeFolderOfRuns(const std::filesystem::path& folder, mode_t mode);
// With those above it; each as its parent may be read (base/inherited_mode.h).
Status MakeDirs(const std::filesystem::path& folder);
// Syncs a file's data or a folder's entries to the disk.
Status SyncFile(const std::filesystem::path& path);

}  // namespace steptrace::store

// SPDX-License-Identifier: Apache-2.0
#include "import/core/sources/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "import/core/sources/member_spool.h"

namespace steptrace::import {
namespace {

constexpr size_t kArchiveBlockBytes = 256 << 10;
constexpr int64_t kMostMembers = 1 << 20;

struct Closer {
  void operator()(struct archive* handle) const { archive_read_free(handle); }
};

// An archive is read from its begin to its end a few times: to list it, for the formats of its
// members, by one importer and the next. Who goes back more often reads in another order than it
// has, and would read all that precedes a member for each.
constexpr int kMostRewinds = 4;
// Of damage that a handle does not survive, while all members are kept.
constexpr int kMostRestarts = 64;

// What the archive as a whole may hold; a limit that was given is one of its members.
Limits OfWhole(const Limits& limits, int64_t on_disk) {
  Limits whole = limits;
  if (limits.max_bytes > 0) whole.max_bytes = std::max(limits.max_bytes, MostBytes({}, on_disk));
  return whole;
}

// How the members of an archive are found.
enum class Way : uint8_t {
  kByIndex,  // a ZIP's, at its end
  kForwards  // from one member to the next: a tar's, and those of a ZIP whose index is missing
};

// An archive that is read forwards; asked for an earlier member it starts over.
class Reader {
 public:
  Reader(std::string path, const Limits& limits) : path_(std::move(path)), limits_(limits) {}

  // Moves to the next file; false: there is none.
  Result<bool> Next() {
    if (!handle_) STEPTRACE_RETURN_IF_ERROR(Start());
    block_left_ = {};
    position_ = hole_ = 0;
    failed_ = false;
    int code = archive_read_next_header(handle_.get(), &entry_);
    if (code == ARCHIVE_EOF) return false;
    if (code < ARCHIVE_WARN) return Failed(code);
    ++member_;
    return true;
  }

  Status MoveTo(int64_t member) {
    if (member_ >= member || ended_) {
      ++rewinds_;
      STEPTRACE_RETURN_IF_ERROR(Start());
    }
    while (member_ < member) {
      STEPTRACE_ASSIGN_OR_RETURN(bool more, Next());
      if (!more) return Error{path_ + ": changed while it was read", "import it again"};
    }
    return {};
  }

  // By blocks: archive_read_data would lose what precedes damage in the same call.
  Result<size_t> Read(char* out, size_t size) {
    while (block_left_.empty()) {
      const void* block = nullptr;
      size_t bytes = 0;
      la_int64_t begin = 0;
      int code = archive_read_data_block(handle_.get(), &block, &bytes, &begin);
      if (code == ARCHIVE_EOF) return size_t{0};
      if (code < ARCHIVE_OK) return Failed(code);
      block_left_ = {static_cast<const char*>(block), bytes};
      hole_ = bytes > 0 ? begin - position_ : 0;
    }
    size_t count = std::min(size, hole_ > 0 ? static_cast<size_t>(hole_) : block_left_.size());
    if (hole_ > 0) {  // of a sparse file
      std::memset(out, 0, count);
      hole_ -= static_cast<int64_t>(count);
    } else {
      std::memcpy(out, block_left_.data(), count);
      block_left_.remove_prefix(count);
    }
    position_ += static_cast<int64_t>(count);
    given_ += static_cast<int64_t>(count);
    if (given_ > most_given_) {
      return Error{
          fmt::format("{}: its files together unpack to more than {} bytes", path_, most_given_),
          "if that is meant, raise --max-bytes"};
    }
    return count;
  }

  // Whether a ZIP without its index can be read in another way, from its begin.
  bool CanGoForwards() {
    if (!zip_ || way_ == Way::kForwards || refused_) return false;
    way_ = Way::kForwards;
    handle_.reset();
    return true;
  }

  // Whether a member is asked for that is better kept with all others than looked for again.
  bool ShouldKeepAll(int64_t member) const {
    return !kept_ && keeps_ && rewinds_ >= kMostRewinds && (member_ >= member || ended_);
  }
  const std::optional<MemberSpool>& kept() const { return kept_; }
  // Nothing is kept, now or later: there is no room for it.
  void KeepNothing() { keeps_ = false; }
  void Keep(MemberSpool spool) { kept_ = std::move(spool); }
  // The handle gives no more.
  bool has_ended() const { return ended_; }

  struct archive_entry* entry() const {
    return entry_;
  }
  int64_t member() const { return member_; }
  bool has_failed() const { return failed_; }
  const std::string& path() const { return path_; }
  const Limits& limits() const { return limits_; }
  // Not damage: a limit, or the disk; refuses the whole archive.
  bool refused() const { return refused_.has_value(); }
  // Why reading ended before its end; empty: it did not.
  std::string cause() const {
    std::string packed = stream_ ? stream_->damage() : std::string();
    if (!packed.empty() || !failed_) return packed;
    const char* cause = archive_error_string(handle_.get());
    return cause ? cause : "it ends in the middle";
  }
  std::string damage() const {
    return way_ == Way::kForwards ? "its index at the end is missing" : cause();
  }

 private:
  Status Start() {
    handle_.reset(archive_read_new());
    member_ = -1;
    failed_ = ended_ = false;
    given_ = 0;
    const FileSize size = SizeOf(path_);
    const Limits whole = OfWhole(limits_, size.on_disk);
    most_given_ = MostBytes(whole, size.on_disk);
    archive_read_support_format_tar(handle_.get());
    archive_read_support_format_gnutar(handle_.get());
    STEPTRACE_ASSIGN_OR_RETURN(auto raw, OpenRaw(path_));
    char head[2] = {};
    STEPTRACE_ASSIGN_OR_RETURN(size_t got, ReadFully(*raw, head, sizeof head));
    zip_ = got == sizeof head && head[0] == 'P' && head[1] == 'K';
    int code = ARCHIVE_OK;
    if (zip_) {
      if (way_ == Way::kByIndex) archive_read_support_format_zip_seekable(handle_.get());
      if (way_ == Way::kForwards) archive_read_support_format_zip_streamable(handle_.get());
      code = archive_read_open_filename(handle_.get(), path_.c_str(), kArchiveBlockBytes);
    } else {
      STEPTRACE_ASSIGN_OR_RETURN(raw, OpenRaw(path_));
      STEPTRACE_ASSIGN_OR_RETURN(stream_, MaybeUnzip(std::move(raw), path_, size.on_disk, limits_));
      if (!stream_->is_packed()) STEPTRACE_RETURN_IF_ERROR(CheckSize(path_, size, whole));
      block_.resize(kArchiveBlockBytes);
      code = archive_read_open(handle_.get(), this, nullptr, &Reader::Pull, nullptr);
    }
    if (code != ARCHIVE_OK) return Failed(code);
    return {};
  }

  static la_ssize_t Pull(struct archive* handle, void* self, const void** block) {
    auto* reader = static_cast<Reader*>(self);
    auto got = reader->stream_->Read(reader->block_.data(), reader->block_.size());
    if (!got.ok()) {
      reader->refused_ = got.error();
      archive_set_error(handle, EIO, "%s", got.error().text().c_str());
      return -1;
    }
    *block = reader->block_.data();
    return static_cast<la_ssize_t>(*got);
  }

  Error Failed(int code) {
    failed_ = true;
    ended_ = ended_ || code == ARCHIVE_FATAL;
    if (refused_) return *refused_;
    const char* cause = archive_error_string(handle_.get());
    return Error{fmt::format("{}: {}", path_, cause ? cause : "damaged archive"),
                 "create the archive again"};
  }

  std::string path_;
  Limits limits_;
  std::unique_ptr<ByteStream> stream_;
  std::vector<char> block_;
  std::optional<Error> refused_;
  std::unique_ptr<struct archive, Closer> handle_;
  struct archive_entry* entry_ = nullptr;
  int64_t member_ = -1;
  std::string_view block_left_;  // of the member; the handle's memory
  int64_t position_ = 0;         // in the member
  int64_t hole_ = 0;             // zeros before the block
  Way way_ = Way::kByIndex;
  bool zip_ = false;
  bool failed_ = false;  // the last call
  bool ended_ = false;   // the handle gives no more
  int rewinds_ = 0;
  int64_t given_ = 0;  // of all members since the handle was made
  int64_t most_given_ = 0;
  std::optional<MemberSpool> kept_;
  bool keeps_ = true;
};

// One member's bytes; a ZIP bomb ends here, a gzipped tar's in GzipStream.
class MemberStream : public ByteStream {
 public:
  MemberStream(std::shared_ptr<Reader> reader, std::string name)
      : reader_(std::move(reader)), name_(std::move(name)) {
    most_ = MostBytes(reader_->limits(), SizeOf(reader_->path()).on_disk);
  }

  Result<size_t> Read(char* out, size_t size) override {
    if (!damage_.empty()) return size_t{0};
    auto got = reader_->Read(out, size);
    if (!got.ok()) {
      const bool is_limit = !reader_->has_failed() || reader_->refused();
      if (is_limit) return got.error();
      damage_ = "the archive is damaged: " + reader_->cause();
      return size_t{0};
    }
    consumed_ += static_cast<int64_t>(*got);
    if (consumed_ > most_) {
      return Error{fmt::format("{}: unpacks to more than {} bytes", name_, most_),
                   "if that is meant, raise --max-bytes"};
    }
    return *got;
  }
  int64_t consumed() const override { return consumed_; }
  std::string damage() const override { return damage_; }
  bool is_packed() const override { return true; }

 private:
  std::shared_ptr<Reader> reader_;
  std::string name_;
  std::string damage_;
  int64_t most_ = 0;
  int64_t consumed_ = 0;
};

bool IsFile(const Reader& reader) {
  return archive_entry_filetype(reader.entry()) == AE_IFREG;
}

std::string MemberName(const Reader& reader) {
  const char* name = archive_entry_pathname(reader.entry());
  return name ? name : fmt::format("member {}", reader.member());
}

// All members, unpacked once. What lies behind too much damage is left out.
Result<MemberSpool> UnpackAll(const std::shared_ptr<Reader>& reader) {
  STEPTRACE_ASSIGN_OR_RETURN(MemberSpool spool, MemberSpool::Make());
  STEPTRACE_RETURN_IF_ERROR(reader->MoveTo(0));
  for (int restarts = 0;;) {
    if (IsFile(*reader)) {
      MemberStream stream(reader, reader->path() + "/" + MemberName(*reader));
      STEPTRACE_RETURN_IF_ERROR(spool.Add(reader->member(), stream));
    }
    if (reader->has_ended()) {
      const bool more = ++restarts <= kMostRestarts && reader->MoveTo(reader->member() + 1).ok();
      if (!more) return spool;
      continue;
    }
    const auto more = reader->Next();
    if (!more.ok() || !*more) return spool;
  }
}

StreamResult OpenMember(const std::shared_ptr<Reader>& reader, int64_t number,
                        const std::string& name) {
  if (reader->ShouldKeepAll(number)) {
    auto spool = UnpackAll(reader);
    if (spool.ok()) reader->Keep(*std::move(spool));
    if (!spool.ok()) reader->KeepNothing();
  }
  if (reader->kept()) return reader->kept()->Open(number, name);
  STEPTRACE_RETURN_IF_ERROR(reader->MoveTo(number));
  return std::unique_ptr<ByteStream>(std::make_unique<MemberStream>(reader, name));
}

Source MemberSource(const std::shared_ptr<Reader>& reader) {
  Source source;
  source.inside = MemberName(*reader);
  source.path = reader->path() + "/" + source.inside;
  source.bytes = archive_entry_size(reader->entry());
  source.archive = reader;
  source.open = [reader, number = reader->member(), name = source.path,
                 bytes = source.bytes]() -> StreamResult {
    STEPTRACE_ASSIGN_OR_RETURN(auto member, OpenMember(reader, number, name));
    return MaybeUnzip(std::move(member), name, bytes, reader->limits());
  };
  return source;
}

}  // namespace

bool IsArchive(std::string_view head) {
  constexpr size_t kTarMagicAt = 257;  // POSIX ustar: magic after name, mode, owner, size, ...
  bool tar = head.size() > kTarMagicAt + 5 && head.substr(kTarMagicAt, 5) == "ustar";
  return tar || head.starts_with(std::string_view("PK\3\4", 4)) ||
         head.starts_with(std::string_view("PK\5\6", 4));
}

Result<Archive> ListArchive(const std::string& path, const Limits& limits) {
  auto reader = std::make_shared<Reader>(path, limits);
  Archive archive;
  Status failed;
  while (true) {
    auto more = reader->Next();
    if (!more.ok() && reader->refused()) return more.error();
    if (!more.ok() && archive.members.empty()) {
      if (failed.ok()) failed = more.error();
      if (reader->CanGoForwards()) continue;
      return failed.error();
    }
    if (!more.ok() || !*more) {
      // Read forwards to its end, and no file was there: what was wrong first is what is wrong.
      if (archive.members.empty() && !failed.ok()) return failed.error();
      archive.damage = reader->damage();
      return archive;
    }
    if (reader->member() >= kMostMembers) {
      return Error{fmt::format("{}: has more than {} members", path, kMostMembers),
                   "unpack it and import the folder"};
    }
    if (!IsFile(*reader)) continue;
    archive.members.push_back(MemberSource(reader));
  }
}

}  // namespace steptrace::import

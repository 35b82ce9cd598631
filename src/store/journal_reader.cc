// SPDX-License-Identifier: Apache-2.0
#include "store/journal_reader.h"

#include <arrow/buffer.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "store/arrow_support.h"

namespace steptrace::store {
namespace {

// Part of the format: a batch has no more. Without a limit a few damaged bytes ask for any memory.
constexpr int64_t kMostBatchRows = 1 << 17;

bool ReadAt(int fd, int64_t offset, int64_t size, uint8_t* out) {
  while (size > 0) {
    ssize_t n = ::pread(fd, out, static_cast<size_t>(size), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    out += n;
    offset += n;
    size -= n;
  }
  return true;
}

}  // namespace

class JournalReader::Listener : public arrow::ipc::Listener {
 public:
  arrow::Status OnRecordBatchDecoded(std::shared_ptr<arrow::RecordBatch> decoded) override {
    if (decoded->num_rows() > kMostBatchRows) return arrow::Status::Invalid("batch too long");
    ARROW_RETURN_NOT_OK(decoded->ValidateFull());
    batch = std::move(decoded);
    return arrow::Status::OK();
  }
  arrow::Status OnEOS() override {
    ended = true;
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::RecordBatch> batch;
  bool ended = false;
};

JournalReader::JournalReader(JournalReader&&) noexcept = default;
JournalReader::~JournalReader() = default;

Result<JournalReader> JournalReader::Open(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid()) return SystemError("cannot read " + path.string(), errno);
  return FromFd(std::move(fd), path.string());
}

Result<JournalReader> JournalReader::FromFd(UniqueFd fd, const std::string& name) {
  JournalReader reader;
  reader.fd_ = std::move(fd);
  struct stat facts {};
  if (::fstat(reader.fd_.get(), &facts) != 0) return SystemError("cannot read " + name, errno);
  reader.size_ = facts.st_size;
  reader.listener_ = std::make_shared<Listener>();
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = Pool();
  options.use_threads = false;
  reader.decoder_ = std::make_unique<arrow::ipc::StreamDecoder>(reader.listener_, options);
  return reader;
}

std::shared_ptr<arrow::RecordBatch> JournalReader::Next() {
  listener_->batch.reset();
  while (!done_ && !listener_->batch) {
    if (!Step()) return nullptr;
  }
  if (!listener_->batch) return nullptr;
  before_last_ = good_bytes_;
  good_bytes_ = offset_;
  return listener_->batch;
}

// One piece of the stream, as much as the decoder asks for.
bool JournalReader::Step() {
  int64_t needed = decoder_->next_required_size();
  if (listener_->ended || needed <= 0) {
    good_bytes_ = offset_;
    Stop(offset_ < size_ ? JournalEnd::kDamaged : JournalEnd::kClosed, "bytes after its end");
    return false;
  }
  if (needed > size_ - offset_) {
    Stop(good_bytes_ == size_ ? JournalEnd::kOpen : JournalEnd::kCutOff, "");
    return false;
  }
  auto piece = arrow::AllocateBuffer(needed, Pool());
  if (!piece.ok() || !ReadAt(fd_.get(), offset_, needed, (*piece)->mutable_data())) {
    Stop(JournalEnd::kCutOff, "");
    return false;
  }
  offset_ += needed;
  auto consumed = decoder_->Consume(std::shared_ptr<arrow::Buffer>(*std::move(piece)));
  if (!consumed.ok()) {
    listener_->batch.reset();
    Stop(JournalEnd::kDamaged, consumed.message());
    return false;
  }
  return true;
}

Status JournalReader::Continue() {
  struct stat facts {};
  if (::fstat(fd_.get(), &facts) != 0) return SystemError("cannot read a journal", errno);
  if (facts.st_size < size_) return Error{"a journal became shorter while it was read"};
  size_ = facts.st_size;
  // What was taken up to here was taken whole: the decoder waits for its next piece.
  if (end_ == JournalEnd::kOpen || end_ == JournalEnd::kCutOff) done_ = false;
  return {};
}

void JournalReader::Stop(JournalEnd end, const std::string& damage) {
  done_ = true;
  end_ = end;
  damage_ = damage;
}

void JournalReader::RejectLast(const std::string& why) {
  good_bytes_ = before_last_;
  Stop(JournalEnd::kDamaged, why);
}

}  // namespace steptrace::store

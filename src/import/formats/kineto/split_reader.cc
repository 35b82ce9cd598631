// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/split_reader.h"

#include <algorithm>
#include <limits>
#include <new>
#include <system_error>
#include <utility>

#include "import/core/bytes/out_of_memory.h"
#include "import/formats/kineto/event_reader.h"
#include "import/formats/kineto/stream_window.h"

namespace steptrace::import::kineto {
namespace {

constexpr int64_t kLookBack = 64;  // bytes before a piece, in which the comma of its event stands
// Bytes behind a piece that the end of its last event and the begin of the next may take; of a
// longer one the piece ends before it.
constexpr int64_t kOverhang = 64 << 10;
constexpr size_t kPlacesOfThread = 2;  // one that it reads, one that waits

// The first bracket from `from` on, a position in the stream, that looks like that of an event in a
// list. nullptr: the window has none.
const char* GuessBegin(const StreamWindow& window, int64_t from) {
  const char* p = window.at() + std::max<int64_t>(from - window.position(), 0);
  for (; p < window.end(); ++p) {
    p = static_cast<const char*>(std::memchr(p, '{', static_cast<size_t>(window.end() - p)));
    if (p == nullptr) return nullptr;
    const char* before = p;
    while (before > window.at() && json::IsSpace(before[-1])) --before;
    bool in_list = before > window.at() && before[-1] == ',';
    if (in_list && BeginsEvent(p, window.end())) return p;
  }
  return nullptr;
}

}  // namespace

int64_t SplitReader::BytesInUse(size_t threads, int64_t piece_bytes) {
  auto places = static_cast<int64_t>(threads * kPlacesOfThread);
  return kLookBack + (places + 1) * piece_bytes + kOverhang;
}

int64_t SplitReader::PiecesOf(const Options& options) {
  if (options.file_bytes == kUnknown) {
    return std::numeric_limits<int64_t>::max() / options.piece_bytes - 1;
  }
  return (options.file_bytes + options.piece_bytes - 1) / options.piece_bytes;
}

// One thread's: what it learns of the events of one piece it knows in the next.
class SplitReader::Worker {
 public:
  explicit Worker(const SplitReader& split)
      : split_(split),
        sink_(split.sink_.ForPieces()),
        none_(split.stream_.Range(0, 0)),
        window_(*none_, split.options_.limits.max_event_bytes) {}

  Piece Read(int64_t number, std::unique_ptr<Part> memory) {
    int64_t from = number * split_.options_.piece_bytes;
    int64_t until = from + split_.options_.piece_bytes;
    int64_t begin = std::max<int64_t>(from - kLookBack, 0);
    auto stream = split_.stream_.Range(begin, until + kOverhang);
    window_.Restart(*stream, begin);
    Piece piece;
    piece.reader = std::make_unique<TraceReader>(*sink_, texts_, Reads::kPiece);
    piece.reader->KnowLines(split_.reader_.LinesSoFar());
    // What goes wrong here the document meets again, where it may tell it.
    if (FindBegin(from, until)) {
      piece.begin = window_.position();
      (void)ReadEvents(until, &piece).ok();
    }
    piece.reader->EndPiece(std::move(memory));
    window_.Restart(*none_, 0);
    return piece;
  }

 private:
  bool FindBegin(int64_t from, int64_t until) {
    auto more = window_.More();
    if (!more.ok()) return false;
    const char* at = GuessBegin(window_, from);
    if (at == nullptr) return false;
    window_.MoveTo(at);
    return window_.position() < until;
  }

  // As Document reads them, up to the first thing that is none.
  Status ReadEvents(int64_t until, Piece* piece) {
    Taken& taken = piece->taken;
    taken.end = piece->begin;
    const int32_t max_depth = split_.options_.limits.max_depth;
    while (true) {
      TraceReader& reader = *piece->reader;
      Status read;
      int64_t known = events_.ReadKnown(window_, until, max_depth, [&](const RawEvent& event) {
        read = reader.OnEvent(event);
        return read.ok() && !reader.refused();
      });
      if (known > 0) taken.end = window_.position();
      taken.events += known;
      if (!read.ok() || reader.refused()) return read;
      STEPTRACE_ASSIGN_OR_RETURN(char next, Peek(window_));
      if (next == ',') {
        window_.MoveTo(window_.at() + 1);
        continue;
      }
      if (next != '{') return {};
      if (window_.position() >= until) {
        taken.end = window_.position();
        taken.at_event = true;
        return {};
      }
      STEPTRACE_ASSIGN_OR_RETURN(const char* after,
                                 events_.Read(window_, split_.options_.name, max_depth));
      const RawEvent& event = events_.event();
      if (after == nullptr || !event.phase) return {};
      STEPTRACE_RETURN_IF_ERROR(reader.OnEvent(event));
      if (reader.refused()) return {};
      ++taken.events;
      taken.duplicate_keys += event.duplicate_keys;
      window_.MoveTo(after);
      taken.end = window_.position();
    }
  }

  const SplitReader& split_;
  std::unique_ptr<PartSink> sink_;
  std::unique_ptr<ByteStream> none_;  // the window's between two pieces
  StreamWindow window_;
  EventReader events_;
  TextCache texts_;
};

SplitReader::SplitReader(ByteStream& stream, Options options, const PartSink& sink,
                         TraceReader& reader)
    : stream_(stream),
      options_(std::move(options)),
      sink_(sink),
      reader_(reader),
      pieces_(PiecesOf(options_)),
      places_(options_.threads * kPlacesOfThread) {
  next_ = options_.piece_bytes;
  try {
    for (size_t i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { Work(); });
  } catch (const std::system_error&) {
    // The machine has no more threads: those that are there do, and without any the document.
    if (threads_.empty()) next_ = std::numeric_limits<int64_t>::max();
  }
}

SplitReader::~SplitReader() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  stream_.EndRanges();
  for (std::thread& thread : threads_) thread.join();
}

void SplitReader::Work() {
  try {
    ReadPieces();
  } catch (const std::bad_alloc&) {
    {
      std::lock_guard lock(mutex_);
      out_of_memory_ = true;
    }
    changed_.notify_all();
  }
}

void SplitReader::ReadPieces() {
  Worker* worker = nullptr;
  {
    auto made = std::make_unique<Worker>(*this);
    worker = made.get();
    std::lock_guard lock(mutex_);
    workers_.push_back(std::move(made));
  }
  auto room = static_cast<int64_t>(places_.size());
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || begun_ == pieces_ || begun_ < passed_ + room; });
    if (stop_ || begun_ >= pieces_) return;
    int64_t number = begun_++;
    std::unique_ptr<Part> memory;
    if (!spare_.empty()) {
      memory = std::move(spare_.back());
      spare_.pop_back();
    }
    lock.unlock();
    Piece piece = worker->Read(number, std::move(memory));
    lock.lock();
    Place& place = places_[static_cast<size_t>(number % room)];
    place.piece = std::move(piece);
    place.ready = true;
    changed_.notify_all();
  }
}

// The first piece that the document has not dealt with.
Result<SplitReader::Piece> SplitReader::Await() {
  std::unique_lock lock(mutex_);
  Place& place = places_[static_cast<size_t>(passed_) % places_.size()];
  changed_.wait(lock, [&] { return place.ready || out_of_memory_; });
  if (!place.ready) return OutOfMemory();
  place.ready = false;
  return std::move(place.piece);
}

void SplitReader::Pass() {
  has_held_ = false;
  std::unique_ptr<Part> memory = held_.reader->TakeMemory();
  held_ = {};
  {
    std::lock_guard lock(mutex_);
    ++passed_;
    spare_.push_back(std::move(memory));
  }
  stream_.KeepFrom(passed_ * options_.piece_bytes - kLookBack);
  changed_.notify_all();
}

Result<EventsAhead::Taken> SplitReader::TakeAt(int64_t position) {
  while (true) {
    // Only this thread changes passed_.
    if (passed_ >= pieces_) {
      next_ = std::numeric_limits<int64_t>::max();
      return Taken();
    }
    next_ = passed_ * options_.piece_bytes;
    if (position < next_) return Taken();
    if (!has_held_) {
      STEPTRACE_ASSIGN_OR_RETURN(held_, Await());
    }
    has_held_ = true;
    if (held_.begin > position) {
      next_ = held_.begin;
      return Taken();
    }
    Taken taken;
    if (held_.begin == position && held_.taken.events > 0) {
      STEPTRACE_ASSIGN_OR_RETURN(bool fitted, reader_.Absorb(*held_.reader));
      if (fitted) taken = held_.taken;
    }
    Pass();
    if (taken.events > 0) {
      next_ =
          passed_ < pieces_ ? passed_ * options_.piece_bytes : std::numeric_limits<int64_t>::max();
      return taken;
    }
  }
}

}  // namespace steptrace::import::kineto

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "import/core/bytes/byte_stream.h"
#include "import/core/rows/part_sink.h"
#include "import/formats/kineto/document.h"
#include "import/formats/kineto/trace_reader.h"

namespace steptrace::import::kineto {

// Reads one file of trace events with several threads, a piece each at a time, into what one thread
// makes of it.
//
// Where a piece begins is a guess: the first bracket behind a comma with a key that events have.
// That may stand inside an event. So the document, which knows where it is, walks from piece to
// piece and takes one only if it arrives at its first bracket as the next event's; what lies
// between it reads itself: the file's begin and end, damage, events that depend on others ahead.
//
//   file      {...[ {}, {}, {},| {}, {}, {},| {}, {}, {} ]...}
//   document  ───────────────►|             |            ────►
//   pieces                    [ 1 ─────────►[ 2 ────────►
//
// As many pieces wait at most as there are threads, and as many again are being read. A file that
// is packed is read so, too: its pieces follow the thread that unpacks it.
class SplitReader : public EventsAhead {
 public:
  static constexpr int64_t kUnknown = -1;
  struct Options {
    size_t threads = 0;
    int64_t piece_bytes = 2 << 20;
    int64_t file_bytes = kUnknown;  // of what is packed: it ends where it ends
    std::string name;
    Limits limits;
  };

  // The stream has ranges. Pieces go to the reader of the file, whose sink `sink` is.
  SplitReader(ByteStream& stream, Options options, const PartSink& sink, TraceReader& reader);
  ~SplitReader() override;
  SplitReader(const SplitReader&) = delete;
  SplitReader& operator=(const SplitReader&) = delete;

  // Bytes of the stream that pieces of so many threads lie in at one time: so many it has to keep.
  static int64_t BytesInUse(size_t threads, int64_t piece_bytes);

  Result<Taken> TakeAt(int64_t position) override;

 private:
  class Worker;
  struct Piece {
    int64_t begin = -1;  // of the first event; -1: there is none
    Taken taken;
    std::unique_ptr<TraceReader> reader;
  };
  // Waits for its piece or holds it.
  struct Place {
    bool ready = false;
    Piece piece;
  };

  static int64_t PiecesOf(const Options& options);
  void Work();
  void ReadPieces();
  Result<Piece> Await();
  void Pass();

  ByteStream& stream_;
  const Options options_;
  const PartSink& sink_;
  TraceReader& reader_;
  const int64_t pieces_;
  Piece held_;  // read, and further on than the document
  bool has_held_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Place> places_;  // of piece n: n modulo their number; under mutex_ as what follows
  int64_t begun_ = 1;          // the next piece that no thread has; 0 is the document's
  int64_t passed_ = 1;         // the first that the document has not dealt with
  bool stop_ = false;
  bool out_of_memory_ = false;                    // of a thread: its piece will not come
  std::vector<std::unique_ptr<Part>> spare_;      // memory of pieces that were dealt with
  std::vector<std::unique_ptr<Worker>> workers_;  // outlive the pieces, which refer to their texts
  std::vector<std::thread> threads_;
};

}  // namespace steptrace::import::kineto

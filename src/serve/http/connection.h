// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "serve/http/answer.h"
#include "serve/http/api.h"
#include "serve/http/open_connection.h"
#include "serve/http/server_state.h"

namespace steptrace::http {

namespace beast = boost::beast;

// One peer: request after request, or a stream of events. Lives as long as something waits for it;
// runs in the thread of the sockets.
//
//   read header ─► check ─► page: at once ─────────────► write ─► read header …
//                     ├───► api: worker computes ──────► write
//                     └───► events: write, tick, write …          any failure or timeout: close
//
// Where there is no room for another it may be closed by others (connection_limits.h).
class Connection final : public OpenConnection, public std::enable_shared_from_this<Connection> {
 public:
  Connection(Shared& shared, asio::ip::tcp::socket socket);
  ~Connection();
  void Start();

  Doing doing() const override { return doing_; }
  std::chrono::steady_clock::time_point moved_at() const override { return moved_at_; }
  void Close() override;

 private:
  void Read();
  void OnRead(boost::system::error_code failed);
  void Handle();
  // Checks who asks; an answer is a refusal or a redirection.
  std::optional<Answer> Admit(const Request& request);
  // Whether the request may change what it asks to; an answer is a refusal.
  std::optional<Answer> AdmitChange();
  void Dispatch(Request request);
  void Compute(Request request);
  // Notices that the peer goes while an answer is made that takes long.
  void WatchPeer();
  void Send(Answer answer);
  void WriteSome();
  // What of the body comes next; nothing: its file cannot be read.
  std::optional<asio::const_buffer> BodyFrom(uint64_t at);
  void LetGoOfAnswer();
  void OnSent();
  void SetDoing(Doing doing);

  void StartEvents(const Request& request);
  void Tick();
  void SendEvent(std::optional<std::string> event);

  Shared& shared_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<beast::http::request_parser<beast::http::empty_body>> parser_;
  std::string head_;  // of the answer being sent, and what of it and its body the peer took
  std::shared_ptr<const std::string> body_;  // of one in a file: the piece that was read of it
  std::shared_ptr<const FileBody> file_;
  uint64_t piece_at_ = 0;
  uint64_t body_bytes_ = 0;  // of the whole body
  uint64_t sent_ = 0;
  std::chrono::steady_clock::time_point write_until_;
  Doing doing_ = Doing::kReading;
  std::chrono::steady_clock::time_point moved_at_;
  size_t charged_bytes_ = 0;  // of the answer being sent
  uint64_t charged_file_bytes_ = 0;
  bool keep_alive_ = false;
  bool head_only_ = false;
  std::stop_source gone_;  // of the request that is being answered
  bool changing_ = false;  // only what is asked for by POST changes anything
  std::string set_cookie_;
  std::string location_;

  asio::steady_timer tick_;
  std::string event_run_;  // empty: the list of runs
  Api::EventState event_state_;
  std::string event_text_;
  int quiet_ticks_ = 0;
};

}  // namespace steptrace::http

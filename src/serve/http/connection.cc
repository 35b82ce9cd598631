// SPDX-License-Identifier: Apache-2.0
#include "serve/http/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <cerrno>
#include <exception>
#include <sstream>
#include <string_view>
#include <utility>

#include "serve/http/connection_limits.h"
#include "serve/http/peer.h"

namespace steptrace::http {
namespace {

namespace bhttp = beast::http;

constexpr size_t kMaxHeaderBytes = 16 << 10;
constexpr size_t kMaxTargetBytes = 8 << 10;
// A comment now and then shows whether a silent peer is still there.
constexpr int kTicksPerComment = 15;
constexpr size_t kLeastBytesPerSecond = 100'000;
constexpr uint64_t kPieceBytes = 256 << 10;  // of a file, at a time
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: "
    "blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri "
    "'none'; form-action 'none'; frame-ancestors 'none'";

std::string_view View(beast::string_view text) {
  return {text.data(), text.size()};
}

template <class Fields>
void SetSafety(Fields& fields) {
  fields.set(bhttp::field::server, "steptrace");
  fields.set("Content-Security-Policy", beast::string_view(kPolicy.data(), kPolicy.size()));
  fields.set("X-Content-Type-Options", "nosniff");
  fields.set("X-Frame-Options", "DENY");
  fields.set("Referrer-Policy", "no-referrer");
  fields.set("Cross-Origin-Resource-Policy", "same-origin");
  fields.set("Cross-Origin-Opener-Policy", "same-origin");
}

std::string HeadText(const bhttp::response<bhttp::empty_body>& message) {
  std::ostringstream text;
  text << message.base();
  return std::move(text).str();
}

bool IsApi(const std::string& path) {
  return path == "/api" || path.starts_with("/api/");
}

bool ChangesSomething(const std::string& path) {
  const auto endpoint = EndpointOf(SplitPath(path));
  return endpoint && InfoOf(*endpoint).changes;
}

bool IsEvents(const std::string& path) {
  const auto endpoint = EndpointOf(SplitPath(path));
  return endpoint && InfoOf(*endpoint).answer == AnswerKind::kEvents;
}

// The address without its token, so that it is neither kept nor passed on.
std::string WithoutToken(std::string_view target) {
  std::string clean(target.substr(0, target.find('?')));
  char mark = '?';
  std::string_view query = target.substr(std::min(target.size(), clean.size() + 1));
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    if (!pair.empty() && !pair.starts_with("token=")) {
      clean += mark;
      clean += pair;
      mark = '&';
    }
    query.remove_prefix(std::min(query.size(), end + 1));
  }
  // "//host" would lead elsewhere.
  while (clean.starts_with("//")) clean.erase(0, 1);
  return clean;
}

std::string_view TokenOf(const Request& request) {
  for (const auto& [key, value] : request.query) {
    if (key == "token") return value;
  }
  return {};
}

}  // namespace

Connection::Connection(Shared& shared, asio::ip::tcp::socket socket)
    : shared_(shared), stream_(std::move(socket)), buffer_(kMaxHeaderBytes), tick_(shared.io) {
  shared_.open.insert(this);
}

Connection::~Connection() {
  SetDoing(Doing::kClosed);
}

// The one place that counts: who is open, who streams, who holds an answer.
void Connection::SetDoing(Doing doing) {
  if (doing_ == Doing::kStreaming) --shared_.open_streams;
  if (doing_ == Doing::kSending || doing == Doing::kClosed) LetGoOfAnswer();
  doing_ = doing;
  if (doing_ == Doing::kStreaming) ++shared_.open_streams;
  if (doing_ == Doing::kClosed) shared_.open.erase(this);
  moved_at_ = std::chrono::steady_clock::now();
}

void Connection::Start() {
  boost::system::error_code ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  stream_.expires_after(shared_.options.header_time);
  Read();
}

void Connection::Read() {
  SetDoing(Doing::kReading);
  parser_.emplace();
  parser_->header_limit(kMaxHeaderBytes);
  parser_->body_limit(0);  // nothing that we serve takes one
  bhttp::async_read(stream_, buffer_, *parser_,
                    [self = shared_from_this()](boost::system::error_code failed, size_t) {
                      self->OnRead(failed);
                    });
}

void Connection::OnRead(boost::system::error_code failed) {
  if (!failed) return Handle();
  keep_alive_ = false;
  head_only_ = false;
  if (failed == bhttp::error::header_limit || failed == bhttp::error::buffer_overflow) {
    return Send(Refuse(431, {"request: its header is too long", "ask for less at once"}));
  }
  if (failed == bhttp::error::body_limit) {
    return Send(Refuse(413, {"request: has a body", "none is taken"}));
  }
  if (failed.category() == bhttp::make_error_code(bhttp::error::bad_method).category() &&
      failed != bhttp::error::end_of_stream && failed != bhttp::error::partial_message) {
    return Send(Refuse(400, {"request: not HTTP", "see docs/reference/http.md"}));
  }
  Close();  // gone, silent for too long, or done
}

void Connection::Handle() {
  const auto& message = parser_->get();
  keep_alive_ = message.keep_alive();
  head_only_ = message.method() == bhttp::verb::head;
  const bool posted = message.method() == bhttp::verb::post;
  changing_ = false;
  if (message.method() != bhttp::verb::get && !head_only_ && !posted) {
    return Send(Refuse(405, {"request: not GET", "see docs/reference/http.md"}));
  }
  Request request;
  const std::string_view target = View(message.target());
  if (target.size() > kMaxTargetBytes) {
    return Send(Refuse(414, {"request: its address is too long", "ask for less at once"}));
  }
  if (!ParseTarget(target, &request)) {
    return Send(Refuse(400, {"request: its address is malformed", "see docs/reference/http.md"}));
  }
  request.if_none_match = View(message[bhttp::field::if_none_match]);
  changing_ = ChangesSomething(request.path);
  if (posted != changing_) {
    return Send(Refuse(405, changing_ ? Error{"request: not POST", "it changes something"}
                                      : Error{"request: not GET", "it changes nothing"}));
  }
  if (auto refusal = Admit(request)) return Send(*std::move(refusal));
  if (changing_) {
    if (auto refusal = AdmitChange()) return Send(*std::move(refusal));
  }
  Dispatch(std::move(request));
}

std::optional<Answer> Connection::Admit(const Request& request) {
  const auto& message = parser_->get();
  Credentials given;
  given.host = {message.count(bhttp::field::host), View(message[bhttp::field::host])};
  given.origin = {message.count(bhttp::field::origin), View(message[bhttp::field::origin])};
  given.fetch_site = {message.count("Sec-Fetch-Site"), View(message["Sec-Fetch-Site"])};
  given.cookie = View(message[bhttp::field::cookie]);
  given.query_token = TokenOf(request);
  switch (shared_.gate.Check(given, IsApi(request.path))) {
    case Entry::kOpen:
      return std::nullopt;
    case Entry::kOpenWithToken: {
      set_cookie_ = shared_.gate.CookieHeader();
      if (IsApi(request.path)) return std::nullopt;
      location_ = WithoutToken(View(message.target()));
      Answer moved;
      moved.status = 303;
      return moved;
    }
    case Entry::kRepeated:
      return Refuse(400,
                    {"Host, Origin or Sec-Fetch-Site: given more than once", "send each once"});
    case Entry::kForeignHost:
      return Refuse(403, {"Host: not a name of this server", "open the address that it printed"});
    case Entry::kForeignOrigin:
      return Refuse(403, {"Origin: a page of another site", "open the address that it printed"});
    case Entry::kNoToken:
      return Refuse(403, {"token: missing or wrong", "open the address that the server printed"});
  }
  return std::nullopt;
}

// Who has a token was given it; without one every process of the machine may look, and none but the
// owner's may change anything.
std::optional<Answer> Connection::AdmitChange() {
  if (!shared_.options.token.empty() || IsPeerOurs(stream_.socket().native_handle())) {
    return std::nullopt;
  }
  return Refuse(403, {"request: of another user than the server's",
                      "ask as the user who started steptrace ui"});
}

void Connection::Dispatch(Request request) {
  if (IsEvents(request.path)) return StartEvents(request);
  if (!IsApi(request.path) && shared_.files == nullptr) {
    return Send(Refuse(404, {"page: the pages are not built", "run `make ui`"}));
  }
  Compute(std::move(request));
}

void Connection::Compute(Request request) {
  LetGoOfStalled(shared_);
  if (shared_.waiting >= shared_.options.waiting || TooMuchUnsent(shared_)) {
    return Send(Refuse(503, {"server: busy", "ask again in a second"}));
  }
  ++shared_.waiting;
  SetDoing(Doing::kComputing);
  stream_.expires_never();  // the peer waits for us now
  const bool heavy = Api::IsHeavy(request);
  if (heavy) {
    gone_ = std::stop_source();
    request.gone = gone_.get_token();
    WatchPeer();
  }
  // Who looks at a timeline does not wait for another's report.
  asio::thread_pool& workers = heavy ? shared_.heavy_workers : shared_.workers;
  asio::post(workers, [self = shared_from_this(), request = std::move(request)]() mutable {
    Answer answer;
    try {
      answer = IsApi(request.path) ? self->shared_.api->Handle(request)
                                   : self->shared_.files->Get(request);
    } catch (const std::exception& failed) {  // out of memory, above all
      answer = Refuse(500, {std::string("server: ") + failed.what(), "ask for less at once"});
    }
    // The last hold on a connection is let go in the thread of the sockets.
    asio::io_context& io = self->shared_.io;
    asio::post(io, [last = std::move(self), answer = std::move(answer)]() mutable {
      --last->shared_.waiting;
      boost::system::error_code ignored;
      last->stream_.socket().cancel(ignored);  // the watch
      last->Send(std::move(answer));
    });
  });
}

void Connection::WatchPeer() {
  stream_.socket().async_wait(asio::ip::tcp::socket::wait_read,
                              [self = shared_from_this()](boost::system::error_code failed) {
                                if (failed) return;
                                char first = 0;
                                const ssize_t got = ::recv(self->stream_.socket().native_handle(),
                                                           &first, 1, MSG_PEEK | MSG_DONTWAIT);
                                // What it says before it has its answer is read after it.
                                if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
                                  self->gone_.request_stop();
                              });
}

void Connection::Send(Answer answer) {
  SetDoing(Doing::kSending);
  bhttp::response<bhttp::empty_body> message;
  message.version(11);
  message.result(static_cast<unsigned>(answer.status));
  SetSafety(message);
  message.set(bhttp::field::content_type, answer.type);
  message.set(bhttp::field::cache_control,
              answer.cache_control.empty() ? "no-store" : answer.cache_control);
  if (!answer.location.empty()) message.set(bhttp::field::location, answer.location);
  if (!answer.etag.empty()) message.set(bhttp::field::etag, answer.etag);
  if (!set_cookie_.empty()) message.set(bhttp::field::set_cookie, set_cookie_);
  if (!location_.empty()) message.set(bhttp::field::location, location_);
  if (answer.status == 405) {
    message.set(bhttp::field::allow, changing_ ? "POST" : "GET, HEAD");
  }
  if (answer.type == kDownloadType) message.set("Content-Disposition", "attachment");
  if (answer.status == 503) message.set(bhttp::field::retry_after, "1");
  set_cookie_.clear();
  location_.clear();
  message.keep_alive(keep_alive_);
  const bool is_shared = answer.shared != nullptr;
  body_ = is_shared ? std::move(answer.shared)
                    : std::make_shared<const std::string>(std::move(answer.body));
  file_ = std::move(answer.file);
  body_bytes_ = file_ ? file_->bytes : body_->size();
  piece_at_ = 0;
  message.content_length(body_bytes_);
  head_ = HeadText(message);
  if (head_only_) {
    file_.reset();
    body_ = std::make_shared<const std::string>();
    body_bytes_ = 0;
  }
  sent_ = 0;
  charged_bytes_ = is_shared ? 0 : body_->size();
  charged_file_bytes_ = file_ ? body_bytes_ : 0;
  shared_.unsent_bytes += charged_bytes_;
  shared_.unsent_file_bytes += charged_file_bytes_;
  if (charged_bytes_ + charged_file_bytes_ > 0) shared_.senders.insert(this);
  // A large answer may take its time, but no peer may keep it for ever by taking it drop by drop.
  write_until_ = moved_at_ + shared_.options.write_time +
                 std::chrono::seconds(body_bytes_ / kLeastBytesPerSecond);
  WriteSome();
}

std::optional<asio::const_buffer> Connection::BodyFrom(uint64_t at) {
  if (file_ && at < body_bytes_ && at >= piece_at_ + body_->size()) {
    std::string piece;
    const uint64_t bytes = std::min(kPieceBytes, body_bytes_ - at);
    if (!ReadFileAt(*file_, at, bytes, &piece)) return std::nullopt;
    body_ = std::make_shared<const std::string>(std::move(piece));
    piece_at_ = at;
  }
  return asio::buffer(*body_) + static_cast<size_t>(at - piece_at_);
}

void Connection::WriteSome() {
  const uint64_t head_left = head_.size() - std::min<uint64_t>(sent_, head_.size());
  const uint64_t body_sent = sent_ - std::min<uint64_t>(sent_, head_.size());
  if (head_left == 0 && body_sent == body_bytes_) return OnSent();
  const auto body = BodyFrom(body_sent);
  if (!body) return Close();  // short of what its head told: the peer knows
  const std::array<asio::const_buffer, 2> rest = {
      asio::buffer(head_.data() + head_.size() - head_left, head_left), *body};
  stream_.expires_at(
      std::min(write_until_, std::chrono::steady_clock::now() + shared_.options.write_time));
  stream_.async_write_some(
      rest, [self = shared_from_this()](boost::system::error_code failed, size_t wrote) {
        if (failed) return self->Close();
        self->sent_ += wrote;
        self->moved_at_ = std::chrono::steady_clock::now();
        self->WriteSome();
      });
}

void Connection::LetGoOfAnswer() {
  shared_.unsent_bytes -= std::exchange(charged_bytes_, 0);
  shared_.unsent_file_bytes -= std::exchange(charged_file_bytes_, 0);
  shared_.senders.erase(this);
}

void Connection::OnSent() {
  body_.reset();
  file_.reset();
  if (!keep_alive_) return Close();
  stream_.expires_after(shared_.options.idle_time);
  Read();
}

void Connection::Close() {
  if (doing_ == Doing::kClosed) return;
  SetDoing(Doing::kClosed);
  tick_.cancel();
  boost::system::error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  stream_.close();
}

void Connection::StartEvents(const Request& request) {
  const std::vector<std::string> parts = SplitPath(request.path);
  if (EndpointOf(parts) == Endpoint::kRunEvents) {
    event_run_ = parts[2];
    if (!shared_.api->HasRun(event_run_)) {
      event_run_.clear();
      return Send(Api::NoSuchRun());
    }
  }
  MakeRoomForStream(shared_);
  SetDoing(Doing::kStreaming);
  bhttp::response<bhttp::empty_body> head;
  head.version(11);
  SetSafety(head);
  head.set(bhttp::field::content_type, "text/event-stream");
  head.set(bhttp::field::cache_control, "no-store");
  head.keep_alive(false);
  SendEvent(HeadText(head) + ": steptrace\n\n");
}

void Connection::SendEvent(std::optional<std::string> event) {
  if (doing_ == Doing::kClosed) return;
  if (!event && ++quiet_ticks_ < kTicksPerComment) return Tick();
  quiet_ticks_ = 0;
  event_text_ = event ? *std::move(event) : ": \n\n";
  stream_.expires_after(shared_.options.write_time);
  asio::async_write(stream_, asio::buffer(event_text_),
                    [self = shared_from_this()](boost::system::error_code failed, size_t) {
                      if (failed) return self->Close();
                      self->Tick();
                    });
}

// Nothing is kept for a reader that is slow: what it is told next is how things stand then.
void Connection::Tick() {
  stream_.expires_never();
  tick_.expires_after(shared_.options.event_period);
  tick_.async_wait([self = shared_from_this()](boost::system::error_code failed) {
    if (failed) return;
    if (self->shared_.waiting >= self->shared_.options.waiting) return self->Tick();
    ++self->shared_.waiting;
    asio::post(self->shared_.workers, [self]() mutable {
      std::optional<std::string> event;
      try {
        event = self->event_run_.empty()
                    ? self->shared_.api->RunsEvent(self->event_state_)
                    : self->shared_.api->RunEvent(self->event_run_, self->event_state_);
      } catch (const std::exception&) {
        event = std::nullopt;  // told at the next tick
      }
      asio::io_context& io = self->shared_.io;
      asio::post(io, [last = std::move(self), event = std::move(event)]() mutable {
        --last->shared_.waiting;
        last->SendEvent(std::move(event));
      });
    });
  });
}

}  // namespace steptrace::http

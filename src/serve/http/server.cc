// SPDX-License-Identifier: Apache-2.0
#include "serve/http/server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "serve/http/connection.h"
#include "serve/http/connection_limits.h"
#include "serve/http/server_state.h"

namespace steptrace::http {
namespace {

using Tcp = asio::ip::tcp;

constexpr std::chrono::milliseconds kFullPause{20};  // until it is asked again who may go

std::string HostName() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "";
}

bool IsV6(const std::string& host) {
  return host.find(':') != std::string::npos;
}

Error BindError(const ServerOptions& options, const boost::system::error_code& failed) {
  const std::string thing = fmt::format("{}:{}", options.host, options.port);
  if (failed == asio::error::address_in_use) {
    return Error{fmt::format("{}: the port is in use", thing),
                 fmt::format("take another with --port {}, or any free one with --port 0",
                             options.port + 1)};
  }
  if (failed == asio::error::access_denied) {
    return Error{fmt::format("{}: not allowed", thing), "take a port from 1024 on with --port"};
  }
  return Error{fmt::format("{}: {}", thing, failed.message()),
               "name an address of this machine with --host"};
}

}  // namespace

struct Server::State {
  State(ServerOptions given, std::shared_ptr<Api> api, std::shared_ptr<Files> files)
      : shared(std::move(given), HostName(), std::move(api), std::move(files)),
        acceptor(shared.io),
        signals(shared.io),
        pause(shared.io) {}

  Status Listen();
  void Accept();
  void Admit(Tcp::socket socket);

  Shared shared;
  Tcp::acceptor acceptor;
  asio::signal_set signals;
  asio::steady_timer pause;
  uint16_t port = 0;
  int signal = 0;
};

Status Server::State::Listen() {
  boost::system::error_code failed;
  Tcp::resolver resolver(shared.io);
  const auto found = resolver.resolve(shared.options.host, std::to_string(shared.options.port),
                                      Tcp::resolver::passive, failed);
  if (failed) return BindError(shared.options, failed);
  const Tcp::endpoint endpoint = found.begin()->endpoint();
  acceptor.open(endpoint.protocol(), failed);
  if (!failed) acceptor.set_option(asio::socket_base::reuse_address(true), failed);
  if (!failed) acceptor.bind(endpoint, failed);
  if (!failed) acceptor.listen(asio::socket_base::max_listen_connections, failed);
  if (failed) return BindError(shared.options, failed);
  port = acceptor.local_endpoint().port();
  return {};
}

void Server::State::Accept() {
  acceptor.async_accept([this](boost::system::error_code failed, Tcp::socket socket) {
    if (failed == asio::error::operation_aborted) return;
    if (failed) {  // out of descriptors: let some connections end first
      pause.expires_after(std::chrono::milliseconds(100));
      pause.async_wait([this](boost::system::error_code stopped) {
        if (!stopped) Accept();
      });
      return;
    }
    Admit(std::move(socket));
  });
}

void Server::State::Admit(Tcp::socket socket) {
  if (MakeRoom(shared)) {
    std::make_shared<Connection>(shared, std::move(socket))->Start();
    return Accept();
  }
  // All are being answered: it waits here, and who comes after it in the kernel's queue.
  pause.expires_after(kFullPause);
  pause.async_wait([this, socket = std::move(socket)](boost::system::error_code stopped) mutable {
    if (!stopped) Admit(std::move(socket));
  });
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}

Server::~Server() {
  // What is being made by the helper would be waited for.
  if (state_->shared.api) state_->shared.api->Stop();
  for (asio::thread_pool* workers : {&state_->shared.workers, &state_->shared.heavy_workers}) {
    workers->stop();
    workers->join();
  }
}

Result<std::unique_ptr<Server>> Server::Start(ServerOptions options, std::shared_ptr<Api> api,
                                              std::shared_ptr<Files> files) {
  auto state = std::make_unique<State>(std::move(options), std::move(api), std::move(files));
  STEPTRACE_RETURN_IF_ERROR(state->Listen());
  state->Accept();
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

uint16_t Server::port() const {
  return state_->port;
}

std::string Server::address() const {
  const ServerOptions& options = state_->shared.options;
  const bool any = options.host == "0.0.0.0" || options.host == "::";
  const std::string host = any ? HostName() : options.host;
  const std::string token = options.token.empty() ? "" : "?token=" + options.token;
  return fmt::format("http://{}:{}/{}", IsV6(host) ? "[" + host + "]" : host, state_->port, token);
}

int Server::Run(bool until_signal) {
  if (until_signal) {
    state_->signals.add(SIGINT);
    state_->signals.add(SIGTERM);
    state_->signals.async_wait([this](boost::system::error_code failed, int number) {
      if (failed) return;
      state_->signal = number;
      state_->shared.io.stop();
    });
  }
  state_->shared.io.run();
  return state_->signal;
}

void Server::Stop() {
  state_->shared.io.stop();
}

}  // namespace steptrace::http

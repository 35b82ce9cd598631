// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "serve/http/api.h"
#include "serve/http/files.h"
#include "serve/http/server_options.h"

namespace steptrace::http {

// Serves the pages and the API on one address. Start binds and listens; Run serves in the calling
// thread until Stop, which any thread or a signal's handler may call. Answers under way are let go.
class Server {
 public:
  // `files` may be null: the API alone.
  static Result<std::unique_ptr<Server>> Start(ServerOptions options, std::shared_ptr<Api> api,
                                               std::shared_ptr<Files> files);
  ~Server();

  uint16_t port() const;
  // With the token, where one is asked for.
  std::string address() const;

  // Serves until Stop; with `until_signal` also until SIGINT or SIGTERM, whose number it returns.
  int Run(bool until_signal = false);
  void Stop();

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace steptrace::http

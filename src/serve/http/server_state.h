// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "serve/http/api.h"
#include "serve/http/files.h"
#include "serve/http/gate.h"
#include "serve/http/open_connection.h"
#include "serve/http/server_options.h"

// What the connections of a server share; private to http.
namespace steptrace::http {

namespace asio = boost::asio;

// Touched by the thread of the sockets alone, but for `unsent_bytes` and what locks itself.
struct Shared {
  Shared(ServerOptions given, std::string host_name, std::shared_ptr<Api> served,
         std::shared_ptr<Files> pages)
      : options(std::move(given)),
        gate(options.token, std::move(host_name)),
        api(std::move(served)),
        files(std::move(pages)),
        io(1),
        workers(options.workers),
        heavy_workers(options.heavy_workers) {}

  const ServerOptions options;
  const Gate gate;
  const std::shared_ptr<Api> api;
  const std::shared_ptr<Files> files;
  std::set<OpenConnection*> open;  // all that have a socket
  size_t open_streams = 0;
  size_t waiting = 0;              // requests with the workers
  size_t unsent_bytes = 0;         // of the senders' answers, those that many share left out
  uint64_t unsent_file_bytes = 0;  // and of those that lie in files
  std::set<OpenConnection*> senders;
  asio::io_context io;
  asio::thread_pool workers;
  asio::thread_pool heavy_workers;
};

}  // namespace steptrace::http

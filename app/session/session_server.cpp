// SPDX-License-Identifier: Apache-2.0
// The only source with Boost.Asio and Boost.Beast, whose headers take long to compile.
#include "app/session/session_server.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/session/http_target.h"
#include "app/session/session_page.h"
#include "common/error.h"
#include "common/json.h"
#include "platforms/session_channel.h"

namespace tessera::app {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using nlohmann::ordered_json;

constexpr std::size_t kMostConnections = 64;
constexpr std::uint64_t kMostBody = std::uint64_t{1} << 20;
constexpr std::uint32_t kMostHeader = 16384;

}  // namespace

class SessionServer::Impl {
 public:
  Impl(std::uint16_t port, SessionChannel& channel);
  ~Impl();

  std::uint16_t port() const { return port_; }

 private:
  class Connection;

  void accept();
  void stop();
  void ended();

  SessionChannel& channel_;
  const std::string page_ = session_page();
  std::uint16_t port_ = 0;
  std::vector<Connection*> connections_;
  bool stopping_ = false;
  bool abandoned_ = false;  ///< connections are left that do not end
  asio::io_context io_{1};  ///< its destructor ends the connections that are left
  tcp::acceptor acceptor_{io_};
  asio::steady_timer patience_{io_};  ///< of stop()
  std::thread thread_;
};

/// One client. It lives as long as one of its operations.
class SessionServer::Impl::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Impl& server, tcp::socket socket) : server_(server), socket_(std::move(socket)) {
    server_.connections_.push_back(this);
  }
  ~Connection() {
    auto& all = server_.connections_;
    all.erase(std::find(all.begin(), all.end(), this));
    server_.ended();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read() {
    parser_.emplace();
    parser_->body_limit(kMostBody);
    parser_->header_limit(kMostHeader);
    busy_ = false;
    http::async_read(
        socket_, buffer_, *parser_,
        [self = shared_from_this()](const error_code& error, std::size_t) { self->handle(error); });
  }
  /// Ends the connection, after an answer that is due.
  void stop() {
    if (!busy_) close();
  }

 private:
  void close() {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
  }
  /// Takes what the client still sends, so that the answer is not lost.
  void finish() {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    busy_ = false;
    buffer_.clear();
    socket_.async_read_some(buffer_.prepare(kMostHeader),
                            [self = shared_from_this()](const error_code& error, std::size_t) {
                              error ? self->close() : self->finish();
                            });
  }
  void handle(const error_code& error) {
    const bool broken = error && error.category() == boost::system::system_category();
    if (broken || error == http::error::end_of_stream) return close();
    busy_ = true;
    keep_ = !error && parser_->get().keep_alive();
    if (error == http::error::body_limit) return refuse(413, "a request has at most 1 MiB");
    if (error) return refuse(400, "no request of HTTP/1.1: " + error.message());
    answer();
  }
  void answer() {
    const http::request<http::string_body>& request = parser_->get();
    const auto value = [&request](http::field field) {
      const auto text = request[field];
      return std::string_view(text.data(), text.size());
    };
    if (!is_local_host(value(http::field::host))) {
      return refuse(403, "the Host header is neither localhost nor 127.0.0.1");
    }
    const auto method = request.method();
    if (method != http::verb::get && method != http::verb::post) {
      keep_ = false;  // an answer to HEAD would have no body
      return refuse(405, "expected GET or POST");
    }
    const auto text = request.target();
    const auto target = read_target(std::string_view(text.data(), text.size()));
    if (!target) return refuse(400, "the request's target cannot be read");
    if (target->path == "/" && method == http::verb::get) {
      return send(200, "text/html; charset=utf-8", server_.page_);
    }
    SessionRequest call;
    call.post = method == http::verb::post;
    call.path = target->path;
    call.query = target->query;
    if (call.post && !is_json_type(value(http::field::content_type))) {
      return refuse(415, "a POST needs the header Content-Type: application/json");
    }
    if (call.post && !request.body().empty()) {
      ordered_json body = ordered_json::parse(request.body(), nullptr, false);
      if (body.is_discarded()) return refuse(400, "the body is no JSON document");
      call.body = std::move(body);
    }
    server_.channel_.submit(std::move(call), [self = shared_from_this()](SessionAnswer answer) {
      asio::post(self->server_.io_, [self, answer = std::move(answer)] {
        self->send(answer.status, "application/json", text_of(*answer.body));
      });
    });
  }
  static std::string text_of(const ordered_json& document) {
    return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  }
  void refuse(unsigned status, const std::string& what) {
    send(status, "application/json", text_of({{"error", what}}));
  }
  void send(unsigned status, const char* type, std::string body) {
    response_ = {};
    response_.result(status);
    response_.set(http::field::content_type, type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.keep_alive(keep_ && !server_.stopping_);
    response_.body() = std::move(body);
    response_.prepare_payload();
    http::async_write(socket_, response_,
                      [self = shared_from_this()](const error_code& error, std::size_t) {
                        if (error || self->server_.stopping_) return self->close();
                        self->response_.keep_alive() ? self->read() : self->finish();
                      });
  }

  Impl& server_;
  tcp::socket socket_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  bool busy_ = false;  ///< an answer is due
  bool keep_ = false;
};

SessionServer::Impl::Impl(std::uint16_t port, SessionChannel& channel) : channel_(channel) {
  try {
    const tcp::endpoint here(asio::ip::address_v4::loopback(), port);
    acceptor_.open(here.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind(here);
    acceptor_.listen();
    port_ = acceptor_.local_endpoint().port();
  } catch (const boost::system::system_error& e) {
    throw InputError("--session: port " + std::to_string(port) +
                     " of 127.0.0.1 cannot be used: " + e.code().message());
  }
  accept();
  thread_ = std::thread([this] { io_.run(); });
}

SessionServer::Impl::~Impl() {
  channel_.close();
  asio::post(io_, [this] { stop(); });
  thread_.join();
}

void SessionServer::Impl::accept() {
  acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
    if (stopping_) return;
    if (!error && connections_.size() < kMostConnections) {
      std::make_shared<Connection>(*this, std::move(socket))->read();
    }
    accept();
  });
}

void SessionServer::Impl::stop() {
  constexpr std::chrono::seconds kPatience{2};  // for clients that do not take their answers
  stopping_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  patience_.expires_after(kPatience);
  patience_.async_wait([this](const error_code& error) {
    if (error) return;
    abandoned_ = true;
    io_.stop();
  });
  for (Connection* const c : std::vector<Connection*>(connections_)) c->stop();
  ended();
}

/// The server's thread ends with its last connection.
void SessionServer::Impl::ended() {
  if (stopping_ && !abandoned_ && connections_.empty()) patience_.cancel();
}

SessionServer::SessionServer(std::uint16_t port, SessionChannel& channel)
    : impl_(std::make_unique<Impl>(port, channel)) {}

SessionServer::~SessionServer() = default;

SessionServer::SessionServer(SessionServer&& other) noexcept = default;

std::uint16_t SessionServer::port() const { return impl_->port(); }

}  // namespace tessera::app

// SPDX-License-Identifier: Apache-2.0
#include "platforms/session_channel.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/json.h"

namespace tessera::session_channel_test {

namespace {

SessionRequest request(const std::string& path) {
  SessionRequest r;
  r.path = path;
  return r;
}

}  // namespace

TEST_CASE("requests come out in their order, and each gets its answer") {
  SessionChannel channel;
  std::vector<unsigned> statuses;
  unsigned rung = 0;
  channel.on_submit([&] { ++rung; });
  CHECK_FALSE(channel.pending());
  for (const char* path : {"/a", "/b"}) {
    channel.submit(request(path), [&](const SessionAnswer& a) { statuses.push_back(a.status); });
  }
  CHECK(rung == 2);
  CHECK(channel.pending());
  unsigned status = 200;
  for (const char* path : {"/a", "/b"}) {
    auto call = channel.take();
    REQUIRE(call);
    CHECK(call->request.path == path);
    SessionAnswer answer;
    answer.status = status++;
    call->done(std::move(answer));
  }
  CHECK_FALSE(channel.take());
  CHECK(statuses == std::vector<unsigned>{200, 201});
}

TEST_CASE("a closed channel answers requests that wait, and later ones") {
  SessionChannel channel;
  std::vector<unsigned> statuses;
  const auto note = [&](const SessionAnswer& a) {
    statuses.push_back(a.status);
    CHECK(a.body->contains("error"));
  };
  channel.submit(request("/a"), note);
  CHECK(statuses.empty());
  channel.close();
  channel.submit(request("/b"), note);
  CHECK(statuses == std::vector<unsigned>{503, 503});
  CHECK_FALSE(channel.pending());
}

TEST_CASE("a request of another thread ends the wait for it") {
  SessionChannel channel;
  const auto begin = std::chrono::steady_clock::now();
  std::thread client([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    channel.submit(request("/a"), [](const SessionAnswer&) {});
  });
  channel.wait(std::chrono::minutes(1));
  CHECK(channel.pending());
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
  client.join();
  // Without a request it ends at its time.
  channel.take();
  channel.wait(std::chrono::milliseconds(1));
  CHECK_FALSE(channel.pending());
}

}  // namespace tessera::session_channel_test

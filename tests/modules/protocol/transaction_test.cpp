// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "modules/protocol/memory_request.h"
#include "modules/protocol/transaction_pool.h"
#include "tests/support/expect_report.h"

namespace tessera::transaction_test {

using tessera::test::check_asserts;

namespace {

// A new field of MemoryRequest belongs into fill() and differences() too.
static_assert(sizeof(void*) != 8 || sizeof(MemoryRequest) == 120,
              "MemoryRequest has changed: teach this test its new field");

void fill(MemoryRequest& r, AtomicOperands* atomics) {
  r.kind = RequestKind::kAtomic;
  r.read_only = true;
  r.uniform = true;
  r.reports_refusal = true;
  r.bypass_l1 = true;
  r.fine_grained = true;
  r.carries_data = true;
  r.requester = SmId(77);
  r.warp = 41;
  r.forwarding = Forwarding::kReturned;
  r.pc = 0x1230;
  r.useful_bytes = 60;
  r.word_mask = 0xF00F;
  r.tag = 0xBEEF;
  r.set_home(Home(SliceId(5), 10), 0x4000);
  for (std::size_t i = 0; i < r.stamps.size(); ++i) r.stamps[i] = 100 + i;
  r.atomics = atomics;
  r.push_route(11);
  r.push_route(12);
}

/// Names of the fields in which two requests differ.
std::set<std::string> differences(MemoryRequest a, MemoryRequest b) {
  std::set<std::string> out;
  if (a.kind != b.kind) out.insert("kind");
  if (a.read_only != b.read_only) out.insert("read_only");
  if (a.uniform != b.uniform) out.insert("uniform");
  if (a.reports_refusal != b.reports_refusal) out.insert("reports_refusal");
  if (a.bypass_l1 != b.bypass_l1) out.insert("bypass_l1");
  if (a.fine_grained != b.fine_grained) out.insert("fine_grained");
  if (a.carries_data != b.carries_data) out.insert("carries_data");
  if (a.requester != b.requester) out.insert("requester");
  if (a.warp != b.warp) out.insert("warp");
  if (a.forwarding != b.forwarding) out.insert("forwarding");
  if (a.pc != b.pc) out.insert("pc");
  if (a.useful_bytes != b.useful_bytes) out.insert("useful_bytes");
  if (a.word_mask != b.word_mask) out.insert("pieces");
  if (a.tag != b.tag) out.insert("tag");
  if (a.home().slice != b.home().slice) out.insert("home.slice");
  if (a.home().slice_line != b.home().slice_line) out.insert("home.slice_line");
  if (a.home_known(0x4000) != b.home_known(0x4000)) out.insert("home_address");
  for (std::size_t i = 0; i < a.stamps.size(); ++i) {
    if (a.stamps[i] != b.stamps[i]) out.insert("stamps" + std::to_string(i));
  }
  if (a.atomics != b.atomics) out.insert("atomics");
  if (a.route_depth() != b.route_depth()) {
    out.insert("route");
  } else {
    while (a.route_depth() > 0) {
      if (a.pop_route() != b.pop_route()) out.insert("route");
    }
  }
  return out;
}

const std::set<std::string> kEveryField = {
    "fine_grained", "pieces",          "kind",      "read_only",
    "bypass_l1",    "carries_data",    "requester", "warp",
    "pc",           "useful_bytes",    "tag",       "home.slice",
    "home_address", "home.slice_line", "stamps0",   "stamps1",
    "stamps2",      "stamps3",         "stamps4",   "atomics",
    "route",        "forwarding",      "uniform",   "reports_refusal"};

struct Foreign : tlm::tlm_extension<Foreign> {
  tlm::tlm_extension_base* clone() const override { return new Foreign; }
  void copy_from(const tlm::tlm_extension_base&) override {}
};

}  // namespace

TEST_CASE("a request is copied and cloned field by field") {
  AtomicOperands atomics;
  MemoryRequest original;
  fill(original, &atomics);
  REQUIRE(differences(original, MemoryRequest()) == kEveryField);

  tlm::tlm_extension_base* clone = original.clone();
  CHECK(differences(original, static_cast<MemoryRequest&>(*clone)).empty());
  clone->free();

  MemoryRequest copy;
  copy.copy_from(original);
  CHECK(differences(original, copy).empty());
}

TEST_CASE("a deep copy of a pooled payload brings the request along") {
  AtomicOperands atomics;
  TransactionPool pool;
  Transaction& from = pool.acquire();
  Transaction& to = pool.acquire();
  fill(from.request(), &atomics);
  from.set_line(tlm::TLM_WRITE_COMMAND, 0x80, 128);
  to.set_line(tlm::TLM_READ_COMMAND, 0, 128);
  to.deep_copy_from(from);
  CHECK(to.get_address() == 0x80);
  CHECK(differences(from.request(), to.request()).empty());
  CHECK(&request_of(to) == &to.request());
  from.release();
  to.release();
  CHECK(pool.live() == 0);
}

TEST_CASE("a route is popped in the opposite order, whatever the ports' numbers") {
  const std::vector<std::uint32_t> ports = {0, 127, 128, 255, 256, 1023, 5, 32767, 65, 2, 16384, 1};
  MemoryRequest r;
  for (const std::uint32_t port : ports) r.push_route(port);
  CHECK(r.route_depth() == MemoryRequest::kRouteBytes);
  for (auto port = ports.rbegin(); port != ports.rend(); ++port) CHECK(r.pop_route() == *port);
  CHECK(r.route_depth() == 0);
  check_asserts([&] { r.pop_route(); });
}

TEST_CASE("ten ports fit into a route, eight of them of two bytes") {
  MemoryRequest r;
  for (std::uint32_t i = 0; i < 10; ++i) r.push_route(i < 8 ? 1000 + i : i);
  for (std::uint32_t i = 10; i-- > 0;) CHECK(r.pop_route() == (i < 8 ? 1000 + i : i));
}

TEST_CASE("a route that is too long is an error") {
  MemoryRequest r;
  for (unsigned i = 0; i < MemoryRequest::kRouteBytes; ++i) r.push_route(i);
  CHECK_THROWS_WITH(r.push_route(1), Catch::Contains("/tessera/core/route"));
  r.pop_route();
  CHECK_THROWS_WITH(r.push_route(128), Catch::Contains("/tessera/core/route"));
  r.push_route(127);
  CHECK(r.pop_route() == 127);
}

TEST_CASE("a port beyond the largest is an error") {
  MemoryRequest r;
  r.push_route(MemoryRequest::kMaxPort);
  CHECK_THROWS_WITH(r.push_route(MemoryRequest::kMaxPort + 1),
                    Catch::Contains("/tessera/core/route"));
  CHECK(r.pop_route() == MemoryRequest::kMaxPort);
}

TEST_CASE("what most hops look at lies in one host cache line") {
  TransactionPool pool;
  Transaction& t = pool.acquire();
  const auto line = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) / 64; };
  const MemoryRequest& r = t.request();
  CHECK(sizeof(Transaction) == 256);
  CHECK(line(&r.kind) == line(&r.requester));
  CHECK(line(&r.kind) == line(reinterpret_cast<const char*>(&r.word_mask) + 3));
  CHECK(line(&r.stamps) == line(reinterpret_cast<const char*>(&r.atomics) + 7));
  t.release();
}

TEST_CASE("a requester is a kind and an index, an SM by default") {
  static_assert(sizeof(RequesterId) == 4);
  CHECK(RequesterId() == RequesterId(SmId(0)));
  CHECK(RequesterId(SmId(77)).sm() == SmId(77));
  const RequesterId bridge(RequesterKind::kBridge, RequesterId::kMaxIndex);
  CHECK(bridge.kind() == RequesterKind::kBridge);
  CHECK(bridge.index() == RequesterId::kMaxIndex);
  CHECK_FALSE(bridge.is_sm());
  CHECK(bridge != RequesterId(SmId(RequesterId::kMaxIndex)));
}

TEST_CASE("a payload without a request is refused") {
  tlm::tlm_generic_payload foreign;
  CHECK_THROWS_WITH(request_of(foreign), Catch::Contains("/tessera/core/missing_extension"));
}

TEST_CASE("nothing of its last use stays in a transaction") {
  TransactionPool pool;
  AtomicOperands atomics;
  unsigned char other[128] = {};
  Transaction& used = pool.acquire();
  fill(used.request(), &atomics);
  used.set_command(tlm::TLM_WRITE_COMMAND);
  used.set_address(0xDEAD00);
  used.set_data_ptr(other);
  used.set_data_length(96);
  used.set_byte_mask(ByteMask::range(4, 4));
  used.set_streaming_width(32);
  used.set_dmi_allowed(true);
  used.set_gp_option(tlm::TLM_FULL_PAYLOAD_ACCEPTED);
  used.set_response_status(tlm::TLM_OK_RESPONSE);
  used.set_auto_extension(new Foreign);
  used.release();

  Transaction& next = pool.acquire();
  REQUIRE(&next == &used);
  CHECK(differences(next.request(), MemoryRequest()).empty());
  CHECK(next.get_command() == tlm::TLM_IGNORE_COMMAND);
  CHECK(next.get_address() == 0);
  CHECK(next.get_data_ptr() == next.data());
  CHECK(next.get_data_length() == 0);
  CHECK(next.get_byte_enable_ptr() == nullptr);
  CHECK(next.get_byte_enable_length() == 0);
  CHECK(next.get_streaming_width() == 0);
  CHECK_FALSE(next.is_dmi_allowed());
  CHECK(next.get_gp_option() == tlm::TLM_MIN_PAYLOAD);
  CHECK(next.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE);
  CHECK(next.get_extension<Foreign>() == nullptr);
  CHECK(next.get_extension<MemoryRequest>() == &next.request());
  CHECK(next.get_ref_count() == 1);
  next.release();
}

TEST_CASE("the pool counts what is out, grows when it must, and reuses") {
  TransactionPool pool;
  CHECK(pool.capacity() == 0);
  std::vector<Transaction*> out;
  std::set<Transaction*> distinct;
  for (int i = 0; i < 100; ++i) {
    out.push_back(&pool.acquire());
    distinct.insert(out.back());
    CHECK(pool.live() == static_cast<std::size_t>(i) + 1);
  }
  CHECK(distinct.size() == 100);
  out[3]->acquire();
  for (Transaction* t : out) t->release();
  CHECK(pool.live() == 1);
  out[3]->release();
  CHECK(pool.live() == 0);
  const std::size_t capacity = pool.capacity();
  CHECK(capacity >= 100);
  for (int round = 0; round < 10; ++round) {
    for (Transaction*& t : out) t = &pool.acquire();
    for (Transaction* t : out) t->release();
  }
  CHECK(pool.capacity() == capacity);
}

TEST_CASE("atomic operands are reset when they are given out again") {
  TransactionPool pool;
  AtomicOperands* a = pool.acquire_atomics();
  a->op = AtomicOp::kExchange;
  a->type = AtomicType::kF32;
  a->count = 3;
  a->lanes[2] = {1, 2, 3, 4, 5};
  pool.release_atomics(a);
  AtomicOperands* b = pool.acquire_atomics();
  REQUIRE(b == a);
  CHECK(b->op == AtomicOp::kAdd);
  CHECK(b->type == AtomicType::kU32);
  CHECK(b->count == 0);
  CHECK(b->lanes[2].offset == 0);
  CHECK(b->lanes[2].lane == 0);
  CHECK(b->lanes[2].operand == 0);
  CHECK(b->lanes[2].compare == 0);
  CHECK(b->lanes[2].old == 0);
  CHECK(pool.acquire_atomics() != b);
}

TEST_CASE("a line's byte mask becomes byte enables, a full one none") {
  TransactionPool pool;
  Transaction& t = pool.acquire();
  t.set_line(tlm::TLM_READ_COMMAND, 0x100, 64);
  CHECK(t.get_streaming_width() == 64);
  t.set_byte_mask(ByteMask::range(8, 3));
  CHECK(t.get_byte_enable_length() == 64);
  CHECK(byte_mask_of(t) == ByteMask::range(8, 3));
  t.set_byte_mask(ByteMask::first(128));
  CHECK(t.get_byte_enable_ptr() == nullptr);
  CHECK(byte_mask_of(t) == ByteMask::first(64));
  t.release();
}

}  // namespace tessera::transaction_test

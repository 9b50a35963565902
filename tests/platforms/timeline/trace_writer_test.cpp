// SPDX-License-Identifier: Apache-2.0
// Packets of a time line, byte by byte.
#include "platforms/timeline/trace_writer.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "common/error.h"
#include "tests/support/temporary_file.h"

namespace tessera::trace_writer_test {

namespace {

using Bytes = std::vector<int>;

Bytes read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Bytes bytes;
  for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
  return bytes;
}

/// A message within a field: tag, length, bytes.
Bytes field(int number, const Bytes& content) {
  Bytes all;
  int tag = number << 3 | 2;
  for (; tag >= 0x80; tag >>= 7) all.push_back((tag & 0x7f) | 0x80);
  all.push_back(tag);
  all.push_back(static_cast<int>(content.size()));
  all.insert(all.end(), content.begin(), content.end());
  return all;
}

Bytes text(int number, const std::string& s) { return field(number, Bytes(s.begin(), s.end())); }

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

constexpr int kPacket = 1;
const Bytes kSequence = {10 << 3, 1};
const Bytes kCleared = {13 << 3, 1};
const Bytes kNeedsState = {13 << 3, 2};

}  // namespace

TEST_CASE("A time line's packets have the fields of Perfetto's protos") {
  const test::TemporaryFile temporary("");
  const std::string file = temporary.path();
  TraceWriter writer(file);
  writer.track({1, 0, "system", 0, ""});
  writer.track({2, 1, "noc", 3, "GB/s"});
  writer.begin(1, 5, "load", 7, {EventValue::of("row", 300)});
  writer.end(1, 9, {EventValue::address("at", 4), EventValue::number("x", 0.5)});
  writer.instant(1, 9, "flush", {});
  writer.counter(2, 200, -2);
  REQUIRE_FALSE(writer.finish());

  const Bytes half = {0, 0, 0, 0, 0, 0, 0xe0, 0x3f};
  const Bytes minus_two = {0, 0, 0, 0, 0, 0, 0, 0xc0};
  // TrackDescriptor: uuid 1, name 2, parent_uuid 5, counter 8 (unit_name 6), child_ordering 11,
  // sibling_order_rank 12.
  const Bytes system =
      field(60, Bytes{1 << 3, 1} + text(2, "system") + Bytes{11 << 3, 3, 12 << 3, 0});
  const Bytes noc = field(60, Bytes{1 << 3, 2} + text(2, "noc") + Bytes{5 << 3, 1} +
                                  field(8, text(6, "GB/s")) + Bytes{12 << 3, 3});
  // TrackEvent: debug_annotations 4 (name_iid 1, uint_value 3, double_value 5, pointer_value 7),
  // type 9, name_iid 10, track_uuid 11, double_counter_value 44, flow_ids 47.
  const Bytes load =
      field(11, Bytes{9 << 3, 1, 11 << 3, 1, 10 << 3, 1} + Bytes{0xf9, 2, 7, 0, 0, 0, 0, 0, 0, 0} +
                    field(4, {1 << 3, 1, 3 << 3, 0xac, 2}));
  const Bytes end = field(11, Bytes{9 << 3, 2, 11 << 3, 1} + field(4, {1 << 3, 2, 7 << 3, 4}) +
                                  field(4, Bytes{1 << 3, 3, 5 << 3 | 1} + half));
  const Bytes flush = field(11, {9 << 3, 3, 11 << 3, 1, 10 << 3, 2});
  const Bytes counter = field(11, Bytes{9 << 3, 4, 11 << 3, 2, 0xe1, 2} + minus_two);
  // InternedData: event_names 2, debug_annotation_names 3 (iid 1, name 2).
  const auto names = [](const Bytes& content) { return field(12, content); };
  const auto name = [](int index, int iid, const std::string& s) {
    return field(index, Bytes{1 << 3, iid} + text(2, s));
  };
  const auto at = [](const Bytes& ns) { return Bytes{8 << 3} + ns; };

  const Bytes expected =
      field(kPacket, kSequence + kCleared + system) + field(kPacket, kSequence + noc) +
      field(kPacket, at({5}) + kSequence + kNeedsState +
                         names(name(2, 1, "load") + name(3, 1, "row")) + load) +
      field(kPacket,
            at({9}) + kSequence + kNeedsState + names(name(3, 2, "at") + name(3, 3, "x")) + end) +
      field(kPacket, at({9}) + kSequence + kNeedsState + names(name(2, 2, "flush")) + flush) +
      field(kPacket, at({0xc8, 1}) + kSequence + kNeedsState + counter);
  CHECK(read(file) == expected);
}

TEST_CASE("A time line on a full disk reports that it is not complete") {
  TraceWriter writer("/dev/full");
  writer.track({1, 0, "system", 0, ""});
  const auto why = writer.finish();
  REQUIRE(why);
  CHECK(*why == "the time line /dev/full is not complete: No space left on device");
}

TEST_CASE("A time line that cannot be created is refused") {
  CHECK_THROWS_WITH(TraceWriter("/no/such/folder/t.pftrace"),
                    "/no/such/folder/t.pftrace: cannot be written: No such file or directory");
}

}  // namespace tessera::trace_writer_test

// SPDX-License-Identifier: Apache-2.0
#include "policies/mdr_model.h"

#include <catch2/catch.hpp>

namespace tessera::mdr_model_test {

namespace {

/// Quarters and eighths keep the hand calculations exact.
constexpr MdrBandwidths kRaw{1024, 128, 256};

MdrBandwidths with_noc(double noc) { return {kRaw.llc, kRaw.memory, noc}; }

}  // namespace

TEST_CASE("no replication: memory limits misses, the network limits remote requests") {
  // Misses min(512, 128) = 128; local 512 + 128 = 640; remote min(256, 640) = 256.
  CHECK(bandwidth_without_replication(kRaw, 0.25, 0.5) == 0.25 * 640 + 0.75 * 256);
  CHECK(bandwidth_without_replication(kRaw, 1, 0.5) == 640);
  CHECK(bandwidth_without_replication(kRaw, 0, 0.5) == 256);
}

TEST_CASE("no replication: each min() the other way") {
  // Misses min(64, 128) = 64; local 960 + 64 = 1024; remote 256.
  CHECK(bandwidth_without_replication(kRaw, 0.5, 0.9375) == 0.5 * 1024 + 0.5 * 256);
  // A network of 768 no longer limits 640.
  CHECK(bandwidth_without_replication(with_noc(768), 0.25, 0.5) == 640);
  // No hit at all: memory's bandwidth, below the network's.
  CHECK(bandwidth_without_replication(kRaw, 0.25, 0) == 128);
  // All hits: the LLC's, remote ones as the network lets them.
  CHECK(bandwidth_without_replication(kRaw, 0.75, 1) == 0.75 * 1024 + 0.25 * 256);
}

TEST_CASE("full replication: local and remote memory limit the misses") {
  // Remote memory min(256, 128) = 128; misses min(512, 128) = 128.
  CHECK(bandwidth_with_full_replication(kRaw, 0.25, 0.5) == 512 + 128);
  // Network 64: remote memory 64; both memories 0.25 * 128 + 0.75 * 64 = 80.
  CHECK(bandwidth_with_full_replication(with_noc(64), 0.25, 0.5) == 512 + 80);
  CHECK(bandwidth_with_full_replication(with_noc(64), 1, 0.5) == 512 + 128);
  CHECK(bandwidth_with_full_replication(with_noc(64), 0, 0.5) == 512 + 64);
}

TEST_CASE("full replication: few misses are limited by the LLC") {
  // Misses min(64, 80) = 64.
  CHECK(bandwidth_with_full_replication(with_noc(64), 0.25, 0.9375) == 1024);
  CHECK(bandwidth_with_full_replication(kRaw, 0, 1) == 1024);
  CHECK(bandwidth_with_full_replication(kRaw, 0.5, 0) == 128);
}

TEST_CASE("without remote requests both models are the same number") {
  for (const double hit : {0.0, 0.1, 1.0 / 3, 0.7, 0.97, 1.0}) {
    CHECK(bandwidth_without_replication(kRaw, 1, hit) ==
          bandwidth_with_full_replication(kRaw, 1, hit));
  }
}

TEST_CASE("NUBA's Table 1: replication pays until it costs half of the hits") {
  // 64 slices of 32 B a cycle, 720 GB/s, 1.4336 TB/s; all requests remote, 90 % hits.
  const MdrBandwidths table1{64 * 32 * 1.4e9, 720e9, 64 * 16 * 1.4e9};
  const double home = bandwidth_without_replication(table1, 0, 0.9);
  CHECK(home == Approx(1.4336e12));
  // Replicated at hit rate h: h * 2.8672e12 + 720e9; equal at h = 0.24888.
  CHECK(bandwidth_with_full_replication(table1, 0, 0.250) > home);
  CHECK(bandwidth_with_full_replication(table1, 0, 0.248) < home);
}

}  // namespace tessera::mdr_model_test

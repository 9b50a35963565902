// SPDX-License-Identifier: Apache-2.0
// What the rules do not carry over of an option, and what they change.
#include <algorithm>

#include "app/import/cache_ways.h"
#include "app/import/dram_columns.h"
#include "app/import/option_names.h"
#include "app/import/rules.h"
#include "common/bits.h"

namespace tessera::import {

namespace {

using Values = OptionValues;

/// A letter of a cache's configuration. `why`: empty for what Tessera's cache does.
struct Letter {
  char letter;
  const char* why;
};

struct LetterField {
  const char* name;
  char CacheFields::*field;
  std::vector<Letter> letters;
};

constexpr char kLines[] = "whole lines are fetched and filled";
constexpr char kReplacement[] = "there is no FIFO; least recently used lines are evicted";
constexpr char kIndex[] = "a line's number modulo the sets is its set";
constexpr char kEntries[] = "an MSHR entry is of a line, and found by its address";
constexpr char kThrough[] = "the L1 is written through";
constexpr char kNoAllocation[] = "a store to the L1 allocates no line";
constexpr char kBack[] = "LLC slices are written back";
constexpr char kLazy[] =
    "a store to the LLC allocates a line, whose other bytes are fetched when read";
constexpr char kAtMiss[] = "a slice takes a way when a line is requested";

const std::vector<LetterField>& l1_letters() {
  static const std::vector<LetterField> all = {
      {"type", &CacheFields::type, {{'N', ""}, {'S', kLines}}},
      {"replacement", &CacheFields::replacement, {{'L', ""}, {'F', kReplacement}}},
      {"write policy",
       &CacheFields::write,
       {{'T', ""}, {'L', kThrough}, {'B', kThrough}, {'E', kThrough}, {'R', kThrough}}},
      {"allocation",
       &CacheFields::allocation,
       {{'m', ""},
        {'f', ""},
        {'s', "streaming: ways are taken when lines come, as of allocation f"}}},
      {"write allocation",
       &CacheFields::write_allocation,
       {{'N', ""}, {'W', kNoAllocation}, {'F', kNoAllocation}, {'L', kNoAllocation}}},
      {"set index",
       &CacheFields::index,
       {{'L', ""}, {'H', kIndex}, {'P', kIndex}, {'C', kIndex}, {'X', kIndex}}},
      {"MSHR type",
       &CacheFields::mshr_type,
       {{'A', ""}, {'S', kEntries}, {'F', kEntries}, {'T', kEntries}}}};
  return all;
}

const std::vector<LetterField>& l2_letters() {
  static const std::vector<LetterField> all = [] {
    std::vector<LetterField> fields = l1_letters();
    fields[2].letters = {{'B', ""}, {'T', kBack}, {'L', kBack}, {'E', kBack}, {'R', kBack}};
    fields[3].letters = {{'m', ""}, {'f', kAtMiss}, {'s', kAtMiss}};
    fields[4].letters = {{'L', ""}, {'N', kLazy}, {'W', kLazy}, {'F', kLazy}};
    return fields;
  }();
  return all;
}

void add_cache(const Values& v, const char* option, const std::vector<LetterField>& fields,
               Remarks& remarks) {
  if (v.text(option) == "none") return;
  const CacheFields c = v.cache(option);
  for (const LetterField& f : fields) {
    const char letter = c.*f.field;
    const auto found = std::find_if(f.letters.begin(), f.letters.end(),
                                    [letter](const Letter& l) { return l.letter == letter; });
    if (found == f.letters.end()) {
      std::string known;
      for (const Letter& l : f.letters) known += std::string(known.empty() ? "" : ", ") + l.letter;
      v.fail(option, std::string(f.name) + " '" + letter + "' is none of " + known);
    }
    if (*found->why != '\0')
      remarks.parts.push_back({std::string(f.name) + " " + letter, found->why});
  }
  if (!c.rest.empty() && c.rest != "0") {
    remarks.parts.push_back(
        {"result queue and port width " + c.rest, "a hit occupies the cache for one cycle"});
  }
  const Geometry g = geometry_of(c);
  if (g.ways != c.ways) {
    remarks.adjustments.push_back(
        std::to_string(c.sets) + " sets of " + std::to_string(c.ways) + " ways become " +
        std::to_string(g.sets) + " sets of " + std::to_string(g.ways) +
        " ways, of the same capacity: a set has at most " + std::to_string(kMostWays) + " ways");
  }
}

constexpr char kOfAdd[] = "the operations of a unit have one latency and interval, those of ADD";
constexpr char kOfMul[] =
    "integer multiplies and multiply-adds have those of MUL, other integer operations those of f32 "
    "ADD (-ptx_opcode_latency_fp, -ptx_opcode_initiation_fp)";

/// Of the lists ADD,MAX,MUL,MAD,DIV.
void add_floats(const Values&, Remarks& remarks) {
  remarks.parts.push_back({"MAX, MUL, MAD, DIV", kOfAdd});
}

void add_integers(const Values&, Remarks& remarks) {
  remarks.parts.push_back({"ADD, MAX, MAD, DIV, SHFL", kOfMul});
}

void add_clusters(const Values& v, Remarks& remarks) {
  const std::uint64_t sms = product(v.whole(kClusters), v.whole(kCoresPerCluster));
  const std::uint64_t slices = product(v.whole(kChannels), v.whole(kSubPartitions));
  if (std::max(sms, slices) <= 64) return;
  remarks.adjustments.push_back("the crossbar of " + std::to_string(sms) + " x " +
                                std::to_string(slices) +
                                " ports has two stages: a switch has at most 64 ports");
}

void add_cores(const Values& v, Remarks& remarks) {
  if (v.whole(kCoresPerCluster) < 2) return;
  remarks.parts.push_back(
      {"one port of the network for the SMs of a cluster", "each SM has a port"});
}

void add_queues(const Values& v, Remarks& remarks) {
  remarks.parts.push_back({"queue d2$ " + v.parts(kPartitionQueues, ':', 4)[2],
                           "a response waits in its entry of the channel's queue"});
}

void add_timing(const Values& v, Remarks& remarks) {
  remarks.parts.push_back(
      {"RCD of writes", "a write waits for RCD as a read does, not for RCD - WL - 1"});
  const ColumnTiming t = columns_of(v);
  if (t.merged == 1) return;
  remarks.adjustments.push_back("one column command stands for the " + std::to_string(t.merged) +
                                " of a line: lines of a bank group are " +
                                std::to_string(t.merged) + " x CCDL apart, others " +
                                std::to_string(t.merged) + " x CCD");
}

void add_queue(const Values& v, Remarks& remarks) {
  if (v.whole(kDramQueue) == 0) remarks.adjustments.emplace_back("unlimited becomes 4096 entries");
}

void add_turnaround(const Values& v, Remarks& remarks) {
  if (!v.flag(kNoTurnaround)) return;
  remarks.adjustments.emplace_back(
      "the delays between reads and writes are 0 after the last data, not after the command");
}

void add_indexing(const Values& v, Remarks& remarks) {
  if (v.whole(kPartitionIndexing) == 0) return;
  if (at_most_one_bit(v.whole(kChannels))) {
    remarks.adjustments.emplace_back("the hash becomes the random matrix of address map pae");
  } else {
    remarks.parts.push_back(
        {"hash", "channels are hashed if their number is a power of two; these take turns"});
  }
}

void add_mapping(const Values& v, Remarks& remarks) {
  remarks.parts.push_back(
      {"order of row, bank and column bits", "the address map has an order of its own"});
  const AddressBits bits = address_bits(v);
  if (bits.chip_bit != 8 && v.whole(kPartitionIndexing) != 0 &&
      at_most_one_bit(v.whole(kChannels))) {
    remarks.parts.push_back({"channel from bit " + std::to_string(bits.chip_bit),
                             "address map pae keeps 256 bytes together"});
  }
  if (bits.bank_bits < 64 && std::uint64_t{1} << bits.bank_bits != v.timing("nbk")) {
    remarks.parts.push_back({std::to_string(bits.bank_bits) + " bank bits",
                             "the banks are those of -gpgpu_dram_timing_opt"});
  }
}

void add_kernels(const Values& v, Remarks& remarks) {
  if (v.whole(kKernels) <= 32) return;
  remarks.adjustments.emplace_back("at most 32 kernels run at the same time");
}

}  // namespace

const std::vector<RemarkRule>& remark_rules() {
  static const std::vector<RemarkRule> all = {
      {kL1, [](const Values& v, Remarks& r) { add_cache(v, kL1, l1_letters(), r); }},
      {kL2, [](const Values& v, Remarks& r) { add_cache(v, kL2, l2_letters(), r); }},
      {kFpLatency, add_floats},
      {kDpLatency, add_floats},
      {kIntLatency, add_integers},
      {kFpInitiation, add_floats},
      {kDpInitiation, add_floats},
      {kIntInitiation, add_integers},
      {kClusters, add_clusters},
      {kCoresPerCluster, add_cores},
      {kPartitionQueues, add_queues},
      {kTiming, add_timing},
      {kDramQueue, add_queue},
      {kNoTurnaround, add_turnaround},
      {kPartitionIndexing, add_indexing},
      {kAddressMapping, add_mapping},
      {kKernels, add_kernels},
  };
  return all;
}

}  // namespace tessera::import

// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_wordcount {
namespace {

/// The records of a chunk follow those of the previous chunks.
void host(HostSession& session) {
  session.launch("wordcount_count");
  std::vector<std::int32_t> first = session.read<std::int32_t>("counts");
  std::int32_t records = 0;
  for (std::int32_t& f : first) {
    const std::int32_t count = f;
    f = records;
    records += count;
  }
  session.write("first_record", first);
  session.launch("wordcount_emit");
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto text = in.values<std::uint8_t>("text");
  const auto chunk = static_cast<std::size_t>(in.size("chunk"));
  std::vector<std::int64_t> counts(text.size() / chunk);
  std::vector<std::int64_t> hashes(text.size() / 4);
  std::vector<std::int64_t> positions(text.size() / 4);
  const auto is_letter = [&](std::size_t at) { return text[at] >= 'a'; };
  std::size_t record = 0;
  for (std::size_t at = 0; at < text.size(); ++record) {
    while (at < text.size() && !is_letter(at)) ++at;
    if (at == text.size()) break;
    ++counts[at / chunk];
    positions.at(record) = static_cast<std::int64_t>(at);
    std::uint32_t hash = 0;
    for (; at < text.size() && is_letter(at); ++at) hash = hash * 31 + text[at];
    hashes[record] = hash;
  }
  const auto exactly = [](std::vector<std::int64_t> v) {
    return [v = std::move(v)](std::uint64_t i) { return Element64::exactly(v[i]); };
  };
  return {{"counts", exactly(std::move(counts))},
          {"hashes", exactly(std::move(hashes))},
          {"positions", exactly(std::move(positions))}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_wordcount

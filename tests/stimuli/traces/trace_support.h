// SPDX-License-Identifier: Apache-2.0
#pragma once

// Traces in a folder of the test's own. The compressors are the libraries', not the readers'.

#include <unistd.h>
#include <zstd.h>

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "common/error.h"
#include "stimuli/traces/kernel_files.h"
#include "stimuli/traces/trace_instruction.h"

namespace tessera::traces::test {

class TraceFolder {
 public:
  TraceFolder()
      : path_(std::filesystem::temp_directory_path() /
              ("tessera-traces-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~TraceFolder() { std::filesystem::remove_all(path_); }
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string put(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

/// A header with these lines in place of the usual ones of the same key.
inline std::string header(unsigned version, const std::string& grid = "(1,1,1)",
                          const std::string& block = "(32,1,1)", bool lines = false) {
  return "-kernel name = toy\n-kernel id = 1\n-grid dim = " + grid + "\n-block dim = " + block +
         "\n-shmem = 0\n-nregs = 8\n-binary version = 70\n-cuda stream id = 0\n"
         "-shmem base_addr = 0x00007e0000000000\n-local mem base_addr = 0x00007e1000000000\n"
         "-nvbit version = 1.7.1\n-accelsim tracer version = " +
         std::to_string(version) + "\n-enable lineinfo = " + (lines ? "1" : "0") +
         "\n\n#traces format = (comment)\n\n";
}

inline std::string warp(unsigned number, const std::vector<std::string>& records) {
  std::string out =
      "warp = " + std::to_string(number) + "\ninsts = " + std::to_string(records.size()) + "\n";
  for (const std::string& r : records) out += r + "\n";
  return out;
}

inline std::string block(const std::string& at, const std::string& warps) {
  return "#BEGIN_TB\n\nthread block = " + at + "\n\n" + warps + "\n#END_TB\n\n";
}

/// Records as those of versions 1 and 2, which begin with the CTA and the warp.
inline std::vector<std::string> with_place(std::vector<std::string> records,
                                           const std::string& place = "0 0 0 0") {
  for (std::string& r : records) r = place + " " + r;
  return records;
}

/// A kernel of one warp.
inline std::string one_warp(const std::vector<std::string>& records, unsigned version = 5) {
  return header(version) + block("0,0,0", warp(0, records));
}

/// The records of the format's description.
inline const std::vector<std::string>& toy_records() {
  static const std::vector<std::string> records = {
      "0000 ffffffff 1 R2 LDG.E.SYS 1 R4 4 1 0x10000000 4 0",
      "0010 00000007 1 R3 LDG.E.64.SYS 1 R6 8 2 0x10001000 256 -128 0",
      "0020 00000003 0 STG.E.SYS 2 R4 R2 4 0 0x10002000 0x10002100 0",
      "0030 ffffffff 0 EXIT 0 0 0"};
  return records;
}

template <class Compressor>
std::string compressed(const std::string& bytes, const Compressor& compressor) {
  namespace io = boost::iostreams;
  std::istringstream in(bytes);
  std::ostringstream out;
  io::filtering_streambuf<io::input> stream;
  stream.push(compressor);
  stream.push(in);
  io::copy(stream, out);
  return out.str();
}
inline std::string gzip(const std::string& b) {
  return compressed(b, boost::iostreams::gzip_compressor());
}
inline std::string xz(const std::string& b) {
  return compressed(b, boost::iostreams::lzma_compressor());
}
inline std::string zstd(const std::string& b) {
  return compressed(b, boost::iostreams::zstd_compressor());
}

/// Little-endian bytes.
template <class T>
std::string number(T value) {
  std::string out(sizeof value, '\0');
  for (std::size_t i = 0; i < sizeof value; ++i) {
    out[i] = static_cast<char>(static_cast<std::uint64_t>(value) >> 8 * i);
  }
  return out;
}

/// A .tracez container of one CTA: the records of each of its warps in sub-chunks of `per_chunk`.
inline std::string container(const std::vector<std::vector<std::string>>& warps,
                             const std::string& dictionary = {}, std::size_t per_chunk = 2,
                             const std::string& head = header(5)) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                        ZSTD_freeCCtx);
  std::string out = head + std::string(1, '\0') +
                    number(static_cast<std::uint32_t>(dictionary.size())) +
                    number(static_cast<std::uint32_t>(per_chunk)) + dictionary;
  std::string index = number(std::uint32_t{1});
  for (unsigned i = 0; i < 10; ++i) index += number(std::uint32_t{0});
  index += number(static_cast<std::uint32_t>(warps.size()));
  for (const auto& records : warps) {
    std::string chunks;
    std::string counts;
    std::uint32_t n = 0;
    for (std::size_t at = 0; at < records.size(); at += per_chunk, ++n) {
      std::string text;
      const std::size_t end = std::min(records.size(), at + per_chunk);
      for (std::size_t i = at; i < end; ++i) text += records[i] + "\n";
      counts += number(static_cast<std::uint32_t>(end - at));
      std::string packed(ZSTD_compressBound(text.size()), '\0');
      packed.resize(ZSTD_compress_usingDict(context.get(), packed.data(), packed.size(),
                                            text.data(), text.size(), dictionary.data(),
                                            dictionary.size(), 3));
      chunks += number(static_cast<std::uint32_t>(packed.size())) + packed;
    }
    const auto count = static_cast<std::uint32_t>(records.size());
    index += number(count) + number(n) + number(std::uint64_t{out.size()}) + counts;
    out += number(count) + number(n) + chunks;
  }
  return out + index + number(std::uint64_t{out.size()});
}

/// All instructions of a kernel, with the operations' opcodes.
struct Read {
  TraceKernel kernel;
  std::vector<Dim3> blocks;
  std::vector<std::uint32_t> warps;
  std::vector<TraceInstruction> instructions;
  std::vector<std::string> opcodes;
};

inline Read read_all(const std::string& path) {
  const std::unique_ptr<KernelTraceReader> reader = open_kernel(path);
  Read out;
  out.kernel = reader->kernel();
  Dim3 at;
  std::uint32_t warp_number = 0;
  TraceInstruction i;
  while (reader->next_block(at)) {
    out.blocks.push_back(at);
    while (reader->next_warp(warp_number)) {
      out.warps.push_back(warp_number);
      while (reader->next_instruction(i)) {
        out.instructions.push_back(i);
        out.opcodes.emplace_back(i.operation.opcode);
      }
    }
  }
  return out;
}

/// The message of the InputError that the call throws; empty if it throws none.
template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

/// The addresses of the active lanes.
inline std::vector<Address> addresses(const TraceInstruction& i) {
  std::vector<Address> out;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    if ((i.mask >> lane & 1) != 0) out.push_back(i.address[lane]);
  }
  return out;
}

}  // namespace tessera::traces::test

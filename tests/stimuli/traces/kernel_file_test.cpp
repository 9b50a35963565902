// SPDX-License-Identifier: Apache-2.0
// Kernel files: text, compressions, containers, lists, and their errors.
#include <catch2/catch.hpp>

#include "stimuli/traces/kernel_list.h"
#include "stimuli/traces/kernel_spool.h"
#include "stimuli/traces/line_reader.h"
#include "stimuli/traces/record_decoder.h"
#include "tests/stimuli/traces/trace_support.h"

namespace tessera::traces {
namespace {

using test::addresses;
using test::block;
using test::container;
using test::header;
using test::one_warp;
using test::Read;
using test::read_all;
using test::refusal;
using test::toy_records;
using test::TraceFolder;
using test::warp;
using test::with_place;

void check_toy(const Read& read) {
  CHECK(read.kernel.name == "toy");
  CHECK(read.kernel.registers == 8);
  CHECK(read.kernel.shared_base == 0x7e0000000000);
  CHECK(read.warps == std::vector<std::uint32_t>{0});
  REQUIRE(read.opcodes ==
          std::vector<std::string>{"LDG.E.SYS", "LDG.E.64.SYS", "STG.E.SYS", "EXIT"});
  CHECK(read.instructions[0].address[31] == 0x10000000 + 31 * 4);
  CHECK(addresses(read.instructions[1]) ==
        std::vector<Address>{0x10001000, 0x10001100, 0x10001080});
  CHECK(addresses(read.instructions[2]) == std::vector<Address>{0x10002000, 0x10002100});
}

/// What reading and spooling the file refuses.
std::string spool_refusal(const std::string& path) {
  return refusal([&] {
    const auto reader = open_kernel(path);
    KernelSpool(*reader, [](double) {});
  });
}

TEST_CASE("the example of the format's description is read in all versions") {
  const TraceFolder folder;
  for (unsigned version = kOldestVersion; version <= kNewestVersion; ++version) {
    INFO(version);
    const std::vector<std::string> records =
        version < kFirstVersionWithoutPlace ? with_place(toy_records()) : toy_records();
    const Read read = read_all(folder.put("k.traceg", one_warp(records, version)));
    check_toy(read);
    CHECK(read.kernel.version == version);
  }
}

TEST_CASE("files of the first tracers have version 1.2 or none") {
  const TraceFolder folder;
  const std::string text = one_warp(with_place(toy_records()), 1);
  const std::string line = "-accelsim tracer version = 1\n";
  const std::size_t at = text.find(line);
  REQUIRE(at != std::string::npos);
  for (const char* other : {"-accelsim tracer version = 1.2\n", ""}) {
    INFO(other);
    std::string changed = text;
    changed.replace(at, line.size(), other);
    const Read read = read_all(folder.put("k.traceg", changed));
    check_toy(read);
    CHECK(read.kernel.version == 1);
  }
  const std::string path = folder.put("k.traceg", one_warp(toy_records(), 2));
  CHECK(spool_refusal(path) == path + ":23: expected the CTA's y coordinate, found 'ffffffff'");
}

TEST_CASE("a header with more registers than a thread can have is corrected by the records") {
  const TraceFolder folder;
  const auto spooled = [&](const std::string& registers, const std::vector<std::string>& records) {
    std::string text = one_warp(records);
    const std::string line = "-nregs = 8\n";
    text.replace(text.find(line), line.size(), "-nregs = " + registers + "\n");
    const auto reader = open_kernel(folder.put("k.traceg", text));
    return std::make_unique<KernelSpool>(*reader, [](double) {});
  };
  CHECK(spooled("255", toy_records())->kernel().registers == 255);
  CHECK(spooled("255", toy_records())->impossible_registers() == 0);
  // R6 is the highest name, and UR9 is a uniform register.
  std::vector<std::string> records = toy_records();
  records[3] = "0030 ffffffff 1 UR9 UMOV 1 R255 0 0";
  const auto spool = spooled("21955", records);
  CHECK(spool->impossible_registers() == 21955);
  CHECK(spool->kernel().registers == 7);
  // A load of 16 bytes writes R10 to R13.
  CHECK(spooled("256", {"0000 ffffffff 1 R10 LDG.E.128 1 R4 16 1 0x10000000 16 0"})
            ->kernel()
            .registers == 14);
}

TEST_CASE("compressed files contain the same, whatever their names are") {
  const TraceFolder folder;
  const std::string text = one_warp(toy_records());
  for (const std::string& bytes : {test::gzip(text), test::xz(text), test::zstd(text)}) {
    REQUIRE(bytes != text);
    check_toy(read_all(folder.put("k.traceg", bytes)));
  }
  // Files of several members, as parallel compressors write them.
  const std::size_t half = text.size() / 2;
  const std::string a = text.substr(0, half);
  const std::string b = text.substr(half);
  check_toy(read_all(folder.put("k.traceg.gz", test::gzip(a) + test::gzip(b))));
  check_toy(read_all(folder.put("k.traceg.xz", test::xz(a) + test::xz(b))));
  check_toy(read_all(folder.put("k.traceg.zst", test::zstd(a) + test::zstd(b))));
}

TEST_CASE("compressed files are read whose text is much longer than they are") {
  const TraceFolder folder;
  const std::string text = one_warp(std::vector<std::string>(100'000, toy_records().front()));
  for (const std::string& bytes : {test::gzip(text), test::xz(text), test::zstd(text)}) {
    REQUIRE(bytes.size() * 20 < text.size());
    LineReader lines(folder.put("k.traceg", bytes));
    std::string read;
    for (std::string_view line; lines.next(line);) read += std::string(line) + '\n';
    CHECK(read == text);
  }
}

TEST_CASE("a container is read with and without a dictionary, in sub-chunks of any size") {
  const TraceFolder folder;
  const std::string words = "0000 ffffffff 1 R2 LDG.E.SYS 1 R4 4 1 0x10000000 4 0\n";
  std::size_t with = 0;
  std::size_t without = 0;
  for (const std::size_t per_chunk : {1U, 2U, 3U, 100U}) {
    INFO(per_chunk);
    const std::string plain = container({toy_records()}, "", per_chunk);
    const std::string packed = container({toy_records()}, words, per_chunk);
    check_toy(read_all(folder.put("k.tracez", plain)));
    check_toy(read_all(folder.put("k.tracez", packed)));
    without = plain.size();
    with = packed.size() - words.size();
  }
  CHECK(with < without);  // the dictionary was used
}

TEST_CASE("a container has several warps, and one of them can be empty") {
  const TraceFolder folder;
  const std::vector<std::string> exit = {"0030 ffffffff 0 EXIT 0 0 0"};
  const Read read = read_all(folder.put(
      "k.tracez", container({toy_records(), {}, exit}, "", 2, header(5, "(1,1,1)", "(96,1,1)"))));
  CHECK(read.warps == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(read.opcodes.size() == 5);
}

TEST_CASE("errors of a container name the CTA, the warp and the line") {
  const TraceFolder folder;
  std::vector<std::string> records = toy_records();
  records[2] = "0020 x";
  std::string path = folder.put("k.tracez", container({records}));
  CHECK(spool_refusal(path) ==
        path + ": CTA (0,0,0), warp 0, line 3: expected a hexadecimal mask of 32 lanes, found 'x'");
  const std::string good = container({toy_records()});
  path = folder.put("k.tracez", good.substr(0, good.size() - 4));
  CHECK(spool_refusal(path).find(
            path + ": expected the offset of the index in the last 8 bytes, found ") == 0);
  path = folder.put("k.tracez", container({toy_records(), toy_records()}));
  CHECK(spool_refusal(path) == path + ": CTA (0,0,0): expected at most 1 warps, found 2");
  std::string damaged = good;
  damaged[header(5).size() + 1 + 8 + 8 + 4] = 'x';  // the magic of the first frame
  path = folder.put("k.tracez", damaged);
  CHECK(spool_refusal(path) ==
        path +
            ": CTA (0,0,0), warp 0: expected a sub-chunk as a zstd frame with its content's "
            "size, of at most 256 MiB");
  path = folder.put("k.tracez", container({toy_records()}, "", 2, header(7)));
  CHECK(spool_refusal(path) == path + ":12: expected a tracer version from 1 to 6, found '7'");
}

TEST_CASE("cluster lines, blank lines and unknown keys are ignored") {
  const TraceFolder folder;
  const std::string text = "-some new key = 3\n" + header(6) +
                           "#BEGIN_TB\n\nthread block = 0,0,0\ncluster id = 0,0,0\n"
                           "cluster cta = 0,0,0\ncluster rank = 0\n\n\n" +
                           warp(0, toy_records()) + "\n\n#END_TB\n\n";
  check_toy(read_all(folder.put("k.traceg", text)));
}

TEST_CASE("errors of a kernel's file name the line and what was expected") {
  const TraceFolder folder;
  const std::string exit = warp(0, {"0000 ffffffff 0 EXIT 0 0 0"});
  const auto check = [&](const std::string& text, const std::string& expected) {
    const std::string path = folder.put("k.traceg", text);
    CHECK(spool_refusal(path) == path + expected);
  };
  check("", ": expected a kernel's trace, found an empty file");
  check("hello\n",
        ":1: expected a line '-NAME = VALUE' of the header, or one that begins with "
        "'#', found 'hello'");
  check("-kernel name = k\n",
        ":1: expected a line that begins with '#' after the header, found the end of the file");
  check("-kernel name = k\n#\n", ":2: expected '-grid dim = ...' in the header");
  check("-kernel name = k\n-grid dims = (1,1,1)\n#\n",
        ":3: expected '-grid dim = ...' in the header; 'grid dims': did you mean 'grid dim'?");
  check(header(5, "(1,1)"),
        ":3: expected the grid's dimensions as 'x,y,z' of at least 1 each, found '(1,1)'");
  check(header(5, "(1,0,1)"),
        ":3: expected the grid's dimensions as 'x,y,z' of at least 1 each, found '(1,0,1)'");
  check(header(5, "(1,1,1)", "(32,33,1)"),
        ":15: expected a block of 1 to 1024 threads, found (32,33,1)");
  check(header(5, "(65536,65536,1)"),
        ":15: expected a grid of 1 to 2^32 - 1 CTAs, found (65536,65536,1)");
  check(header(0), ":12: expected a tracer version from 1 to 6, found '0'");
  check(header(7), ":12: expected a tracer version from 1 to 6, found '7'");
  check(
      "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (1,1,1)\n"
      "-accelsim tracer versoin = 5\n#\n",
      ":5: expected '-accelsim tracer version = ...' in the header; 'accelsim tracer versoin': "
      "did you mean 'accelsim tracer version'?");
  check(header(5) + "warp = 0\n", ":17: expected '#BEGIN_TB', found 'warp = 0'");
  check(header(5) + "#begin_tb\n",
        ":17: expected '#BEGIN_TB', found '#begin_tb'; did you mean '#BEGIN_TB'?");
  check(header(5) + "#BEGIN_TB\nthread = 0,0,0\n",
        ":18: expected 'thread block = x,y,z', found 'thread = 0,0,0'");
  check(header(5) + block("0,0", exit),
        ":19: expected the CTA's coordinates as 'x,y,z', found '0,0'");
  check(header(5) + block("1,0,0", exit),
        ":19: expected a CTA of the grid (1,1,1), found CTA (1,0,0)");
  check(header(5) + block("0,0,0", "wrap = 0\n"),
        ":21: expected 'warp = NUMBER', found 'wrap = 0'; did you mean 'warp'?");
  check(header(5) + block("0,0,0", "warp = 1\n"),
        ":21: expected a warp of the block's 1 warps, found warp 1");
  check(header(5) + block("0,0,0", "warp = 0\ninst = 1\n"),
        ":22: expected 'insts = NUMBER', found 'inst = 1'; did you mean 'insts'?");
  check(header(5) + block("0,0,0", "warp = 0\ninsts = 2\n0000 ffffffff 0 EXIT 0 0 0\n"),
        ":25: expected 1 more instructions of the warp, found '#END_TB'");
  check(
      header(5) + block("0,0,0", "warp = 0\ninsts = 1\n0000 ffffffff 0 EXIT 0 0 0\n0 f 0 MOV 0 0"),
      ":24: expected 'warp = NUMBER', found '0 f 0 MOV 0 0'");
  check(header(5) + "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n",
        ":20: expected 1 more instructions of the warp, found the end of the file");
  check(header(5) + "#BEGIN_TB\nthread block = 0,0,0\n" + exit,
        ":21: expected 'warp = NUMBER' or '#END_TB', found the end of the file");
  check(header(5) + block("0,0,0", exit + exit),
        ":25: expected each warp once in CTA (0,0,0), found warp 0 again");
  check(one_warp({"0000 ffffffff 0 EXIT 0 0 0", "0010 fffffffg 0 EXIT 0 0 0"}),
        ":24: expected a hexadecimal mask of 32 lanes, found 'fffffffg'");
}

TEST_CASE("each CTA of the grid must be in the file, once") {
  const TraceFolder folder;
  const std::string exit = warp(0, {"0000 ffffffff 0 EXIT 0 0 0"});
  const std::string head = header(5, "(2,2,1)");
  std::string path = folder.put(
      "k.traceg", head + block("1,0,0", exit) + block("0,0,0", exit) + block("1,1,0", exit));
  CHECK(spool_refusal(path) == path +
                                   ": expected the 4 CTAs of the grid (2,2,1), found 3; the "
                                   "first that is missing is CTA (0,1,0)");
  path = folder.put("k.traceg", head + block("1,0,0", exit) + block("1,0,0", exit));
  CHECK(spool_refusal(path) == path + ": expected each CTA once, found CTA (1,0,0) twice");
}

TEST_CASE("damaged compressed data is refused with its line") {
  const TraceFolder folder;
  std::vector<std::string> records(2000, toy_records()[2]);
  for (std::size_t i = 0; i < records.size(); ++i) records[i] += std::to_string(i * i);
  const std::string text = one_warp(records);
  for (const auto& [kind, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"gzip", test::gzip(text)}, {"xz", test::xz(text)}, {"zstd", test::zstd(text)}}) {
    INFO(kind);
    std::string damaged = bytes;
    for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 64; ++i) damaged[i] = '\x55';
    const std::string path = folder.put("k.traceg", damaged);
    const std::string message = spool_refusal(path);
    CHECK(message.find(path + ":") == 0);
    CHECK(message.find(": expected ") != std::string::npos);
    // The file's end is missing.
    const std::string cut =
        spool_refusal(folder.put("k.traceg", bytes.substr(0, bytes.size() / 2)));
    CHECK(cut.find(": expected " + kind + " data, found damaged data after this line") !=
          std::string::npos);
    CHECK(cut.find(" (the file ends within a") != std::string::npos);
    CHECK(message.find("iostream error") == std::string::npos);
    // So early that no line is whole.
    const std::string begin = spool_refusal(folder.put("k.traceg", bytes.substr(0, 20)));
    CHECK(begin.find(path + ":1: expected " + kind + " data, found damaged data") == 0);
  }
}

TEST_CASE("compressed files without their last bytes end early") {
  const TraceFolder folder;
  const std::string text = one_warp(toy_records());
  for (const auto& [kind, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"a gzip stream", test::gzip(text)}, {"an xz stream", test::xz(text)}}) {
    for (const std::size_t missing : {1U, 6U, 40U}) {
      INFO(kind << ", " << missing);
      const std::string path = folder.put("k.traceg", bytes.substr(0, bytes.size() - missing));
      const std::string message = spool_refusal(path);
      CHECK(message.find(" data, found damaged data after this line (the file ends within " + kind +
                         ")") != std::string::npos);
    }
  }
}

TEST_CASE("a NUL byte in a text is named with its line") {
  const TraceFolder folder;
  const std::string text = one_warp(toy_records());
  const auto check = [&](const std::string& word, const std::string& expected) {
    std::string damaged = text;
    damaged[text.find(word)] = '\0';
    std::string path = folder.put("k.traceg", damaged);
    CHECK(spool_refusal(path) == path + expected);
    path = folder.put("k.traceg", test::gzip(damaged));
    CHECK(spool_refusal(path) == path + expected);
  };
  check("LDG.E.64", ":24: expected text, found a NUL byte in column 20");
  check("toy", ":1: expected text, found a NUL byte in column 16");
  check("warp = 0", ":21: expected text, found a NUL byte in column 1");
  const std::string list = folder.put("kernelslist.g", std::string("k.traceg\n\0\n", 11));
  CHECK(refusal([&] { read_kernel_list(list); }) ==
        list + ":2: expected text, found a NUL byte in column 1");
}

TEST_CASE("a list names copies and kernels, and other lines are ignored") {
  const TraceFolder folder;
  const std::string kernel = folder.put("kernel-1.traceg", one_warp(toy_records()));
  const std::string other = folder.put("kernel-2.traceg.xz", test::xz(one_warp(toy_records())));
  const std::string list =
      folder.put("kernelslist.g",
                 "MemcpyHtoD,0x00007f0000000000,4096\nMemcpyDtoH,0x1,4\nkernel-1.traceg\n\n"
                 "kernel-2.traceg.xz\r\nkernel-1.traceg\n");
  for (const std::string& name : {folder.path(), list}) {
    REQUIRE(is_trace_name(name));
    const KernelList read = read_kernel_list(name);
    REQUIRE(read.commands.size() == 4);
    CHECK(read.commands[0].destination == 0x7f0000000000);
    CHECK(read.commands[0].bytes == 4096);
    CHECK(read.kernels() == std::vector<std::string>{kernel, other});
    CHECK(read.files() == std::vector<std::string>{list, kernel, other});
  }
  CHECK(read_kernel_list(other).files() == std::vector<std::string>{other});
  CHECK_FALSE(is_trace_name("vecadd"));
  CHECK_FALSE(is_trace_name("my/manifest.json"));
}

TEST_CASE("errors of a list name the line and the nearest file") {
  const TraceFolder folder;
  CHECK(refusal([&] { read_kernel_list(folder.path()); }) ==
        folder.path() + ": expected a trace folder with a file 'kernelslist.g', found none");
  folder.put("kernelslis.g", "");
  CHECK(refusal([&] { read_kernel_list(folder.path()); }) ==
        folder.path() +
            ": expected a trace folder with a file 'kernelslist.g', found none; did "
            "you mean 'kernelslis.g'?");
  folder.put("kernel-1.traceg", one_warp(toy_records()));
  const auto check = [&](const std::string& text, const std::string& expected) {
    const std::string path = folder.put("kernelslist.g", text);
    CHECK(refusal([&] { read_kernel_list(folder.path()); }) == path + expected);
  };
  check("kernel-1.tracegg\n",
        ":1: expected a kernel's file, found 'kernel-1.tracegg', which does not exist; did you "
        "mean 'kernel-1.traceg'?");
  check("\nMemcpyHtoD,0x10\n",
        ":2: expected 'MemcpyHtoD,0xDESTINATION,BYTES', found 'MemcpyHtoD,0x10'");
  check("MemcpyHtoD,0x10,many\n",
        ":1: expected 'MemcpyHtoD,0xDESTINATION,BYTES', found 'MemcpyHtoD,0x10,many'");
  check("MemcpyHtoD,0xffffffffffffff00,512\n",
        ":1: expected a copy below the end of the address space, found "
        "'MemcpyHtoD,0xffffffffffffff00,512'");
  check("MemcpyHtoD,0x10,4\n",
        ":1: expected at least one line with a kernel's file ('kernel-1.traceg'), found the end of "
        "the file");
}

}  // namespace
}  // namespace tessera::traces

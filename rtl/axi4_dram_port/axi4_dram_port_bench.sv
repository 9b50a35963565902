// SPDX-License-Identifier: Apache-2.0
//
// Bench of axi4_dram_port: an AXI4 manager with random bursts and stalls, and a line channel that
// responds out of order. The reference walks each burst beat by beat with the equations of AXI4
// A3.4.1. Checked:
//   - every line request: address, mask, bytes, order; requests for a line never overtake
//   - every R beat (bytes, ID, RRESP, RLAST, order within an ID) and every B, after its lines
//   - VALID and payload are kept until READY; no output depends on an input of the same cycle
//   - the clock stops, most of the time, while busy is 0 and no input is valid
//   - cycles of lone bursts and of back-to-back bursts
module axi4_dram_port_bench;

  `include "bench_random.svh"

  localparam int unsigned Bursts = 1500;       // each of reads and writes; at most 2048
  localparam int unsigned DirectedBursts = 7;  // of them
  localparam int unsigned DirectedCycles = 160;

  typedef bit [1023:0] line_t;
  typedef bit [39:0] address_t;

  // Phases of a cycle: `scramble` drives noise on the inputs, `drive` the inputs, `sample` the
  // clock, unless it is stopped.
  logic scramble = 0;
  logic drive = 0;
  logic sample = 0;
  logic clock_on = 1;
  logic clk;
  logic rst_n = 0;

  assign clk = sample && clock_on;

  initial forever begin
    #1 scramble = 1;
    #1 scramble = 0;
    #1 drive = 1;
    #1 drive = 0;
    #1 sample = 1;
    #1 sample = 0;
  end

  logic s_axi_awvalid = 0;
  logic s_axi_awready;
  logic [5:0] s_axi_awid = 0;
  logic [39:0] s_axi_awaddr = 0;
  logic [7:0] s_axi_awlen = 0;
  logic [2:0] s_axi_awsize = 0;
  logic [1:0] s_axi_awburst = 0;
  logic s_axi_wvalid = 0;
  logic s_axi_wready;
  logic [255:0] s_axi_wdata = 0;
  logic [31:0] s_axi_wstrb = 0;
  logic s_axi_wlast = 0;
  logic s_axi_bvalid;
  logic s_axi_bready = 0;
  logic [5:0] s_axi_bid;
  logic [1:0] s_axi_bresp;
  logic s_axi_arvalid = 0;
  logic s_axi_arready;
  logic [5:0] s_axi_arid = 0;
  logic [39:0] s_axi_araddr = 0;
  logic [7:0] s_axi_arlen = 0;
  logic [2:0] s_axi_arsize = 0;
  logic [1:0] s_axi_arburst = 0;
  logic s_axi_rvalid;
  logic s_axi_rready = 0;
  logic [5:0] s_axi_rid;
  logic [255:0] s_axi_rdata;
  logic [1:0] s_axi_rresp;
  logic s_axi_rlast;
  logic m_req_valid;
  logic m_req_ready = 0;
  logic [4:0] m_req_id;
  logic m_req_write;
  logic [39:0] m_req_address;
  logic [127:0] m_req_mask;
  logic [1023:0] m_req_data;
  logic m_resp_valid = 0;
  logic m_resp_ready;
  logic [4:0] m_resp_id = 0;
  logic [1:0] m_resp_error = 0;
  logic [1023:0] m_resp_data = 0;
  logic busy;

  axi4_dram_port dut (.*);

  // ---- Bursts

  // By number; index 2n: write n, 2n + 1: read n.
  bit [5:0] id_of[4096];
  address_t address_of[4096];
  int unsigned beats_of[4096];
  bit [2:0] size_of[4096];
  bit [1:0] kind_of[4096];

  int unsigned unaligned = 0;
  int unsigned narrow = 0;
  int unsigned of_kind[4];

  function automatic address_t page(input int unsigned k);
    case (k)
      0: return 40'h00_0000_0000;
      1: return 40'h12_3456_7000;
      2: return 40'hff_ffff_f000;
      default: return 40'h12_3456_8000;
    endcase
  endfunction

  /// Address of a beat (AXI4 A3.4.1).
  function automatic address_t beat_address(input bit [11:0] burst, input int unsigned beat);
    address_t bytes;
    address_t total;
    address_t low;
    address_t a;
    bytes = 40'(1) << size_of[burst];
    total = bytes * 40'(beats_of[burst]);
    low = address_of[burst] / total * total;
    case (kind_of[burst])
      0: return address_of[burst];
      2: begin
        a = address_of[burst] + 40'(beat) * bytes;
        return a - low >= total ? a - total : a;
      end
      default: begin
        if (beat == 0) return address_of[burst];
        return address_of[burst] / bytes * bytes + 40'(beat) * bytes;
      end
    endcase
  endfunction

  function automatic void make_burst(input bit [11:0] burst, input bit directed);
    int unsigned offset;
    int unsigned bytes;
    int unsigned room;
    id_of[burst] = Bench::chance(60) ? 6'(Bench::below(4)) : 6'(Bench::word());
    if (directed) begin
      address_of[burst] = page(1) + 40'(burst) * 128;
      beats_of[burst] = 4;
      size_of[burst] = 5;
      kind_of[burst] = 1;
      return;
    end
    size_of[burst] = Bench::chance(60) ? 3'd5 : 3'(Bench::below(6));
    bytes = 1 << size_of[burst];
    kind_of[burst] = Bench::chance(60) ? 2'd1 : Bench::chance(60) ? 2'd2 : 2'd0;
    offset = Bench::chance(60) ? Bench::below(512) : Bench::below(4096);
    if (Bench::chance(40)) offset = offset / bytes * bytes;
    case (kind_of[burst])
      0: beats_of[burst] = 1 + Bench::below(16);
      2: begin
        beats_of[burst] = 2 << Bench::below(4);
        offset = offset / bytes * bytes;
      end
      default: begin
        room = (4096 - offset / bytes * bytes) / bytes;
        if (room > 256) room = 256;
        beats_of[burst] = 1 + Bench::below(Bench::chance(80) ? 10 : Bench::chance(80) ? 40 : 256);
        if (beats_of[burst] > room) beats_of[burst] = room;
      end
    endcase
    address_of[burst] = page(Bench::below(4)) + 40'(offset);
    // In one of three stretches of bursts, single beats of two lines: requests wait for each other.
    if (32'(burst) / 128 % 3 == 0) begin
      kind_of[burst] = 1;
      beats_of[burst] = 1;
      offset %= 256;
      address_of[burst] = page(0) + 40'(offset);
    end
    if (offset % bytes != 0) ++unaligned;
    if (bytes < 32) ++narrow;
    ++of_kind[kind_of[burst]];
  endfunction

  /// Index of a line in the bench's memory; 128 if there is none.
  function automatic int unsigned line_index(input address_t a);
    for (int unsigned k = 0; k < 4; ++k) begin
      if (a[39:12] == 28'(page(k) >> 12)) return k * 32 + 32'(a[11:7]);
    end
    return 128;
  endfunction

  function automatic bit [1:0] error_of(input address_t a);
    if (a[39:12] != 28'(page(3) >> 12)) return 0;
    return a[8:7] == 1 ? 2'd2 : a[9:7] == 6 ? 2'd3 : 2'd0;
  endfunction

  // ---- Reference. Rings of 64 bursts, by number modulo 64.

  line_t stored[128];

  // Reads: lines of a burst, by {burst, line}.
  int unsigned ar_sent = 0;       // bursts whose AR has transferred
  int unsigned r_oldest = 0;      // not answered
  int unsigned issue_burst = 0;   // whose line is the next read
  int unsigned issue_line = 0;
  bit r_done[64];
  int unsigned r_beats[64];       // received
  int unsigned r_line[64];        // of the next beat
  int unsigned r_lines[64];
  int unsigned r_stamp[64];
  address_t line_address[4096];
  bit line_responded[4096];
  line_t line_value[4096];

  // Writes
  int unsigned aw_sent = 0;
  int unsigned b_oldest = 0;
  int unsigned w_burst = 0;
  int unsigned w_beat = 0;
  bit b_done[64];
  bit w_closed[64];
  int unsigned w_open_lines[64];
  bit [1:0] w_error[64];
  bit [127:0] mask = 0;           // of the line that is collected
  line_t bytes = 0;
  // Line writes that have been collected and not requested.
  int unsigned collected = 0;
  int unsigned requested = 0;
  address_t write_address[64];
  bit [127:0] write_mask[64];
  line_t write_bytes[64];
  int unsigned write_stamp[64];
  int unsigned write_of[64];      // burst

  // Line channel, by tag
  bit outstanding[32];
  int unsigned due[32];
  bit is_write[32];
  int unsigned burst_of_tag[32];
  int unsigned line_of_tag[32];
  bit [1:0] error_of_tag[32];
  line_t value_of_tag[32];

  int unsigned r_out_of_order = 0;
  int unsigned b_out_of_order = 0;
  int unsigned r_total = 0;
  int unsigned w_total = 0;
  int unsigned line_reads = 0;
  int unsigned line_writes = 0;
  int unsigned errors = 0;
  int unsigned stalls = 0;
  int unsigned same_line = 0;     // requests that had to keep an order
  int unsigned stopped_cycles = 0;
  int unsigned last_transfer = 0;

  function automatic void accept_ar();
    bit [5:0] ring;
    address_t a;
    int unsigned n;
    ring = 6'(ar_sent);
    n = 0;
    for (int unsigned k = 0; k < beats_of[12'(2*ar_sent+1)]; ++k) begin
      a = beat_address(12'(2 * ar_sent + 1), k) & ~40'h7f;
      if (k == 0 || a != line_address[{ring, 6'(n-1)}]) begin
        line_address[{ring, 6'(n)}] = a;
        line_responded[{ring, 6'(n)}] = 0;
        ++n;
      end
    end
    r_done[ring] = 0;
    r_beats[ring] = 0;
    r_line[ring] = 0;
    r_lines[ring] = n;
    r_stamp[ring] = Bench::cycle;
    ++ar_sent;
    if (ar_sent - r_oldest > 60) Bench::fail("too many reads were accepted");
  endfunction

  function automatic void accept_w();
    bit [5:0] ring;
    address_t a;
    address_t next;
    bit last;
    int unsigned n;
    bit [11:0] burst;
    burst = 12'(2 * w_burst);
    if (w_burst >= aw_sent) Bench::fail("W was accepted before its AW");
    a = beat_address(burst, w_beat);
    for (int unsigned k = 0; k < 32; ++k) begin
      n = 32'(a[6:5]) * 32 + k;
      if (s_axi_wstrb[k]) begin
        mask[7'(n)] = 1;
        bytes[10'(8*n)+:8] = s_axi_wdata[8*k+:8];
      end
    end
    last = w_beat + 1 == beats_of[burst];
    next = beat_address(burst, w_beat + 1);
    if (last || next[39:7] != a[39:7]) begin
      ring = 6'(collected);
      write_address[ring] = a & ~40'h7f;
      write_mask[ring] = mask;
      write_bytes[ring] = bytes;
      write_stamp[ring] = Bench::cycle;
      write_of[ring] = w_burst;
      mask = 0;
      ++collected;
      ++w_open_lines[6'(w_burst)];
    end
    ++w_beat;
    ++w_total;
    if (last) begin
      w_closed[6'(w_burst)] = 1;
      ++w_burst;
      w_beat = 0;
    end
  endfunction

  function automatic void accept_write_request();
    bit [5:0] ring;
    int unsigned n;
    ring = 6'(requested);
    if (requested == collected) Bench::fail("a line write without data");
    if (m_req_address != write_address[ring]) begin
      Bench::fail($sformatf("line write to %h instead of %h", m_req_address, write_address[ring]));
    end
    if (m_req_mask != write_mask[ring]) begin
      Bench::fail($sformatf("line write: mask %h instead of %h", m_req_mask, write_mask[ring]));
    end
    n = line_index(m_req_address);
    for (int unsigned k = 0; k < 128; ++k) begin
      if (!write_mask[ring][7'(k)]) continue;
      if (m_req_data[10'(8*k)+:8] != write_bytes[ring][10'(8*k)+:8]) begin
        Bench::fail($sformatf("line write: byte %0d", k));
      end
      if (error_of(m_req_address) == 0) stored[7'(n)][10'(8*k)+:8] = m_req_data[10'(8*k)+:8];
    end
    for (int unsigned b = issue_burst; b < ar_sent; ++b) begin
      for (int unsigned k = b == issue_burst ? issue_line : 0; k < r_lines[6'(b)]; ++k) begin
        if (line_address[{6'(b), 6'(k)}] != m_req_address) continue;
        ++same_line;
        if (r_stamp[6'(b)] <= write_stamp[ring]) Bench::fail("a write overtakes a read of its line");
      end
    end
    burst_of_tag[m_req_id] = write_of[ring];
    ++requested;
    ++line_writes;
  endfunction

  function automatic void accept_read_request();
    bit [5:0] ring;
    address_t a;
    ring = 6'(issue_burst);
    if (issue_burst == ar_sent) Bench::fail("a line read without a burst");
    a = line_address[{ring, 6'(issue_line)}];
    if (m_req_address != a) Bench::fail($sformatf("line read of %h instead of %h", m_req_address, a));
    for (int unsigned k = requested; k < collected; ++k) begin
      if (write_address[6'(k)] != a) continue;
      ++same_line;
      if (write_stamp[6'(k)] < r_stamp[ring]) Bench::fail("a read overtakes a write of its line");
    end
    burst_of_tag[m_req_id] = issue_burst;
    line_of_tag[m_req_id] = issue_line;
    value_of_tag[m_req_id] = stored[7'(line_index(a))];
    line_value[{ring, 6'(issue_line)}] = value_of_tag[m_req_id];
    ++issue_line;
    ++line_reads;
    if (issue_line == r_lines[ring]) begin
      ++issue_burst;
      issue_line = 0;
    end
  endfunction

  int unsigned latency = 1;

  function automatic void accept_request();
    if (outstanding[m_req_id]) Bench::fail("the tag of a line request is in use");
    if (line_index(m_req_address) == 128) Bench::fail("line request to an unknown page");
    outstanding[m_req_id] = 1;
    is_write[m_req_id] = m_req_write;
    error_of_tag[m_req_id] = error_of(m_req_address);
    due[m_req_id] = Bench::cycle + 1 + Bench::below(latency);
    if (m_req_write) accept_write_request(); else accept_read_request();
  endfunction

  function automatic void accept_response();
    bit [5:0] ring;
    outstanding[m_resp_id] = 0;
    ring = 6'(burst_of_tag[m_resp_id]);
    if (m_resp_error != 0) ++errors;
    if (is_write[m_resp_id]) begin
      --w_open_lines[ring];
      if (m_resp_error > w_error[ring]) w_error[ring] = m_resp_error;
    end else begin
      line_responded[{ring, 6'(line_of_tag[m_resp_id])}] = 1;
    end
  endfunction

  function automatic void accept_b();
    int unsigned b;
    bit [5:0] ring;
    b = b_oldest;
    while (b < aw_sent && (b_done[6'(b)] || id_of[12'(2*b)] != s_axi_bid)) ++b;
    if (b == aw_sent) Bench::fail($sformatf("B with ID %0d has no burst", s_axi_bid));
    ring = 6'(b);
    if (!w_closed[ring] || w_open_lines[ring] != 0) Bench::fail("B before its line responses");
    if (s_axi_bresp != w_error[ring]) begin
      Bench::fail($sformatf("BRESP %0d instead of %0d", s_axi_bresp, w_error[ring]));
    end
    if (b != b_oldest) ++b_out_of_order;
    b_done[ring] = 1;
    while (b_oldest < aw_sent && b_done[6'(b_oldest)]) ++b_oldest;
  endfunction

  function automatic void accept_r();
    int unsigned b;
    int unsigned low;
    int unsigned high;
    int unsigned size;
    bit [5:0] ring;
    bit [11:0] burst;
    bit last;
    address_t a;
    address_t next;
    line_t value;
    b = r_oldest;
    while (b < ar_sent && (r_done[6'(b)] || id_of[12'(2*b+1)] != s_axi_rid)) ++b;
    if (b == ar_sent) Bench::fail($sformatf("R with ID %0d has no burst", s_axi_rid));
    ring = 6'(b);
    burst = 12'(2 * b + 1);
    a = beat_address(burst, r_beats[ring]);
    if (!line_responded[{ring, 6'(r_line[ring])}]) Bench::fail("R before its line response");
    if (s_axi_rresp != error_of(a)) begin
      Bench::fail($sformatf("RRESP %0d instead of %0d", s_axi_rresp, error_of(a)));
    end
    value = line_value[{ring, 6'(r_line[ring])}];
    size = 1 << size_of[burst];
    low = 32'(a[6:0]);
    high = low / size * size + size;
    for (int unsigned k = low; k < high; ++k) begin
      if (s_axi_rresp == 0 && s_axi_rdata[8'(8*k)+:8] != value[10'(8*k)+:8]) begin
        Bench::fail($sformatf("R: byte %0d of line %h is %h instead of %h", k, a & ~40'h7f,
                              s_axi_rdata[8'(8*k)+:8], value[10'(8*k)+:8]));
      end
    end
    last = r_beats[ring] + 1 == beats_of[burst];
    if (s_axi_rlast != last) Bench::fail($sformatf("RLAST is %0d", s_axi_rlast));
    next = beat_address(burst, r_beats[ring] + 1);
    if (next[39:7] != a[39:7]) ++r_line[ring];
    ++r_beats[ring];
    ++r_total;
    if (last) begin
      if (b != r_oldest) ++r_out_of_order;
      r_done[ring] = 1;
      while (r_oldest < ar_sent && r_done[6'(r_oldest)]) ++r_oldest;
    end
  endfunction

  // ---- Inputs

  // Percentages; changed at random
  int unsigned aw_rate = 100;
  int unsigned w_rate = 100;
  int unsigned ar_rate = 100;
  int unsigned b_rate = 100;
  int unsigned r_rate = 100;
  int unsigned request_rate = 100;
  int unsigned response_rate = 100;

  bit can_stop = 0;            // the clock, while busy is 0 and no input is valid
  bit aw_on = 0;
  bit w_on = 0;
  bit ar_on = 0;
  bit response_on = 0;
  bit [4:0] response_tag = 0;
  bit [255:0] w_data = 0;
  bit [31:0] w_strobes = 0;
  bit noise_valid = 0;
  bit [311:0] outputs_with_noise;

  function automatic bit [311:0] axi_outputs();
    return {s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_bid, s_axi_bresp, s_axi_arready,
            s_axi_rvalid, s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast, m_resp_ready,
            m_req_valid, m_req_id, m_req_write, busy, 25'b0};
  endfunction

  function automatic int unsigned rate();
    case (Bench::below(4))
      0: return 100;
      1: return 5 + Bench::below(20);
      default: return 20 + Bench::below(80);
    endcase
  endfunction

  function automatic void make_beat();
    address_t a;
    int unsigned low;
    int unsigned high;
    int unsigned size;
    size = 1 << size_of[12'(2*w_burst)];
    a = beat_address(12'(2 * w_burst), w_beat);
    low = 32'(a[4:0]);
    high = low / size * size + size;
    for (int unsigned k = 0; k < 8; ++k) w_data[32*k+:32] = Bench::word();
    w_strobes = 0;
    for (int unsigned k = low; k < high; ++k) w_strobes[5'(k)] = 1;
    if (Bench::chance(30)) w_strobes &= Bench::word();
  endfunction

  always @(posedge scramble) begin
    s_axi_awvalid = Bench::chance(50);
    s_axi_wvalid = Bench::chance(50);
    s_axi_bready = Bench::chance(50);
    s_axi_arvalid = Bench::chance(50);
    s_axi_rready = Bench::chance(50);
    m_req_ready = Bench::chance(50);
    m_resp_valid = Bench::chance(50);
    m_resp_id = 5'(Bench::word());
    s_axi_araddr = 40'(Bench::word());
    s_axi_awid = 6'(Bench::word());
    s_axi_arid = 6'(Bench::word());
  end

  always @(posedge drive) begin
    bit directed;
    outputs_with_noise = axi_outputs();
    rst_n = Bench::cycle >= 5;
    directed = Bench::cycle < DirectedCycles;
    if (Bench::cycle >= DirectedCycles && Bench::cycle % 300 == 0) begin
      aw_rate = rate();
      w_rate = rate();
      ar_rate = rate();
      b_rate = Bench::chance(10) ? 0 : rate();
      r_rate = Bench::chance(10) ? 0 : rate();
      request_rate = rate();
      response_rate = rate();
      latency = 1 + Bench::below(Bench::chance(50) ? 60 : 4);
      if (Bench::chance(25)) begin  // a port that is mostly idle
        aw_rate = 2;
        w_rate = 50;
        ar_rate = 2;
      end
      can_stop = Bench::chance(70);
    end
    if (directed) begin
      if (Bench::cycle == 10 || (Bench::cycle >= 70 && Bench::cycle < 76)) ar_on = 1;
      if (Bench::cycle == 40 || (Bench::cycle >= 110 && Bench::cycle < 116)) aw_on = 1;
      if (!w_on && w_burst < (Bench::cycle < 110 ? (Bench::cycle < 40 ? 0 : 1) : DirectedBursts)) begin
        w_on = 1;
        make_beat();
      end
    end else begin
      // The last read is alone in the port, and then the last write, so that only busy keeps the
      // clock running.
      if (!ar_on && (ar_sent < Bursts - 1 || (ar_sent == Bursts - 1 && r_oldest == Bursts - 1 &&
                                              b_oldest == Bursts - 1))) begin
        ar_on = Bench::chance(ar_rate);
      end
      if (!aw_on && (aw_sent < Bursts - 1 || (aw_sent == Bursts - 1 && r_oldest == Bursts))) begin
        aw_on = Bench::chance(aw_rate);
      end
      if (!w_on && w_burst < Bursts && (w_burst < aw_sent || (aw_rate > 2 && w_burst < Bursts - 1)) &&
          Bench::chance(w_rate)) begin
        w_on = 1;
        make_beat();
      end
    end
    if (!response_on && (directed || Bench::chance(response_rate))) begin
      // A random one of those that are due.
      response_tag = 5'(Bench::word());
      for (int unsigned k = 0; k < 32 && !response_on; ++k) begin
        if (outstanding[response_tag] && due[response_tag] <= Bench::cycle) response_on = 1;
        else response_tag = response_tag + 5'd1;
      end
    end
    s_axi_awvalid = aw_on;
    s_axi_awid = id_of[12'(2*aw_sent)];
    s_axi_awaddr = address_of[12'(2*aw_sent)];
    s_axi_awlen = 8'(beats_of[12'(2*aw_sent)] - 1);
    s_axi_awsize = size_of[12'(2*aw_sent)];
    s_axi_awburst = kind_of[12'(2*aw_sent)];
    s_axi_wvalid = w_on;
    s_axi_wdata = w_data;
    s_axi_wstrb = w_strobes;
    s_axi_wlast = w_beat + 1 == beats_of[12'(2*w_burst)];
    s_axi_arvalid = ar_on;
    s_axi_arid = id_of[12'(2*ar_sent+1)];
    s_axi_araddr = address_of[12'(2*ar_sent+1)];
    s_axi_arlen = 8'(beats_of[12'(2*ar_sent+1)] - 1);
    s_axi_arsize = size_of[12'(2*ar_sent+1)];
    s_axi_arburst = kind_of[12'(2*ar_sent+1)];
    s_axi_bready = directed || Bench::chance(b_rate);
    s_axi_rready = directed || Bench::chance(r_rate);
    m_req_ready = directed || Bench::chance(request_rate);
    m_resp_valid = response_on;
    m_resp_id = response_tag;
    m_resp_error = error_of_tag[response_tag];
    m_resp_data = value_of_tag[response_tag];
    clock_on = directed || busy || aw_on || w_on || ar_on || response_on ||
        !(can_stop || (aw_sent >= Bursts - 1 && ar_sent >= Bursts - 1));
  end

  // ---- Checks of a cycle

  bit b_waits = 0;
  bit r_waits = 0;
  bit request_waits = 0;
  bit [7:0] b_payload;
  bit [264:0] r_payload;
  bit [1198:0] request_payload;

  function automatic void check_stable();
    if (noise_valid && axi_outputs() != outputs_with_noise) begin
      Bench::fail("an output depends on an input of the same cycle");
    end
    if (b_waits && (!s_axi_bvalid || b_payload != {s_axi_bid, s_axi_bresp})) begin
      Bench::fail("B changed before BREADY");
    end
    if (r_waits && (!s_axi_rvalid ||
                    r_payload != {s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast})) begin
      Bench::fail("R changed before RREADY");
    end
    if (request_waits && (!m_req_valid || request_payload != {m_req_id, m_req_write, m_req_address,
                                                              m_req_mask, m_req_data, 1'b0})) begin
      Bench::fail("a line request changed before it was accepted");
    end
    b_waits = s_axi_bvalid && !s_axi_bready;
    r_waits = s_axi_rvalid && !s_axi_rready;
    request_waits = m_req_valid && !m_req_ready;
    b_payload = {s_axi_bid, s_axi_bresp};
    r_payload = {s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast};
    request_payload = {m_req_id, m_req_write, m_req_address, m_req_mask, m_req_data, 1'b0};
    if (b_waits || r_waits || request_waits) ++stalls;
  endfunction

  function automatic void expect_at(input bit transfers, input bit expected, input string what);
    if (transfers != expected) begin
      Bench::fail($sformatf("%s: transfers %0d instead of %0d", what, transfers, expected));
    end
  endfunction

  /// Edges of the directed bursts: a read at 10, a write at 40, six reads from 70, six writes from
  /// 110. The channel accepts at once and responds an edge later.
  function automatic void check_directed();
    int unsigned c;
    c = Bench::cycle;
    expect_at(s_axi_arvalid && s_axi_arready, c == 10 || (c >= 70 && c < 76), "AR");
    expect_at(s_axi_awvalid && s_axi_awready, c == 40 || (c >= 110 && c < 116), "AW");
    expect_at(s_axi_wvalid && s_axi_wready, (c >= 41 && c < 45) || (c >= 111 && c < 135), "W");
    expect_at(m_req_valid && m_req_ready,
              c == 12 || c == 46 || (c >= 72 && c < 78) || (c >= 116 && c < 140 && c % 4 == 0),
              "line request");
    expect_at(s_axi_rvalid && s_axi_rready, (c >= 15 && c < 19) || (c >= 75 && c < 99), "R");
    expect_at(s_axi_bvalid && s_axi_bready, c == 49 || (c >= 119 && c < 143 && c % 4 == 3), "B");
  endfunction

  function automatic void finish();
    if (busy) Bench::fail("busy at the end");
    if (requested != collected || issue_burst != Bursts) Bench::fail("lines are left");
    if (r_out_of_order < 20 || b_out_of_order < 20 || errors < 50 || same_line < 50 ||
        stopped_cycles < 50 || unaligned < 50 || narrow < 50) begin
      Bench::fail($sformatf("poor traffic: %0d, %0d bursts out of order, %0d errors, %0d same line, %0d cycles stopped, %0d unaligned, %0d narrow",
                            r_out_of_order, b_out_of_order, errors, same_line, stopped_cycles,
                            unaligned, narrow));
    end
    $display("PASS axi4_dram_port: %0d cycles, %0d + %0d bursts (%0d FIXED, %0d INCR, %0d WRAP, %0d narrow, %0d unaligned), %0d R beats, %0d W beats, %0d line reads, %0d line writes, %0d + %0d bursts out of order, %0d errors, %0d requests for a line that waits, %0d stalls, clock stopped in %0d cycles",
             Bench::cycle, Bursts, Bursts, of_kind[0], of_kind[1], of_kind[2], narrow, unaligned,
             r_total, w_total, line_reads, line_writes, r_out_of_order, b_out_of_order, errors,
             same_line, stalls, stopped_cycles);
    $finish;
  endfunction

  always @(posedge sample) begin
    bit aw_fire;
    bit w_fire;
    if (rst_n) begin
      check_stable();
      noise_valid = 1;
      if (Bench::cycle < DirectedCycles) check_directed();
    end
    if (rst_n && clock_on) begin
      aw_fire = s_axi_awvalid && s_axi_awready;
      w_fire = s_axi_wvalid && s_axi_wready;
      if (aw_fire || w_fire || (s_axi_arvalid && s_axi_arready) || (m_req_valid && m_req_ready) ||
          (s_axi_rvalid && s_axi_rready) || (s_axi_bvalid && s_axi_bready)) begin
        last_transfer = Bench::cycle;
      end
      if (s_axi_bvalid && s_axi_bready) accept_b();
      if (s_axi_rvalid && s_axi_rready) accept_r();
      if (m_req_valid && m_req_ready) accept_request();
      if (m_resp_valid && m_resp_ready) begin
        accept_response();
        response_on = 0;
      end
      if (w_fire) begin
        accept_w();
        w_on = 0;
      end
      if (aw_fire) begin
        b_done[6'(aw_sent)] = 0;
        w_closed[6'(aw_sent)] = 0;
        w_open_lines[6'(aw_sent)] = 0;
        w_error[6'(aw_sent)] = 0;
        aw_on = 0;
        ++aw_sent;
      end
      if (s_axi_arvalid && s_axi_arready) begin
        accept_ar();
        ar_on = 0;
      end
    end
    if (!clock_on) ++stopped_cycles;
    ++Bench::cycle;
    if (b_oldest == Bursts && r_oldest == Bursts && Bench::cycle > last_transfer + 20) finish();
    if (Bench::cycle - last_transfer > 3000) begin
      Bench::fail($sformatf("watchdog: no transfer; %0d reads and %0d writes answered", r_oldest,
                            b_oldest));
    end
  end

  initial begin
    Bench::seed_random();
    for (int unsigned k = 0; k < 4; ++k) of_kind[k] = 0;
    for (int unsigned k = 0; k < 32; ++k) outstanding[k] = 0;
    for (int unsigned k = 0; k < 128; ++k) begin
      for (int unsigned w = 0; w < 32; ++w) stored[k][32*w+:32] = Bench::word();
    end
    for (int unsigned k = 0; k < 2 * Bursts; ++k) make_burst(12'(k), k < 2 * DirectedBursts);
    for (int unsigned k = 2 * Bursts; k < 4096; ++k) begin
      beats_of[12'(k)] = 1;
      kind_of[12'(k)] = 1;
    end
  end

endmodule

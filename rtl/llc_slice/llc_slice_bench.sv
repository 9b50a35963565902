// SPDX-License-Identifier: Apache-2.0
//
// Bench of llc_slice: two ports, a DRAM channel and another slice that respond out of order. The
// reference is a slice as a list of ways, without bytes of its own: a reference memory holds the
// bytes of the writes that have been looked up. Checked at every edge:
//   - each lookup: which request, when, its outcome; what stalls; the events
//   - every response, its order and its bytes; those of copies are not older than the last drop
//   - every request to the channel and to other slices, its order, mask and bytes
//   - occupancies, busy, flush_done, the debug port; VALID and payload are kept until READY
//   - nothing happens in an edge with debug set, nor is an edge missed while busy is 0
//   - memory after a last flush
// and, with literal cycles, what the contract says of lone accesses.
//
// Lines: 0 to 19 own, 20 to 31 of another slice, 32 to 35 such that always bypass the arrays.
module llc_slice_bench;

  `include "bench_random.svh"

  class Check;  // not inlined, as Bench
    static function void equal(input int unsigned got, input int unsigned expected,
                               input string what);
      if (got != expected) Bench::fail($sformatf("%s: %0d instead of %0d", what, got, expected));
    endfunction
  endclass

  localparam int unsigned Rounds = 6;
  localparam int unsigned Requests = 5000;  // of a round
  localparam bit [7:0] Foreign = 20;
  localparam bit [7:0] Passing = 32;
  localparam int unsigned Lines = 36;

  typedef bit [127:0] line_t;
  typedef bit [15:0] mask_t;
  typedef bit [7:0] id_t;

  // Phases of a cycle: `plan` for the directed script, `drive` the inputs, `sample` the clock,
  // unless it is stopped.
  logic plan = 0;
  logic drive = 0;
  logic sample = 0;
  logic clock_on = 1;
  logic clk;
  logic rst_n = 0;

  assign clk = sample && clock_on;

  initial forever begin
    #1 plan = 1;
    #1 plan = 0;
    #1 drive = 1;
    #1 drive = 0;
    #1 sample = 1;
    #1 sample = 0;
  end

  logic debug = 0;
  logic [2:0] cfg_sets = 4;
  logic [2:0] cfg_ways = 4;
  logic [3:0] cfg_mshrs = 8;
  logic [3:0] cfg_targets = 4;
  logic [9:0] cfg_latency = 2;
  logic [9:0] cfg_entries = 8;
  logic [9:0] cfg_response_depth = 4;
  logic [9:0] cfg_memory_depth = 4;
  logic [9:0] cfg_remote_depth = 4;
  logic [1:0] cfg_local = 1;
  logic [15:0] cfg_whole = '1;
  logic cfg_oldest_first = 0;
  logic cfg_flush_copies = 0;
  logic [1:0] in_valid = 0;
  logic [1:0] in_ready;
  logic [1:0] in_write = 0;
  logic [1:0] in_foreign = 0;
  logic [1:0] in_bypass = 0;
  logic [1:0] in_keep = 0;
  logic [1:0][7:0] in_id = 0;
  logic [1:0][7:0] in_line = 0;
  logic [1:0][1:0] in_set = 0;
  logic [1:0][15:0] in_mask = 0;
  logic [1:0][127:0] in_data = 0;
  logic [1:0] out_valid;
  logic [1:0] out_ready = 0;
  logic [1:0] out_space = 0;
  logic [1:0] out_error;
  logic [1:0][7:0] out_id;
  logic [1:0][127:0] out_data;
  logic mem_valid;
  logic mem_ready = 0;
  logic mem_space = 0;
  logic mem_write;
  logic [2:0] mem_id;
  logic [7:0] mem_tag;
  logic [7:0] mem_line;
  logic [15:0] mem_mask;
  logic [127:0] mem_data;
  logic mem_resp_valid = 0;
  logic mem_resp_ready;
  logic mem_resp_write = 0;
  logic mem_resp_error = 0;
  logic [2:0] mem_resp_id = 0;
  logic [127:0] mem_resp_data = 0;
  logic rem_valid;
  logic rem_ready = 0;
  logic rem_space = 0;
  logic rem_fetch;
  logic rem_write;
  logic [0:0] rem_port;
  logic [7:0] rem_id;
  logic [7:0] rem_tag;
  logic [7:0] rem_line;
  logic [15:0] rem_mask;
  logic [127:0] rem_data;
  logic rem_resp_valid = 0;
  logic rem_resp_ready;
  logic rem_resp_fetch = 0;
  logic rem_resp_error = 0;
  logic [0:0] rem_resp_port = 0;
  logic [7:0] rem_resp_id = 0;
  logic [127:0] rem_resp_data = 0;
  logic flush = 0;
  logic flush_done;
  logic drop_copies = 0;
  logic dbg_queue = 0;
  logic [2:0] dbg_entry = 0;
  logic [1:0] dbg_set = 0;
  logic [7:0] dbg_line = 0;
  logic [15:0] dbg_mask = 0;
  logic [127:0] dbg_write_data = 0;
  logic dbg_drop = 0;
  logic dbg_hit;
  logic dbg_locked;
  logic [15:0] dbg_dirty;
  logic [127:0] dbg_data;
  logic ev_lookup;
  logic ev_lookup_local;
  logic [2:0] ev_outcome;
  logic [7:0] ev_id;
  logic ev_evict;
  logic ev_write_back;
  logic ev_miss_foreign;
  logic [2:0] ev_miss_mshr;
  logic [1:0] ev_stall_local;
  logic [1:0] ev_stall_remote;
  logic ev_copy_kept;
  logic [3:0] mshrs_used;
  logic [9:0] memory_used;
  logic [9:0] lmr_used;
  logic [9:0] rmr_used;
  logic busy;

  llc_slice #(
      .PORTS(2), .LINE_BYTES(16), .LINE_BITS(8), .ID_BITS(8), .SETS(4), .WAYS(4), .MSHRS(8),
      .TARGETS(4), .QUEUE(8), .RESPONSES(16), .MEMORY(8), .REMOTE(32)
  ) dut (.*);

  // Outcomes and stalls, as the slice numbers them.
  localparam int unsigned ReadHit = 0;
  localparam int unsigned WriteHit = 1;
  localparam int unsigned WriteAllocate = 2;
  localparam int unsigned Merge = 3;
  localparam int unsigned Miss = 4;
  localparam int unsigned PartialFetch = 5;
  localparam int unsigned Forward = 6;
  localparam int unsigned Nothing = 7;
  localparam int unsigned Runs = 0;
  localparam int unsigned NoMshr = 1;
  localparam int unsigned NoWay = 2;
  localparam int unsigned NoRoom = 3;

  function automatic line_t spread(input mask_t mask);
    for (int unsigned k = 0; k < 16; ++k) spread[7'(8*k)+:8] = {8{mask[4'(k)]}};
  endfunction

  // ---- Requests, by id

  bit id_busy[256];
  bit id_write[256];
  bit id_foreign[256];
  bit id_bypass[256];
  bit id_keep[256];
  bit id_port[256];
  bit [7:0] id_line[256];
  mask_t id_mask[256];
  line_t id_data[256];
  int unsigned id_accepted[256];   // edges, for the directed cases
  int unsigned id_looked_up[256];
  int unsigned id_answered[256];
  id_t next_id = 0;
  bit [1:0] in_on = 0;
  id_t in_of[2];

  /// A request that is on port p until it is accepted.
  function automatic void put(input bit p, input bit write, input bit [7:0] line, input bit keep,
                              input bit bypass, input mask_t mask);
    while (id_busy[next_id]) ++next_id;
    id_busy[next_id] = 1;
    id_write[next_id] = write;
    id_foreign[next_id] = line >= Foreign;
    id_bypass[next_id] = bypass;
    id_keep[next_id] = keep;
    id_port[next_id] = p;
    id_line[next_id] = line;
    id_mask[next_id] = mask & cfg_whole;
    for (int unsigned k = 0; k < 4; ++k) id_data[next_id][32*k+:32] = Bench::word();
    in_of[p] = next_id;
    in_on[p] = 1;
    ++next_id;
  endfunction

  // ---- Reference. Rings: count and head.

  line_t reference[64];    // own lines, with the writes that have been looked up
  line_t stored[64];       // memory: own lines, and those of other slices
  int unsigned version = 0;  // of copies: number of drops. Bits 0 to 31 of a foreign line

  int unsigned edges = 0;
  int unsigned in_flight = 0;

  int unsigned q_head[2];
  int unsigned q_count[2];
  int unsigned q_passing[2];
  id_t q_id[16];
  int unsigned q_stamp[16];

  int unsigned o_head[2];
  int unsigned o_count[2];
  id_t o_id[64];
  bit o_error[64];
  line_t o_data[64];
  int unsigned o_version[64];

  int unsigned m_head;
  int unsigned m_count;
  bit m_write[16];
  bit [2:0] m_id[16];
  id_t m_tag[16];
  bit [7:0] m_line[16];
  mask_t m_mask[16];
  line_t m_data[16];

  int unsigned x_head;
  int unsigned x_count;
  bit x_fetch[64];
  bit x_holds[64];
  bit x_write[64];
  bit x_port[64];
  id_t x_id[64];
  id_t x_tag[64];
  bit [7:0] x_line[64];
  mask_t x_mask[64];
  line_t x_data[64];

  bit w_present[16];
  bit w_locked[16];
  bit w_copy[16];
  bit [7:0] w_line[16];
  mask_t w_valid[16];
  mask_t w_dirty[16];
  int unsigned w_used[16];   // when, by `uses`
  bit [2:0] w_mshr[16];
  line_t w_data[16];         // of copies
  int unsigned uses = 0;

  bit h_busy[8];
  bit h_keep[8];
  bit h_foreign[8];
  bit [3:0] h_way[8];
  int unsigned h_count[8];
  id_t h_target[32];
  int unsigned h_used = 0;
  int unsigned h_version[32];

  bit turn;
  bit walking;
  bit walked;
  int unsigned walk;
  int unsigned writes;

  // Expected events of the last edge
  bit e_lookup;
  bit e_local;
  int unsigned e_outcome;
  id_t e_id;
  bit e_evict;
  bit e_write_back;
  bit e_miss_foreign;
  bit e_copy_kept;
  bit e_done;
  bit e_fetch;              // the slice chooses the MSHR
  bit [3:0] e_way;
  int unsigned e_stall[2];  // of the heads of [RMR, LMR]

  int unsigned of_outcome[8];
  int unsigned of_stall[4];
  int unsigned write_backs = 0;
  int unsigned errors = 0;
  int unsigned drops = 0;
  int unsigned flushes = 0;
  int unsigned passes = 0;
  int unsigned out_of_order = 0;
  int unsigned stalls = 0;
  int unsigned debugs = 0;
  int unsigned stopped_cycles = 0;
  int unsigned answered = 0;
  int unsigned last_transfer = 0;

  // For the directed cases: edges of the last request of a line to the channel, and of its fill.
  int unsigned read_at[64];
  int unsigned written_at[64];
  int unsigned filled_at[64];
  int unsigned done_at = 0;
  int unsigned last_ack = 0;
  int unsigned requests_to_memory = 0;
  int unsigned forwarded = 0;
  int unsigned fetched = 0;

  function automatic void push_response(input id_t id, input bit error, input line_t data,
                                        input int unsigned at_least);
    bit [5:0] at;
    at = {id_port[id], 5'(o_head[id_port[id]] + o_count[id_port[id]])};
    o_id[at] = id;
    o_error[at] = error;
    o_data[at] = data;
    o_version[at] = at_least;
    ++o_count[id_port[id]];
  endfunction

  function automatic void push_memory(input bit write, input id_t tag, input bit [7:0] line,
                                      input mask_t mask);
    bit [3:0] at;
    at = 4'(m_head + m_count);
    m_write[at] = write;
    m_id[at] = 0;
    m_tag[at] = tag;
    m_line[at] = line;
    m_mask[at] = mask;
    m_data[at] = reference[6'(line)];
    ++m_count;
    if (write) begin
      ++writes;
      ++write_backs;
      e_write_back = 1;
    end
  endfunction

  function automatic void push_remote(input id_t id, input bit fetch, input bit holds);
    bit [5:0] at;
    at = 6'(x_head + x_count);
    x_fetch[at] = fetch;
    x_holds[at] = holds;
    x_write[at] = id_write[id];
    x_port[at] = id_port[id];
    x_id[at] = id;
    x_tag[at] = id;
    x_line[at] = id_line[id];
    x_mask[at] = id_mask[id];
    x_data[at] = id_data[id];
    ++x_count;
  endfunction

  function automatic void fill(input bit [2:0] mshr, input bit error, input line_t bytes);
    bit [3:0] at;
    bit stays;
    id_t id;
    at = h_way[mshr];
    if (!h_busy[mshr]) Bench::fail("the bench fills a free MSHR");
    stays = w_valid[at] != 0;
    if (!error) w_valid[at] = cfg_whole;
    if (h_foreign[mshr]) w_data[at] = bytes;
    for (int unsigned k = 0; k < h_count[mshr]; ++k) begin
      id = h_target[{mshr, 2'(k)}];
      push_response(id, error, h_foreign[mshr] ? bytes : reference[6'(w_line[at])],
                    h_version[{mshr, 2'(k)}]);
      if (error) continue;
      if (id_write[id]) begin
        reference[6'(w_line[at])] = (reference[6'(w_line[at])] & ~spread(id_mask[id])) |
            (id_data[id] & spread(id_mask[id]));
        w_dirty[at] |= id_mask[id];
      end
      if (id_keep[id]) stays = 1;
    end
    if (w_dirty[at] != 0) stays = 1;
    if (!error && (!h_keep[mshr] || (drop_copies && h_foreign[mshr]))) stays = 0;
    if (h_foreign[mshr] && stays && !error) e_copy_kept = 1;
    w_present[at] = stays;
    w_locked[at] = 0;
    w_used[at] = ++uses;
    h_busy[mshr] = 0;
    --h_used;
    if (error) ++errors;
    filled_at[6'(w_line[at])] = Bench::cycle;
  endfunction

  function automatic int unsigned waiting(input int unsigned count, input bit space);
    return count != 0 && space ? count - 1 : count;
  endfunction

  // What the heads of [RMR, LMR] would do.
  bit head_on[2];
  bit head_port[2];
  int unsigned head_age[2];
  int unsigned outcome[2];
  int unsigned stall[2];
  bit hit[2];
  bit full[2];              // no empty way
  bit [3:0] place[2];

  function automatic void predict(input bit h);
    int unsigned locked;
    bit found;
    bit [3:0] at;
    bit [3:0] victim;
    bit [2:0] mshr;
    bit [1:0] set;
    bit no_room;
    id_t id;
    head_on[h] = 0;
    head_age[h] = 0;
    outcome[h] = Nothing;
    stall[h] = Runs;
    for (int unsigned p = 0; p < 2; ++p) begin
      if (cfg_local[1'(p)] != h || q_count[1'(p)] == 0) continue;
      if (edges - q_stamp[{1'(p), 3'(q_head[1'(p)])}] <= head_age[h]) continue;
      head_on[h] = 1;
      head_port[h] = 1'(p);
      head_age[h] = edges - q_stamp[{1'(p), 3'(q_head[1'(p)])}];
    end
    if (head_age[h] + 1 < 32'(cfg_latency)) head_on[h] = 0;
    if (!head_on[h]) return;
    id = q_id[{head_port[h], 3'(q_head[head_port[h]])}];
    set = 2'(id_line[id] % 8'(cfg_sets));
    hit[h] = 0;
    full[h] = 1;
    found = 0;
    locked = 0;
    victim = 0;
    for (int unsigned w = 0; w < 32'(cfg_ways); ++w) begin
      at = {set, 2'(w)};
      if (w_present[at] && w_line[at] == id_line[id]) begin
        hit[h] = 1;
        place[h] = at;
      end
      if (w_locked[at]) ++locked;
      if (!w_present[at] && full[h]) begin
        full[h] = 0;
        found = 1;
        victim = at;
      end else if (full[h] && !w_locked[at] && (!found || w_used[at] < w_used[victim])) begin
        found = 1;
        victim = at;
      end
    end
    no_room = waiting(x_count, rem_space) >= 32'(cfg_remote_depth);
    if (!hit[h]) place[h] = victim;
    mshr = w_mshr[place[h]];
    if (hit[h] && w_locked[place[h]]) begin
      outcome[h] = Merge;
      if (!h_keep[mshr] || h_count[mshr] >= 32'(cfg_targets)) stall[h] = NoMshr;
    end else if (id_write[id]) begin
      outcome[h] = hit[h] ? WriteHit : WriteAllocate;
      if (!found && !hit[h]) stall[h] = NoWay;
    end else if (hit[h] && w_valid[place[h]] == cfg_whole) begin
      outcome[h] = ReadHit;
    end else if (id_foreign[id] &&
                 (h_used >= 32'(cfg_mshrs) - (cfg_mshrs < 8 ? 1 : 32'(cfg_mshrs) / 4) ||
                  locked + 2 > 32'(cfg_ways))) begin
      outcome[h] = Forward;
      if (no_room) stall[h] = NoRoom;
    end else begin
      outcome[h] = hit[h] ? PartialFetch : Miss;
      if (h_used == 32'(cfg_mshrs)) stall[h] = NoMshr;
      else if (id_foreign[id] && no_room) stall[h] = NoRoom;
      else if (!found && !hit[h]) stall[h] = NoWay;
    end
  endfunction

  function automatic void look_up(input bit h);
    bit p;
    bit [3:0] at;
    bit [5:0] line;
    id_t id;
    p = head_port[h];
    id = q_id[{p, 3'(q_head[p])}];
    at = place[h];
    line = 6'(id_line[id]);
    q_head[p] = (q_head[p] + 1) % 8;
    --q_count[p];
    id_looked_up[id] = Bench::cycle;
    e_lookup = 1;
    e_local = h;
    e_outcome = outcome[h];
    e_id = id;
    ++of_outcome[3'(outcome[h])];
    if (outcome[h] == WriteAllocate || outcome[h] == Miss) begin
      e_evict = full[h];
      if (full[h] && w_dirty[at] != 0) push_memory(1, id, w_line[at], w_dirty[at]);
      w_present[at] = 1;
      w_line[at] = 8'(line);
      w_copy[at] = id_foreign[id];
      w_valid[at] = 0;
      w_dirty[at] = 0;
    end
    if (outcome[h] == ReadHit) begin
      push_response(id, 0, w_copy[at] ? w_data[at] : reference[line], version);
    end
    if (outcome[h] == WriteHit || outcome[h] == WriteAllocate) begin
      push_response(id, 0, 0, 0);
      reference[line] = (reference[line] & ~spread(id_mask[id])) |
          (id_data[id] & spread(id_mask[id]));
      w_valid[at] |= id_mask[id];
      w_dirty[at] |= id_mask[id];
    end
    if (outcome[h] == Merge) begin
      h_target[{w_mshr[at], 2'(h_count[w_mshr[at]])}] = id;
      h_version[{w_mshr[at], 2'(h_count[w_mshr[at]])}] = version;
      ++h_count[w_mshr[at]];
    end
    if (outcome[h] == Miss || outcome[h] == PartialFetch) begin
      e_fetch = 1;
      e_way = at;
      e_miss_foreign = id_foreign[id];
      w_locked[at] = 1;
      ++h_used;
      if (id_foreign[id]) push_remote(id, 1, 0);
      else push_memory(0, id, 8'(line), 0);
    end
    if (outcome[h] == Forward) push_remote(id, 0, 0);
    if (outcome[h] != Merge && outcome[h] != PartialFetch && outcome[h] != Forward) begin
      w_used[at] = ++uses;
    end
  endfunction

  // ---- Channel and other slices, with what they have accepted

  bit s_on[64];            // 0 to 7: fetches by MSHR; 8 to 31: acknowledgements
  int unsigned s_due[64];  // 32 to 39: fetches from other slices; 40 to 63: requests that pass
  line_t s_data[64];
  bit s_error[64];
  id_t s_id[64];
  int unsigned s_stamp[64];
  int unsigned latency = 10;
  bit directed = 1;

  function automatic bit [5:0] slot(input bit [5:0] first);
    slot = first;
    while (s_on[slot]) ++slot;
    if (slot < first || (first == 8 && slot > 31)) Bench::fail("the bench has too few slots");
  endfunction

  function automatic int unsigned used_slots(input bit [5:0] first, input int unsigned count);
    used_slots = 0;
    for (int unsigned k = 0; k < count; ++k) used_slots += 32'(s_on[first+6'(k)]);
  endfunction

  function automatic void schedule(input bit [5:0] s, input line_t data);
    s_on[s] = 1;
    s_due[s] = directed ? Bench::cycle + latency : Bench::cycle + 1 + Bench::below(latency);
    s_data[s] = data;
    s_error[s] = !directed && Bench::chance(6);
    s_stamp[s] = Bench::cycle;
  endfunction

  function automatic void take_memory();
    bit [3:0] at;
    bit [5:0] line;
    at = 4'(m_head);
    line = 6'(m_line[at]);
    ++requests_to_memory;
    if (m_write[at]) begin
      stored[line] = (stored[line] & ~spread(mem_mask)) | (mem_data & spread(mem_mask));
      schedule(slot(8), 0);
      written_at[line] = Bench::cycle;
    end else begin
      schedule({3'd0, mem_id}, stored[line]);
      read_at[line] = Bench::cycle;
    end
    ++m_head;
    --m_count;
  endfunction

  function automatic void take_remote();
    bit [5:0] at;
    bit [5:0] s;
    bit [5:0] line;
    at = 6'(x_head);
    line = 6'(x_line[at]);
    if (x_write[at]) begin
      stored[line] = (stored[line] & ~spread(rem_mask)) | (rem_data & spread(rem_mask));
    end
    s = x_fetch[at] ? {3'd4, rem_id[2:0]} : slot(40);
    schedule(s, stored[line]);
    s_id[s] = rem_id;
    if (x_holds[at]) --q_passing[x_port[at]];
    if (x_fetch[at]) ++fetched; else ++forwarded;
    ++x_head;
    --x_count;
  endfunction

  // ---- A processed edge

  bit mem_resp_on = 0;
  bit rem_resp_on = 0;
  bit [5:0] mem_slot = 0;
  bit [5:0] rem_slot = 0;

  function automatic void step();
    bit first;
    bit chosen;
    bit runs;
    bit backed_up;
    bit acknowledged;
    bit [5:0] at;
    bit was_walked;
    bit [1:0] arrives;
    int unsigned writes_before;
    {e_lookup, e_local, e_evict, e_write_back, e_miss_foreign, e_copy_kept, e_done, e_fetch} = 0;
    e_outcome = Nothing;
    arrives = in_valid & in_ready;
    was_walked = walked;
    writes_before = writes;
    for (int unsigned p = 0; p < 2; ++p) begin
      if (!out_valid[1'(p)] || !out_ready[1'(p)]) continue;
      at = {1'(p), 5'(o_head[1'(p)])};
      id_busy[o_id[at]] = 0;
      id_answered[o_id[at]] = Bench::cycle;
      o_head[1'(p)] = (o_head[1'(p)] + 1) % 32;
      --o_count[1'(p)];
      --in_flight;
      ++answered;
      last_transfer = Bench::cycle;
    end
    acknowledged = mem_resp_valid && mem_resp_ready && mem_resp_write;
    if (mem_valid && mem_ready) take_memory();
    if (mem_resp_valid && mem_resp_ready) begin
      s_on[mem_slot] = 0;
      mem_resp_on = 0;
      for (int unsigned k = 0; k < 8; ++k) begin
        if (s_on[6'(k)] && s_stamp[6'(k)] < s_stamp[mem_slot] && !mem_resp_write) ++out_of_order;
      end
      if (acknowledged) last_ack = Bench::cycle;
      else fill(mem_resp_id, mem_resp_error, mem_resp_data);
      last_transfer = Bench::cycle;
    end
    if (rem_resp_valid && rem_resp_ready && rem_resp_fetch) begin
      fill(rem_resp_id[2:0], rem_resp_error, rem_resp_data);
    end
    if (drop_copies) begin
      ++drops;
      ++version;
      for (int unsigned w = 0; w < 16; ++w) begin
        if (w_copy[4'(w)] && !w_locked[4'(w)]) w_present[4'(w)] = 0;
      end
      for (int unsigned k = 0; k < 8; ++k) if (h_foreign[3'(k)]) h_keep[3'(k)] = 0;
    end
    if (rem_valid && rem_ready) take_remote();
    if (drop_copies) begin
      for (int unsigned k = 32'(Foreign); k < 32'(Passing); ++k) stored[6'(k)][31:0] = version;
    end
    if (rem_resp_valid && rem_resp_ready) begin
      s_on[rem_slot] = 0;
      rem_resp_on = 0;
      last_transfer = Bench::cycle;
      if (!rem_resp_fetch) begin
        if (rem_resp_error) ++errors;
        push_response(rem_resp_id, rem_resp_error, rem_resp_data, 0);
        ++passes;
      end
    end
    for (int unsigned p = 0; p < 2; ++p) begin
      if (!arrives[1'(p)]) continue;
      in_on[1'(p)] = 0;
      ++in_flight;
      id_accepted[in_of[1'(p)]] = Bench::cycle;
      last_transfer = Bench::cycle;
      if (in_bypass[1'(p)]) begin
        push_remote(in_of[1'(p)], 0, 1);
        ++q_passing[1'(p)];
      end
    end
    backed_up = waiting(m_count, mem_space) >= 32'(cfg_memory_depth);
    for (int unsigned p = 0; p < 2; ++p) begin
      if (waiting(o_count[1'(p)], out_space[1'(p)]) >= 32'(cfg_response_depth)) backed_up = 1;
    end
    for (int unsigned h = 0; h < 2; ++h) predict(1'(h));
    // The tie goes to the RMR queue.
    first = turn;
    if (head_on[0] && head_on[1] && cfg_oldest_first) first = head_age[1] > head_age[0];
    chosen = first;
    if (!head_on[first] || stall[first] != Runs) chosen = !first;
    runs = head_on[chosen] && stall[chosen] == Runs && !backed_up;
    for (int unsigned h = 0; h < 2; ++h) begin
      e_stall[1'(h)] = Runs;
      if (!head_on[1'(h)]) continue;
      if (backed_up) e_stall[1'(h)] = NoRoom;
      else if (first == 1'(h) || chosen != first) e_stall[1'(h)] = stall[1'(h)];
      ++of_stall[2'(e_stall[1'(h)])];
    end
    if (runs) begin
      if (chosen == first) turn = !first;
      look_up(chosen);
    end
    // Arrivals take part from the next edge on.
    for (int unsigned p = 0; p < 2; ++p) begin
      if (!arrives[1'(p)] || in_bypass[1'(p)]) continue;
      q_id[{1'(p), 3'(q_head[1'(p)] + q_count[1'(p)])}] = in_of[1'(p)];
      q_stamp[{1'(p), 3'(q_head[1'(p)] + q_count[1'(p)])}] = edges;
      ++q_count[1'(p)];
    end
    if ((flush || walking) && !was_walked) begin
      at = 6'(walk / 32'(cfg_ways) * 4 + walk % 32'(cfg_ways));
      walking = 1;
      if (!cfg_flush_copies && w_present[4'(at)] && w_dirty[4'(at)] != 0) begin
        if (waiting(m_count, mem_space) < 32'(cfg_memory_depth)) begin
          push_memory(1, 0, w_line[4'(at)], w_dirty[4'(at)]);
          w_dirty[4'(at)] = 0;
          ++walk;
        end
      end else begin
        ++walk;
      end
      if (walk == 32'(cfg_sets) * 32'(cfg_ways)) walked = 1;
    end
    if (was_walked && writes_before == 32'(acknowledged)) begin
      e_done = 1;
      walking = 0;
      walked = 0;
      walk = 0;
      for (int unsigned w = 0; w < 16; ++w) begin
        if (!cfg_flush_copies || w_copy[4'(w)]) w_present[4'(w)] = 0;
      end
      ++flushes;
      done_at = Bench::cycle;
    end
    if (acknowledged) --writes;
    ++edges;
  endfunction

  // ---- Checks of outputs, before each edge

  bit [1:0] out_waits = 0;
  bit mem_waits = 0;
  bit rem_waits = 0;
  bit [1:0][136:0] out_payload;
  bit [163:0] mem_payload;
  bit [170:0] rem_payload;

  function automatic void check_stable();
    for (int unsigned p = 0; p < 2; ++p) begin
      if (out_waits[1'(p)] && (!out_valid[1'(p)] || out_payload[1'(p)] !=
                               {out_error[1'(p)], out_id[1'(p)], out_data[1'(p)]})) begin
        Bench::fail($sformatf("the response on port %0d changed before READY", p));
      end
      out_payload[1'(p)] = {out_error[1'(p)], out_id[1'(p)], out_data[1'(p)]};
      out_waits[1'(p)] = out_valid[1'(p)] && !out_ready[1'(p)];
    end
    if (mem_waits && (!mem_valid || mem_payload != {mem_write, mem_id, mem_tag, mem_line, mem_mask,
                                                    mem_data})) begin
      Bench::fail("the request to the channel changed before READY");
    end
    if (rem_waits && (!rem_valid || rem_payload != {rem_fetch, rem_write, rem_port, rem_id, rem_tag,
                                                    rem_line, rem_mask, rem_data})) begin
      Bench::fail("the request to another slice changed before READY");
    end
    mem_payload = {mem_write, mem_id, mem_tag, mem_line, mem_mask, mem_data};
    rem_payload = {rem_fetch, rem_write, rem_port, rem_id, rem_tag, rem_line, rem_mask, rem_data};
    mem_waits = mem_valid && !mem_ready;
    rem_waits = rem_valid && !rem_ready;
    if (out_waits != 0 || mem_waits || rem_waits) ++stalls;
  endfunction

  function automatic void check_events();
    if (ev_lookup != e_lookup || (e_lookup && ev_id != e_id)) begin
      Bench::fail($sformatf("lookup %0d of request %0d instead of %0d of %0d", ev_lookup, ev_id,
                            e_lookup, e_id));
    end
    Check::equal(32'(ev_outcome), 32'(e_outcome), $sformatf("outcome of request %0d", ev_id));
    if (e_lookup) Check::equal(32'(ev_lookup_local), 32'(e_local), "queue of a lookup");
    Check::equal(32'({ev_evict, ev_write_back, ev_miss_foreign, ev_copy_kept}),
                 32'({e_evict, e_write_back, e_miss_foreign, e_copy_kept}),
                 "events evict, write-back, foreign miss, copy kept");
    Check::equal(32'({ev_stall_remote, ev_stall_local}), 32'({2'(e_stall[0]), 2'(e_stall[1])}),
                 "stalls of RMR, LMR");
    Check::equal(32'(flush_done), 32'(e_done), "flush_done");
    Check::equal(32'(mshrs_used), 32'(h_used), "MSHRs in use");
    if (mshrs_used > cfg_mshrs) Bench::fail("more MSHRs than configured");
    Check::equal(32'(memory_used), 32'(m_count), "memory_used");
    Check::equal(32'(busy), 32'(walking || m_count != 0 || x_count != 0 || e_done || e_lookup ||
                                q_count[0] + q_count[1] + o_count[0] + o_count[1] != 0), "busy");
    Check::equal(32'(lmr_used),
                 (cfg_local[0] ? q_count[0] : 0) + (cfg_local[1] ? q_count[1] : 0), "lmr_used");
    Check::equal(32'(rmr_used),
                 (cfg_local[0] ? 0 : q_count[0]) + (cfg_local[1] ? 0 : q_count[1]), "rmr_used");
    for (int unsigned p = 0; p < 2; ++p) begin
      Check::equal(32'(in_ready[1'(p)]),
                   32'(q_count[1'(p)] + q_passing[1'(p)] < 32'(cfg_entries)), "in_ready");
    end
  endfunction

  /// The MSHR that the slice has chosen for the lookup of the last edge.
  function automatic void note_mshr();
    bit [2:0] mshr;
    if (!e_fetch) return;
    mshr = ev_miss_mshr;
    e_fetch = 0;
    if (h_busy[mshr] || 4'(mshr) >= cfg_mshrs) begin
      Bench::fail($sformatf("MSHR %0d, with %0d in use, is in use or is none", mshr, h_used - 1));
    end
    h_busy[mshr] = 1;
    h_keep[mshr] = 1;
    h_foreign[mshr] = e_miss_foreign;
    h_way[mshr] = e_way;
    h_count[mshr] = 1;
    h_target[{mshr, 2'd0}] = e_id;
    h_version[{mshr, 2'd0}] = version;
    w_mshr[e_way] = mshr;
    if (e_miss_foreign) x_id[6'(x_head + x_count - 1)] = id_t'(mshr);
    else m_id[4'(m_head + m_count - 1)] = mshr;
  endfunction

  function automatic void check_channels();
    bit [5:0] at;
    line_t wrong;
    for (int unsigned p = 0; p < 2; ++p) begin
      Check::equal(32'(out_valid[1'(p)]), 32'(o_count[1'(p)] != 0), $sformatf("out_valid[%0d]", p));
      if (o_count[1'(p)] == 0) continue;
      at = {1'(p), 5'(o_head[1'(p)])};
      Check::equal(32'(out_id[1'(p)]), 32'(o_id[at]), $sformatf("id of a response on port %0d", p));
      Check::equal(32'(out_error[1'(p)]), 32'(o_error[at]),
                   $sformatf("error of response %0d", o_id[at]));
      if (o_error[at] || id_write[o_id[at]]) continue;
      wrong = (out_data[1'(p)] ^ o_data[at]) & spread(cfg_whole);
      if (wrong != 0) begin
        Bench::fail($sformatf("response %0d, line %0d: %h instead of %h", o_id[at],
                              id_line[o_id[at]], out_data[1'(p)], o_data[at]));
      end
      if (id_foreign[o_id[at]] && out_data[1'(p)][31:0] < o_version[at]) begin
        Bench::fail("a copy is older than the last drop");
      end
    end
    Check::equal(32'(mem_valid), 32'(m_count != 0), "mem_valid");
    if (m_count != 0) begin
      at = 6'(m_head % 16);
      Check::equal(32'({mem_write, mem_tag, mem_line}),
                   32'({m_write[4'(at)], m_tag[4'(at)], m_line[4'(at)]}),
                   "write, tag, line for the channel");
      if (!mem_write) Check::equal(32'(mem_id), 32'(m_id[4'(at)]), "MSHR of a fetch");
      else begin
        Check::equal(32'(mem_mask), 32'(m_mask[4'(at)]),
                     $sformatf("mask of write-back of line %0d", mem_line));
        if (((mem_data ^ m_data[4'(at)]) & spread(mem_mask)) != 0) begin
          Bench::fail($sformatf("write-back of line %0d: %h instead of %h, mask %h", mem_line,
                                mem_data, m_data[4'(at)], mem_mask));
        end
      end
    end
    Check::equal(32'(rem_valid), 32'(x_count != 0), "rem_valid");
    if (x_count != 0) begin
      at = 6'(x_head);
      Check::equal(32'({rem_fetch, rem_write, rem_id, rem_tag, rem_line}),
                   32'({x_fetch[at], x_write[at], x_id[at], x_tag[at], x_line[at]}),
                   "fetch, write, id, tag, line for another slice");
      if (!rem_fetch) Check::equal(32'(rem_port), 32'(x_port[at]), "port of a request that passes");
      if (rem_write && (rem_mask != x_mask[at] ||
                        ((rem_data ^ x_data[at]) & spread(rem_mask)) != 0)) begin
        Bench::fail("mask or bytes of a write that passes");
      end
    end
  endfunction

  function automatic void check_debug();
    bit [3:0] at;
    bit expected;
    expected = 0;
    at = 0;
    if (dbg_queue) begin
      at = 4'(m_head + 32'(dbg_entry));
      expected = 32'(dbg_entry) < m_count && m_write[at] && m_line[at] == dbg_line;
      Check::equal(32'(dbg_hit), 32'(expected), "debug port: a queued write-back");
      if (!expected) return;
      if (dbg_dirty != m_mask[at] || ((dbg_data ^ m_data[at]) & spread(dbg_dirty)) != 0) begin
        Bench::fail("debug port: mask or bytes of a queued write-back");
      end
      if (dbg_mask != 0) mem_waits = 0;
      m_data[at] = (m_data[at] & ~spread(dbg_mask)) | (dbg_write_data & spread(dbg_mask));
      reference[6'(dbg_line)] = (reference[6'(dbg_line)] & ~spread(dbg_mask & m_mask[at])) |
          (dbg_write_data & spread(dbg_mask & m_mask[at]));
      return;
    end
    for (int unsigned w = 0; w < 4; ++w) begin
      if (!w_present[{dbg_set, 2'(w)}] || w_line[{dbg_set, 2'(w)}] != dbg_line) continue;
      expected = 1;
      at = {dbg_set, 2'(w)};
    end
    Check::equal(32'(dbg_hit), 32'(expected), "debug port: a line");
    if (!expected) return;
    Check::equal(32'({dbg_locked, dbg_dirty}), 32'({w_locked[at], w_dirty[at]}),
                 "debug port: locked, dirty");
    if (((dbg_data ^ (w_copy[at] ? w_data[at] : reference[6'(dbg_line)])) &
         spread(w_locked[at] ? '0 : w_valid[at])) != 0) Bench::fail("debug port: bytes of a line");
    reference[6'(dbg_line)] = (reference[6'(dbg_line)] & ~spread(dbg_mask)) |
        (dbg_write_data & spread(dbg_mask));
    stored[6'(dbg_line)] = (stored[6'(dbg_line)] & ~spread(dbg_mask)) |
        (dbg_write_data & spread(dbg_mask));
    if (dbg_drop) begin
      w_present[at] = 0;
      reference[6'(dbg_line)] = stored[6'(dbg_line)];
    end
  endfunction

  // ---- Inputs

  int unsigned in_rate = 50;
  int unsigned out_rate = 50;
  int unsigned mem_rate = 50;
  int unsigned rem_rate = 50;
  int unsigned response_rate = 50;
  int unsigned hot = 20;
  int unsigned write_rate = 40;
  int unsigned foreign_rate = 30;
  int unsigned drop_rate = 0;
  int unsigned sent = 0;
  bit can_stop = 0;
  bit wants_flush = 0;
  bit was_skipped = 0;     // the last edge: spaces still speak of the next one
  bit flush_on = 0;
  bit drop_on = 0;
  bit ending = 0;

  function automatic int unsigned rate();
    case (Bench::below(4))
      0: return 100;
      1: return 5 + Bench::below(20);
      default: return 20 + Bench::below(80);
    endcase
  endfunction

  function automatic void choose_request(input bit p);
    bit write;
    bit [7:0] line;
    mask_t mask;
    write = Bench::chance(write_rate);
    line = 8'(Bench::below(hot));
    mask = Bench::chance(30) ? '1 : Bench::chance(30) ? mask_t'(1) << Bench::below(16) :
        mask_t'(Bench::word());
    if (Bench::chance(foreign_rate)) begin
      line = Foreign + 8'(Bench::below(hot < 12 ? hot : 12));
      if (Bench::chance(25)) line = Passing + 8'(Bench::below(4));
      if (line < Passing) write = 0;
      put(p, write, line, Bench::chance(60), line >= Passing || Bench::chance(10), mask);
    end else begin
      put(p, write, line, Bench::chance(60), 0, mask);
    end
    ++sent;
  endfunction

  /// A random one of the slots from `first` to `last` that are due.
  function automatic bit due(input bit [5:0] first, input int unsigned count,
                             output bit [5:0] chosen);
    int unsigned k;
    k = Bench::below(count);
    for (int unsigned n = 0; n < count; ++n) begin
      chosen = first + 6'((k + n) % count);
      if (s_on[chosen] && s_due[chosen] <= Bench::cycle) return 1;
    end
    return 0;
  endfunction

  function automatic void choose_debug();
    bit [3:0] at;
    bit present;
    debug = 1;
    ++debugs;
    dbg_queue = Bench::chance(40);
    dbg_entry = 3'(Bench::below(4));
    dbg_line = 8'(Bench::below(32'(Passing)));
    if (dbg_queue && m_count != 0) dbg_line = m_line[4'(m_head + 32'(dbg_entry))];
    dbg_set = 2'(dbg_line % 8'(cfg_sets));
    dbg_mask = 0;
    dbg_drop = 0;
    for (int unsigned k = 0; k < 4; ++k) dbg_write_data[32*k+:32] = Bench::word();
    present = 0;
    at = 0;
    for (int unsigned w = 0; w < 4; ++w) begin
      if (w_present[{dbg_set, 2'(w)}] && w_line[{dbg_set, 2'(w)}] == dbg_line) begin
        present = 1;
        at = {dbg_set, 2'(w)};
      end
    end
    // Writes only where the reference has one place for the bytes.
    if (dbg_line >= Foreign) return;
    if (dbg_queue) begin
      for (int unsigned k = 32'(dbg_entry) + 1; k < m_count; ++k) begin
        if (m_line[4'(m_head + k)] == dbg_line) present = 1;
      end
      if (!present) dbg_mask = mask_t'(Bench::word()) & cfg_whole;
    end else if (present && !w_locked[at] && m_count == 0) begin
      dbg_mask = mask_t'(Bench::word()) & cfg_whole;
      dbg_drop = Bench::chance(20);
    end
  endfunction

  always @(posedge drive) begin
    if (rst_n && Bench::cycle > 5) begin
      check_events();
      note_mshr();
    end
    if (!directed && Bench::cycle % 256 == 0) begin
      in_rate = rate();
      out_rate = Bench::chance(10) ? 2 : rate();
      mem_rate = Bench::chance(10) ? 2 : rate();
      rem_rate = Bench::chance(10) ? 2 : rate();
      response_rate = rate();
      latency = 1 + Bench::below(Bench::chance(50) ? 60 : 6);
      hot = Bench::chance(40) ? 2 + Bench::below(4) : 20;
      write_rate = Bench::chance(20) ? 0 : 20 + Bench::below(60);
      foreign_rate = Bench::below(70);
      drop_rate = Bench::chance(50) ? 0 : 1 + Bench::below(20);
      can_stop = Bench::chance(50);
      if (Bench::chance(25)) in_rate = 3;  // a slice that is mostly idle
      if (Bench::chance(30)) wants_flush = 1;
    end
    if (!was_skipped) begin
      out_ready = out_space;
      mem_ready = mem_space;
      rem_ready = rem_space;
      for (int unsigned p = 0; p < 2; ++p) out_space[1'(p)] = directed || Bench::chance(out_rate);
      mem_space = (directed || Bench::chance(mem_rate)) && used_slots(8, 24) < 22;
      rem_space = (directed || Bench::chance(rem_rate)) && used_slots(40, 24) < 22;
    end
    flush = 0;
    drop_copies = 0;
    debug = 0;
    if (directed) begin
      flush = flush_on;
      drop_copies = drop_on;
      flush_on = 0;
      drop_on = 0;
    end else if (rst_n) begin
      drop_copies = Bench::below(400) < drop_rate;
      if (wants_flush && in_flight == 0 && in_on == 0 && !walking) begin
        flush = 1;
        drop_copies = 0;
        wants_flush = 0;
      end
      for (int unsigned p = 0; p < 2; ++p) begin
        if (!in_on[1'(p)] && !wants_flush && !walking && !flush && !ending && sent < Requests &&
            Bench::chance(in_rate)) begin
          choose_request(1'(p));
        end
      end
      if (!flush && !drop_copies && Bench::chance(4)) choose_debug();
    end
    if (!mem_resp_on && (directed || Bench::chance(response_rate))) begin
      mem_resp_on = due(0, 32, mem_slot);
    end
    if (!rem_resp_on && (directed || Bench::chance(response_rate))) begin
      rem_resp_on = due(32, 32, rem_slot);
    end
    for (int unsigned p = 0; p < 2; ++p) begin
      in_valid[1'(p)] = in_on[1'(p)];
      in_write[1'(p)] = id_write[in_of[1'(p)]];
      in_foreign[1'(p)] = id_foreign[in_of[1'(p)]];
      in_bypass[1'(p)] = id_bypass[in_of[1'(p)]];
      in_keep[1'(p)] = id_keep[in_of[1'(p)]];
      in_id[1'(p)] = in_of[1'(p)];
      in_line[1'(p)] = id_line[in_of[1'(p)]];
      in_set[1'(p)] = 2'(id_line[in_of[1'(p)]] % 8'(cfg_sets));
      in_mask[1'(p)] = id_mask[in_of[1'(p)]];
      in_data[1'(p)] = id_data[in_of[1'(p)]];
    end
    mem_resp_valid = mem_resp_on;
    mem_resp_write = mem_slot >= 8;
    mem_resp_id = 3'(mem_slot);
    mem_resp_error = s_error[mem_slot];
    mem_resp_data = s_data[mem_slot];
    rem_resp_valid = rem_resp_on;
    rem_resp_fetch = rem_slot < 40;
    rem_resp_port = id_port[s_id[rem_slot]];
    rem_resp_id = rem_resp_fetch ? id_t'(rem_slot[2:0]) : s_id[rem_slot];
    rem_resp_error = s_error[rem_slot];
    rem_resp_data = s_data[rem_slot];
    clock_on = !can_stop || directed || busy || in_on != 0 || mem_resp_on || rem_resp_on || flush ||
        drop_copies || debug || !rst_n;
  end

  always @(posedge sample) begin
    was_skipped = debug || !clock_on;
    if (rst_n && Bench::cycle > 5) begin
      check_channels();
      if (debug) check_debug();
      else if (clock_on) begin
        check_stable();
        step();
      end
    end
    if (!clock_on) ++stopped_cycles;
    ++Bench::cycle;
    if (Bench::cycle - last_transfer > 6000) begin
      Bench::fail($sformatf("watchdog: no transfer; %0d requests in flight", in_flight));
    end
  end

  // ---- Script: directed cases, then rounds of random traffic

  /// A slice after its reset. The values are those of the static configuration, in its order.
  task automatic restart(input int unsigned sets, ways, mshrs, targets, latencies, entries,
                         responses, memory, remote, input bit [1:0] locals, input mask_t whole,
                         input bit oldest_first, input bit flush_copies);
    rst_n = 0;
    cfg_sets = 3'(sets);
    cfg_ways = 3'(ways);
    cfg_mshrs = 4'(mshrs);
    cfg_targets = 4'(targets);
    cfg_latency = 10'(latencies);
    cfg_entries = 10'(entries);
    cfg_response_depth = 10'(responses);
    cfg_memory_depth = 10'(memory);
    cfg_remote_depth = 10'(remote);
    cfg_local = locals;
    cfg_whole = whole;
    cfg_oldest_first = oldest_first;
    cfg_flush_copies = flush_copies;
    for (int unsigned p = 0; p < 2; ++p) begin
      q_head[1'(p)] = 0;
      q_count[1'(p)] = 0;
      q_passing[1'(p)] = 0;
      o_head[1'(p)] = 0;
      o_count[1'(p)] = 0;
    end
    m_head = 0;
    m_count = 0;
    x_head = 0;
    x_count = 0;
    for (int unsigned w = 0; w < 16; ++w) begin
      w_present[4'(w)] = 0;
      w_locked[4'(w)] = 0;
      w_copy[4'(w)] = 0;
    end
    for (int unsigned k = 0; k < 8; ++k) h_busy[3'(k)] = 0;
    h_used = 0;
    for (int unsigned k = 0; k < 64; ++k) s_on[6'(k)] = 0;
    for (int unsigned k = 0; k < 256; ++k) id_busy[8'(k)] = 0;
    turn = 1;
    walking = 0;
    walked = 0;
    walk = 0;
    writes = 0;
    in_flight = 0;
    sent = 0;
    {e_lookup, e_local, e_evict, e_write_back, e_miss_foreign, e_copy_kept, e_done, e_fetch} = 0;
    e_outcome = Nothing;
    e_stall[0] = Runs;
    e_stall[1] = Runs;
    out_waits = 0;
    mem_waits = 0;
    rem_waits = 0;
    in_on = 0;
    mem_resp_on = 0;
    rem_resp_on = 0;
    for (int unsigned k = 0; k < Lines; ++k) begin
      for (int unsigned w = 0; w < 4; ++w) stored[6'(k)][32*w+:32] = Bench::word();
      if (k >= 32'(Foreign) && k < 32'(Passing)) stored[6'(k)][31:0] = version;
      reference[6'(k)] = stored[6'(k)];
    end
    repeat (6) @(posedge plan);
    rst_n = 1;
    last_transfer = Bench::cycle;
    @(posedge plan);
  endtask

  task automatic wait_edges(input int unsigned n);
    repeat (n) @(posedge plan);
  endtask

  task automatic settle();
    while (in_flight != 0 || in_on != 0) @(posedge plan);
    wait_edges(2);
  endtask

  /// A request, and the edges until it is accepted. Returns its id.
  task automatic send(input bit p, input bit write, input bit [7:0] line, output id_t id);
    put(p, write, line, 1, 0, '1);
    id = in_of[p];
    @(posedge plan);
    while (in_on[p]) @(posedge plan);
  endtask

  task automatic send_settled(input bit p, input bit write, input bit [7:0] line, output id_t id);
    send(p, write, line, id);
    settle();
  endtask

  task automatic check_hit_and_miss();
    id_t a;
    restart(2, 2, 4, 4, 5, 4, 8, 4, 4, 1, '1, 0, 0);
    latency = 10;
    send_settled(0, 1, 0, a);
    Check::equal(id_answered[a], id_accepted[a] + 5, "directed: write that allocates");
    send_settled(0, 0, 0, a);
    Check::equal(id_looked_up[a], id_accepted[a] + 4, "directed: lookup of a hit");
    Check::equal(id_answered[a], id_accepted[a] + 5, "directed: response to a hit");
    send_settled(1, 0, 2, a);
    Check::equal(read_at[2], id_accepted[a] + 5, "directed: fetch of a miss");
    Check::equal(filled_at[2], read_at[2] + 10, "directed: fill");
    Check::equal(id_answered[a], filled_at[2] + 1, "directed: response to a miss");
    put(0, 0, 33, 0, 1, '1);
    a = in_of[0];
    wait_edges(1);
    settle();
    Check::equal(id_answered[a], id_accepted[a] + 1 + 10 + 1, "directed: a request that passes");
    Check::equal(32'(busy), 0, "directed: busy of a quiet slice");
  endtask

  task automatic check_merge();
    id_t a[5];
    id_t other;
    int unsigned earlier;
    restart(2, 2, 4, 4, 5, 8, 8, 4, 4, 1, '1, 0, 0);
    send_settled(1, 1, 1, other);
    latency = 30;
    earlier = requests_to_memory;
    for (int unsigned k = 0; k < 5; ++k) send(0, 0, 4, a[3'(k)]);
    send(1, 0, 1, other);  // the other queue is not blocked
    settle();
    Check::equal(requests_to_memory - earlier, 1, "directed: fetches of merged reads");
    for (int unsigned k = 0; k < 4; ++k) begin
      Check::equal(id_looked_up[a[3'(k)]], id_accepted[a[3'(k)]] + 4,
                   "directed: lookup of a merged read");
      Check::equal(id_answered[a[3'(k)]], filled_at[4] + 1 + k,
                   "directed: response to a merged read");
    end
    Check::equal(id_looked_up[a[4]], filled_at[4],
                 "directed: lookup of the fifth access of an MSHR");
    Check::equal(id_answered[a[4]], filled_at[4] + 5, "directed: response to the fifth access");
    Check::equal(id_answered[other], id_accepted[other] + 5,
                 "directed: a hit past a stalled queue");
  endtask

  task automatic check_eviction();
    id_t a;
    id_t b;
    int unsigned at;
    restart(2, 2, 4, 4, 5, 8, 8, 4, 4, 1, '1, 0, 0);
    latency = 20;
    send(0, 0, 0, a);     // fetched after the write of line 2, and so used after it
    send_settled(0, 1, 2, b);
    at = Bench::cycle;
    send_settled(0, 1, 4, b);
    Check::equal(written_at[2], id_accepted[b] + 5,
                 "directed: write-back of the least recently used line");
    send_settled(0, 0, 0, a);
    Check::equal(id_answered[a], id_accepted[a] + 5, "directed: a filled line is recently used");
    send_settled(0, 0, 6, a);  // evicts line 4, which is dirty
    Check::equal(written_at[4], id_accepted[a] + 5, "directed: write-back before a fetch");
    Check::equal(read_at[6], id_accepted[a] + 6, "directed: fetch after a write-back");
    if (written_at[2] < at) Bench::fail("directed: a write-back before its eviction");
  endtask

  task automatic check_arbiter();
    id_t a[6];
    restart(2, 2, 4, 4, 5, 8, 8, 4, 4, 1, '1, 0, 0);
    for (int unsigned k = 0; k < 3; ++k) begin
      put(0, 1, 0, 1, 0, '1);
      put(1, 1, 1, 1, 0, '1);
      a[3'(2*k)] = in_of[0];
      a[3'(2*k+1)] = in_of[1];
      wait_edges(1);
    end
    settle();
    for (int unsigned k = 0; k < 6; ++k) begin
      Check::equal(id_looked_up[a[3'(k)]], id_accepted[a[0]] + 4 + k, "directed: lookups in turn");
    end
    restart(2, 2, 4, 4, 5, 8, 8, 4, 4, 1, '1, 1, 0);
    // Arrivals: local, then both at one edge, then local.
    put(0, 1, 0, 1, 0, '1);
    a[0] = in_of[0];
    wait_edges(1);
    put(0, 1, 0, 1, 0, '1);
    put(1, 1, 1, 1, 0, '1);
    a[2] = in_of[0];
    a[1] = in_of[1];
    wait_edges(1);
    put(0, 1, 0, 1, 0, '1);
    a[3] = in_of[0];
    settle();
    for (int unsigned k = 0; k < 4; ++k) begin
      Check::equal(id_looked_up[a[3'(k)]], id_accepted[a[0]] + 4 + k,
                   "directed: lookups of the oldest");
    end
  endtask

  task automatic check_flush();
    id_t a;
    int unsigned at;
    restart(2, 2, 4, 4, 5, 8, 8, 4, 4, 1, '1, 0, 0);
    latency = 10;
    at = Bench::cycle;
    flush_on = 1;
    wait_edges(12);
    Check::equal(done_at, at + 4, "directed: flush of clean ways");
    send_settled(0, 1, 0, a);
    send_settled(0, 0, 1, a);
    send_settled(0, 1, 3, a);  // the last way
    at = Bench::cycle;
    flush_on = 1;
    wait_edges(30);
    Check::equal(written_at[0], at + 1, "directed: write-back of the first way");
    Check::equal(written_at[3], at + 4, "directed: write-back of the last way");
    Check::equal(last_ack, at + 14, "directed: last acknowledgement");
    Check::equal(done_at, last_ack, "directed: flush with write-backs");
    at = requests_to_memory;
    send_settled(0, 0, 0, a);
    Check::equal(requests_to_memory, at + 1, "directed: a flushed line is fetched");
  endtask

  task automatic check_copies();
    id_t a;
    id_t b;
    int unsigned at;
    restart(2, 2, 4, 4, 5, 8, 8, 4, 4, 1, '1, 0, 1);
    latency = 10;
    send_settled(0, 0, 20, a);
    send_settled(0, 0, 20, a);
    Check::equal(id_answered[a], id_accepted[a] + 5, "directed: hit of a copy");
    at = fetched;
    send(0, 0, 20, a);
    send(0, 0, 20, b);
    wait_edges(3);
    drop_on = 1;  // at the edge of the second one's lookup
    settle();
    Check::equal(id_answered[a], id_accepted[a] + 5, "directed: hit before a drop");
    Check::equal(fetched, at + 1, "directed: copies after a drop");
    Check::equal(id_answered[b], id_accepted[b] + 5 + 10 + 1, "directed: miss at a drop");
    // A flush that drops copies only.
    send_settled(0, 1, 1, a);
    at = requests_to_memory;
    flush_on = 1;
    wait_edges(12);
    send_settled(0, 0, 1, a);
    Check::equal(requests_to_memory, at, "directed: own line after a flush of copies");
    at = fetched;
    send_settled(0, 0, 20, a);
    Check::equal(fetched, at + 1, "directed: copies after a flush of copies");
    // Copies leave an MSHR, and a way of a set, to own lines.
    latency = 30;
    at = forwarded;
    send(0, 0, 22, a);
    send_settled(0, 0, 24, a);
    Check::equal(forwarded, at + 1, "directed: the last way of a set");
  endtask

  task automatic check_limits();
    id_t a[10];
    restart(2, 2, 4, 4, 9, 4, 8, 4, 4, 1, '1, 0, 0);
    for (int unsigned k = 0; k < 5; ++k) send(0, 1, 0, a[4'(k)]);
    Check::equal(id_accepted[a[3]], id_accepted[a[0]] + 3, "directed: the last entry of a queue");
    Check::equal(id_accepted[a[4]], id_accepted[a[0]] + 9, "directed: a request for a full queue");
    restart(4, 4, 3, 4, 5, 8, 8, 4, 4, 1, '1, 0, 0);
    latency = 40;
    for (int unsigned k = 0; k < 4; ++k) send(0, 0, 8'(k), a[4'(k)]);
    settle();
    Check::equal(id_looked_up[a[2]], id_accepted[a[2]] + 4, "directed: the last MSHR");
    Check::equal(id_looked_up[a[3]], filled_at[0], "directed: a miss waits for an MSHR");
    for (int unsigned k = 0; k < 3; ++k) send(0, 0, 8'(20 + k), a[4'(k)]);
    settle();
    Check::equal(id_answered[a[2]], id_accepted[a[2]] + 5 + 40 + 1,
                 "directed: a copy without an MSHR");
    Check::equal(filled_at[21], id_accepted[a[1]] + 5 + 40, "directed: a copy's fill");
  endtask

  task automatic random_round(input int unsigned n);
    directed = 0;
    latency = 20;
    while (sent < Requests || in_flight != 0 || in_on != 0) @(posedge plan);
    ending = 1;
    while (walking) @(posedge plan);
    cfg_flush_copies = 0;
    wants_flush = 1;
    @(posedge plan);
    while (wants_flush || walking) @(posedge plan);
    wait_edges(3);
    for (int unsigned k = 0; k < 32'(Foreign); ++k) begin
      if (((stored[6'(k)] ^ reference[6'(k)]) & spread(cfg_whole)) != 0) begin
        Bench::fail($sformatf("round %0d, memory at the end: line %0d is %h instead of %h", n, k,
                              stored[6'(k)], reference[6'(k)]));
      end
    end
    if (busy || mshrs_used != 0) Bench::fail("busy at the end");
    ending = 0;
    directed = 1;
    debug = 0;
  endtask

  initial begin
    Bench::seed_random();
    for (int unsigned k = 0; k < 8; ++k) of_outcome[3'(k)] = 0;
    for (int unsigned k = 0; k < 4; ++k) of_stall[2'(k)] = 0;
    check_hit_and_miss();
    check_merge();
    check_eviction();
    check_arbiter();
    check_flush();
    check_copies();
    check_limits();
    for (int unsigned n = 0; n < Rounds; ++n) begin
      case (n)
        0: restart(4, 4, 8, 4, 3, 8, 4, 3, 4, 2'b01, '1, 0, 0);
        1: restart(4, 4, 4, 4, 2, 8, 2, 1, 2, 2'b01, '1, 1, 1);
        2: restart(3, 2, 5, 2, 7, 4, 6, 5, 6, 2'b10, '1, 0, 0);
        3: restart(2, 3, 8, 3, 4, 3, 14, 4, 1, 2'b11, '1, 1, 1);
        4: restart(4, 4, 1, 1, 2, 2, 1, 2, 3, 2'b00, '1, 0, 0);
        default: restart(1, 4, 6, 4, 5, 8, 8, 3, 8, 2'b01, 16'h00ff, 0, 1);
      endcase
      random_round(n);
    end
    for (int unsigned k = 0; k < 7; ++k) begin
      if (of_outcome[3'(k)] < 200) Bench::fail($sformatf("poor traffic: outcome %0d", k));
    end
    if (of_stall[NoMshr] < 100 || of_stall[NoWay] < 50 || of_stall[NoRoom] < 100 || errors < 100 ||
        drops < 50 || flushes < 10 || passes < 200 || out_of_order < 100 ||
        stopped_cycles < 50) begin
      Bench::fail("poor traffic");
    end
    $display("PASS llc_slice: %0d cycles, %0d requests; lookups: %0d read hits, %0d write hits, %0d allocations, %0d merges, %0d misses, %0d partial fetches, %0d forwards; %0d pass, %0d write-backs, %0d errors, %0d drops, %0d flushes, %0d fills out of order; stalls: %0d MSHR, %0d way, %0d room, %0d outputs; %0d debug accesses, clock stopped in %0d cycles",
             Bench::cycle, answered, of_outcome[0], of_outcome[1], of_outcome[2], of_outcome[3],
             of_outcome[4], of_outcome[5], of_outcome[6], passes, write_backs, errors, drops,
             flushes, out_of_order, of_stall[NoMshr], of_stall[NoWay], of_stall[NoRoom], stalls,
             debugs, stopped_cycles);
    $finish;
  end

endmodule

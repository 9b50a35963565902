// SPDX-License-Identifier: Apache-2.0
//
// AXI4 front end of a DRAM channel: converts the bursts of an AXI4 subordinate port into requests
// for whole lines.
//
// Source: AMBA AXI and ACE protocol specification, chapters A3 (channels, bursts) and A5
// (ordering). The line channel and all sizes are ours.
//
//   reads   A burst reads each line that it touches once; a WRAP burst that begins within a line
//           and is longer than one reads its first line again at its end. Read data of different
//           bursts are not interleaved.
//   writes  The beats of a line are collected with their byte mask into one line write. WREADY
//           waits for AWVALID. A burst's response is the worst of its lines' (DECERR, SLVERR,
//           OKAY), sent after the last of them.
//
// Order: bursts with the same ID are answered in order, bursts with different IDs in the order in
// which the channel responds. A read is at its place when its AR transfers, a line write when the
// last beat of the line transfers. Two requests for the same line go to the line channel in this
// order (a read first if both are at the same edge). Requests for different lines do not wait for
// each other, except that reads leave in the order of AR and line writes in the order of W.
//
// Timing, for edges of clk: AR at t: line request at t + 2. The last beat of a line at t: line
// request at t + 2. Line response at t: first beat of R, or B, at t + 2. W follows AW by one edge.
// Reads and writes take a beat a cycle each without a gap, also between bursts. One line request a
// cycle; reads and writes alternate if both wait.
//
// All outputs come from registers, directly or through logic without an input pin. m_resp_ready is
// always set, because a read holds its line buffer from the request on.
//
// m_resp_error has the codes of RRESP: 0 OKAY, 2 SLVERR, 3 DECERR. m_req_data and m_req_mask of a
// read have no meaning.
//
// busy = 0: without a VALID of AW, W, AR or m_resp, the clock can stop, also while line responses
// are outstanding.
//
// Not modelled: AxLOCK, AxCACHE, AxPROT, AxQOS, AxREGION and USER have no pins (an exclusive access
// is answered with OKAY, that is, as not exclusive). WLAST is not used: AWLEN has the length.
// Illegal bursts are not detected: across 4 KB, AxSIZE above the bus, WRAP of other than 2, 4, 8
// or 16 aligned beats, AxBURST of 3, WSTRB outside a narrow beat's lanes.
module axi4_dram_port #(
    parameter int unsigned DATA_BITS = 256,
    parameter int unsigned ADDR_BITS = 40,
    parameter int unsigned ID_BITS = 6,
    parameter int unsigned LINE_BYTES = 128,     // more than DATA_BITS / 8, less than 4096
    parameter int unsigned READ_BURSTS = 8,      // accepted and not answered; a power of two
    parameter int unsigned WRITE_BURSTS = 8,     // a power of two
    parameter int unsigned READ_LINES = 16,      // line buffers; a power of two
    parameter int unsigned WRITE_LINES = 16,     // at the line channel; a power of two
    parameter int unsigned WRITE_BUFFERS = 4,    // lines that are collected or wait; a power of two
    localparam int unsigned Strobes = DATA_BITS / 8,
    localparam int unsigned LineBits = 8 * LINE_BYTES,
    localparam int unsigned TagBits =
        $clog2(READ_LINES > WRITE_LINES ? READ_LINES : WRITE_LINES)
) (
    input logic clk,
    input logic rst_n,  // active low, synchronous

    input  logic                 s_axi_awvalid,
    output logic                 s_axi_awready,
    input  logic [  ID_BITS-1:0] s_axi_awid,
    input  logic [ADDR_BITS-1:0] s_axi_awaddr,
    input  logic [          7:0] s_axi_awlen,
    input  logic [          2:0] s_axi_awsize,
    input  logic [          1:0] s_axi_awburst,

    input  logic                 s_axi_wvalid,
    output logic                 s_axi_wready,
    input  logic [DATA_BITS-1:0] s_axi_wdata,
    input  logic [  Strobes-1:0] s_axi_wstrb,
    input  logic                 s_axi_wlast,

    output logic               s_axi_bvalid,
    input  logic               s_axi_bready,
    output logic [ID_BITS-1:0] s_axi_bid,
    output logic [        1:0] s_axi_bresp,

    input  logic                 s_axi_arvalid,
    output logic                 s_axi_arready,
    input  logic [  ID_BITS-1:0] s_axi_arid,
    input  logic [ADDR_BITS-1:0] s_axi_araddr,
    input  logic [          7:0] s_axi_arlen,
    input  logic [          2:0] s_axi_arsize,
    input  logic [          1:0] s_axi_arburst,

    output logic                 s_axi_rvalid,
    input  logic                 s_axi_rready,
    output logic [  ID_BITS-1:0] s_axi_rid,
    output logic [DATA_BITS-1:0] s_axi_rdata,
    output logic [          1:0] s_axi_rresp,
    output logic                 s_axi_rlast,

    output logic                  m_req_valid,
    input  logic                  m_req_ready,
    output logic [     TagBits:0] m_req_id,       // unique among the outstanding requests
    output logic                  m_req_write,
    output logic [ ADDR_BITS-1:0] m_req_address,  // of the line
    output logic [LINE_BYTES-1:0] m_req_mask,
    output logic [  LineBits-1:0] m_req_data,

    input  logic                m_resp_valid,
    output logic                m_resp_ready,
    input  logic [   TagBits:0] m_resp_id,
    input  logic [         1:0] m_resp_error,
    input  logic [LineBits-1:0] m_resp_data,

    output logic busy
);

  localparam int unsigned PageBits = 12;  // no burst crosses 4 KB
  localparam int unsigned FrameBits = ADDR_BITS - PageBits;
  localparam int unsigned OffsetBits = $clog2(LINE_BYTES);
  localparam int unsigned BeatBits = $clog2(Strobes);
  localparam int unsigned Words = LINE_BYTES / Strobes;
  localparam int unsigned WordBits = OffsetBits - BeatBits;
  localparam int unsigned IndexBits = PageBits - OffsetBits;  // a line's number in its page
  localparam int unsigned ReadBits = $clog2(READ_BURSTS);
  localparam int unsigned WriteBits = $clog2(WRITE_BURSTS);
  localparam int unsigned ReadLineBits = $clog2(READ_LINES);
  localparam int unsigned WriteLineBits = $clog2(WRITE_LINES);
  localparam int unsigned BufferBits = $clog2(WRITE_BUFFERS);
  localparam int unsigned LinesBits = $clog2(WRITE_LINES + WRITE_BUFFERS + 1);

  typedef logic [PageBits-1:0] page_t;
  typedef logic [IndexBits-1:0] index_t;

  localparam logic [1:0] Fixed = 2'd0;
  localparam logic [1:0] Wrap = 2'd2;

  // Bytes of a burst, less one: the last byte's offset if the burst is aligned.
  function automatic page_t burst_span(input logic [7:0] len, input logic [2:0] size);
    return ((page_t'(len) + 1'b1) << size) - 1'b1;
  endfunction

  // Address of the beat after the one at `a`, within the page (AXI A3.4.1).
  function automatic page_t next_beat(input page_t a, input logic [7:0] len,
                                      input logic [2:0] size, input logic [1:0] burst);
    page_t step;
    page_t next;
    page_t span;
    step = page_t'(1) << size;
    next = (a & ~(step - 1'b1)) + step;
    span = burst_span(len, size);
    if (burst == Fixed) return a;
    if (burst == Wrap) return (a & ~span) | (next & span);
    return next;
  endfunction

  function automatic index_t line_of(input page_t a);
    return index_t'(a >> OffsetBits);
  endfunction

  // ---- Write bursts: a ring, filled by AW; W collects the oldest that is not closed

  logic [WRITE_BURSTS-1:0] aw_live;
  logic [WRITE_BURSTS-1:0] aw_closed;                     // all beats have arrived
  logic [WRITE_BURSTS-1:0][WRITE_BURSTS-1:0] aw_after;    // earlier bursts with the same ID
  logic [WRITE_BURSTS-1:0][LinesBits-1:0] aw_lines;       // line writes without a response
  logic [WRITE_BURSTS-1:0][1:0] aw_resp;
  logic [WRITE_BURSTS-1:0][ID_BITS-1:0] aw_id;
  logic [ADDR_BITS-1:0] aw_addr[WRITE_BURSTS];
  logic [7:0] aw_len[WRITE_BURSTS];
  logic [2:0] aw_size[WRITE_BURSTS];
  logic [1:0] aw_burst[WRITE_BURSTS];
  logic [WriteBits-1:0] aw_tail;
  logic [WriteBits-1:0] collecting;

  logic aw_fire;
  logic [WRITE_BURSTS-1:0] aw_same_id;
  logic b_load;  // a burst moves to the B register
  logic [WriteBits-1:0] b_pick;

  assign s_axi_awready = !aw_live[aw_tail];
  assign aw_fire = s_axi_awvalid && s_axi_awready;

  always_comb begin
    for (int unsigned k = 0; k < WRITE_BURSTS; ++k) begin
      aw_same_id[k] = aw_live[k] && aw_id[k] == s_axi_awid;
    end
  end

  always_ff @(posedge clk) begin
    if (aw_fire) begin
      aw_id[aw_tail] <= s_axi_awid;
      aw_addr[aw_tail] <= s_axi_awaddr;
      aw_len[aw_tail] <= s_axi_awlen;
      aw_size[aw_tail] <= s_axi_awsize;
      aw_burst[aw_tail] <= s_axi_awburst;
    end
  end

  // ---- Line writes: a ring of buffers; W fills the one at the tail

  logic [WRITE_BUFFERS-1:0] wb_full;                      // complete, waits for the line channel
  logic [WRITE_BUFFERS-1:0][READ_BURSTS-1:0] wb_after;    // earlier reads of the line
  logic [WRITE_BUFFERS-1:0][FrameBits-1:0] wb_frame;
  logic [WRITE_BUFFERS-1:0][IndexBits-1:0] wb_index;
  logic [WriteBits-1:0] wb_burst[WRITE_BUFFERS];
  logic [LINE_BYTES-1:0] wb_mask[WRITE_BUFFERS];
  logic [DATA_BITS-1:0] wb_word[WRITE_BUFFERS*Words];
  logic [BufferBits-1:0] wb_tail;
  logic [BufferBits-1:0] wb_head;

  logic first_beat;       // of the burst
  logic first_of_line;
  page_t beat_address;    // unless first_beat
  logic [7:0] beat_number;

  logic w_fire;
  logic w_last;
  logic line_done;
  page_t w_address;
  page_t w_next;
  logic [FrameBits-1:0] w_frame;
  logic [WordBits-1:0] w_word;
  logic [DATA_BITS-1:0] merged;
  logic [LINE_BYTES-1:0] w_mask;

  assign s_axi_wready = aw_live[collecting] && !aw_closed[collecting] && !wb_full[wb_tail];
  assign w_fire = s_axi_wvalid && s_axi_wready;
  assign w_last = beat_number == aw_len[collecting];
  assign w_frame = aw_addr[collecting][ADDR_BITS-1:PageBits];
  assign w_address = first_beat ? aw_addr[collecting][PageBits-1:0] : beat_address;
  assign w_next =
      next_beat(w_address, aw_len[collecting], aw_size[collecting], aw_burst[collecting]);
  assign line_done = w_fire && (w_last || line_of(w_next) != line_of(w_address));
  assign w_word = w_address[OffsetBits-1:BeatBits];
  assign w_mask = LINE_BYTES'(s_axi_wstrb) << (w_word * Strobes);

  always_comb begin
    merged = wb_word[{wb_tail, w_word}];
    for (int unsigned k = 0; k < Strobes; ++k) begin
      if (s_axi_wstrb[k]) merged[8*k+:8] = s_axi_wdata[8*k+:8];
    end
  end

  always_ff @(posedge clk) begin
    if (w_fire) begin
      wb_word[{wb_tail, w_word}] <= merged;
      wb_mask[wb_tail] <= first_of_line ? w_mask : wb_mask[wb_tail] | w_mask;
      wb_frame[wb_tail] <= w_frame;
      wb_index[wb_tail] <= line_of(w_address);
      wb_burst[wb_tail] <= collecting;
      beat_address <= w_next;
      beat_number <= w_last ? '0 : beat_number + 1'b1;
      first_beat <= w_last;
      first_of_line <= line_done;
    end
    if (!rst_n) begin
      beat_number <= '0;
      first_beat <= 1'b1;
      first_of_line <= 1'b1;
    end
  end

  // ---- Read bursts: a ring, filled by AR

  logic [READ_BURSTS-1:0] ar_live;
  logic [READ_BURSTS-1:0] ar_unissued;                      // line reads are left
  logic [READ_BURSTS-1:0][READ_BURSTS-1:0] ar_after;        // earlier bursts with the same ID
  logic [READ_BURSTS-1:0][WRITE_BUFFERS-1:0] ar_after_write;  // earlier writes of its lines
  logic [READ_BURSTS-1:0][ID_BITS-1:0] ar_id;
  logic [READ_BURSTS-1:0][FrameBits-1:0] ar_frame;
  logic [READ_BURSTS-1:0][IndexBits-1:0] ar_low;            // first and last line, by address
  logic [READ_BURSTS-1:0][IndexBits-1:0] ar_high;
  page_t ar_address[READ_BURSTS];
  logic [7:0] ar_len[READ_BURSTS];
  logic [2:0] ar_size[READ_BURSTS];
  logic [1:0] ar_burst[READ_BURSTS];
  logic [IndexBits:0] ar_lines[READ_BURSTS];                // line reads
  logic [ReadBits-1:0] ar_tail;
  logic [ReadBits-1:0] issuing;

  logic ar_fire;
  page_t ar_start;
  page_t ar_end;  // last byte
  page_t ar_span;
  index_t new_low;
  index_t new_high;
  logic new_returns;  // to its first line
  logic [READ_BURSTS-1:0] ar_same_id;
  logic r_free;  // a burst's last beat moves to the R register
  logic [ReadBits-1:0] r_burst;

  assign s_axi_arready = !ar_live[ar_tail];
  assign ar_fire = s_axi_arvalid && s_axi_arready;

  always_comb begin
    ar_start = s_axi_araddr[PageBits-1:0];
    ar_span = burst_span(s_axi_arlen, s_axi_arsize);
    new_low = line_of(ar_start);
    ar_end = (ar_start & ~((page_t'(1) << s_axi_arsize) - 1'b1)) + ar_span;
    new_returns = 1'b0;
    if (s_axi_arburst == Fixed) ar_end = ar_start;
    if (s_axi_arburst == Wrap) begin
      ar_end = ar_start | ar_span;
      new_low = line_of(ar_start & ~ar_span);
      new_returns = new_low != line_of(ar_end) && ar_start[OffsetBits-1:0] != '0;
    end
    new_high = line_of(ar_end);
    for (int unsigned k = 0; k < READ_BURSTS; ++k) begin
      ar_same_id[k] = ar_live[k] && ar_id[k] == s_axi_arid;
    end
  end

  always_ff @(posedge clk) begin
    if (ar_fire) begin
      ar_id[ar_tail] <= s_axi_arid;
      ar_frame[ar_tail] <= s_axi_araddr[ADDR_BITS-1:PageBits];
      ar_address[ar_tail] <= ar_start;
      ar_len[ar_tail] <= s_axi_arlen;
      ar_size[ar_tail] <= s_axi_arsize;
      ar_burst[ar_tail] <= s_axi_arburst;
      ar_low[ar_tail] <= new_low;
      ar_high[ar_tail] <= new_high;
      ar_lines[ar_tail] <= {1'b0, new_high} - {1'b0, new_low} + 1'b1 + (IndexBits + 1)'(new_returns);
    end
  end

  // ---- Order of reads and writes of the same line

  logic [WRITE_BUFFERS-1:0] new_read_after;  // for the read that AR brings
  logic [READ_BURSTS-1:0] new_write_after;   // for the line that W completes
  logic write_issue;                         // a line write moves to the request register

  always_comb begin
    for (int unsigned b = 0; b < WRITE_BUFFERS; ++b) begin
      new_read_after[b] = wb_full[b] && wb_frame[b] == s_axi_araddr[ADDR_BITS-1:PageBits] &&
          wb_index[b] >= new_low && wb_index[b] <= new_high;
    end
    for (int unsigned r = 0; r < READ_BURSTS; ++r) begin
      new_write_after[r] = ar_unissued[r] && ar_frame[r] == w_frame &&
          line_of(w_address) >= ar_low[r] && line_of(w_address) <= ar_high[r];
    end
    if (ar_fire) begin
      new_write_after[ar_tail] = s_axi_araddr[ADDR_BITS-1:PageBits] == w_frame &&
          line_of(w_address) >= new_low && line_of(w_address) <= new_high;
    end
  end

  // A bit is cleared when its read or write has been issued, before the entry is used again.
  always_ff @(posedge clk) begin
    for (int unsigned b = 0; b < WRITE_BUFFERS; ++b) wb_after[b] <= wb_after[b] & ar_unissued;
    for (int unsigned r = 0; r < READ_BURSTS; ++r) begin
      ar_after_write[r] <= ar_after_write[r] & wb_full;
    end
    if (line_done) wb_after[wb_tail] <= new_write_after;
    if (ar_fire) ar_after_write[ar_tail] <= new_read_after;
  end

  // ---- Line requests

  logic [READ_LINES-1:0] rl_busy;    // requested
  logic [READ_LINES-1:0] rl_full;    // the response has arrived
  logic [ReadBits-1:0] rl_burst[READ_LINES];
  logic [IndexBits:0] rl_place[READ_LINES];  // among the burst's lines
  logic [1:0] rl_error[READ_LINES];
  logic [LineBits-1:0] rl_data[READ_LINES];

  logic [WRITE_LINES-1:0] wl_busy;
  logic [WriteBits-1:0] wl_burst[WRITE_LINES];

  logic [ReadLineBits-1:0] read_tag;
  logic [WriteLineBits-1:0] write_tag;
  logic can_read;
  logic can_write;
  logic prefer_write;
  logic req_free;
  logic read_issue;
  logic read_last;
  logic [IndexBits:0] place;  // of the next line of the burst `issuing`
  index_t read_index;
  index_t later_index;        // of the next line, unless it is the first
  logic [LineBits-1:0] head_data;

  always_comb begin
    read_tag = '0;
    for (int k = READ_LINES - 1; k >= 0; --k) if (!rl_busy[k]) read_tag = ReadLineBits'(k);
    write_tag = '0;
    for (int k = WRITE_LINES - 1; k >= 0; --k) if (!wl_busy[k]) write_tag = WriteLineBits'(k);
    for (int unsigned k = 0; k < Words; ++k) begin
      head_data[DATA_BITS*k+:DATA_BITS] = wb_word[{wb_head, WordBits'(k)}];
    end
  end

  assign can_read =
      ar_unissued[issuing] && (ar_after_write[issuing] & wb_full) == '0 && rl_busy != '1;
  assign can_write =
      wb_full[wb_head] && (wb_after[wb_head] & ar_unissued) == '0 && wl_busy != '1;
  assign req_free = !m_req_valid || m_req_ready;
  assign write_issue = req_free && can_write && (prefer_write || !can_read);
  assign read_issue = req_free && can_read && !write_issue;
  assign read_index = place == '0 ? line_of(ar_address[issuing]) : later_index;
  assign read_last = place + 1'b1 == ar_lines[issuing];

  always_ff @(posedge clk) begin
    if (req_free) m_req_valid <= read_issue || write_issue;
    if (write_issue) begin
      m_req_id <= {1'b1, TagBits'(write_tag)};
      m_req_write <= 1'b1;
      m_req_address <= {wb_frame[wb_head], wb_index[wb_head], OffsetBits'(0)};
      m_req_mask <= wb_mask[wb_head];
      m_req_data <= head_data;
      wl_burst[write_tag] <= wb_burst[wb_head];
      wb_head <= wb_head + 1'b1;
      prefer_write <= 1'b0;
    end
    if (read_issue) begin
      m_req_id <= {1'b0, TagBits'(read_tag)};
      m_req_write <= 1'b0;
      m_req_address <= {ar_frame[issuing], read_index, OffsetBits'(0)};
      rl_burst[read_tag] <= issuing;
      rl_place[read_tag] <= place;
      place <= read_last ? '0 : place + 1'b1;
      later_index <= read_index == ar_high[issuing] ? ar_low[issuing] : read_index + 1'b1;
      if (read_last) issuing <= issuing + 1'b1;
      prefer_write <= 1'b1;
    end
    if (!rst_n) begin
      m_req_valid <= 1'b0;
      wb_head <= '0;
      place <= '0;
      issuing <= '0;
      prefer_write <= 1'b0;
    end
  end

  // ---- Line responses

  logic resp_write;
  logic resp_read;
  logic [ReadLineBits-1:0] resp_line;
  logic [WriteLineBits-1:0] resp_tag;
  logic [WriteBits-1:0] resp_burst;

  assign m_resp_ready = 1'b1;
  assign resp_write = m_resp_valid && m_resp_id[TagBits];
  assign resp_read = m_resp_valid && !m_resp_id[TagBits];
  assign resp_line = m_resp_id[ReadLineBits-1:0];
  assign resp_tag = m_resp_id[WriteLineBits-1:0];
  assign resp_burst = wl_burst[resp_tag];

  always_ff @(posedge clk) begin
    if (resp_read) begin
      rl_data[resp_line] <= m_resp_data;
      rl_error[resp_line] <= m_resp_error;
    end
  end

  // ---- B

  logic [WRITE_BURSTS-1:0] b_ready;

  always_comb begin
    b_pick = '0;
    for (int k = WRITE_BURSTS - 1; k >= 0; --k) begin
      b_ready[k] = aw_live[k] && aw_closed[k] && aw_lines[k] == '0 && aw_after[k] == '0;
      if (b_ready[k]) b_pick = WriteBits'(k);
    end
  end

  assign b_load = b_ready != '0 && (!s_axi_bvalid || s_axi_bready);

  always_ff @(posedge clk) begin
    if (!s_axi_bvalid || s_axi_bready) s_axi_bvalid <= b_load;
    if (b_load) begin
      s_axi_bid <= aw_id[b_pick];
      s_axi_bresp <= aw_resp[b_pick];
    end
    if (!rst_n) s_axi_bvalid <= 1'b0;
  end

  // ---- R

  logic reading;  // beats of the burst `r_current` are left
  logic [ReadBits-1:0] r_current;
  logic [ReadBits-1:0] r_pick;
  logic r_found;
  page_t r_address;
  page_t r_next;
  page_t r_later;  // address of the next beat, unless it is the first
  logic [7:0] r_beat;
  logic [7:0] r_number;
  logic [IndexBits:0] r_place;
  logic [IndexBits:0] r_line;
  logic r_hit;
  logic [ReadLineBits-1:0] r_buffer;
  logic r_load;
  logic r_last;
  logic r_line_done;
  logic [WordBits-1:0] r_word;

  // The next burst: one whose first line has arrived.
  always_comb begin
    r_found = 1'b0;
    r_pick = '0;
    for (int k = READ_LINES - 1; k >= 0; --k) begin
      if (rl_full[k] && rl_place[k] == '0 && ar_after[rl_burst[k]] == '0) begin
        r_found = 1'b1;
        r_pick = rl_burst[k];
      end
    end
  end

  assign r_burst = reading ? r_current : r_pick;
  assign r_line = reading ? r_place : '0;
  assign r_number = reading ? r_beat : '0;
  assign r_address = reading ? r_later : ar_address[r_pick];

  always_comb begin
    r_hit = 1'b0;
    r_buffer = '0;
    for (int k = 0; k < READ_LINES; ++k) begin
      if (rl_full[k] && rl_burst[k] == r_burst && rl_place[k] == r_line) begin
        r_hit = reading || r_found;
        r_buffer = ReadLineBits'(k);
      end
    end
  end

  assign r_load = r_hit && (!s_axi_rvalid || s_axi_rready);
  assign r_last = r_number == ar_len[r_burst];
  assign r_next = next_beat(r_address, ar_len[r_burst], ar_size[r_burst], ar_burst[r_burst]);
  assign r_line_done = r_last || line_of(r_next) != line_of(r_address);
  assign r_free = r_load && r_last;
  assign r_word = r_address[OffsetBits-1:BeatBits];

  always_ff @(posedge clk) begin
    if (!s_axi_rvalid || s_axi_rready) s_axi_rvalid <= r_load;
    if (r_load) begin
      s_axi_rid <= ar_id[r_burst];
      s_axi_rdata <= rl_data[r_buffer][r_word*DATA_BITS+:DATA_BITS];
      s_axi_rresp <= rl_error[r_buffer];
      s_axi_rlast <= r_last;
      reading <= !r_last;
      r_current <= r_burst;
      r_later <= r_next;
      r_beat <= r_number + 1'b1;
      r_place <= r_line_done ? r_line + 1'b1 : r_line;
    end
    if (!rst_n) begin
      s_axi_rvalid <= 1'b0;
      reading <= 1'b0;
    end
  end

  // ---- State of bursts, buffers and tags

  always_ff @(posedge clk) begin
    for (int unsigned k = 0; k < WRITE_BURSTS; ++k) begin
      if (b_load) aw_after[k][b_pick] <= 1'b0;
      if (resp_write && resp_burst == WriteBits'(k)) begin
        if (m_resp_error > aw_resp[k]) aw_resp[k] <= m_resp_error;
        if (!(line_done && collecting == WriteBits'(k))) aw_lines[k] <= aw_lines[k] - 1'b1;
      end else if (line_done && collecting == WriteBits'(k)) begin
        aw_lines[k] <= aw_lines[k] + 1'b1;
      end
    end
    if (b_load) aw_live[b_pick] <= 1'b0;
    if (w_fire && w_last) begin
      aw_closed[collecting] <= 1'b1;
      collecting <= collecting + 1'b1;
    end
    if (aw_fire) begin
      aw_live[aw_tail] <= 1'b1;
      aw_closed[aw_tail] <= 1'b0;
      aw_lines[aw_tail] <= '0;
      aw_resp[aw_tail] <= '0;
      aw_after[aw_tail] <= aw_same_id;
      if (b_load) aw_after[aw_tail][b_pick] <= 1'b0;
      aw_tail <= aw_tail + 1'b1;
    end

    if (line_done) begin
      wb_full[wb_tail] <= 1'b1;
      wb_tail <= wb_tail + 1'b1;
    end
    if (write_issue) begin
      wb_full[wb_head] <= 1'b0;
      wl_busy[write_tag] <= 1'b1;
    end
    if (resp_write) wl_busy[resp_tag] <= 1'b0;

    for (int unsigned k = 0; k < READ_BURSTS; ++k) if (r_free) ar_after[k][r_burst] <= 1'b0;
    if (r_free) ar_live[r_burst] <= 1'b0;
    if (read_issue && read_last) ar_unissued[issuing] <= 1'b0;
    if (ar_fire) begin
      ar_live[ar_tail] <= 1'b1;
      ar_unissued[ar_tail] <= 1'b1;
      ar_after[ar_tail] <= ar_same_id;
      if (r_free) ar_after[ar_tail][r_burst] <= 1'b0;
      ar_tail <= ar_tail + 1'b1;
    end
    if (r_load && r_line_done) begin
      rl_busy[r_buffer] <= 1'b0;
      rl_full[r_buffer] <= 1'b0;
    end
    if (read_issue) rl_busy[read_tag] <= 1'b1;
    if (resp_read) rl_full[resp_line] <= 1'b1;

    if (!rst_n) begin
      aw_live <= '0;
      aw_tail <= '0;
      collecting <= '0;
      wb_full <= '0;
      wb_tail <= '0;
      wl_busy <= '0;
      ar_live <= '0;
      ar_unissued <= '0;
      ar_tail <= '0;
      rl_busy <= '0;
      rl_full <= '0;
    end
  end

  assign busy = m_req_valid || s_axi_bvalid || s_axi_rvalid || can_read || can_write ||
      b_ready != '0 || r_hit;

  logic unused;
  assign unused = s_axi_wlast;

endmodule

//! The program, in the instructions of BPF.

use std::mem::{offset_of, size_of};

use super::Place;

// Codes of instructions (linux/bpf.h, linux/bpf_common.h). Comparisons of 32 bits take them as signed.
const LOAD_WORD: u8 = 0x61;
const LOAD_LONG: u8 = 0x79;
const LOAD_PACKET_HALF: u8 = 0x28;
const LOAD_PACKET_WORD: u8 = 0x20;
const LOAD_ADDRESS: u8 = 0x18;
const STORE_WORD: u8 = 0x63;
const STORE_LONG: u8 = 0x7b;
const SET_WORD: u8 = 0x62;
const COPY: u8 = 0xbf;
const SET: u8 = 0xb4;
const ADD: u8 = 0x0f;
const SUBTRACT: u8 = 0x1f;
const SUBTRACT_32: u8 = 0x1c;
const AND: u8 = 0x57;
const SHIFT_RIGHT: u8 = 0x77;
const SHIFT_LEFT: u8 = 0x67;
const GO: u8 = 0x05;
const IF_ZERO: u8 = 0x15;
const IF_NOT_ZERO: u8 = 0x55;
const IF_POSITIVE_32: u8 = 0x66;
const IF_NEGATIVE_32: u8 = 0xc6;
const IF_NOT_NEGATIVE_32: u8 = 0x76;
const CALL: u8 = 0x85;
const EXIT: u8 = 0x95;
const MEMORY_VALUE: u8 = 2;
const KTIME_GET_NS: i32 = 5;

// Where things are in a place.
const DATA: i16 = offset_of!(Place, data_ns) as i16;
const END: i16 = offset_of!(Place, end_ns) as i16;
const HIGH: i16 = offset_of!(Place, high) as i16;
const BEHIND_GAP: i16 = offset_of!(Place, behind_gap) as i16;
const PLACE_SHIFT: i32 = size_of::<Place>().trailing_zeros().cast_signed();
const _POWER_OF_TWO: () = assert!(size_of::<Place>().is_power_of_two());

/// One instruction: code, registers (destination, source), offset, immediate.
const fn instruction(code: u8, to: u8, from: u8, offset: i16, immediate: i32) -> u64 {
    code as u64
        | (to as u64) << 8
        | (from as u64) << 12
        | (offset.cast_unsigned() as u64) << 16
        | (immediate.cast_unsigned() as u64) << 32
}

/// Its context is the segment, from the TCP header on (RFC 9293, section 3.1).
///
/// Registers: 6 the time, 7 bytes of data, 8 whether this is the end, 9 the place of the destination port, 1 the sequence number
/// behind the data, 2 and 3 for comparisons. Calls and loads from the packet leave 6 to 9 alone; such loads want the context
/// in 6 and give their value in 0.
pub(super) fn program(memory: libc::c_int) -> [u64; 48] {
    let op = instruction;
    [
        op(COPY, 6, 1, 0, 0),
        op(LOAD_WORD, 7, 1, 0, 0),
        // Data offset in words in the top four bits, FIN in the lowest.
        op(LOAD_PACKET_HALF, 0, 0, 0, 12),
        op(COPY, 8, 0, 0, 0),
        op(AND, 8, 0, 0, 1),
        op(SHIFT_RIGHT, 0, 0, 0, 10),
        op(AND, 0, 0, 0, 0b11_1100),
        op(SUBTRACT, 7, 0, 0, 0),
        op(COPY, 0, 7, 0, 0),
        op(ADD, 0, 8, 0, 0),
        op(IF_ZERO, 0, 0, 35, 0),
        op(LOAD_PACKET_HALF, 0, 0, 0, 2),
        op(AND, 0, 0, 0, 0xffff),
        op(SHIFT_LEFT, 0, 0, 0, PLACE_SHIFT),
        op(LOAD_ADDRESS, 9, MEMORY_VALUE, 0, memory),
        0,
        op(ADD, 9, 0, 0, 0),
        // The sequence number of the first byte, kept on the stack over the call.
        op(LOAD_PACKET_WORD, 0, 0, 0, 4),
        op(STORE_LONG, 10, 0, -8, 0),
        op(CALL, 0, 0, 0, KTIME_GET_NS),
        op(COPY, 6, 0, 0, 0),
        op(LOAD_LONG, 0, 10, -8, 0),
        // Of several ends the first counts.
        op(IF_ZERO, 8, 0, 3, 0),
        op(LOAD_LONG, 2, 9, END, 0),
        op(IF_NOT_ZERO, 2, 0, 1, 0),
        op(STORE_LONG, 9, 6, END, 0),
        op(IF_ZERO, 7, 0, 19, 0),
        op(COPY, 1, 0, 0, 0),
        op(ADD, 1, 7, 0, 0),
        // The first data are new whatever their number.
        op(LOAD_LONG, 2, 9, DATA, 0),
        op(IF_ZERO, 2, 0, 13, 0),
        op(LOAD_WORD, 2, 9, HIGH, 0),
        op(COPY, 3, 1, 0, 0),
        op(SUBTRACT_32, 3, 2, 0, 0),
        op(IF_POSITIVE_32, 3, 0, 6, 0),
        // Nothing of it is beyond what came: without a gap it was there before, else it fills one, perhaps the last.
        op(LOAD_WORD, 2, 9, BEHIND_GAP, 0),
        op(IF_ZERO, 2, 0, 9, 0),
        op(SUBTRACT_32, 1, 2, 0, 0),
        op(IF_NEGATIVE_32, 1, 0, 6, 0),
        op(SET_WORD, 9, 0, BEHIND_GAP, 0),
        op(GO, 0, 0, 4, 0),
        // New: does it leave a gap?
        op(SUBTRACT_32, 2, 0, 0, 0),
        op(IF_NOT_NEGATIVE_32, 2, 0, 1, 0),
        op(STORE_WORD, 9, 0, BEHIND_GAP, 0),
        op(STORE_WORD, 9, 1, HIGH, 0),
        op(STORE_LONG, 9, 6, DATA, 0),
        // All of it may pass.
        op(SET, 0, 0, 0, -1),
        op(EXIT, 0, 0, 0, 0),
    ]
}

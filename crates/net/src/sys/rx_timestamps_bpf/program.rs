//! The program in BPF instructions.

use std::mem::{offset_of, size_of};

use super::{PortSlot, Segment, SegmentRing};

// Codes of instructions (linux/bpf.h, linux/bpf_common.h). Comparisons of 32 bits take them as
// signed.
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
const ADD_NUMBER: u8 = 0x07;
const ADD_32: u8 = 0x0c;
const SUBTRACT: u8 = 0x1f;
const SUBTRACT_32: u8 = 0x1c;
const AND: u8 = 0x57;
const SHIFT_RIGHT: u8 = 0x77;
const SHIFT_LEFT: u8 = 0x67;
const GO: u8 = 0x05;
const IF_SAME: u8 = 0x1d;
const IF_ZERO: u8 = 0x15;
const IF_NOT_ZERO: u8 = 0x55;
const IF_POSITIVE_32: u8 = 0x66;
const IF_NEGATIVE_32: u8 = 0xc6;
const IF_NOT_NEGATIVE_32: u8 = 0x76;
const CALL: u8 = 0x85;
const EXIT: u8 = 0x95;
const MEMORY_VALUE: u8 = 2;
const KTIME_GET_NS: i32 = 5;

// Where things are in `__sk_buff`, `bpf_sock` (linux/bpf.h) and the TCP header (RFC 9293, section
// 3.1).
const LENGTH: i16 = 0;
const SOCKET: i16 = 168;
const FAMILY: i16 = 4;
const OWN_ADDRESS: i16 = 24;
const OWN_PORT: i16 = 44;
const NUMBER: i32 = 4;
const OFFSET_AND_FLAGS: i32 = 12;
const FIN: i32 = 1;

// Where things are in a slot, and where the flags are kept below register 10.
const DATA: i16 = offset_of!(PortSlot, data_ns) as i16;
const END: i16 = offset_of!(PortSlot, end_ns) as i16;
const HIGH: i16 = offset_of!(PortSlot, high) as i16;
const BEHIND_GAP: i16 = offset_of!(PortSlot, behind_gap) as i16;
const STARTED: i16 = offset_of!(PortSlot, started) as i16;
const TOUCHED: i16 = offset_of!(PortSlot, touched) as i16;
const SLOT_SHIFT: i32 = size_of::<PortSlot>().trailing_zeros().cast_signed();
const _POWER_OF_TWO: () = assert!(size_of::<PortSlot>().is_power_of_two());

// Where things are in a ring.
const RING_SHIFT: i32 = size_of::<SegmentRing>().trailing_zeros().cast_signed();
const _RING_POWER_OF_TWO: () = assert!(size_of::<SegmentRing>().is_power_of_two());
const SEGMENT_SHIFT: i32 = size_of::<Segment>().trailing_zeros().cast_signed();
const LAST_RING: i32 = SegmentRing::RINGS as i32 - 1;
const LAST_SEGMENT: i32 = SegmentRing::SEGMENTS as i32 - 1;
const SEGMENT_END: i16 = offset_of!(Segment, end) as i16;
const SEGMENT_AT: i16 = offset_of!(Segment, at_ns) as i16;
const KEPT_FLAGS: i16 = -8;

/// A point that jumps go to.
#[derive(Clone, Copy, PartialEq)]
enum Label {
    Slot,
    Data,
    Beyond,
    InOrder,
    Begun,
    Note,
    Pass,
}

#[derive(Clone, Copy)]
enum Line {
    /// One instruction: code, registers (destination, source), offset, immediate.
    Op(u8, u8, u8, i16, i32),
    /// A code that goes to the label if it holds for the registers, or for the first and zero.
    If(u8, u8, u8, Label),
    /// Registers' second half of [`LOAD_ADDRESS`].
    Second,
    At(Label),
}

use Label::{Begun, Beyond, Data, InOrder, Note, Pass, Slot};
use Line::{At, If, Op, Second};

/// Its context is the segment, from the TCP header on.
///
/// Registers: 0 the time, 6 the context and then the sequence number of the first byte, 7 bytes of
/// data and then the number after them, 9 the slot of the socket ([`super::place_of`]), 1 to 3 are
/// scratch. Calls and loads from the packet leave 6 to 9 alone; such loads want the context in 6
/// and give their value in 0.
pub(super) fn program(memory: libc::c_int, sections: usize) -> Vec<u64> {
    let slot = find_slot(memory, sections as i32 - 1, &[]);
    assemble(&[&slot, FETCH_SLOT, NOTE_ARRIVAL, START, NOTE_TIME, PASS].concat())
}

/// As [`program`], which also notes the time of each segment in a ring; register 8 has that of the
/// socket.
pub(super) fn program_with_rings(memory: libc::c_int, rings: libc::c_int, sections: usize) -> Vec<u64> {
    let ring = [
        Op(COPY, 2, 1, 0, 0),
        Op(AND, 2, 0, 0, LAST_RING),
        Op(SHIFT_LEFT, 2, 0, 0, RING_SHIFT),
        Op(LOAD_ADDRESS, 8, MEMORY_VALUE, 0, rings),
        Second,
        Op(ADD, 8, 2, 0, 0),
    ];
    let slot = find_slot(memory, sections as i32 - 1, &ring);
    assemble(&[&slot, NOTE_ARRIVAL, START_AT_NUMBER, NOTE_TIME, NOTE_SEGMENT, PASS].concat())
}

/// Leaves the slot of the socket in 9. `then`: what is done with its index in 1, which stays.
fn find_slot(memory: libc::c_int, last_section: i32, then: &[Line]) -> Vec<Line> {
    let index = [
        Op(COPY, 6, 1, 0, 0),
        Op(LOAD_LONG, 1, 6, SOCKET, 0),
        If(IF_ZERO, 1, 0, Pass),
        Op(LOAD_WORD, 2, 1, FAMILY, 0),
        Op(LOAD_WORD, 3, 1, OWN_ADDRESS, 0),
        Op(LOAD_WORD, 1, 1, OWN_PORT, 0),
        Op(AND, 1, 0, 0, 0xffff),
        Op(ADD_NUMBER, 2, 0, 0, -libc::AF_INET),
        If(IF_NOT_ZERO, 2, 0, Slot),
        // The last byte of the address, which is in the order of the network.
        Op(SHIFT_RIGHT, 3, 0, 0, if cfg!(target_endian = "little") { 24 } else { 0 }),
        Op(AND, 3, 0, 0, last_section),
        Op(SHIFT_LEFT, 3, 0, 0, 16),
        Op(ADD, 1, 3, 0, 0),
        At(Slot),
    ];
    let address = [
        Op(SHIFT_LEFT, 1, 0, 0, SLOT_SHIFT),
        Op(LOAD_ADDRESS, 9, MEMORY_VALUE, 0, memory),
        Second,
        Op(ADD, 9, 1, 0, 0),
    ];
    [&index, then, &address].concat()
}

/// With a thousand connections the slot is not in the cache, and to wait for it takes as long as
/// all the rest. A store does not wait, so the slot is under way meanwhile.
const FETCH_SLOT: &[Line] = &[Op(SET_WORD, 9, 0, TOUCHED, 1)];

/// Notes the time of data that are new or fill a gap, and of the first end.
const NOTE_ARRIVAL: &[Line] = &[
    // The offset of data is in 32-bit units, in the top four bits.
    Op(LOAD_WORD, 7, 6, LENGTH, 0),
    Op(LOAD_PACKET_HALF, 0, 0, 0, OFFSET_AND_FLAGS),
    Op(STORE_LONG, 10, 0, KEPT_FLAGS, 0),
    Op(COPY, 1, 0, 0, 0),
    Op(SHIFT_RIGHT, 1, 0, 0, 10),
    Op(AND, 1, 0, 0, 0b11_1100),
    Op(SUBTRACT, 7, 1, 0, 0),
    Op(AND, 0, 0, 0, FIN),
    Op(ADD, 0, 7, 0, 0),
    If(IF_ZERO, 0, 0, Pass),
    Op(LOAD_PACKET_WORD, 0, 0, 0, NUMBER),
    Op(COPY, 6, 0, 0, 0),
    Op(CALL, 0, 0, 0, KTIME_GET_NS),
    // The first of several ends counts.
    Op(LOAD_LONG, 1, 10, KEPT_FLAGS, 0),
    Op(AND, 1, 0, 0, FIN),
    If(IF_ZERO, 1, 0, Data),
    Op(LOAD_LONG, 1, 9, END, 0),
    If(IF_NOT_ZERO, 1, 0, Data),
    Op(STORE_LONG, 9, 0, END, 0),
    At(Data),
    If(IF_ZERO, 7, 0, Pass),
    Op(ADD_32, 7, 6, 0, 0),
    // Most begin where the last ended.
    Op(LOAD_WORD, 2, 9, HIGH, 0),
    If(IF_SAME, 2, 6, InOrder),
    // The first data are new whatever their number.
    Op(LOAD_WORD, 1, 9, STARTED, 0),
    If(IF_ZERO, 1, 0, InOrder),
    Op(COPY, 1, 7, 0, 0),
    Op(SUBTRACT_32, 1, 2, 0, 0),
    If(IF_POSITIVE_32, 1, 0, Beyond),
    // Nothing of it is beyond what came: without a gap it was there before, else it fills one,
    // perhaps the last.
    Op(LOAD_WORD, 2, 9, BEHIND_GAP, 0),
    If(IF_ZERO, 2, 0, Pass),
    Op(SUBTRACT_32, 7, 2, 0, 0),
    If(IF_NEGATIVE_32, 7, 0, Note),
    Op(SET_WORD, 9, 0, BEHIND_GAP, 0),
    If(GO, 0, 0, Note),
    At(Beyond),
    // New: does it leave a gap?
    Op(SUBTRACT_32, 2, 6, 0, 0),
    If(IF_NOT_NEGATIVE_32, 2, 0, InOrder),
    Op(STORE_WORD, 9, 6, BEHIND_GAP, 0),
    At(InOrder),
];

/// Data came.
const START: &[Line] = &[Op(SET_WORD, 9, 0, STARTED, 1)];

/// The same, with the sequence number of the first of them. If that is zero, the next first counts.
const START_AT_NUMBER: &[Line] = &[
    Op(LOAD_WORD, 1, 9, STARTED, 0),
    If(IF_NOT_ZERO, 1, 0, Begun),
    Op(STORE_WORD, 9, 6, STARTED, 0),
    At(Begun),
];

const NOTE_TIME: &[Line] = &[Op(STORE_WORD, 9, 7, HIGH, 0), At(Note), Op(STORE_LONG, 9, 0, DATA, 0)];

/// What comes after a gap cannot be read yet: it is noted with what fills the last gap. The number
/// of segments is written last, so all that it counts are complete.
const NOTE_SEGMENT: &[Line] = &[
    Op(LOAD_WORD, 1, 9, BEHIND_GAP, 0),
    If(IF_NOT_ZERO, 1, 0, Pass),
    Op(LOAD_WORD, 7, 9, HIGH, 0),
    Op(LOAD_WORD, 1, 9, TOUCHED, 0),
    Op(COPY, 2, 1, 0, 0),
    Op(AND, 2, 0, 0, LAST_SEGMENT),
    Op(SHIFT_LEFT, 2, 0, 0, SEGMENT_SHIFT),
    Op(ADD, 8, 2, 0, 0),
    Op(STORE_WORD, 8, 7, SEGMENT_END, 0),
    Op(STORE_LONG, 8, 0, SEGMENT_AT, 0),
    Op(ADD_NUMBER, 1, 0, 0, 1),
    Op(STORE_WORD, 9, 1, TOUCHED, 0),
];

/// All of it may pass.
const PASS: &[Line] = &[At(Pass), Op(SET, 0, 0, 0, -1), Op(EXIT, 0, 0, 0, 0)];

/// Jumps count from the next instruction.
fn assemble(lines: &[Line]) -> Vec<u64> {
    let instructions = |lines: &[Line]| lines.iter().filter(|line| !matches!(line, At(_))).count() as i16;
    let position = |label| {
        let at = lines.iter().position(|line| matches!(line, At(here) if *here == label));
        instructions(&lines[..at.expect("each label used is defined")])
    };
    let code = |(index, line): (usize, &Line)| match *line {
        Op(code, to, from, offset, number) => Some(instruction(code, to, from, offset, number)),
        If(code, to, from, label) => {
            let next = instructions(&lines[..=index]);
            Some(instruction(code, to, from, position(label) - next, 0))
        }
        Second => Some(0),
        At(_) => None,
    };
    lines.iter().enumerate().filter_map(code).collect()
}

fn instruction(code: u8, to: u8, from: u8, offset: i16, number: i32) -> u64 {
    u64::from(code)
        | u64::from(to) << 8
        | u64::from(from) << 12
        | u64::from(offset.cast_unsigned()) << 16
        | u64::from(number.cast_unsigned()) << 32
}

//! Runs the program on segments, byte for byte.

use super::*;

/// `bpf_attr` of `BPF_PROG_TEST_RUN`, as far as it is used.
#[repr(C)]
#[derive(Default)]
struct TestRun {
    program: u32,
    result: u32,
    size_in: u32,
    size_out: u32,
    data_in: u64,
    data_out: u64,
    repeat: u32,
    duration: u32,
}

/// The port of the socket that receives such segments.
const PORT: u16 = 0;
const FIN: u8 = 1;
const ACK: u8 = 16;

/// After an Ethernet header of zeroes, which is taken off: ports, sequence number, acknowledgement,
/// offset and flags, window, sum, urgent pointer, options, data.
fn segment(number: u32, flags: u8, data: usize) -> Vec<u8> {
    let mut bytes = vec![0; 14];
    bytes.extend(80_u16.to_be_bytes());
    bytes.extend(PORT.to_be_bytes());
    bytes.extend(number.to_be_bytes());
    bytes.extend([1, 2, 3, 4, 8 << 4, flags, 0xff, 0xff, 0, 0, 0, 0]);
    bytes.extend([1; 12]);
    bytes.resize(bytes.len() + data, b'x');
    bytes
}

/// Hands a segment to the program.
fn arrives(program: &OwnedFd, bytes: &[u8]) {
    const TEST_RUN: libc::c_long = 10;
    let mut run = TestRun {
        program: program.as_raw_fd().cast_unsigned(),
        size_in: bytes.len() as u32,
        data_in: bytes.as_ptr() as u64,
        ..TestRun::default()
    };
    // SAFETY: `run` says its size, and its bytes live during the call.
    let done = unsafe { libc::syscall(libc::SYS_bpf, TEST_RUN, &raw mut run, size_of::<TestRun>()) };
    assert_eq!((done, run.result), (0, u32::MAX), "{}", io::Error::last_os_error());
}

#[test]
fn what_is_new_or_fills_a_gap_counts_and_nothing_else() {
    let Ok(program) = RxTimestampProgram::load(4) else {
        println!("skipped: no program may be loaded into the kernel here");
        return;
    };
    what_is_new_counts(&program, &program.program);
    let rings = program.load_with_rings().expect("this kernel loads the shorter one");
    what_is_new_counts(&program, &rings.program);
}

fn what_is_new_counts(memory: &RxTimestampProgram, program: &OwnedFd) {
    let slot = &memory.slots[usize::from(PORT)];
    // Number of the first byte after `start`, flags, data; whether data, and whether an end are
    // noted.
    type Step = (u32, u8, usize, bool, bool);
    let table: [&[Step]; 8] = [
        &[(0, ACK, 0, false, false)],
        &[(0, ACK, 100, true, false), (100, ACK, 1, true, false), (101, ACK, 0, false, false)],
        // Sent again: all of it, a part, and a part with something new.
        &[
            (0, ACK, 100, true, false),
            (0, ACK, 100, false, false),
            (50, ACK, 20, false, false),
            (50, ACK, 60, true, false),
        ],
        // A gap, the data after it, and the data that fills it.
        &[
            (0, ACK, 10, true, false),
            (20, ACK, 10, true, false),
            (30, ACK, 10, true, false),
            (10, ACK, 10, true, false),
            (10, ACK, 10, false, false),
            (40, ACK, 10, true, false),
        ],
        // Two gaps, filled one after the other.
        &[
            (0, ACK, 10, true, false),
            (20, ACK, 10, true, false),
            (40, ACK, 10, true, false),
            (10, ACK, 10, true, false),
            (30, ACK, 10, true, false),
            (30, ACK, 10, false, false),
        ],
        // An end with data, and again.
        &[(0, ACK | FIN, 10, true, true), (0, ACK | FIN, 10, false, false)],
        // An end alone, and again; one that comes before what fills a gap.
        &[(0, ACK, 10, true, false), (10, ACK | FIN, 0, false, true), (10, ACK | FIN, 0, false, false)],
        &[(0, ACK, 10, true, false), (20, FIN, 10, true, true), (10, ACK, 10, true, false)],
    ];
    for start in [5, 0x7fff_fff0, u32::MAX - 25] {
        for (row, steps) in table.iter().enumerate() {
            slot.clear();
            for (number, flags, data, is_data, is_end) in *steps {
                let before = [slot.data_ns.load(Ordering::Relaxed), slot.end_ns.load(Ordering::Relaxed)];
                arrives(program, &segment(start.wrapping_add(*number), *flags, *data));
                let after = [slot.data_ns.load(Ordering::Relaxed), slot.end_ns.load(Ordering::Relaxed)];
                let noted = [before[0] != after[0], before[1] != after[1]];
                assert_eq!(noted, [*is_data, *is_end], "row {row}, byte {number} after {start}");
            }
        }
    }
    slot.clear();
    arrives(program, &segment(0, ACK | FIN, 1));
    assert_eq!(slot.end_ns(), slot.data_ns(), "both with one segment");
    arrives(program, &segment(9, ACK, 1));
    assert_eq!(slot.end_ns(), slot.data_ns(), "an end is known when all before it is there");
}

#[test]
fn segments_are_noted_when_they_can_be_read() {
    let Ok(program) = RxTimestampProgram::load(1) else {
        println!("skipped: no program may be loaded into the kernel here");
        return;
    };
    let rings = program.load_with_rings().expect("this kernel loads the shorter one");
    let slot = &program.slots[usize::from(PORT)];
    let ring = &rings.rings[usize::from(PORT)];
    for start in [5, u32::MAX - 25] {
        slot.clear();
        let mut times = Vec::new();
        // The third comes before the second: both can be read with the second.
        for (number, length) in [(0, 10), (20, 10), (10, 10), (10, 10), (30, 5)] {
            arrives(&rings.program, &segment(start.wrapping_add(number), ACK, length));
            times.push(slot.data_ns());
        }
        let parts: Vec<_> = SegmentTimes::new(slot, ring, start, 35)
            .map(|part| (part.bytes, part.at_ns, part.is_late))
            .collect();
        assert_eq!(parts, [(10, times[0], false), (20, times[2], false), (5, times[4], false)], "{start}");
    }
}

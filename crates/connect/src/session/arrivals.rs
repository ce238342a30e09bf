//! When the last bytes of a connection arrived.

use swell_net::Arrival;

/// Parts of reads that are remembered: a head may begin in an earlier one.
const PARTS: usize = 4;

/// The last parts that were received, each with the position of its last byte on the connection.
#[derive(Default)]
pub(super) struct Arrivals {
    parts: [Option<(u64, Arrival)>; PARTS],
    next: usize,
}

impl Arrivals {
    /// A part has come; `end`: all bytes up to its end.
    pub(super) fn add(&mut self, end: u64, arrival: Arrival) {
        self.parts[self.next] = Some((end, arrival));
        self.next = (self.next + 1) % PARTS;
    }

    /// The newest part.
    pub(super) fn newest(&self) -> Option<Arrival> {
        self.parts[(self.next + PARTS - 1) % PARTS].map(|(_, arrival)| arrival)
    }

    /// The part with the byte at this position, or the oldest that is remembered.
    pub(super) fn of(&self, position: u64) -> Option<Arrival> {
        let known = self.parts.iter().flatten().filter(|(end, _)| *end >= position);
        known.min_by_key(|(end, _)| *end).map(|(_, arrival)| *arrival)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_has_the_time_of_its_part() {
        let at = |at_ns| Arrival { at_ns, kernel_ns: at_ns, read_ns: 9, stamped: true };
        let mut arrivals = Arrivals::default();
        assert_eq!(arrivals.of(1), None);
        for part in 1..=6 {
            arrivals.add(part * 10, at(part as i64));
        }
        let of = |position| arrivals.of(position).map(|arrival| arrival.at_ns);
        // The first two are forgotten.
        let found = [of(1), of(30), of(31), of(60), of(61)];
        assert_eq!(found, [Some(3), Some(3), Some(4), Some(6), None]);
        assert_eq!(arrivals.newest(), Some(at(6)));
    }
}

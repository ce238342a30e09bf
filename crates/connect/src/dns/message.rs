//! DNS queries for addresses, and their responses (RFC 1035).

use std::io;
use std::net::{IpAddr, Ipv4Addr};

use simple_dns::rdata::RData;
use simple_dns::{CLASS, Name, Packet, PacketFlag, QCLASS, QTYPE, Question, RCODE, TYPE};

/// The result in a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Addresses, and the name that has them, with a dot at its end.
    Found(String, Vec<IpAddr>),
    /// Another name is to be asked for.
    Alias(String),
    /// The name does not exist.
    NoSuchName,
    /// The name has no address.
    NoAddress,
    /// The server could not or would not say.
    Refused,
    /// It did not fit into a datagram.
    Truncated,
}

/// A name that can be asked for, as dnsjava takes it; none if it is none.
pub(super) fn checked(name: &str) -> Option<&str> {
    let inner = name.strip_suffix('.').unwrap_or(name);
    let empty_label = name != "." && inner.split('.').any(str::is_empty);
    (!empty_label && Name::new(name).is_ok()).then_some(name)
}

/// The bytes that ask for the addresses of a name.
pub(super) fn question(id: u16, name: &str) -> io::Result<Vec<u8>> {
    let mut packet = Packet::new_query(id);
    packet.set_flags(PacketFlag::RECURSION_DESIRED);
    let name = Name::new(name).map_err(bad)?;
    packet.questions.push(Question::new(name, QTYPE::TYPE(TYPE::A), QCLASS::CLASS(CLASS::IN), false));
    packet.build_bytes_vec().map_err(bad)
}

/// What bytes answer; none if they answer another question.
///
/// # Errors
/// They are not a message.
pub(super) fn answer(bytes: &[u8], id: u16, name: &str) -> io::Result<Option<Answer>> {
    if bytes.get(..2) != Some(&id.to_be_bytes()) {
        return Ok(None);
    }
    if promises_too_much(bytes) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it has fewer records than its header states",
        ));
    }
    let packet = Packet::parse(bytes).map_err(bad)?;
    let asked = Name::new(name).map_err(bad)?;
    let same = packet.questions.iter().any(|question| question.qname == asked);
    if !packet.has_flags(PacketFlag::RESPONSE) || !same {
        return Ok(None);
    }
    if packet.has_flags(PacketFlag::TRUNCATION) {
        return Ok(Some(Answer::Truncated));
    }
    Ok(Some(match packet.rcode() {
        RCODE::NameError => Answer::NoSuchName,
        RCODE::NoError => read(&packet, asked),
        _ => Answer::Refused,
    }))
}

/// Whether the numbers of the head cannot be those of its questions (5 bytes at least) and records
/// (11 bytes): room is made for as many, which for a short message can be megabytes.
fn promises_too_much(bytes: &[u8]) -> bool {
    let count =
        |at: usize| bytes.get(at..at + 2).map_or(0, |two| usize::from(two[0]) << 8 | usize::from(two[1]));
    12 + 5 * count(4) + 11 * (count(6) + count(8) + count(10)) > bytes.len()
}

/// Follows a name through the answers.
fn read<'p>(packet: &'p Packet<'p>, asked: Name<'p>) -> Answer {
    let mut name = asked;
    let mut alias = false;
    // Each answer leads on once at most.
    for _ in 0..=packet.answers.len() {
        let of_name = || packet.answers.iter().filter(|record| record.name == name);
        let addresses: Vec<IpAddr> = of_name()
            .filter_map(|record| match &record.rdata {
                RData::A(a) => Some(Ipv4Addr::from(a.address).into()),
                _ => None,
            })
            .collect();
        if !addresses.is_empty() {
            return Answer::Found(format!("{name}."), addresses);
        }
        let next = of_name().find_map(|record| match &record.rdata {
            RData::CNAME(target) => Some(target.0.clone()),
            _ => None,
        });
        match next {
            Some(next) => (name, alias) = (next, true),
            None => break,
        }
    }
    if alias { Answer::Alias(format!("{name}.")) } else { Answer::NoAddress }
}

fn bad(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer to `ask.test`: flags and code, then each record as type, name, data. Written by
    /// hand.
    fn message(flags: u16, records: &[(u16, &[u8], &[u8])]) -> Vec<u8> {
        let mut out = vec![0x12, 0x34];
        out.extend(flags.to_be_bytes());
        out.extend([0, 1, 0, records.len() as u8, 0, 0, 0, 0]);
        out.extend(b"\x03ask\x04test\x00\x00\x01\x00\x01");
        for (kind, name, data) in records {
            out.extend(*name);
            out.extend(kind.to_be_bytes());
            out.extend([0, 1, 0, 0, 0, 60]);
            out.extend((data.len() as u16).to_be_bytes());
            out.extend(*data);
        }
        out
    }

    /// The name that was asked for, as a pointer.
    const ASKED: &[u8] = &[0xc0, 12];
    const OTHER: &[u8] = b"\x05Other\x04test\x00";
    const YES: u16 = 0x8180;

    fn read_of(bytes: &[u8]) -> Option<Answer> {
        answer(bytes, 0x1234, "ask.test").unwrap()
    }

    #[test]
    fn questions_are_bytes() {
        let asked = question(0x1234, "ask.test.").unwrap();
        assert_eq!(asked, b"\x12\x34\x01\x00\0\x01\0\0\0\0\0\0\x03ask\x04test\0\0\x01\0\x01");
        for good in ["a", "a.b", "a.b.", "127.0.0.1", "."] {
            assert!(checked(good).is_some(), "{good}");
        }
        for none in ["", "a..b", ".a", "a..", &"a".repeat(64)] {
            assert_eq!(checked(none), None, "{none}");
        }
    }

    #[test]
    fn answers_are_read() {
        let found = |name: &str, ips: &[[u8; 4]]| {
            Some(Answer::Found(name.to_owned(), ips.iter().map(|ip| IpAddr::from(*ip)).collect()))
        };
        let table: [(Vec<u8>, Option<Answer>); 9] = [
            (
                message(YES, &[(1, ASKED, &[1, 2, 3, 4]), (1, ASKED, &[5, 6, 7, 8])]),
                found("ask.test.", &[[1, 2, 3, 4], [5, 6, 7, 8]]),
            ),
            (
                message(YES, &[(5, ASKED, OTHER), (1, b"\x05other\x04test\x00", &[1, 2, 3, 4])]),
                found("Other.test.", &[[1, 2, 3, 4]]),
            ),
            (message(YES, &[(5, ASKED, OTHER)]), Some(Answer::Alias("Other.test.".into()))),
            (message(YES, &[(5, ASKED, ASKED)]), Some(Answer::Alias("ask.test.".into()))),
            (message(YES, &[]), Some(Answer::NoAddress)),
            (message(YES | 3, &[]), Some(Answer::NoSuchName)),
            (message(YES | 2, &[]), Some(Answer::Refused)),
            (message(YES | 0x200, &[]), Some(Answer::Truncated)),
            (message(0x0100, &[]), None),
        ];
        for (bytes, wanted) in table {
            assert_eq!(read_of(&bytes), wanted, "{bytes:02x?}");
        }
        let good = message(YES, &[(1, ASKED, &[1, 2, 3, 4])]);
        assert_eq!(answer(&good, 0x1235, "ask.test").unwrap(), None, "of another question");
        assert_eq!(answer(&good, 0x1234, "asks.test").unwrap(), None, "about another name");
        assert_eq!(answer(&[0x12], 0x1234, "ask.test").unwrap(), None);
    }

    #[test]
    fn no_bytes_break_it() {
        let good = message(YES, &[(5, ASKED, OTHER), (1, OTHER, &[1, 2, 3, 4])]);
        let mut random = 88_172_645_463_325_252_u64;
        for _ in 0..20_000 {
            let mut bytes = good.clone();
            for _ in 0..3 {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let at = 2 + random as usize % (bytes.len() - 2);
                bytes[at] = (random >> 32) as u8;
            }
            bytes.truncate(2 + (random >> 40) as usize % bytes.len());
            // Any result will do.
            let _ = answer(&bytes, 0x1234, "ask.test");
        }
        // A pointer to itself.
        assert!(answer(&message(YES, &[(1, &[0xc0, 26], &[1, 2, 3, 4])]), 0x1234, "ask.test").is_err());
    }

    #[test]
    fn a_short_message_that_promises_65535_records_is_refused_before_room_is_made() {
        let good = message(YES, &[(1, ASKED, &[1, 2, 3, 4])]);
        for count in [4, 6, 8, 10] {
            let mut bytes = good.clone();
            bytes[count..count + 2].copy_from_slice(&[0xff, 0xff]);
            let error = answer(&bytes, 0x1234, "ask.test").unwrap_err();
            assert_eq!(error.to_string(), "it has fewer records than its header states", "{count}");
        }
        assert!(matches!(answer(&good, 0x1234, "ask.test"), Ok(Some(Answer::Found(..)))));
    }
}

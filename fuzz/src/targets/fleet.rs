//! Messages between the machines of a test.

use serde::de::DeserializeOwned;
use swell_fleet::OnLoss;
use swell_fleet::coordinator::{Action, CoordinatorOptions, RunCoordinator};
use swell_fleet::wire::{Claim, ControllerMessage, Grant, Heartbeat, Manifest};
use swell_fleet::{Join, ReceivedRanges};

const S: i64 = 1_000_000_000;

fn json<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}

/// Decodes hexadecimal digits, for messages that are not text.
fn of_hex(line: &[u8]) -> Vec<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).map(|digit| digit as u8);
    let digits: Vec<u8> = line.iter().filter_map(digit).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// A controller receives lines, each a message after a letter for its kind; each line takes a
/// second. Whatever it receives, the controller must not fail, must count nothing from a share that
/// it did not grant, and must end once.
pub(super) fn fleet(input: &[u8]) {
    let options = CoordinatorOptions {
        agents: 1,
        named: Vec::new(),
        timeout_ns: 30 * S,
        begin_without: false,
        on_loss: OnLoss::Redistribute,
        multiply: false,
        slices: Some(4),
        allow_skew: true,
        phase_timeout_ns: 60 * S,
        interval_s: 1,
    };
    let mut coordinator = RunCoordinator::new(options, 0);
    let mut now_ns = 0;
    let mut granted = false;
    let mut counted = 0;
    let mut ends = 0;
    let mut come = ReceivedRanges::default();
    for line in input.split(|byte| *byte == b'\n').take(200) {
        now_ns += S;
        let (kind, message) = line.split_first().map_or((b' ', line), |(kind, rest)| (*kind, rest));
        match kind {
            b'h' => {
                if let Some(heart) = json::<Heartbeat>(message) {
                    coordinator.heartbeat(heart, now_ns);
                }
            }
            b'c' => {
                let grant = json::<Claim>(message).map(|claim| coordinator.claim(&claim, now_ns));
                granted |= matches!(grant, Some(Grant::Yes { .. }));
            }
            b'u' => {
                if let Ok(up) = swell_fleet::wire::up(&of_hex(message)) {
                    coordinator.up(up, now_ns);
                }
            }
            b'r' => {
                if let Some(down) = json::<ControllerMessage>(message) {
                    granted = true;
                    coordinator.replay(&down, now_ns);
                }
            }
            b'p' => {
                if let Ok(piece) = swell_fleet::wire::row_piece(&of_hex(message)) {
                    come.note(piece.offset, piece.bytes.len() as u64);
                }
            }
            b'g' => drop(json::<Grant>(message)),
            b'm' => drop(json::<Manifest>(message).map(|manifest| manifest.unreadable())),
            b'j' => drop(String::from_utf8_lossy(message).parse::<Join>()),
            _ => coordinator.tick(now_ns),
        }
        drop(coordinator.status());
        for action in coordinator.take_actions() {
            match action {
                Action::Counted(_, _) => counted += 1,
                Action::Finish(_) => ends += 1,
                _ => {}
            }
        }
    }
    assert!(granted || counted == 0, "nothing was granted, and {counted} seconds were counted");
    assert!(ends <= 1, "a run ends once");
}

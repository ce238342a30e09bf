//! The UDP shutdown port: what `shutdown.sh` and `stoptest.sh` of JMeter send
//! (`JMeter.waitForSignals`).

use std::net::{Ipv4Addr, UdpSocket};
use std::ops::RangeInclusive;
use std::thread;

use swell_expr::Properties;
use swell_session::{Command, Requests};

use crate::print::print_stderr;

fn read(text: &[u8]) -> Option<Command> {
    match text {
        b"Shutdown" => Some(Command::Stop),
        b"StopTestNow" => Some(Command::StopNow),
        _ => None,
    }
}

/// The ports of which the first that is free is listened at; none where the properties want none.
fn ports(props: &Properties) -> Option<RangeInclusive<u16>> {
    let first = props.number("jmeterengine.nongui.port", 4445);
    let last = props.number("jmeterengine.nongui.maxport", 4455);
    let port = |number: i64| u16::try_from(number).ok();
    port(first).filter(|first| *first > 1000).zip(port(last)).map(|(first, last)| first..=last)
}

/// Sends each command to the run, from its own thread.
pub(crate) fn listen(props: &Properties, requests: Requests) {
    let Some(ports) = ports(props) else { return };
    // A port that a property names is missed if it cannot be had.
    let asked = props.get("jmeterengine.nongui.port").is_some();
    let Some(socket) = ports.clone().find_map(|port| UdpSocket::bind((Ipv4Addr::LOCALHOST, port)).ok())
    else {
        if asked {
            print_stderr(&format!(
                "no port from {} to {} is free for commands; only signals stop the run",
                ports.start(),
                ports.end()
            ));
        }
        return;
    };
    let waiting = thread::Builder::new().name("swell-commands".to_owned()).spawn(move || {
        let mut buffer = [0; 80];
        while let Ok(length) = socket.recv(&mut buffer) {
            match read(&buffer[..length]) {
                Some(command) if !requests.command(command) => return,
                Some(_) => {}
                None => print_stderr(&format!(
                    "the command `{}` is not known: there are Shutdown and StopTestNow",
                    String::from_utf8_lossy(&buffer[..length]).escape_debug()
                )),
            }
        }
    });
    // Without a thread signals still stop the run.
    drop(waiting);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_say_where_to_listen() {
        let props = Properties::default();
        assert_eq!(ports(&props), Some(4445..=4455));
        props.set("jmeterengine.nongui.port", "5000");
        props.set("jmeterengine.nongui.maxport", "5001");
        assert_eq!(ports(&props), Some(5000..=5001));
        for none in ["0", "1000", "70000"] {
            props.set("jmeterengine.nongui.port", none);
            assert_eq!(ports(&props), None);
        }
    }

    #[test]
    fn datagrams_are_commands() {
        let read = ["Shutdown", "StopTestNow", "HeapDump"].map(|word| read(word.as_bytes()));
        assert_eq!(read, [Some(Command::Stop), Some(Command::StopNow), None]);
    }
}

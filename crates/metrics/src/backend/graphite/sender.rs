//! Sends metrics over a persistent connection (`TextGraphiteMetricsSender`,
//! `PickleGraphiteMetricsSender`).

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use parking_lot::Mutex;

/// `SOCKET_CONNECT_TIMEOUT_MS`, `SOCKET_TIMEOUT`.
const PATIENCE: Duration = Duration::from_secs(1);

/// The format of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A line each.
    Text,
    /// A list as Python's pickle writes it, its length before it.
    Pickle,
}

pub(super) struct Sender {
    host: String,
    port: u16,
    form: Form,
    connection: Mutex<Option<TcpStream>>,
}

impl Sender {
    pub(super) fn new(host: &str, port: u16, form: Form) -> Self {
        Self { host: host.to_owned(), port, form, connection: Mutex::default() }
    }

    /// Metrics at a time, in seconds since the epoch.
    pub(super) fn written(&self, metrics: &[(String, String)], prefix: &str, at_s: i64) -> String {
        let mut out = String::new();
        let begin = if self.form == Form::Pickle { "(l" } else { "" };
        out.push_str(begin);
        for (name, value) in metrics {
            match self.form {
                Form::Text => writeln!(out, "{prefix}{name} {value} {at_s}"),
                Form::Pickle => write!(out, "(S'{prefix}{name}'\n(L{at_s}L\nS'{value}'\ntta"),
            }
            .expect("a string takes all");
        }
        if self.form == Form::Pickle {
            out.push('.');
        }
        out
    }

    /// Sends what was written. What cannot be sent is lost, and the next call reconnects.
    pub(super) fn send(&self, text: &str) -> Result<(), String> {
        let mut connection = self.connection.lock();
        let sent = self.send_over(&mut connection, text);
        if sent.is_err() {
            *connection = None;
        }
        sent.map_err(|error| error.to_string())
    }

    fn send_over(&self, connection: &mut Option<TcpStream>, text: &str) -> io::Result<()> {
        let stream = match connection {
            Some(open) => open,
            None => connection.insert(self.connect()?),
        };
        if self.form == Form::Pickle {
            // Java counts UTF-16 units.
            let length = text.encode_utf16().count() as u32;
            stream.write_all(&length.to_be_bytes())?;
        }
        stream.write_all(text.as_bytes())
    }

    fn connect(&self) -> io::Result<TcpStream> {
        let mut addresses = (self.host.as_str(), self.port).to_socket_addrs()?;
        let address = addresses.next().ok_or_else(|| io::Error::other("the host has no address"))?;
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(stream)
    }

    pub(super) fn to(&self) -> String {
        format!("Graphite at {}:{}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::TcpListener;

    fn metrics() -> Vec<(String, String)> {
        [("all.a.count", "2"), ("test.minAT", "1")].map(|(n, v)| (n.to_owned(), v.to_owned())).into()
    }

    /// What a server gets of two sendings over one connection.
    fn received(form: Form) -> Vec<u8> {
        let server = TcpListener::bind("127.0.0.1:0").expect("a server");
        let sender = Sender::new("127.0.0.1", server.local_addr().expect("an address").port(), form);
        let text = sender.written(&metrics(), "p.", 17);
        sender.send(&text).and_then(|()| sender.send(&text)).expect("it is sent");
        drop(sender);
        let mut got = Vec::new();
        server.accept().expect("a connection").0.read_to_end(&mut got).expect("what was sent");
        got
    }

    #[test]
    fn text_is_a_line_each() {
        let once = "p.all.a.count 2 17\np.test.minAT 1 17\n";
        assert_eq!(String::from_utf8(received(Form::Text)).expect("text"), once.repeat(2));
    }

    #[test]
    fn a_pickle_has_its_length_before_it() {
        let pickle = b"(l(S'p.all.a.count'\n(L17L\nS'2'\ntta(S'p.test.minAT'\n(L17L\nS'1'\ntta.";
        let once = [&[0, 0, 0, pickle.len() as u8][..], pickle].concat();
        assert_eq!(received(Form::Pickle), once.repeat(2));
    }

    #[test]
    fn a_server_that_is_not_there_is_told() {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
        assert!(Sender::new("127.0.0.1", port, Form::Text).send("x").is_err());
    }
}

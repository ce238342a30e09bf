//! Requests that transfer data to another system: lines of a Backend Listener, metrics of an
//! export.

use std::time::Duration;

use swell_connect::TlsConfig;
use swell_fetch::{BodyLimit, Client, Limits, Request};

/// Most bytes of an answer that are read.
const MOST: u64 = 64 * 1024;

/// The destination of requests, and how they are sent.
pub(crate) struct Post {
    pub(crate) url: String,
    /// Header fields besides host, length and connection.
    headers: Vec<(&'static str, String)>,
    client: Client,
}

/// Timeouts of a request.
#[derive(Clone, Copy)]
pub(crate) struct Timeouts {
    /// For a connection.
    pub(crate) connect: Duration,
    /// For each piece of the answer. The whole answer may take twice as long.
    pub(crate) read: Duration,
}

impl Timeouts {
    /// The same time for a connection and for a piece of the answer.
    #[cfg(test)]
    pub(crate) fn both(time: Duration) -> Self {
        Self { connect: time, read: time }
    }
}

/// Why a request did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failed {
    /// A text for people, with what the server answered.
    pub(crate) why: String,
    /// The status with which the server refused it; none where there was no answer.
    pub(crate) status: Option<u16>,
}

impl Post {
    /// Requests to that URL. `tls` is for `https`.
    pub(crate) fn new(
        url: String,
        headers: Vec<(&'static str, String)>,
        timeouts: Timeouts,
        tls: Option<TlsConfig>,
    ) -> Self {
        let limits = Limits {
            connect: timeouts.connect,
            silence: timeouts.read,
            total: timeouts.connect.saturating_add(timeouts.read.saturating_mul(2)),
            body: BodyLimit::Cut(MOST),
            redirects: 0,
        };
        Self { url, headers, client: Client::new(limits, tls) }
    }

    /// Whether it can speak `https`.
    #[cfg(test)]
    pub(crate) fn has_tls(&self) -> bool {
        self.client.has_tls()
    }

    /// Sends a body in a separate request, on the previous connection as long as the server keeps
    /// it, as JMeter's client does. The response is cut after 64 KiB.
    ///
    /// # Errors
    /// What went wrong, the server's refusal included.
    pub(crate) fn send(&self, body: &[u8]) -> Result<Vec<u8>, Failed> {
        let request = Request { method: "POST", url: &self.url, headers: &self.headers, body: Some(body) };
        let answer =
            self.client.send(request).map_err(|error| Failed { why: error.to_string(), status: None })?;
        if answer.is_success() {
            return Ok(answer.body);
        }
        let body = String::from_utf8_lossy(&answer.body);
        let why = format!("{} {}", answer.status_line.trim(), body.trim()).trim().to_owned();
        Err(Failed { why, status: Some(answer.status) })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::SocketAddr;
    use std::sync::mpsc;
    use std::thread;

    use swell_connect::{Stream, TlsServerConfig};
    use swell_net::{Runtime, TcpListener};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    /// A server with a certificate for `localhost`, and that certificate; it answers everything
    /// with 204 and tells what came.
    fn secure_server() -> (u16, Vec<u8>, mpsc::Receiver<String>) {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let certificate = made.cert.der().to_vec();
        let tls = TlsServerConfig::new(certificate.clone(), made.signing_key.serialize_der()).unwrap();
        let (say_port, port) = mpsc::channel();
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            Runtime::new().unwrap().block_on(async {
                let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
                say_port.send(listener.local_addr().unwrap().port()).unwrap();
                while let Ok((tcp, _)) = listener.accept().await {
                    let Ok(mut stream) = Stream::tls_accept(tcp, &tls).await else { continue };
                    let mut came = String::new();
                    while !came.ends_with("1 2\n") {
                        stream.recv(|bytes, _| came.push_str(&String::from_utf8_lossy(bytes))).await.unwrap();
                    }
                    stream.send_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
                    tell.send(came).unwrap();
                }
            });
        });
        (port.recv().unwrap(), certificate, told)
    }

    #[test]
    fn lines_go_by_https_to_whom_is_trusted() {
        let (port, certificate, told) = secure_server();
        let to = |host: &str, roots: &[Vec<u8>]| {
            Post::new(
                format!("https://{host}:{port}/write?db=x"),
                vec![("Authorization", "Token secret".to_owned())],
                Timeouts::both(PATIENCE),
                Some(TlsConfig::trusting(roots)),
            )
        };
        assert_eq!(to("localhost", std::slice::from_ref(&certificate)).send(b"m a=1 2\n"), Ok(Vec::new()));
        let came = told.recv().unwrap();
        assert!(
            came.starts_with("POST /write?db=x HTTP/1.1\r\n") && came.ends_with("\r\n\r\nm a=1 2\n"),
            "{came}"
        );
        assert!(came.contains("Authorization: Token secret\r\n"), "{came}");
        let stranger = to("localhost", &[]).send(b"m a=1 2\n").unwrap_err().why;
        assert!(stranger.contains("UnknownIssuer"), "{stranger}");
        let misnamed = to("127.0.0.1", &[certificate]).send(b"m a=1 2\n").unwrap_err().why;
        assert!(misnamed.contains("not valid for name"), "{misnamed}");
    }

    /// A server that answers requests of one line each, a given number on each of its connections,
    /// and tells how many there were.
    fn plain_server(answers: Vec<Vec<&'static str>>) -> (Post, thread::JoinHandle<Vec<usize>>) {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/write", listener.local_addr().unwrap());
        let served = thread::spawn(move || {
            let serve = |answers: Vec<&str>| {
                let mut stream = BufReader::new(listener.accept().unwrap().0);
                for answer in &answers {
                    let mut line = String::new();
                    while !line.starts_with("m a=") {
                        line.clear();
                        assert_ne!(stream.read_line(&mut line).unwrap(), 0, "it is closed too early");
                    }
                    stream.get_mut().write_all(answer.as_bytes()).unwrap();
                }
                answers.len()
            };
            answers.into_iter().map(serve).collect()
        });
        (Post::new(url, Vec::new(), Timeouts::both(PATIENCE), None), served)
    }

    #[test]
    fn a_connection_is_kept_for_the_next_lines_until_the_server_closes_it() {
        let empty = "HTTP/1.1 204 No Content\r\n\r\n";
        let text = "HTTP/1.1 400 Bad\r\nContent-Length: 3\r\n\r\nwhy";
        let closes = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        // The first connection ends without a word, the second with one, the third has no length;
        // the last sends chunks.
        let endless = "HTTP/1.1 500 No\r\n\r\nlong";
        let chunks = "HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwhy\r\n0\r\n\r\n";
        let other = "SSH-2.0-OpenSSH\r\n";
        let (post, served) = plain_server(vec![
            vec![empty, text, empty],
            vec![closes],
            vec![endless],
            vec![chunks, empty],
            vec![other],
        ]);
        let mut sent = Vec::new();
        for _ in 0..8 {
            sent.push(post.send(b"m a=1 2\n").map(drop).map_err(|failed| failed.why));
        }
        let failed = |why: &str| Err(why.to_owned());
        let wanted = [
            Ok(()),
            failed("HTTP/1.1 400 Bad why"),
            Ok(()),
            Ok(()),
            failed("HTTP/1.1 500 No long"),
            failed("HTTP/1.1 400 Bad why"),
            Ok(()),
            failed("the server's answer is no HTTP response"),
        ];
        assert_eq!(sent, wanted);
        assert_eq!(served.join().unwrap(), [3, 1, 1, 2, 1]);
    }
}

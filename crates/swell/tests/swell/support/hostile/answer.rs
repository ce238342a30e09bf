//! What a hostile server does about a request: an answer that was valid once, and how it comes.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{Read as _, Write as _};

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use super::mutate::mutate;

/// What happens after the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The next request is awaited.
    Open,
    /// Nothing more is sent on this connection.
    Close,
    Reset,
    /// Nothing more is sent, and the connection stays open.
    Stall,
}

/// The answer to a request, in pieces, each written at once.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) pieces: Vec<Vec<u8>>,
    pub(super) end: End,
}

/// Requests that one visit can lead to, one after the other: deeper paths get plain answers.
const DEEPEST: usize = 4;

const NO_PAGE: [&str; 4] = ["204 No Content", "304 Not Modified", "404 Not Found", "500 Oops"];
const REDIRECTS: [&str; 4] = ["301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect"];

fn one_of<T: Copy>(all: &[T], random: &mut SmallRng) -> T {
    all[random.random_range(0..all.len())]
}

/// Before the path, in the path, after the path.
const RESOURCES: [(&str, &str, &str); 4] = [
    ("<img src=\"", "i", "\">"),
    ("<script src=\"", "s", "\"></script>"),
    ("<link rel=\"stylesheet\" href=\"", "c", "\">"),
    ("<iframe src=\"", "f", "\"></iframe>"),
];

impl Script {
    /// The same for the same seed and path.
    pub(super) fn of(seed: u64, path: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        (seed, path).hash(&mut hasher);
        let random = &mut SmallRng::seed_from_u64(hasher.finish());
        let mut bytes = Message::new(path, random).bytes(random);
        let end = match random.random_range(0..100) {
            0..2 => End::Stall,
            2..6 => End::Reset,
            6..14 => End::Close,
            _ => End::Open,
        };
        if end != End::Open && random.random_bool(0.7) {
            bytes.truncate(random.random_range(0..=bytes.len()));
        }
        let mut pieces = Vec::new();
        for _ in 0..random.random_range(0..4) {
            pieces.push(bytes.drain(..random.random_range(0..=bytes.len().min(400))).collect());
        }
        pieces.push(bytes);
        Self { pieces, end }
    }
}

/// A valid answer.
struct Message {
    status: &'static str,
    headers: Vec<String>,
    body: Vec<u8>,
    chunked: bool,
}

impl Message {
    fn new(path: &str, random: &mut SmallRng) -> Self {
        let depth = path.matches('/').count();
        let mut message = Self {
            status: "200 OK",
            headers: Vec::new(),
            body: Vec::new(),
            chunked: random.random_bool(0.4),
        };
        match random.random_range(0..10) {
            0..4 if depth <= DEEPEST => message.page(path, random),
            4..6 if depth <= DEEPEST => message.redirect(path, random),
            6 => message.json(path),
            7 => message.status = one_of(&NO_PAGE, random),
            _ => message.text(random),
        }
        if random.random_bool(0.4) {
            message.headers.push(format!(
                "Set-Cookie: c{}={}; Path=/",
                random.random_range(0..20),
                random.random_range(0..9)
            ));
        }
        if !message.body.is_empty() && random.random_bool(0.3) {
            message.encode(random);
        }
        message
    }

    /// A page with resources below its path.
    fn page(&mut self, path: &str, random: &mut SmallRng) {
        self.headers.push("Content-Type: text/html; charset=utf-8".to_owned());
        let mut page = String::from("<html><head><title>page</title></head><body>token=\"t1\"");
        for number in 0..random.random_range(0..5) {
            let (tag, letter, end) = one_of(&RESOURCES, random);
            page.extend([tag, path, "/", letter, &number.to_string(), end]);
        }
        self.body = page.into_bytes();
    }

    /// To a path below, or to itself.
    fn redirect(&mut self, path: &str, random: &mut SmallRng) {
        self.status = one_of(&REDIRECTS, random);
        let to = if random.random_bool(0.1) { path.to_owned() } else { format!("{path}/r") };
        self.headers.push(format!("Location: {to}"));
    }

    fn json(&mut self, path: &str) {
        self.headers.push("Content-Type: application/json".to_owned());
        self.body = format!("{{\"token\": [1, 2.5, {{\"path\": \"{path}\"}}], \"page\": null}}").into_bytes();
    }

    fn text(&mut self, random: &mut SmallRng) {
        self.headers.push("Content-Type: text/plain".to_owned());
        self.body = "page of text, \"quoted\"\r\n".repeat(random.random_range(0..200)).into_bytes();
    }

    fn encode(&mut self, random: &mut SmallRng) {
        let fast = flate2::Compression::fast();
        let body = std::mem::take(&mut self.body);
        let (name, read) = if random.random_bool(0.5) {
            ("gzip", flate2::read::GzEncoder::new(&*body, fast).read_to_end(&mut self.body))
        } else {
            ("deflate", flate2::read::ZlibEncoder::new(&*body, fast).read_to_end(&mut self.body))
        };
        read.expect("memory can be read");
        self.headers.push(format!("Content-Encoding: {name}"));
    }

    /// The answer as it is sent: valid, or half of the time no longer.
    fn bytes(mut self, random: &mut SmallRng) -> Vec<u8> {
        let broken = random.random_bool(0.5);
        if broken && random.random_bool(0.3) {
            mutate(&mut self.body, random);
        }
        let mut out = Vec::new();
        if random.random_bool(0.05) {
            out.extend_from_slice(&b"HTTP/1.1 100 Continue\r\n\r\n".repeat(random.random_range(1..30)));
        }
        write!(out, "HTTP/1.1 {}\r\n", self.status).expect("writing to a Vec cannot fail");
        if broken {
            break_headers(&mut self.headers, random);
        }
        for header in &self.headers {
            write!(out, "{header}\r\n").expect("writing to a Vec cannot fail");
        }
        let has_body = !self.status.starts_with("204") && !self.status.starts_with("304");
        if self.chunked && has_body {
            out.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
            self.chunks(&mut out, random);
        } else {
            let wrong = if broken && random.random_bool(0.1) { random.random_range(1..2000) } else { 0 };
            let length = if random.random_bool(0.5) {
                self.body.len() + wrong
            } else {
                self.body.len().saturating_sub(wrong)
            };
            write!(out, "Content-Length: {length}\r\n\r\n").expect("writing to a Vec cannot fail");
            out.extend(self.body.iter().filter(|_| has_body));
        }
        if broken && random.random_bool(0.4) {
            mutate(&mut out, random);
        }
        out
    }

    fn chunks(&self, out: &mut Vec<u8>, random: &mut SmallRng) {
        for piece in self.body.chunks(random.random_range(1..600)) {
            let size = match random.random_range(0..400) {
                0 => "ffffffffffffffff".to_owned(),
                1 => "-5".to_owned(),
                2 => "x".repeat(100),
                3 => format!("{:x}", piece.len() + 1),
                _ => format!("{:x}", piece.len()),
            };
            write!(out, "{size}\r\n").expect("writing to a Vec cannot fail");
            out.extend_from_slice(piece);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"0\r\n\r\n");
    }
}

/// More headers than anybody wants, the same twice, or long ones.
fn break_headers(headers: &mut Vec<String>, random: &mut SmallRng) {
    match random.random_range(0..8) {
        0 => headers.extend(headers.clone()),
        1 => headers.extend((0..random.random_range(1..3000)).map(|number| format!("X-{number}: y"))),
        2 => headers.push(format!("X-Long: {}", "z".repeat(random.random_range(1..100_000)))),
        3 => headers.push("Content-Length: 7".to_owned()),
        4 => headers.push("Content-Encoding: gzip".to_owned()),
        5 => headers
            .push("Set-Cookie: \u{1}=; Domain=.; Max-Age=99999999999999999999; Expires=never".to_owned()),
        6 => headers.push("no colon here".to_owned()),
        _ => headers.push("Connection: close".to_owned()),
    }
}

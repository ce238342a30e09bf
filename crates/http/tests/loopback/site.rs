//! A scripted site on loopback and a user who samples it, both on one event loop.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use swell_api::{CompileContext, Make, Needs, Registry, SampleResult, Sampler, SamplerInput, User};
use swell_connect::{Stream, TlsServerConfig};
use swell_expr::testing::{TestHost, context_of};
use swell_expr::{Compiler, Properties};
use swell_net::{Runtime, TcpListener};
use swell_plan::{Element, Node};

/// State of the connection after a response.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// The next request may come.
    Keep,
    Close,
    Reset,
    /// Nothing more is sent, and nothing closed.
    Hang,
}

/// Pieces of a response, each sent separately.
#[derive(Clone)]
pub(crate) struct Answer(pub(crate) Vec<Vec<u8>>, pub(crate) Then);

/// An answer in one piece.
pub(crate) fn answer(text: impl AsRef<[u8]>, then: Then) -> Answer {
    Answer(vec![text.as_ref().to_vec()], then)
}

/// `200 OK` with a body, the connection kept.
pub(crate) fn ok(body: &str) -> Answer {
    answer(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()), Then::Keep)
}

/// A redirect.
pub(crate) fn redirect(status: u16, location: &str) -> Answer {
    let head = format!("HTTP/1.1 {status} R\r\nLocation: {location}\r\nContent-Length: 3\r\n\r\nred");
    answer(head, Then::Keep)
}

/// Number of the connection from 1, and the request.
pub(crate) type Seen = Rc<RefCell<Vec<(usize, String)>>>;

/// A site, with its port and the requests that it received.
pub(crate) struct Site {
    pub(crate) port: u16,
    pub(crate) seen: Seen,
}

impl Site {
    /// Starts a site that answers by the target of a request.
    pub(crate) fn start(answer: impl Fn(&str, usize) -> Answer + 'static) -> Self {
        Self::start_with(None, answer)
    }

    /// The same over TLS.
    pub(crate) fn start_tls(answer: impl Fn(&str, usize) -> Answer + 'static) -> Self {
        let cert = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
        let key = cert.signing_key.serialize_der();
        Self::start_with(Some(TlsServerConfig::new(cert.cert.der().to_vec(), key).expect("they fit")), answer)
    }

    /// The same, and clients are asked for certificates: what they show goes before their requests.
    pub(crate) fn start_asking(required: bool) -> Self {
        let cert = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
        let key = cert.signing_key.serialize_der();
        let tls = TlsServerConfig::asking(cert.cert.der().to_vec(), key, required).expect("they fit");
        Self::start_with(Some(tls), |_, _| ok(""))
    }

    fn start_with(tls: Option<TlsServerConfig>, answer: impl Fn(&str, usize) -> Answer + 'static) -> Self {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
        let port = listener.local_addr().expect("it listens").port();
        let seen = Seen::default();
        let answer = Rc::new(answer);
        let log = seen.clone();
        drop(swell_net::spawn(async move {
            let mut number = 0;
            while let Ok((tcp, _)) = listener.accept().await {
                number += 1;
                let log = log.clone();
                let answer = answer.clone();
                let tls = tls.clone();
                drop(swell_net::spawn(async move {
                    let stream = match tls {
                        None => Ok(Stream::Tcp(tcp)),
                        Some(config) => Stream::tls_accept(tcp, &config).await,
                    };
                    if let Ok(stream) = stream {
                        serve(stream, number, &log, &*answer).await;
                    }
                }));
            }
        }));
        Self { port, seen }
    }

    /// Targets of the requests so far, with the numbers of their connections.
    pub(crate) fn targets(&self) -> Vec<(usize, String)> {
        let seen = self.seen.borrow();
        seen.iter().map(|(n, r)| (*n, r.split(' ').nth(1).unwrap_or_default().to_owned())).collect()
    }

    /// The last request.
    pub(crate) fn last(&self) -> String {
        self.seen.borrow().last().map(|(_, request)| request.clone()).unwrap_or_default()
    }
}

async fn serve(mut stream: Stream, number: usize, log: &Seen, answer: &dyn Fn(&str, usize) -> Answer) {
    let mut buffer = Vec::new();
    loop {
        let Some(end) = whole_request(&buffer) else {
            let read = stream.recv(|bytes, _| {
                buffer.extend_from_slice(bytes);
                bytes.len()
            });
            match read.await {
                Ok(0) | Err(_) => return,
                Ok(_) => continue,
            }
        };
        let mut request = String::from_utf8_lossy(&buffer.drain(..end).collect::<Vec<_>>()).into_owned();
        if let Some(shown) = stream.peer_certificate() {
            request.push_str(&String::from_utf8_lossy(shown));
        }
        let target = request.split(' ').nth(1).unwrap_or_default().to_owned();
        log.borrow_mut().push((number, request));
        let Answer(pieces, then) = answer(&target, number);
        for piece in pieces {
            if stream.send_all(&piece).await.is_err() {
                return;
            }
            swell_net::yield_now().await;
        }
        match then {
            Then::Keep => {}
            Then::Close => return,
            Then::Reset => {
                let _ = stream.set_linger_zero();
                return;
            }
            Then::Hang => {
                let _ = stream.recv(|_, _| ()).await;
                return;
            }
        }
    }
}

/// Length of the request at the start of the buffer, once it is there whole.
fn whole_request(buffer: &[u8]) -> Option<usize> {
    let text = String::from_utf8_lossy(buffer);
    let head = text.find("\r\n\r\n")? + 4;
    let length = text.lines().find_map(|line| line.strip_prefix("Content-Length: ")?.parse::<usize>().ok());
    let end = head + length.unwrap_or(0);
    (buffer.len() >= end).then_some(end)
}

/// Runs a test on a separate loop.
pub(crate) fn on_loop<F: Future<Output = ()>>(test: F) {
    Runtime::new().expect("descriptors").block_on(test);
}

/// A world with the key stores of the tests in it.
fn host() -> TestHost {
    let host = TestHost::default();
    for name in ["ec.jks", "ec.p12", "rsa.jks"] {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../connect/tests/keystores/").to_owned() + name;
        host.add_file(name, std::fs::read(file).expect("it exists"));
    }
    host
}

/// One user of one worker.
pub(crate) struct Visitor {
    pub(crate) user: User,
    pub(crate) compile: CompileContext,
    port: u16,
    configs: Vec<Node>,
    needs: Needs,
}

impl Visitor {
    pub(crate) fn new(site: &Site) -> Self {
        Self::with(site, &[], vec![], Needs::ALL)
    }

    pub(crate) fn with(site: &Site, props: &[(&str, &str)], configs: Vec<Element>, needs: Needs) -> Self {
        let properties = Properties::default();
        for (name, value) in props {
            properties.set(name, value);
        }
        let compile = CompileContext {
            expr: Compiler::new(Arc::default()),
            props: Arc::new(properties),
            host: Arc::new(host()),
            file: None,
            diagnostics: RefCell::default(),
            worker: 0,
            workers: 1,
            traced: false,
        };
        let mut cx = context_of(compile.expr.names.clone(), Arc::default());
        cx.sampler_name = "name".into();
        let user = User::new(cx, swell_net::now_ns());
        let configs = configs.into_iter().map(Node::new).collect();
        Self { user, compile, port: site.port, configs, needs }
    }

    /// The sampler of a path, changed by `edit`.
    pub(crate) fn sampler(&self, path: &str, edit: impl FnOnce(Element) -> Element) -> Rc<dyn Sampler> {
        let element = Element::new("HTTPSamplerProxy", "HttpTestSampleGui", "name")
            .with_text("HTTPSampler.domain", "127.0.0.1")
            .with_text("HTTPSampler.port", &self.port.to_string())
            .with_text("HTTPSampler.path", path)
            .with_flag("HTTPSampler.use_keepalive", true)
            .with_text("HTTPSampler.response_timeout", "20000");
        let node = Node::new(edit(element));
        let configs = self.configs.iter().collect();
        let input = SamplerInput { sampler: &node, configs, needs: self.needs };
        let kind = Registry::of(swell_http::kinds()).kind(&node.element).expect("the kind of HTTP Requests");
        let Make::Sampler(make) = &kind.make else { panic!("it is a sampler") };
        make(&input, &self.compile)
    }

    /// Samples a path.
    pub(crate) async fn get(&mut self, path: &str) -> SampleResult {
        self.get_with(path, |element| element).await.expect("a sample")
    }

    /// Samples a path with a changed sampler.
    pub(crate) async fn get_with(
        &mut self,
        path: &str,
        edit: impl FnOnce(Element) -> Element,
    ) -> Option<SampleResult> {
        let sampler = self.sampler(path, edit);
        sampler.sample(&mut self.user).await.map(|sample| *sample)
    }

    /// Samples a path and follows redirects.
    pub(crate) async fn follow(&mut self, path: &str) -> SampleResult {
        let edit = |element: Element| element.with_flag("HTTPSampler.follow_redirects", true);
        self.get_with(path, edit).await.expect("a sample")
    }
}

/// Code and message without what all errors start with.
pub(crate) fn shown(sample: &SampleResult) -> (String, String) {
    let cut = |text: &str, start: &str| text.strip_prefix(start).unwrap_or(text).to_owned();
    (cut(&sample.code, "Non HTTP response code: "), cut(&sample.message, "Non HTTP response message: "))
}

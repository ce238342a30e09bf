//! Samples of local files (`HTTPFileImpl`). As Java's `URLConnection` opens them, a local page may
//! refer to resources on servers. Whatever is read counts as text and as a success.

use std::io::{self, Read as _};
use std::path::Path;
use std::rc::Rc;

use swell_api::{HttpDetails, SampleResult};
use swell_expr::Host;
use swell_net::{blocking, now_ns};

use crate::compile::Spec;
use crate::failure::Failure;
use crate::request::{Request, Route, finish};
use crate::url::{Url, relative_url};

use super::collect::{CollectedResponse, ResponseNeeds};
use super::exchange::{InFlight, Sender};
use super::limits::Limits;
use super::outcome::{ChainedRequest, SampleOutcome};
use super::result::{SampleMaker, fail, sampler_data, set_type, without_url};
use super::state::HttpState;

/// What was read: what is kept of it, and how much it was.
type Content = (Vec<u8>, u64);

/// How often Java's client follows redirects.
const REDIRECTS: u32 = 20;

/// What Java's client says to targets (`HttpURLConnection`).
const LINES: [(&str, &str); 2] =
    [("Accept", "text/html, image/gif, image/jpeg, */*; q=0.2"), ("Connection", "keep-alive")];
const USER_AGENT: &str = "Java/17.0.15";

/// Reads local files for a sampler.
pub(super) struct LocalFiles<'s> {
    pub(super) spec: &'s Spec,
    pub(super) host: &'s dyn Host,
    pub(super) sender: &'s Sender,
    pub(super) samples: &'s SampleMaker,
}

impl LocalFiles<'_> {
    /// Reads what a URL names.
    pub(super) async fn sample(self, state: &mut HttpState, wanted: ChainedRequest<'_>) -> SampleOutcome {
        let ChainedRequest { evaluated, url, .. } = wanted;
        let start_ns = now_ns();
        let limit = self.spec.settings.max_local_bytes;
        let path = url.is_file().then(|| file_of(&url));
        let read = match path {
            Some(Ok(path)) => match self.host.may_use(Path::new(&path)) {
                Ok(()) => blocking(move || read(&path, limit)).await,
                Err(refused) => Err(Failure::no_file(&path, &refused)),
            },
            Some(Err(failure)) => Err(failure),
            None => self.visit(state, &url, limit).await,
        };
        let sample = match read {
            Ok(content) => self.local_sample(&url, (start_ns, now_ns()), content, evaluated.texts.encoding()),
            // JMeter does not get as far as a sample with a URL.
            Err(failure) if failure == Failure::illegal_escape() => {
                Box::new(without_url(&failure, self.samples.needs))
            }
            Err(failure) => {
                let mut sample = self.local_sample(&url, (start_ns, start_ns), Content::default(), "");
                fail(&mut sample, &failure, self.samples.needs);
                sample
            }
        };
        SampleOutcome { sample, url, method: "GET".into(), redirect: None }
    }

    /// A success, whatever was read. `times_ns`: start and end; `charset`: empty where nothing was
    /// read.
    fn local_sample(
        &self,
        url: &Url,
        times_ns: (i64, i64),
        (body, size): Content,
        charset: &str,
    ) -> Box<SampleResult> {
        let mut sample = SampleResult::boxed();
        sample.label = url.as_str().to_owned().into();
        sample.timing.start_ns = times_ns.0;
        (sample.timing.end_ns, sample.timing.arrived_ns) = (times_ns.1, times_ns.1);
        if self.samples.needs.details || self.samples.needs.request {
            sample.url = Some(sample.label.clone());
            sample.http = Some(Box::new(HttpDetails { method: "GET".into(), ..HttpDetails::default() }));
        }
        if self.samples.needs.request {
            sample.sampler_data = Some(sampler_data(&sample));
        }
        (sample.code, sample.message, sample.success) = ("200".into(), "OK".into(), true);
        (sample.body_size, sample.bytes) = (size, size);
        if !charset.is_empty() {
            set_type(&mut sample, Some(format!("text/html; charset={charset}").into()));
        }
        if self.samples.needs.body || self.spec.embedded.is_some() {
            sample.body = body.into();
        }
        sample
    }

    /// Asks a target, as Java's own client does.
    async fn visit(&self, state: &mut HttpState, url: &Rc<Url>, limit: usize) -> Result<Content, Failure> {
        let wants = ResponseNeeds {
            body: true,
            coded: true,
            limit,
            bodies: self.samples.response_needs().bodies.clone(),
            ..ResponseNeeds::default()
        };
        let mut target = url.clone();
        for _ in 0..REDIRECTS {
            let request = Rc::new(self.plain_request(&target)?);
            let mut in_flight = InFlight::new(request, None, CollectedResponse::new(&wants));
            self.sender.send(self.spec, state, &mut in_flight, Limits::default()).await?;
            let status = in_flight.status();
            if status >= 300 {
                // Java keeps no connection of such an answer.
                drop(state.pool.take(&in_flight.request.target, &self.spec.settings.idle, now_ns()));
            }
            let next = match (status, in_flight.collected.locations()) {
                (301..=303 | 305 | 307, Some((location, _))) => relative_url(&target, location).ok(),
                (404 | 410, _) => return Err(Failure::new(NO_FILE, target.as_str())),
                (400.., _) => return Err(Failure::server_says(status, &target)),
                _ => None,
            };
            // Never from one protocol to another.
            match next.filter(|next| next.protocol() == target.protocol()) {
                Some(next) => target = Rc::new(next),
                None => return Ok((std::mem::take(&mut in_flight.collected.body), in_flight.done.body_len)),
            }
        }
        Err(Failure::new(
            "java.net.ProtocolException",
            format!("Server redirected too many  times ({REDIRECTS})"),
        ))
    }

    fn plain_request(&self, url: &Rc<Url>) -> Result<Request, Failure> {
        let first =
            [("User-Agent".into(), USER_AGENT.into()), ("Host".into(), url.host_header().to_owned().into())];
        let rest = LINES.map(|(name, value)| (name.into(), value.into()));
        let lines = first.into_iter().chain(rest).collect();
        finish(
            url,
            &"GET".into(),
            lines,
            None,
            &Route { proxy: None, settings: &self.spec.settings, last: None },
        )
    }
}

const NO_FILE: &str = "java.io.FileNotFoundException";

/// The path that a URL names, escapes decoded.
fn file_of(url: &Url) -> Result<String, Failure> {
    let host = url.host();
    if !host.is_empty() && host != "~" && !host.eq_ignore_ascii_case("localhost") {
        // Java asks that host by FTP.
        return Err(Failure::unknown_host(host, true));
    }
    let path = url.path().as_bytes();
    let mut bytes = Vec::with_capacity(url.path().len());
    let mut at = 0;
    while let Some(&byte) = path.get(at) {
        if byte != b'%' {
            bytes.push(byte);
            at += 1;
            continue;
        }
        let digits = path.get(at + 1..at + 3).and_then(|two| std::str::from_utf8(two).ok());
        let decoded = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(decoded.ok_or_else(Failure::illegal_escape)?);
        at += 3;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a file, or the names in a folder.
fn read(path: &str, limit: usize) -> Result<Content, Failure> {
    let failure = |error: &io::Error| Failure::no_file(path, error);
    let meta = std::fs::metadata(path).map_err(|error| failure(&error))?;
    if meta.is_dir() {
        let listed = std::fs::read_dir(path).and_then(|entries| {
            entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
        });
        let gone = |_| Failure::new(NO_FILE, format!("{path} exists, but is not accessible"));
        let mut names: Vec<String> = listed.map_err(gone)?;
        names.sort_by_cached_key(|name| (name.to_lowercase(), name.clone()));
        let list: String = names.iter().flat_map(|name| [name.as_str(), "\n"]).collect();
        let mut body = list.into_bytes();
        let size = body.len() as u64;
        body.truncate(limit);
        return Ok((body, size));
    }
    let mut file = std::fs::File::open(path).map_err(|error| failure(&error))?;
    let mut body = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(limit).min(limit));
    let broken = |error: io::Error| Failure::new("java.io.IOException", error.to_string());
    (&mut file).take(limit as u64).read_to_end(&mut body).map_err(broken)?;
    let rest = io::copy(&mut file, &mut io::sink()).map_err(broken)?;
    let size = body.len() as u64 + rest;
    Ok((body, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_files() {
        let table = [
            ("file:a/b%20c.html?q#f", Ok("a/b c.html")),
            ("file:/a/%C3%BC", Ok("/a/\u{fc}")),
            ("file://localhost/a", Ok("/a")),
            ("file:a%", Err(("java.lang.IllegalArgumentException", None))),
            ("file:a%zz", Err(("java.lang.IllegalArgumentException", None))),
            ("file://elsewhere/a", Err(("java.net.UnknownHostException", Some("elsewhere")))),
        ];
        for (url, wanted) in table {
            let found = file_of(&Url::parse(url).unwrap());
            let found = found.as_deref().map_err(|error| (error.class, error.message.as_deref()));
            assert_eq!(found, wanted, "{url}");
        }
    }

    #[test]
    fn so_much_is_kept_and_all_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        std::fs::write(path("b"), "12345").unwrap();
        std::fs::write(path("A"), "").unwrap();
        assert_eq!(read(&path("b"), 3), Ok((b"123".to_vec(), 5)));
        assert_eq!(read(&path("b"), 10), Ok((b"12345".to_vec(), 5)));
        assert_eq!(read(&path(""), 10), Ok((b"A\nb\n".to_vec(), 4)));
        let error = read(&path("none"), 3).unwrap_err();
        assert_eq!(error.message.unwrap(), format!("{} (No such file or directory)", path("none")));
    }
}

//! `swell ctl`: changes a run by way of its live page.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use swell_connect::{TlsConfig, blocking_tls};
use swell_page::{Handle, newest, runtime_folder};

use crate::args::{CtlArgs, CtlCommand, LoadArgs};
use crate::exit::{Exit, Failure};
use crate::print::print_stdout;

/// A page answers at once; one that does not for so long is gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// Longest answer that is read.
const ANSWER_MAX: u64 = 16 << 20;

/// Runs the command.
pub(crate) fn ctl(args: &CtlArgs) -> Result<Exit, Failure> {
    let run = run_of(args)?;
    let answer = match &args.command {
        CtlCommand::Status => ask(&run, "GET", "status", None)?,
        CtlCommand::Load(load) => change_load(&run, load)?,
        CtlCommand::Set { property } => {
            let (name, value) = property.split_once('=').ok_or_else(|| {
                Failure::settings(format!("invalid property `{property}`"))
                    .hint("write NAME=VALUE, as in `swell ctl set rate=300`")
            })?;
            ask(&run, "PUT", &format!("properties/{}", escaped(name)), Some(&json!({"value": value})))?
        }
        CtlCommand::Pause => ask(&run, "POST", "pause", None)?,
        CtlCommand::Resume => ask(&run, "POST", "resume", None)?,
        CtlCommand::Stop => ask(&run, "POST", "stop", None)?,
        CtlCommand::StopNow => ask(&run, "POST", "stop-now", None)?,
    };
    let text = match (args.json, &args.command) {
        (true, _) => answer.to_string(),
        (false, CtlCommand::Status) => status(&answer),
        (false, _) => answer["done"].as_str().unwrap_or_default().to_owned(),
    };
    print_stdout(&format!("{}\n", swell_report::plain_lines(&text)))?;
    Ok(Exit::Fine)
}

fn run_of(args: &CtlArgs) -> Result<Handle, Failure> {
    if let Some(url) = &args.url {
        return Handle::of_address(url).ok_or_else(|| {
            Failure::settings(format!("`{url}` is not the address of a live page"))
                .hint("give the whole address that --live printed, with #t=")
        });
    }
    let folder = runtime_folder();
    let found = newest(&folder)
        .map_err(|error| Failure::settings(format!("cannot read `{}`: {error}", folder.display())))?;
    found.ok_or_else(|| {
        Failure::settings("no running test has a live page").hint("start one with `swell run PLAN --live`")
    })
}

fn change_load(run: &Handle, load: &LoadArgs) -> Result<Value, Failure> {
    let over_ms = load.over.map_or(0, |over| u64::try_from(over.as_millis()).unwrap_or(u64::MAX));
    if let Some(factor) = load.factor {
        return ask(run, "PUT", "load", Some(&json!({"factor": factor, "over_ms": over_ms})));
    }
    let group = match &load.group {
        Some(group) => group.clone(),
        None => only_group(run)?,
    };
    let path = format!("groups/{}/load", escaped(&group));
    match (load.users, load.rate) {
        (Some(users), _) => ask(run, "PUT", &path, Some(&json!({"users": users, "over_ms": over_ms}))),
        (_, Some(rate)) => ask(run, "PUT", &path, Some(&json!({"per_s": rate, "over_ms": over_ms}))),
        _ => ask(run, "DELETE", &path, None),
    }
}

fn only_group(run: &Handle) -> Result<String, Failure> {
    let status = ask(run, "GET", "status", None)?;
    let groups = status["groups"].as_array().map(Vec::as_slice).unwrap_or_default();
    if groups.len() == 1 {
        return Ok("0".to_owned());
    }
    let names: Vec<_> =
        groups.iter().filter_map(|group| group["name"].as_str()).map(|name| format!("`{name}`")).collect();
    Err(Failure::settings("there are several thread groups: say which")
        .hint(format!("the groups are {}", names.join(", "))))
}

fn escaped(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// One request; what is refused is an error with the sentence of the page.
fn ask(run: &Handle, method: &str, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
    let (scheme, host) = run.url.split_once("://").unwrap_or(("", &run.url));
    let host = host.trim_end_matches('/');
    let none = || {
        Failure::settings(format!("`{}` is not the address of a live page", run.url))
            .hint("it begins with http:// or https://, and has a port")
    };
    let address = host.to_socket_addrs().ok().and_then(|mut found| found.next()).ok_or_else(none)?;
    let tls = match scheme {
        "http" => None,
        "https" => Some(tls_of(run)?),
        _ => return Err(none()),
    };
    let request = request(host, run, method, path, body);
    let answer = exchange(address, tls.as_ref(), &request).map_err(|error| {
        Failure::settings(format!("the live page at {host} does not answer: {error}"))
            .hint("is the run over?")
    })?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status: u16 = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    if (200..300).contains(&status) {
        return Ok(value);
    }
    let why = value["error"].as_str().unwrap_or("the answer is not that of a live page");
    Err(Failure::settings(format!("refused ({status}): {}", swell_report::plain(why))))
}

/// TLS with the server whose certificate has the digest that stands in the address.
fn tls_of(run: &Handle) -> Result<TlsConfig, Failure> {
    let digest = run.certificate.as_deref().and_then(|text| {
        let byte = |at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..text.len()).step_by(2).map(byte).collect();
        bytes?.try_into().ok()
    });
    digest.map(TlsConfig::pinned).ok_or_else(|| {
        Failure::settings("the address does not say by which certificate the live page is known")
            .hint("give the whole address that --live printed, with &c= and its 64 digits")
    })
}

fn request(host: &str, run: &Handle, method: &str, path: &str, body: Option<&Value>) -> String {
    let body = body.map(Value::to_string).unwrap_or_default();
    let mut request =
        format!("{method} /api/{path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\n", run.token);
    write!(
        request,
        "Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .expect("a String takes it");
    request
}

fn exchange(address: SocketAddr, tls: Option<&TlsConfig>, request: &str) -> std::io::Result<String> {
    let tcp = TcpStream::connect_timeout(&address, PATIENCE)?;
    tcp.set_read_timeout(Some(PATIENCE))?;
    tcp.set_write_timeout(Some(PATIENCE))?;
    match tls {
        None => told(tcp, request),
        Some(tls) => told(blocking_tls(tcp, tls, &address.ip().to_string())?, request),
    }
}

/// Sends a request and reads to the end of the connection.
fn told(mut stream: impl Read + Write, request: &str) -> std::io::Result<String> {
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.take(ANSWER_MAX).read_to_string(&mut answer)?;
    Ok(answer)
}

/// `main, 20 users, 1,234 samples, 5 failed` and a line a group.
fn status(status: &Value) -> String {
    let number = |value: &Value| value.as_u64().map_or("-".to_owned(), |number| number.to_string());
    let phase = if status["is_over"] == true {
        "over"
    } else if status["is_paused"] == true {
        "paused"
    } else {
        status["phase"].as_str().unwrap_or("not started")
    };
    let mut out = format!(
        "{phase}, {} users, {} samples, {} failed",
        number(&status["users"]),
        number(&status["samples"]),
        number(&status["errors"])
    );
    for group in status["groups"].as_array().into_iter().flatten() {
        let wanted = match (group["wanted_users"].as_u64(), group["wanted_per_s"].as_f64()) {
            (Some(users), _) => format!("{users} users wanted"),
            (_, Some(rate)) => format!("{rate} arrivals a second wanted"),
            _ => "not started".to_owned(),
        };
        let name = group["name"].as_str().unwrap_or_default();
        write!(out, "\n  {} {name}: {} users, {wanted}", number(&group["place"]), number(&group["active"]))
            .expect("a String takes it");
    }
    out
}

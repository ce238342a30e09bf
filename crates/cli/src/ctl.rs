//! `swell ctl`: changes a run by way of its live page.

use std::fmt::Write as _;
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use swell_connect::TlsConfig;
use swell_fetch::{Address, BodyLimit, Client, FetchError, Limits, Request};
use swell_page::{Handle, newest, runtime_folder};

use crate::args::{CtlArgs, CtlCommand, LoadArgs};
use crate::exit::{Exit, Failure};
use crate::print::print_stdout;

/// A page answers at once; one that does not for so long is gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// A page answers with at most 16 MiB.
const LIMITS: Limits = Limits {
    connect: PATIENCE,
    silence: PATIENCE,
    total: Duration::from_mins(1),
    body: BodyLimit::Refuse(16 << 20),
    redirects: 0,
};

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
    let none = || {
        Failure::settings(format!("`{}` is not the address of a live page", run.url))
            .hint("it begins with http:// or https://, and has a port")
    };
    let base = run.url.trim_end_matches('/');
    let address = Address::parse(base).map_err(|_| none())?;
    let tls = address.secure.then(|| tls_of(run)).transpose()?;
    let headers =
        [("Authorization", format!("Bearer {}", run.token)), ("Content-Type", "application/json".to_owned())];
    let body = body.map(Value::to_string).unwrap_or_default();
    let url = format!("{base}/api/{path}");
    let request = Request { method, url: &url, headers: &headers, body: Some(body.as_bytes()) };
    let answer = Client::new(LIMITS, tls).send(request).map_err(|error| match error {
        FetchError::Url(_) | FetchError::NoAddress => none(),
        error => {
            Failure::settings(format!("the live page at {} does not answer: {error}", address.authority()))
                .hint("is the run over?")
        }
    })?;
    let value: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    if answer.is_success() {
        return Ok(value);
    }
    let why = value["error"].as_str().unwrap_or("the answer is not that of a live page");
    Err(Failure::settings(format!("refused ({}): {}", answer.status, swell_report::plain(why))))
}

/// TLS with the server whose certificate has the digest given in the address.
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

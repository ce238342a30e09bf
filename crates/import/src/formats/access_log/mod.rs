//! Access logs of web servers: GET and HEAD requests at the times of the log.
//!
//! One request reads method and path from a data file, with the time since the start at which it is
//! due. Each virtual user takes the next line and waits for its time, so the times are those of the
//! log as long as a user is free.

mod line;

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;
use swell_secrets::is_secret;

use self::line::{Line, parsed};
use super::urls::encoded;
use super::{Format, ReadError};
use crate::model::{DataFile, Document, Exchange, Flow, Folder, FolderKind, Item, Load, Pause, Text};
use crate::notes::Notes;
use crate::options::Options;
use crate::source::{Place, Source};

pub(super) const FORMAT: Format =
    Format { name: "accesslog", title: "access log (common, combined, JSON lines)", fits, read };

/// Lines of a log.
const MOST_LINES: usize = 20_000_000;

/// Time between the start and the first request, in which users start.
const LEAD_MS: u64 = 1_000;

/// Users beyond this wait for each other.
const MOST_USERS: usize = 5_000;

/// A user is busy for this time with one request.
const BUSY_MS: u64 = 2_000;

/// Most of the first lines are requests of a log.
fn fits(start: &str) -> bool {
    let mut lines = start.lines().filter(|line| !line.trim().is_empty()).take(10).peekable();
    if lines.peek().is_none() {
        return false;
    }
    let (good, all) =
        lines.fold((0, 0), |(good, all), line| (good + usize::from(parsed(line).is_ok()), all + 1));
    good * 2 > all
}

/// A request to send.
struct Wanted {
    at_ms: f64,
    is_head: bool,
    path: String,
    host: String,
}

fn read(source: &Source<'_>, options: &Options, notes: &mut Notes) -> Result<Document, ReadError> {
    let speed = speed(options).map_err(|message| ReadError::new(source.whole(), message))?;
    let text = source.text();
    let mut left = LeftOut::default();
    let mut all = Vec::new();
    for (number, line) in (1_u32..).zip(text.text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        if all.len() >= MOST_LINES {
            return Err(ReadError::new(
                text.at(number, 1),
                format!("more than the {MOST_LINES} lines that fit"),
            ));
        }
        let place = || text.at(number, 1);
        match parsed(line) {
            Ok(line) => match wanted(&line, options.keeps_secrets, &mut left, &place) {
                Ok(request) => all.push(request),
                Err((reason, is_wanted)) => left.add(reason, is_wanted, &place),
            },
            Err(reason) => left.add(reason.to_owned(), false, &place),
        }
    }
    of_one_host(&mut all, options, &mut left, source);
    left.report(notes);
    if all.is_empty() {
        return Err(ReadError::new(source.whole(), "no line has a GET or HEAD request that can be sent")
            .hint("expected lines of the common or combined format, or JSON with method, path and time"));
    }
    all.sort_by(|a, b| a.at_ms.total_cmp(&b.at_ms));
    let offsets = offsets(&all, speed);
    Ok(Document { flows: vec![flow(source, &all, &offsets)], ..Document::default() })
}

/// `2x`, `0.5`: how many times as fast.
fn speed(options: &Options) -> Result<f64, String> {
    let Some(text) = options.settings.get("speed") else { return Ok(1.0) };
    let number = text.trim().trim_end_matches(['x', 'X']).parse::<f64>();
    let number = number.ok().filter(|number| *number >= 0.001 && *number <= 100_000.0);
    number.ok_or_else(|| format!("invalid speed `{text}`: write a factor such as 2x or 0.5"))
}

/// A request of the log, or why it is not sent, and whether that is a rule.
fn wanted(
    line: &Line,
    keeps_secrets: bool,
    left: &mut LeftOut,
    place: &dyn Fn() -> Place,
) -> Result<Wanted, (String, bool)> {
    let is_head = line.method == "HEAD";
    if line.method != "GET" && !is_head {
        return Err((format!("{} requests have no body in a log", line.method), false));
    }
    // Client errors are mostly scans for weak points, or requests that were wrong.
    if (400..500).contains(&line.status) {
        return Err(("the server answered with 4xx".to_owned(), true));
    }
    let path = line.target.split('#').next().unwrap_or_default();
    let path = if let Some((_, rest)) = path.split_once("://") {
        rest.find(['/', '?']).map_or("/", |at| &rest[at..])
    } else {
        path
    };
    let Some(path) = path.strip_prefix('/') else {
        return Err(("its target is no path".to_owned(), false));
    };
    let mut path = encoded(path);
    if !keeps_secrets && let Some(public) = without_secrets(&path) {
        left.add(
            "secret values of the query are `x` now: --keep-secrets leaves them".to_owned(),
            true,
            place,
        );
        path = public;
    }
    Ok(Wanted { at_ms: line.at_ms, is_head, path, host: line.host.clone() })
}

/// The path with `x` instead of secret values in its query; none if there are none.
fn without_secrets(path: &str) -> Option<String> {
    let (before, query) = path.split_once('?')?;
    let mut is_changed = false;
    let mut pairs = Vec::new();
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some((name, value))
                if !value.is_empty() && is_secret(&percent_decode_str(name).decode_utf8_lossy()) =>
            {
                is_changed = true;
                pairs.push(format!("{name}=x"));
            }
            _ => pairs.push(pair.to_owned()),
        }
    }
    is_changed.then(|| format!("{before}?{}", pairs.join("&")))
}

/// Leaves the requests of one site: a plan has one. Which, the option says, or most requests.
fn of_one_host(all: &mut Vec<Wanted>, options: &Options, left: &mut LeftOut, source: &Source<'_>) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in all.iter().filter(|one| !one.host.is_empty()) {
        *counts.entry(&one.host).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count).map(|(host, _)| host.to_owned());
    let Some(most) = most else { return };
    let is_wanted = |host: &str| match &options.hosts[..] {
        [] => host == most,
        hosts => hosts.iter().any(|pattern| pattern == "*" || pattern.eq_ignore_ascii_case(host)),
    };
    all.retain(|one| {
        let is_kept = one.host.is_empty() || is_wanted(&one.host);
        if !is_kept {
            left.add(format!("it is for another host than {most}: --host takes others"), true, &|| {
                source.whole()
            });
        }
        is_kept
    });
}

/// When each request is due, in milliseconds after the start. A log with whole seconds has its
/// requests spread over each second.
fn offsets(all: &[Wanted], speed: f64) -> Vec<u64> {
    let is_whole = all.iter().all(|one| one.at_ms % 1_000.0 == 0.0);
    let first = all[0].at_ms;
    let mut out = Vec::with_capacity(all.len());
    let mut start = 0;
    while start < all.len() {
        let same =
            all[start..].iter().take_while(|one| one.at_ms.total_cmp(&all[start].at_ms).is_eq()).count();
        for number in 0..same {
            let spread = if is_whole { 1_000.0 * number as f64 / same as f64 } else { 0.0 };
            let after_ms = (all[start].at_ms - first + spread) / speed;
            out.push(LEAD_MS + after_ms.round() as u64);
        }
        start += same;
    }
    out
}

/// How many requests are at most under way at once, if each takes two seconds.
fn users(offsets: &[u64]) -> usize {
    let mut most = 1;
    let mut start = 0;
    for (end, at) in offsets.iter().enumerate() {
        while offsets[start] + BUSY_MS <= *at {
            start += 1;
        }
        most = most.max(end - start + 1);
    }
    most.min(MOST_USERS)
}

fn flow(source: &Source<'_>, all: &[Wanted], offsets: &[u64]) -> Flow {
    let has_heads = all.iter().any(|one| one.is_head);
    let row = |(one, at): (&Wanted, &u64)| {
        let method = if one.is_head { "HEAD" } else { "GET" };
        let mut row = vec![at.to_string(), one.path.clone()];
        if has_heads {
            row.insert(1, method.to_owned());
        }
        row
    };
    let rows = all.iter().zip(offsets).map(row).collect();
    let names: &[&str] = if has_heads { &["at_ms", "method", "path"] } else { &["at_ms", "path"] };
    let data = DataFile {
        path: format!("{}-requests.csv", stem(source.name)),
        variables: names.iter().map(|name| (*name).to_owned()).collect(),
        delimiter: ",".to_owned(),
        ends: true,
        rows: Some(rows),
        ..DataFile::default()
    };
    let request = |method: &str| {
        let mut url = Text::literal("/");
        url.push(Text::variable("path"));
        let mut exchange = Exchange::new(method, url, source.whole());
        exchange.name = Some(format!("{method} of the log"));
        // JMeter does not wait for a time that has passed.
        let due = "${__longSum(${TESTSTART.MS},${at_ms},-${__time(,)})}";
        exchange.pause = Some(Pause::Expression(Text::function(due)));
        exchange
    };
    let users = u32::try_from(users(offsets)).ok();
    let load = Load { users, loops: Some(0), ramp_s: Some(0.0), ..Load::default() };
    if !has_heads {
        return Flow { data: vec![data], load, ..Flow::of("", vec![request("GET")]) };
    }
    let alternative = |method: &str| {
        let condition = Text::function(format!("${{__jexl3(\"${{method}}\" == \"{method}\",)}}"));
        let items = vec![Item::Exchange(Box::new(request(method)))];
        Item::Folder(Folder { name: format!("If {method}"), kind: FolderKind::If(condition), items })
    };
    let items = vec![alternative("GET"), alternative("HEAD")];
    Flow { data: vec![data], load, items, ..Flow::default() }
}

/// The name of a file without folder and ending, with usual characters only.
fn stem(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = last.split('.').next().unwrap_or_default();
    let stem: String =
        stem.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).take(60).collect();
    if stem.is_empty() { "log".to_owned() } else { stem }
}

/// Lines that are not sent, counted by reason, with the place of the first.
#[derive(Default)]
struct LeftOut {
    all: BTreeMap<(String, bool), (usize, Place)>,
}

impl LeftOut {
    fn add(&mut self, reason: String, is_wanted: bool, place: &dyn Fn() -> Place) {
        // Methods are data; no more than this number of reasons.
        let is_full = self.all.len() >= 50;
        let key = (reason, is_wanted);
        if let Some((count, _)) = self.all.get_mut(&key) {
            *count += 1;
        } else if !is_full {
            self.all.insert(key, (1, place()));
        } else {
            let (count, _) =
                self.all.entry(("other methods".to_owned(), false)).or_insert_with(|| (0, place()));
            *count += 1;
        }
    }

    fn report(self, notes: &mut Notes) {
        for ((reason, is_wanted), (count, place)) in self.all {
            let what = if count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
            if is_wanted {
                notes.dropped(&place, what, reason);
            } else {
                notes.left_out(&place, what, reason);
            }
        }
    }
}

#[cfg(test)]
mod tests;

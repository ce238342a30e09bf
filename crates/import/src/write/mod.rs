//! The model as a plan.

mod form;
mod label;
mod request;
mod responses;
pub(crate) mod url;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use swell_plan::{Node, Plan};

use self::request::{Shared, is_header_name};
use self::url::{Origin, target};
use crate::elements::{self, GroupLoad, literal};
use crate::model::{
    DataFile, Document, Exchange, Flow, Folder, FolderKind, Header, Item, Load, OnError, Text, Variable,
    safe_name,
};
use crate::notes::Notes;
use crate::options::Options;
use crate::source::Place;
use crate::steps::OutputFile;

pub(crate) use label::{is_id, path_label};

/// Headers that the HTTP client makes for each request, so that no plan should have them.
pub fn is_made_by_client(name: &str) -> bool {
    const NAMES: [&str; 9] = [
        "host",
        "content-length",
        "connection",
        "proxy-connection",
        "keep-alive",
        "transfer-encoding",
        "te",
        "expect",
        "http2-settings",
    ];
    name.starts_with(':') || NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Files next to the plan.
pub(crate) struct Files {
    folder: String,
    all: Vec<OutputFile>,
}

impl Files {
    /// Files in a folder that is named after the plan.
    pub(crate) fn new(plan: &str) -> Self {
        Self { folder: format!("{plan}-files"), all: Vec::new() }
    }

    fn add(&mut self, extension: &str, bytes: &[u8]) -> String {
        let name = format!("body-{}.{extension}", self.all.len() + 1);
        self.add_named(&name, bytes)
    }

    /// Adds a file; a second one of the same name gets a number. The client sends the name, so it
    /// stays if it can be one.
    fn add_named(&mut self, name: &str, bytes: &[u8]) -> String {
        let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let is_usable =
            !last.is_empty() && last != ".." && last != "." && !last.contains(|c: char| c.is_control());
        let last = if is_usable { last } else { "file" };
        let mut path = format!("{}/{last}", self.folder);
        if let Some(same) = self.all.iter().find(|file| file.path == path) {
            if same.bytes == bytes {
                return path;
            }
            path = format!("{}/{}/{last}", self.folder, self.all.len() + 1);
        }
        self.all.push(OutputFile { path: path.clone(), bytes: bytes.to_vec() });
        path
    }

    /// Adds the lines of a data file.
    fn add_rows(&mut self, data: &DataFile, rows: &[Vec<String>]) {
        let delimiter = if data.delimiter == "\\t" { "\t" } else { &data.delimiter };
        let cell = |text: &String| {
            if text.contains(delimiter) || text.contains(['"', '\n', '\r']) {
                format!("\"{}\"", text.replace('"', "\"\""))
            } else {
                text.clone()
            }
        };
        let mut text = String::new();
        for row in rows {
            text.push_str(&row.iter().map(cell).collect::<Vec<_>>().join(delimiter));
            text.push('\n');
        }
        self.all.push(OutputFile { path: data.path.clone(), bytes: text.into_bytes() });
    }
}

/// Makes the plan, and the files next to it.
pub(crate) fn plan(
    document: &Document,
    (name, title): (&str, &str),
    options: &Options,
    notes: &mut Notes,
) -> (Plan, Vec<OutputFile>) {
    let mut files = Files::new(name);
    let main = main_origin(document);
    let needs_base = document.flows.iter().flat_map(Flow::exchanges).any(is_relative);
    let base = options.base_url.as_deref().and_then(|base| target(&Text::literal(base)).ok()?.origin);
    let defaults = base.clone().or_else(|| main.clone()).or_else(|| {
        needs_base.then(|| Origin { protocol: "http".to_owned(), host: "localhost".to_owned(), port: 80 })
    });
    if needs_base && main.is_none() && base.is_none() {
        notes.changed(
            &Place { file: name.to_owned(), line: 0, column: 0 },
            "requests without a host",
            "they go to http://localhost; set -Jhost and -Jport, or import with --base URL",
        );
    }
    let mut root = Node::new(elements::test_plan(&literal(title), ""));
    if !document.variables.is_empty() {
        root = root.with(Node::new(elements::variables("Variables", variables(&document.variables))));
    }
    if let Some(origin) = &defaults {
        root = root.with(Node::new(http_defaults(origin)));
    }
    for flow in &document.flows {
        root = root.with(group(
            flow,
            defaults_of(main.as_ref(), base.as_ref(), defaults.as_ref()),
            &mut files,
            notes,
        ));
    }
    (Plan::new(root), files.all)
}

/// Whose requests need no host: with another base, those to the most frequent host go there.
fn defaults_of<'a>(
    main: Option<&'a Origin>,
    base: Option<&'a Origin>,
    defaults: Option<&'a Origin>,
) -> Option<&'a Origin> {
    if base.is_some() { main.or(base) } else { defaults }
}

fn http_defaults(origin: &Origin) -> swell_plan::Element {
    let property = |name: &str, value: &str| Text::property(name, value).to_plan();
    elements::http_defaults(
        "HTTP Request Defaults",
        &property("protocol", &origin.protocol),
        &property("host", &origin.host),
        &property("port", &origin.port.to_string()),
    )
}

/// The origin of most requests.
pub(crate) fn main_origin(document: &Document) -> Option<Origin> {
    let mut counts: BTreeMap<Origin, (usize, usize)> = BTreeMap::new();
    for (order, exchange) in document.flows.iter().flat_map(Flow::exchanges).enumerate() {
        if let Some(origin) = target(&exchange.url).ok().and_then(|target| target.origin) {
            counts.entry(origin).or_insert((0, usize::MAX - order)).0 += 1;
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(origin, _)| origin)
}

fn is_relative(exchange: &Exchange) -> bool {
    target(&exchange.url).is_ok_and(|target| target.origin.is_none() && !target.is_whole)
}

fn variables(all: &[Variable]) -> Vec<(String, String, String)> {
    let mut last: Vec<&Variable> = Vec::new();
    for variable in all {
        match last.iter_mut().find(|known| known.name == variable.name) {
            Some(known) => *known = variable,
            None => last.push(variable),
        }
    }
    last.iter()
        .map(|variable| (safe_name(&variable.name), variable.value.to_plan(), literal(&variable.comment)))
        .collect()
}

fn group(flow: &Flow, defaults: Option<&Origin>, files: &mut Files, notes: &mut Notes) -> Node {
    let name = if flow.name.is_empty() { "Users" } else { &flow.name };
    let load = load(&flow.load, flow.on_error);
    let group = match &flow.load.schedule {
        Some(schedule) => elements::open_model_group(&literal(name), schedule, load.on_error),
        None => elements::thread_group(&literal(name), &load),
    };
    let mut node = Node::new(group);
    if flow.has_cookie_jar {
        node = node.with(Node::new(elements::cookie_manager("Cookies")));
    }
    let shared = Shared { defaults, headers: common_headers(flow) };
    if !shared.headers.is_empty() {
        let headers = shared
            .headers
            .iter()
            .map(|header| elements::header(&literal(&header.name), &header.value.to_plan()));
        node = node.with(Node::new(elements::header_manager("Headers of all requests", headers)));
    }
    for data in &flow.data {
        node = node.with(data_set(data, files));
    }
    if let Some(rate) = flow.load.rate {
        node = node.with(Node::new(elements::throughput_timer("Rate", rate * 60.0)));
    }
    if let Some(pause) = &flow.load.pause {
        node = node.with(Node::new(request::timer(pause)));
    }
    let mut writer = ItemWriter { shared: &shared, files, notes };
    flow.items.iter().filter_map(|item| writer.item(item)).fold(node, Node::with)
}

fn load(load: &Load, on_error: OnError) -> GroupLoad {
    let or = |value: Option<String>, name: &str| value.unwrap_or_else(|| Text::property(name, "1").to_plan());
    let users = load.users.map(|users| Text::property("users", &users.to_string()).to_plan());
    let seconds = |seconds: f64| format!("{seconds}");
    let loops = load.loops.map(|loops| if loops == 0 { "-1".to_owned() } else { loops.to_string() });
    let loops = if load.duration_s.is_some() { loops.or_else(|| Some("-1".to_owned())) } else { loops };
    GroupLoad {
        users: or(users, "users"),
        loops: or(loops, "loops"),
        ramp: or(load.ramp_s.map(seconds), "ramp"),
        duration: load.duration_s.map(seconds),
        on_error: match on_error {
            OnError::Continue => "continue",
            OnError::NextIteration => "startnextloop",
            OnError::StopUser => "stopthread",
        },
    }
}

fn data_set(data: &DataFile, files: &mut Files) -> Node {
    if let Some(rows) = &data.rows {
        files.add_rows(data, rows);
    }
    let variables = data.variables.iter().map(|name| safe_name(name)).collect::<Vec<_>>().join(",");
    Node::new(elements::data_set(
        &literal(&data.path),
        &literal(&data.path),
        &literal(&variables),
        &data.delimiter,
        data.skips_first_line,
        data.ends,
    ))
}

/// Headers that all requests of a flow have with the same value; the type of a body is never one.
fn common_headers(flow: &Flow) -> Vec<Header> {
    let exchanges = flow.exchanges();
    let [first, _, ..] = &*exchanges else { return Vec::new() };
    let is_shared = |header: &&Header| {
        let is_own = ["content-type", "cookie", "authorization"]
            .iter()
            .any(|name| header.name.eq_ignore_ascii_case(name) && (*name != "authorization"));
        !is_own
            && !is_made_by_client(&header.name)
            && is_header_name(&header.name)
            && !header.value.to_plan().contains(|c: char| c.is_control())
            && header.value.variables().next().is_none()
            && exchanges.iter().all(|exchange| has_once(exchange, header))
    };
    first.headers.iter().filter(is_shared).cloned().collect()
}

/// Whether a request has this header, and no other of its name.
fn has_once(exchange: &Exchange, header: &Header) -> bool {
    let mut same = exchange.headers.iter().filter(|known| known.name.eq_ignore_ascii_case(&header.name));
    same.next() == Some(header) && same.next().is_none()
}

struct ItemWriter<'a> {
    shared: &'a Shared<'a>,
    files: &'a mut Files,
    notes: &'a mut Notes,
}

impl ItemWriter<'_> {
    /// The elements of an item; none if nothing is in it.
    fn item(&mut self, item: &Item) -> Option<Node> {
        match item {
            Item::Exchange(exchange) => request::sampler(exchange, self.shared, self.files, self.notes),
            Item::Folder(folder) => self.folder(folder),
        }
    }

    fn folder(&mut self, folder: &Folder) -> Option<Node> {
        let children: Vec<Option<Node>> = folder.items.iter().map(|item| self.item(item)).collect();
        let name = &*literal(&folder.name);
        let element = match &folder.kind {
            FolderKind::Group => elements::group_controller(name),
            FolderKind::Transaction => elements::transaction(name),
            FolderKind::Loop(count) => elements::loop_controller(name, &count.to_plan()),
            FolderKind::If(condition) => elements::if_controller(name, &condition.to_plan()),
            FolderKind::While(condition) => elements::while_controller(name, &condition.to_plan()),
            FolderKind::Once => elements::once_controller(name),
            FolderKind::Alternatives(weights) => {
                let weights = children.iter().zip(weights).filter(|(child, _)| child.is_some());
                let weights: Vec<u32> = weights.map(|(_, weight)| *weight).collect();
                elements::switch_controller(name, &choice(&weights))
            }
        };
        let children: Vec<Node> = children.into_iter().flatten().collect();
        if children.is_empty() {
            return None;
        }
        Some(children.into_iter().fold(Node::new(element), Node::with))
    }
}

/// An expression for the number of an alternative: one random number, compared with the sums of
/// weights.
fn choice(weights: &[u32]) -> String {
    let total: u64 = weights.iter().map(|weight| u64::from(*weight)).sum();
    let mut sum = 0;
    let mut out = String::new();
    let last = weights.len().saturating_sub(1);
    for (number, weight) in weights.iter().enumerate().take(last) {
        sum += u64::from(*weight);
        let drawn =
            if number == 0 { format!("${{__Random(1,{total},drawn)}}") } else { "${drawn}".to_owned() };
        let _ = write!(out, "{drawn} <= {sum} ? {number} : ");
    }
    match last {
        0 => "0".to_owned(),
        last => format!("${{__jexl3({out}{last})}}"),
    }
}

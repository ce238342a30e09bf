//! Artillery: scenarios over HTTP, in YAML or JSON.
//!
//! Phases become the schedule of an Open Model Thread Group: each arrival is a user who runs one
//! scenario. There is no engine for JavaScript, so functions of a processor are left out.

mod load;
mod request;
mod values;

use super::values::UsedVariables;
use super::{Format, ReadError};
use crate::inside::inside_path;
use crate::model::{DataFile, Document, Flow, Folder, FolderKind, Item, Pause, Text, Variable};
use crate::notes::Notes;
use crate::options::Options;
use crate::source::{Place, Source, SourceText};
use crate::tree::{Node, Value};

use self::values::duration_ms;

pub(super) const FORMAT: Format = Format { name: "artillery", title: "Artillery test", fits, read };

/// Steps of a file.
const MOST_STEPS: usize = 10_000;

fn fits(start: &str) -> bool {
    if start.trim_start().starts_with('{') {
        let has = |name: &str| start.contains(name);
        return has("\"scenarios\"") && (has("\"flow\"") || has("\"config\""));
    }
    let has = |name: &str| start.lines().any(|line| line.trim_end().trim_matches(['"', '\'']) == name);
    has("scenarios:") && (has("config:") || start.contains("flow:"))
}

fn read(source: &Source<'_>, _options: &Options, notes: &mut Notes) -> Result<Document, ReadError> {
    let text = source.text();
    let root = Node::read(&text)?;
    let scenarios = root.list("scenarios");
    if scenarios.is_empty() {
        return Err(ReadError::new(root.place(&text), "an Artillery test needs `scenarios`, a list"));
    }
    let mut reader = Reader::new(&text, &root, notes);
    let variables = reader.variables();
    let data = reader.payloads();
    reader.config();
    let mut weighted: Vec<(u32, Item)> = Vec::new();
    for scenario in scenarios {
        weighted.extend(reader.scenario(scenario)?);
    }
    for (name, flow) in [("before", root.get("before")), ("after", root.get("after"))] {
        if let Some(flow) = flow {
            let place = flow.place(&text);
            let reason = "it runs once for the whole test: import its requests as a separate plan";
            reader.notes.left_out(&place, format!("`{name}`"), reason);
        }
    }
    let name = root.get("config").map(|config| config.text("name")).unwrap_or_default().to_owned();
    let items = match weighted.len() {
        0 | 1 => weighted.into_iter().map(|(_, item)| item).collect(),
        _ => {
            let (weights, items): (Vec<u32>, Vec<Item>) = weighted.into_iter().unzip();
            vec![Item::Folder(Folder {
                name: "Scenarios".to_owned(),
                kind: FolderKind::Alternatives(weights),
                items,
            })]
        }
    };
    let load = reader.load();
    let used = reader.used.all;
    let flow = Flow { name: name.clone(), items, data, has_cookie_jar: true, load, ..Flow::default() };
    Ok(Document { name, flows: vec![flow], variables, used, ..Document::default() })
}

struct Reader<'a, 'n> {
    text: &'a SourceText<'a>,
    root: &'a Node,
    notes: &'n mut Notes,
    used: UsedVariables,
    target: Text,
    steps: usize,
}

impl<'a, 'n> Reader<'a, 'n> {
    fn new(text: &'a SourceText<'a>, root: &'a Node, notes: &'n mut Notes) -> Self {
        let mut new =
            Self { text, root, notes, used: UsedVariables::default(), target: Text::default(), steps: 0 };
        let place = new.place(root);
        new.target = new.braces(new.setting("target").and_then(Node::as_text).unwrap_or_default(), &place);
        new
    }

    fn place(&self, node: &Node) -> Place {
        node.place(self.text)
    }

    /// A value of `config`.
    fn setting(&self, name: &str) -> Option<&'a Node> {
        self.root.get("config").and_then(|config| config.get(name))
    }

    fn braces(&mut self, text: &str, place: &Place) -> Text {
        let notes = &mut *self.notes;
        let used = &mut self.used;
        Text::with_braces(text, &mut |name| match name.strip_prefix('$') {
            Some(call) => values::made(call, place, notes),
            None => used.variable(name, place),
        })
    }

    /// `config.variables`: of a list, Artillery takes a random value for each user.
    fn variables(&mut self) -> Vec<Variable> {
        let mut found = Vec::new();
        for (name, node) in self.setting("variables").map_or(&[][..], Node::entries) {
            let place = self.place(node);
            let value = match node.items() {
                [] => node.scalar().unwrap_or_else(|| node.to_json()),
                [first, rest @ ..] => {
                    if !rest.is_empty() {
                        let how =
                            "Artillery takes a random value of the list for each user, the plan the first";
                        self.notes.changed(&place, format!("variable `{name}`"), how);
                    }
                    first.scalar().unwrap_or_default()
                }
            };
            let value = self.braces(&value, &place);
            found.push(Variable::new(name, value));
        }
        found
    }

    /// `config.payload`: CSV files with a value for each user.
    fn payloads(&mut self) -> Vec<DataFile> {
        let Some(payload) = self.setting("payload") else { return Vec::new() };
        let all = if payload.is_map() { std::slice::from_ref(payload) } else { payload.items() };
        let mut found = Vec::new();
        for payload in all {
            let place = self.place(payload);
            let path = payload.text("path");
            let path = match inside_path(path) {
                Ok(path) => path,
                Err(reason) => {
                    self.notes.left_out(&place, format!("payload `{path}`"), reason);
                    continue;
                }
            };
            if payload.text("order") != "sequence" {
                let how = "Artillery takes random lines, the plan takes them in order";
                self.notes.changed(&place, format!("payload `{path}`"), how);
            }
            let variables: Vec<String> = payload.list("fields").iter().filter_map(Node::scalar).collect();
            let delimiter = Some(payload.text("delimiter")).filter(|text| !text.is_empty()).unwrap_or(",");
            found.push(DataFile {
                path,
                variables,
                delimiter: delimiter.to_owned(),
                skips_first_line: payload.flag("skipHeader"),
                ..DataFile::default()
            });
        }
        found
    }

    /// Settings that nothing here reads.
    fn config(&mut self) {
        const KNOWN: [&str; 9] =
            ["target", "phases", "variables", "payload", "http", "defaults", "name", "tls", "ensure"];
        for (name, node) in self.root.get("config").map_or(&[][..], Node::entries) {
            let place = self.place(node);
            let what = format!("`config.{name}`");
            match &**name {
                "processor" => {
                    let reason = "its JavaScript is not run";
                    self.notes.left_out(&place, what, reason);
                }
                "environments" => {
                    let how = "the settings outside of it are taken; --base and --variable give others";
                    self.notes.changed(&place, what, how);
                }
                // About the report, or read at each request.
                "plugins" => {}
                "ensure" => {
                    self.notes.dropped(
                        &place,
                        what,
                        "thresholds are given to the run: swell run --threshold",
                    );
                }
                _ if KNOWN.contains(&&**name) => {}
                _ => self.notes.dropped(&place, what, "it is about Artillery"),
            }
        }
    }

    /// A scenario with its weight; none if it is of another protocol.
    fn scenario(&mut self, scenario: &'a Node) -> Result<Option<(u32, Item)>, ReadError> {
        let place = self.place(scenario);
        let name = scenario.text("name");
        let engine = scenario.text("engine");
        if !engine.is_empty() && engine != "http" {
            let what = format!("scenario `{name}`");
            self.notes.left_out(&place, what, format!("its engine `{engine}` is not HTTP"));
            return Ok(None);
        }
        for hook in ["beforeScenario", "afterScenario", "beforeRequest", "afterResponse"] {
            self.left_out_function(scenario, hook);
        }
        let items = self.steps(scenario.list("flow"), 0)?;
        let weight = scenario.number("weight").filter(|weight| *weight > 0.0).unwrap_or(1.0);
        // Weights may be fractions; a hundredth is near enough.
        let weight = if weight.fract() == 0.0 { weight } else { weight * 100.0 };
        let name = if name.is_empty() { "Scenario" } else { name };
        let folder = Folder { name: name.to_owned(), kind: FolderKind::Transaction, items };
        Ok(Some((weight.round().clamp(1.0, 1e6) as u32, Item::Folder(folder))))
    }

    fn left_out_function(&mut self, node: &Node, hook: &str) {
        if let Some(function) = node.get(hook) {
            let place = self.place(function);
            let shown = function.scalar().unwrap_or_else(|| function.to_json());
            self.notes.left_out(&place, format!("function `{shown}` of `{hook}`"), "JavaScript is not run");
        }
    }

    /// Steps of a scenario or a loop.
    fn steps(&mut self, steps: &'a [Node], depth: usize) -> Result<Vec<Item>, ReadError> {
        const MOST_DEPTH: usize = 20;
        let mut items = Vec::new();
        let mut pause = None;
        for step in steps {
            self.steps += 1;
            if self.steps > MOST_STEPS || depth > MOST_DEPTH {
                let message = format!("more than the {MOST_STEPS} steps, or {MOST_DEPTH} levels, that fit");
                return Err(ReadError::new(self.place(step), message));
            }
            if let Some(think) = step.get("think") {
                pause = self.think(think).or(pause);
                continue;
            }
            if let Some(steps) = step.get("loop") {
                if pause.take().is_some() {
                    let place = self.place(step);
                    self.notes.left_out(
                        &place,
                        "`think` before a loop",
                        "a think time needs a request after it",
                    );
                }
                let body = self.steps(steps.items(), depth + 1)?;
                items.extend(self.repeated(step, body));
                continue;
            }
            if let Some(steps) = step.get("parallel") {
                let place = self.place(steps);
                self.notes.changed(&place, "`parallel`", "its requests are sent one after the other");
                items.extend(self.steps(steps.items(), depth + 1)?);
                continue;
            }
            if let Some(exchange) = self.request(step, pause.take()) {
                items.push(Item::Exchange(Box::new(exchange)));
            }
        }
        if pause.is_some()
            && let Some(step) = steps.last()
        {
            let place = self.place(step);
            self.notes.changed(
                &place,
                "`think` after the last request",
                "it is left out: nothing follows it",
            );
        }
        Ok(items)
    }

    fn think(&mut self, think: &Node) -> Option<Pause> {
        let place = self.place(think);
        let text = think.scalar().unwrap_or_default();
        if let Some(ms) = duration_ms(&text) {
            return Some(Pause::Fixed(ms));
        }
        let seconds = self.braces(&text, &place);
        let name = seconds.variables().next().map(str::to_owned);
        match name {
            Some(name) if seconds.parts().len() == 1 => {
                let call = format!("${{__jexl3(1000 * ${{{name}}},)}}");
                Some(Pause::Expression(Text::function(call)))
            }
            _ => {
                self.notes.left_out(&place, format!("`think: {text}`"), "it is not a time, as 2 or 500ms");
                None
            }
        }
    }

    /// `loop` with `count` or `over`; one that a function ends is left out.
    fn repeated(&mut self, step: &'a Node, items: Vec<Item>) -> Option<Item> {
        let place = self.place(step);
        let count = match step.get("count").map(|count| &count.value) {
            Some(Value::Number(count)) => Text::literal(count.clone()),
            Some(Value::Text(text)) => {
                let text = text.clone();
                self.braces(&text, &place)
            }
            _ => {
                let over = step.get("over").map_or(0, |over| over.items().len());
                if over == 0 || step.get("whileTrue").is_some() {
                    let reason = "its end is decided by JavaScript or a list that is not in the file";
                    self.notes.left_out(&place, "`loop`", reason);
                    return None;
                }
                let how = "`$loopElement` has no value";
                self.notes.changed(&place, "`loop` over a list", how);
                Text::literal(over.to_string())
            }
        };
        Some(Item::Folder(Folder { name: "loop".to_owned(), kind: FolderKind::Loop(count), items }))
    }
}

#[cfg(test)]
mod tests;

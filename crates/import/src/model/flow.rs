//! Sequences of requests.

use super::exchange::{Exchange, Pause};
use super::text::Text;
use crate::source::Place;

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Name of the plan; empty: from the name of the file.
    pub name: String,
    /// Sequences of requests; each becomes a thread group.
    pub flows: Vec<Flow>,
    /// Values of variables, for all flows of all files. A later one of the same name takes
    /// precedence, and one of a scope that is later.
    pub variables: Vec<Variable>,
    /// What the values are compared with those of other files.
    pub scope: Scope,
    /// Variables that the requests use, with a place each, and that another file may define. One
    /// that no file defines becomes a property.
    pub used: Vec<(String, Place)>,
}

/// Which values of variables take precedence over which, from the weakest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Values for all collections (Postman's globals).
    Global,
    /// Values of the file that has the requests.
    #[default]
    Requests,
    /// Values of one environment.
    Environment,
}

/// What one virtual user does, again and again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    /// Name of the thread group; empty: `Users`.
    pub name: String,
    /// Requests and folders.
    pub items: Vec<Item>,
    /// Data files, whose variables each iteration gets.
    pub data: Vec<DataFile>,
    /// It was recorded, so headers that the client makes, other hosts and static files are noise,
    /// and recorded status and think times mean something.
    pub is_recording: bool,
    /// Cookies of responses are sent back: the plan has a Cookie Manager.
    pub has_cookie_jar: bool,
    /// Load.
    pub load: Load,
    /// What a failed sample means.
    pub on_error: OnError,
}

/// A request or a folder.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A request.
    Exchange(Box<Exchange>),
    /// A folder.
    Folder(Folder),
}

/// Several items together.
#[derive(Clone, Debug, PartialEq)]
pub struct Folder {
    /// Name.
    pub name: String,
    /// What it does.
    pub kind: FolderKind,
    /// Its items.
    pub items: Vec<Item>,
}

/// What a folder does.
#[derive(Clone, Debug, PartialEq)]
pub enum FolderKind {
    /// It groups only.
    Group,
    /// Its time is measured as one sample.
    Transaction,
    /// Its items are repeated.
    Loop(Text),
    /// Its items run if a condition is true; the text gives `true` or `false`.
    If(Text),
    /// Its items are repeated while a condition is true.
    While(Text),
    /// Its items run in the first iteration only.
    Once,
    /// One of its items runs each time, at random, each as often as its weight says. There is a
    /// weight for each item.
    Alternatives(Vec<u32>),
}

/// A variable with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// Value.
    pub value: Text,
    /// The source says that it is secret; names that say so are found by themselves.
    pub is_secret: bool,
    /// What it is for.
    pub comment: String,
}

/// Lines of values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataFile {
    /// Path in the folder of the plan.
    pub path: String,
    /// Variables, in the order of the columns; empty: the first line of the file has them.
    pub variables: Vec<String>,
    /// What separates columns; `\t` for a tab.
    pub delimiter: String,
    /// The first line is no data.
    pub skips_first_line: bool,
    /// A virtual user stops at the end of the file, instead of starting it again.
    pub ends: bool,
    /// Lines to write next to the plan; none: the file is there.
    pub rows: Option<Vec<Vec<String>>>,
}

/// Load of a flow. What is none becomes a property with a default: `users`, `loops`, `ramp`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// Virtual users.
    pub users: Option<u32>,
    /// Iterations of each virtual user; 0: until the duration has passed.
    pub loops: Option<u32>,
    /// Time in which all users start.
    pub ramp_s: Option<f64>,
    /// Time of the test.
    pub duration_s: Option<f64>,
    /// Requests a second, of all users.
    pub rate: Option<f64>,
    /// A think time before each request.
    pub pause: Option<Pause>,
    /// Arrivals of users who run the flow once, in the language of the Open Model Thread Group,
    /// instead of users who repeat it. Only built by readers, of numbers.
    pub schedule: Option<String>,
}

/// What a failed sample means for its user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// Nothing.
    #[default]
    Continue,
    /// It starts its next iteration.
    NextIteration,
    /// It stops.
    StopUser,
}

impl Flow {
    /// A flow without folders.
    pub fn of(name: &str, exchanges: Vec<Exchange>) -> Self {
        let items = exchanges.into_iter().map(|exchange| Item::Exchange(Box::new(exchange))).collect();
        Self { name: name.to_owned(), items, ..Self::default() }
    }

    /// All requests, in order.
    pub fn exchanges(&self) -> Vec<&Exchange> {
        let mut all = Vec::new();
        collect(&self.items, &mut all);
        all
    }

    /// All requests, in order, taken out of their folders.
    pub fn take_exchanges(&mut self) -> Vec<Exchange> {
        let mut all = Vec::new();
        take(std::mem::take(&mut self.items), &mut all);
        all
    }

    /// Calls this for all requests, in order.
    pub fn for_each(&mut self, change: &mut dyn FnMut(&mut Exchange)) {
        for_each(&mut self.items, change);
    }
}

fn collect<'a>(items: &'a [Item], all: &mut Vec<&'a Exchange>) {
    for item in items {
        match item {
            Item::Exchange(exchange) => all.push(exchange),
            Item::Folder(folder) => collect(&folder.items, all),
        }
    }
}

fn take(items: Vec<Item>, all: &mut Vec<Exchange>) {
    for item in items {
        match item {
            Item::Exchange(exchange) => all.push(*exchange),
            Item::Folder(folder) => take(folder.items, all),
        }
    }
}

fn for_each(items: &mut [Item], change: &mut dyn FnMut(&mut Exchange)) {
    for item in items {
        match item {
            Item::Exchange(exchange) => change(exchange),
            Item::Folder(folder) => for_each(&mut folder.items, change),
        }
    }
}

impl Variable {
    /// A variable.
    pub fn new(name: &str, value: impl Into<Text>) -> Self {
        Self { name: name.to_owned(), value: value.into(), is_secret: false, comment: String::new() }
    }
}

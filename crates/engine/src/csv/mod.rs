//! `CSVDataSet`: reads a line of a file into variables at each iteration.

mod cursors;
mod file;
#[cfg(feature = "fuzz")]
pub(crate) mod fuzz;
mod lines;
mod random;
mod split;

use std::rc::Rc;
use std::sync::Arc;

use swell_api::IterationElement;
use swell_expr::{Context, Level, Shared, StopRequest, Template};
use swell_plan::Node;
use swell_trace::DataRow;

use crate::compile_context::GroupCompileContext;
use crate::schedule::{SHARE, Share};

pub(crate) use cursors::{CURSORS, Cursors};
pub(crate) use file::{DataFile, Row};
pub(crate) use random::data_set as random_data_set;

/// A compiled data set.
struct DataSet {
    name: String,
    filename: Template,
    encoding: Template,
    names: Template,
    delimiter: Template,
    share: Template,
    ignore_first: Template,
    quoted: Template,
    recycle: Template,
    stop: Template,
    end_of_file: String,
    group: usize,
    /// The part of each file's rows that is this run's.
    rows: Arc<Share>,
    cursors: Arc<Cursors>,
    shared: Arc<Shared>,
    /// Place of the user's [`Bound`].
    instance: u32,
}

/// What a user settles at its first line (`initVars`).
#[expect(clippy::struct_excessive_bools, reason = "independent check boxes of the element")]
struct Bound {
    file: Arc<DataFile>,
    names: Vec<Rc<str>>,
    delimiter: String,
    header: bool,
    quoted: bool,
    recycle: bool,
    stop: bool,
}

/// The data set of an element.
pub(crate) fn data_set(node: &Node, context: &GroupCompileContext<'_>) -> Box<dyn IterationElement> {
    let element = &node.element;
    let text = |property: &str, default: &str| context.compile.template(element, property, default);
    Box::new(DataSet {
        name: element.name().to_owned(),
        filename: text("filename", ""),
        encoding: text("fileEncoding", ""),
        names: text("variableNames", ""),
        delimiter: text("delimiter", ","),
        share: text("shareMode", "shareMode.all"),
        ignore_first: text("ignoreFirstLine", ""),
        quoted: text("quotedData", ""),
        recycle: text("recycle", ""),
        stop: text("stopThread", ""),
        end_of_file: context.compile.props.get("csvdataset.eofstring").unwrap_or_else(|| "<EOF>".to_owned()),
        group: context.group,
        rows: context.compile.expr.shared.get(SHARE, || Share::whole(1)),
        cursors: context.compile.expr.shared.get(CURSORS, Cursors::default),
        shared: context.compile.expr.shared.clone(),
        instance: context.compile.expr.next_instance(),
    })
}

impl IterationElement for DataSet {
    fn iteration_start(&self, cx: &mut Context) {
        let bound = match self.bound(cx) {
            Ok(bound) => bound,
            Err(problem) => return self.fail(cx, &problem),
        };
        let row = bound.file.next(&*cx.host, bound.quoted, bound.recycle, bound.header, &bound.delimiter);
        let row = match row {
            Ok(row) => row,
            Err(file::Trouble::Line(problem)) => {
                // As the end of the file.
                cx.host.log(Level::Error, &format!("{}: {problem}", self.name));
                Row::End
            }
            Err(file::Trouble::File(problem) | file::Trouble::Endless(problem)) => {
                return self.fail(cx, &problem);
            }
        };
        if let Some(trace) = &mut cx.trace {
            let record = matches!(row, Row::Values(_)).then(|| bound.file.rows_read());
            trace.data(DataRow { file: bound.file.name(), record });
        }
        self.put(cx, &bound, row);
        self.keep(cx, bound);
    }
}

impl DataSet {
    /// What is wrong ends the user, as the exception does in JMeter.
    fn fail(&self, cx: &mut Context, problem: &str) {
        if cx.thrown.is_some() {
            // The function that threw, or has no answer yet, is what counts.
            return;
        }
        cx.host.log(Level::Error, &format!("{}: {problem}", self.name));
        cx.stop = Some(StopRequest::User);
    }

    fn put(&self, cx: &mut Context, bound: &Bound, row: Row) {
        match row {
            Row::Values(values) => {
                for (name, value) in bound.names.iter().zip(values) {
                    cx.vars.put(name, value);
                }
            }
            Row::End if bound.stop => {
                let user = &cx.user.thread_name;
                cx.host.log(Level::Info, &format!("{user}: end of file in {}, the user stops", self.name));
                cx.stop = Some(StopRequest::User);
            }
            Row::End => {
                for name in &bound.names {
                    cx.vars.put(name, self.end_of_file.as_str());
                }
            }
        }
    }

    /// The user's [`Bound`], taken out of its states.
    fn bound(&self, cx: &mut Context) -> Result<Box<Bound>, String> {
        let place = self.instance as usize;
        if let Some(kept) = cx.function_states.get_mut(place).and_then(Option::take)
            && let Ok(bound) = kept.downcast::<Bound>()
        {
            return Ok(bound);
        }
        self.bind(cx).map(Box::new)
    }

    fn keep(&self, cx: &mut Context, bound: Box<Bound>) {
        let place = self.instance as usize;
        if cx.function_states.len() <= place {
            cx.function_states.resize_with(place + 1, || None);
        }
        cx.function_states[place] = Some(bound);
    }

    fn bind(&self, cx: &mut Context) -> Result<Bound, String> {
        let filename = self.filename.eval(cx).trim().to_owned();
        if filename.is_empty() {
            return Err("no file is named".to_owned());
        }
        let delimiter = match &*self.delimiter.eval(cx) {
            "\\t" => "\t".to_owned(),
            "" => ",".to_owned(),
            other => other.to_owned(),
        };
        let encoding = self.encoding.eval(cx).into_owned();
        let names = self.names.eval(cx).into_owned();
        let ignore_first = is_true(&self.ignore_first.eval(cx));
        let file = self.file(cx, &filename, &encoding);
        let quoted = is_true(&self.quoted.eval(cx));
        let recycle = is_true(&self.recycle.eval(cx));
        let stop = is_true(&self.stop.eval(cx));
        if cx.thrown.is_some() {
            return Err("a function of its fields has thrown".to_owned());
        }
        let header_is_names = names.is_empty();
        let header = file.reserve(&*cx.host, header_is_names || ignore_first)?;
        let names = if header_is_names {
            let first = delimiter.chars().next().unwrap_or(',');
            split::quoted_line(header.as_deref().unwrap_or_default(), first)?
        } else {
            split::names(&names)
        };
        Ok(Bound {
            file,
            names: names.iter().map(|name| Rc::from(name.trim())).collect(),
            delimiter,
            header: header_is_names || ignore_first,
            quoted,
            recycle,
            stop,
        })
    }

    /// The file with the cursor that this user shares (`setAlias`).
    fn file(&self, cx: &mut Context, filename: &str, encoding: &str) -> Arc<DataFile> {
        let share = self.share.eval(cx);
        let key = match &*share {
            "" | "shareMode.all" => format!("csv {filename}"),
            "shareMode.group" => format!("csv {filename}@group {}", self.group),
            "shareMode.thread" => {
                // Data sets of one user share a cursor by the file's name.
                let group = self.group;
                let user = cx.user.thread_index;
                let alone = || DataFile::new(filename, encoding);
                return self.shared.get(&format!("csv {filename}@user {group}-{user}"), alone);
            }
            named => format!("csv {filename}@{named}"),
        };
        let begin = self.rows.rows_used(&key);
        let make = || DataFile::new(filename, encoding).for_share((*self.rows).clone()).behind(begin);
        let file = self.shared.get(&key, make);
        self.cursors.note(&key, &file);
        file
    }
}

fn is_true(text: &str) -> bool {
    text.eq_ignore_ascii_case("true")
}

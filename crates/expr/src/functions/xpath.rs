//! `__XPath(file, path)` (JMeter's `XPath`, `XPathWrapper`, `XPathFileContainer`): the values that
//! a path finds in a file, given to all users in turn, starting again after the last one.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_query::xml::{XmlOptions, parse_bytes};
use swell_query::xpath::{Value, XPath};

use crate::arguments::Args;
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::level::Level;
use crate::scope::Scope;
use crate::template::Template;
use crate::xpath_namespaces;

struct XPathFunction {
    file: Template,
    path: Template,
    files: Arc<Mutex<Files>>,
}

/// What was found, by file name and path.
type Files = HashMap<(String, String), Arc<Matches>>;

struct Matches {
    /// None for an element that begins with another.
    values: Vec<Option<String>>,
    next: Mutex<usize>,
}

pub(crate) fn make(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let file = args.required();
    let path = args.required();
    Box::new(XPathFunction { file, path, files: scope.common("__XPath", Mutex::default) })
}

impl Function for XPathFunction {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let key = (self.file.text(cx).to_string(), self.path.text(cx).to_string());
        let matches = {
            let mut files = self.files.lock();
            match files.get(&key) {
                Some(matches) => matches.clone(),
                None => match read(&key.0, &key.1, cx) {
                    Ok(values) => {
                        let matches = Arc::new(Matches { values, next: Mutex::default() });
                        files.insert(key.clone(), matches.clone());
                        matches
                    }
                    Err(reason) => {
                        cx.host.log(Level::Error, &format!("__XPath: {}: {reason}", key.0));
                        return Ok(());
                    }
                },
            }
        };
        if let Some(value) = matches.next() {
            out.push_str(value.as_deref().unwrap_or("null"));
        } else {
            let (file, path) = key;
            cx.host.log(Level::Warn, &format!("__XPath: no match for {path} in {file}"));
        }
        Ok(())
    }
}

fn read(file: &str, path: &str, cx: &Context) -> Result<Vec<Option<String>>, String> {
    let bytes = cx.host.read_file(Path::new(file)).map_err(|reason| reason.to_string())?;
    let document = parse_bytes(&bytes, XmlOptions::dom(false)).map_err(|error| error.message)?;
    let namespaces = xpath_namespaces::configured(&cx.props, &*cx.host);
    let budget = cx.heavy.function();
    let found = XPath::compile(path).and_then(|path| path.evaluate_in(&document, &namespaces, &budget));
    let found = found.map_err(|error| error.message)?;
    let what = match found {
        Value::Nodes(nodes) => {
            return Ok(nodes.into_iter().map(|node| document.dom_value(node).map(str::to_owned)).collect());
        }
        Value::Number(_) => "#NUMBER",
        Value::Boolean(_) => "#BOOLEAN",
        Value::Text(_) => "#STRING",
    };
    Err(format!("Can not convert {what} to a NodeList!"))
}

impl Matches {
    /// The next value; `None` if there are no values.
    fn next(&self) -> Option<&Option<String>> {
        let mut next = self.next.lock();
        let value = self.values.get(*next)?;
        *next = (*next + 1) % self.values.len();
        Some(value)
    }
}

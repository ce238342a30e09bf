//! The listener element.

use std::rc::Rc;
use std::sync::{Arc, Mutex};

use swell_elements::Needs;
use swell_engine::{Compile, Listener, ListenerFactory, SampleEvent};
use swell_expr::Level;
use swell_plan::Node;
use swell_regex::{Dialect, Reach, Regex};

use super::settings::Settings;
use super::table::Table;
use crate::ResultFiles;
use crate::collectors::eval_at_start;
use crate::files::lock;

const CLIENT: &str = "org.apache.jmeter.visualizers.backend.influxdb.InfluxdbBackendListenerClient";

/// Makes the listeners of Backend Listener elements with JMeter's InfluxDB client, and starts sending with the first.
pub fn influx_factory(files: &ResultFiles) -> ListenerFactory {
    let files = files.clone();
    Arc::new(move |node, compile| {
        let ours = node.element.text_or_empty("classname").trim() == CLIENT;
        if files.options().dry_run || !ours {
            return None;
        }
        let make = || {
            let settings = settings(node, compile, &files);
            if let Err(bad) = Regex::new(&settings.samplers, Dialect::Java, Reach::Anywhere) {
                let message = format!("samplersRegex: {}", bad.message());
                compile.host.log(Level::Error, &message);
            }
            super::Export::start(settings, compile.host.clone())
        };
        let table = files.export(node.id, make).table();
        Some(Rc::new(Influx { table }) as Rc<dyn Listener>)
    })
}

fn settings(node: &Node, compile: &Compile, files: &ResultFiles) -> Settings {
    let arguments = node.element.element("arguments").into_iter();
    let members = arguments.flat_map(|all| all.elements("Arguments.arguments"));
    let pairs: Vec<_> = members
        .map(|one| {
            let text = |property: &str| eval_at_start(one, property, files, compile);
            (text("Argument.name"), text("Argument.value"))
        })
        .collect();
    Settings::new(&pairs, &compile.props)
}

struct Influx {
    table: Arc<Mutex<Table>>,
}

impl Listener for Influx {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        lock(&self.table).add(event.sample);
    }
}

//! The listener element.

use std::sync::Arc;

use swell_api::{CompileContext, ListenerMaker};
use swell_expr::Level;
use swell_plan::{Node, Severity};

use super::arguments::{Arguments, SENDER};
use super::influx::{Influx, Transport};
use super::metering::Metering;
use super::raw::RawExport;
use super::sums::{Client, SumsExport};
use super::{Export, graphite};
use crate::ListenerMetrics;

const PACKAGE: &str = "org.apache.jmeter.visualizers.backend.";

/// Makes the listeners of Backend Listener elements with JMeter's own clients, and starts sending
/// with the first. Elements of one name share the client of the first of them, as in JMeter.
pub(crate) fn backend_factory(metrics: &ListenerMetrics) -> ListenerMaker {
    let metrics = metrics.clone();
    Arc::new(move |node, compile| {
        let class = node.element.text_or_empty("classname").trim();
        let kind = class.strip_prefix(PACKAGE)?;
        let make: Make = match kind {
            "influxdb.InfluxdbBackendListenerClient" => influx,
            "influxdb.InfluxDBRawBackendListenerClient" => raw,
            "graphite.GraphiteBackendListenerClient" => to_graphite,
            _ => return None,
        };
        if metrics.is_dry_run() {
            return None;
        }
        let name = metrics.texts().name(&node.element, compile);
        let made = metrics.export(&name, || make(compile, &arguments(node, compile, &metrics)));
        match made {
            Ok(export) => Some(export.listener()),
            Err((argument, message)) => {
                compile.note(Severity::Error, &node.element, Some(argument), message, None);
                None
            }
        }
    })
}

/// Makes what a client sends.
type Make = fn(&CompileContext, &Arguments) -> Result<Arc<dyn Export>, Wrong>;

/// The name of an invalid argument, and its problem.
pub(crate) type Wrong = (&'static str, String);

fn arguments(node: &Node, compile: &CompileContext, metrics: &ListenerMetrics) -> Arguments {
    let arguments = node.element.element("arguments").into_iter();
    let members = arguments.flat_map(|all| all.elements("Arguments.arguments"));
    let pairs = members.map(|one| {
        let text = |property: &str| metrics.texts().property(one, property, compile);
        (text("Argument.name"), text("Argument.value"))
    });
    Arguments(pairs.collect())
}

fn influx(compile: &CompileContext, arguments: &Arguments) -> Result<Arc<dyn Export>, Wrong> {
    let client =
        Influx::new(arguments, &compile.props, &*compile.host).map_err(|message| (SENDER, message))?;
    check(client.metering(), "samplersRegex", compile);
    Ok(Arc::new(SumsExport::start(Box::new(client), compile.host.clone())))
}

fn raw(compile: &CompileContext, arguments: &Arguments) -> Result<Arc<dyn Export>, Wrong> {
    let transport =
        Transport::new(arguments, &compile.props, &*compile.host).map_err(|message| (SENDER, message))?;
    let measurement = arguments.get("measurement", "jmeter").to_owned();
    Ok(Arc::new(RawExport::start(transport, measurement, compile.host.clone())))
}

fn to_graphite(compile: &CompileContext, arguments: &Arguments) -> Result<Arc<dyn Export>, Wrong> {
    let client = graphite::Graphite::new(arguments, &compile.props)
        .map_err(|message| ("graphiteMetricsSender", message))?;
    for wrong in client.bad_percentiles(arguments) {
        compile.host.log(Level::Error, &format!("Error parsing percentile: '{wrong}'"));
    }
    check(client.metering(), "samplersList", compile);
    Ok(Arc::new(SumsExport::start(Box::new(client), compile.host.clone())))
}

fn check(metering: &Metering, argument: &str, compile: &CompileContext) {
    if let Err(message) = metering.filter() {
        compile.host.log(Level::Error, &format!("{argument}: {message}"));
    }
}

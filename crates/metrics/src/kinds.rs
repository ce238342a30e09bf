//! This crate's part of the table of elements.

use swell_api::{BACKEND_LISTENER, ElementKind, ListenerMaker, Make, Role};

use crate::backend::backend_factory;
use crate::listener_metrics::ListenerMetrics;
use crate::prometheus::prometheus_factory;

/// This crate's part of the table of elements. What listeners count goes to `metrics`.
pub fn kinds(metrics: &ListenerMetrics) -> Vec<ElementKind> {
    let documentation = include_str!("../elements.toml");
    let mut kinds = vec![listener(
        "com.github.johrstrom.listener.PrometheusListener",
        "Prometheus Listener",
        prometheus_factory(metrics),
    )];
    kinds.extend(backends(metrics));
    kinds.into_iter().map(|kind| ElementKind { documentation, ..kind }).collect()
}

fn backends(metrics: &ListenerMetrics) -> Vec<ElementKind> {
    let make = backend_factory(metrics);
    let client = |name, classes| listener(BACKEND_LISTENER, name, make.clone()).when("classname", classes);
    vec![
        client(
            "Backend Listener with the InfluxDB client",
            &["org.apache.jmeter.visualizers.backend.influxdb.InfluxdbBackendListenerClient"],
        ),
        client(
            "Backend Listener with the InfluxDB raw client",
            &["org.apache.jmeter.visualizers.backend.influxdb.InfluxDBRawBackendListenerClient"],
        ),
        client(
            "Backend Listener with the Graphite client",
            &["org.apache.jmeter.visualizers.backend.graphite.GraphiteBackendListenerClient"],
        ),
        ElementKind::ignored(
            Role::Listener,
            BACKEND_LISTENER,
            "Backend Listener with other clients",
            "without JMeter's classes nothing is sent to this service",
        )
        .unless_provided(),
    ]
}

fn listener(class: &'static str, name: &'static str, make: ListenerMaker) -> ElementKind {
    ElementKind::native(Role::Listener, class, name, Make::Listener(make))
}

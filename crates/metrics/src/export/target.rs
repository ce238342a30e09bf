//! Figures of the target as metrics: the figures of `swell_stats::reading`, for other systems.

use swell_stats::reading::{Figure, Known};

use super::definition::{Definition, Kind, MetricUnit};

/// Labels of all figures: their source is a machine, process or exporter.
const OF_SOURCE: &[&str] = &["source"];

const fn target(otlp: &'static str, unit: MetricUnit, help: &'static str) -> Definition {
    Definition { otlp, unit, kind: Kind::Gauge, help, labels: OF_SOURCE }
}

/// In the order of [`Known::ALL`].
static KNOWN: [Definition; Known::ALL.len()] = [
    target("swell.target.machine_user", MetricUnit::Ratio, "Share of the processors' time in user mode"),
    target(
        "swell.target.machine_system",
        MetricUnit::Ratio,
        "Share of the processors' time in the kernel, including interrupts",
    ),
    target(
        "swell.target.machine_io_wait",
        MetricUnit::Ratio,
        "Share of the processors' time spent waiting for disks",
    ),
    target(
        "swell.target.machine_steal",
        MetricUnit::Ratio,
        "Share of the processors' time that the hypervisor took",
    ),
    target("swell.target.machine_idle", MetricUnit::Ratio, "Share of the processors' time spent idle"),
    target("swell.target.processors", MetricUnit::Things, "Processors of the machine"),
    target("swell.target.run_queue", MetricUnit::Things, "Threads that run or wait for a processor"),
    target("swell.target.load_average", MetricUnit::Things, "Load average over one minute"),
    target(
        "swell.target.machine_memory_used",
        MetricUnit::Bytes,
        "Memory of the machine that is not available to programs",
    ),
    target("swell.target.machine_memory_total", MetricUnit::Bytes, "Memory of the machine"),
    target(
        "swell.target.process_cpu",
        MetricUnit::Things,
        "Number of processors that the process and its children kept busy",
    ),
    target("swell.target.process_memory", MetricUnit::Bytes, "Memory of the process and its children in RAM"),
    target("swell.target.processes", MetricUnit::Things, "Number of processes: the process and its children"),
    target("swell.target.threads", MetricUnit::Things, "Threads of the process and its children"),
    target("swell.target.user_threads", MetricUnit::Things, "Threads of all processes of the same user"),
    target("swell.target.user_thread_limit", MetricUnit::Things, "Limit of threads for that user"),
    target("swell.target.group_threads", MetricUnit::Things, "Threads in the control group of the process"),
    target("swell.target.group_thread_limit", MetricUnit::Things, "Limit of threads for the control group"),
    target(
        "swell.target.descriptors",
        MetricUnit::Things,
        "Open file descriptors of the process with the most of them",
    ),
    target(
        "swell.target.descriptor_limit",
        MetricUnit::Things,
        "Limit of open file descriptors for that process",
    ),
    target("swell.target.established", MetricUnit::Things, "Open TCP connections"),
    target("swell.target.time_wait", MetricUnit::Things, "TCP connections in TIME_WAIT"),
    target(
        "swell.target.close_wait",
        MetricUnit::Things,
        "TCP connections that only the other side has closed",
    ),
    target("swell.target.handshakes", MetricUnit::Things, "TCP connections during their handshake"),
    target(
        "swell.target.accept_queue",
        MetricUnit::Things,
        "Connections that the process has not accepted yet",
    ),
    target(
        "swell.target.listen_overflows",
        MetricUnit::EventsPerSecond,
        "Connections that found the accept queue full",
    ),
    target(
        "swell.target.listen_drops",
        MetricUnit::EventsPerSecond,
        "Segments that listeners dropped for any reason",
    ),
    target(
        "swell.target.handshakes_dropped",
        MetricUnit::EventsPerSecond,
        "Handshakes that found the handshake queue full",
    ),
    target("swell.target.retransmits", MetricUnit::EventsPerSecond, "Retransmitted TCP segments"),
    target("swell.target.heap_used", MetricUnit::Bytes, "Heap of the JVM in use"),
    target("swell.target.heap_max", MetricUnit::Bytes, "Maximum size of the heap"),
    target(
        "swell.target.heap_after_gc",
        MetricUnit::Ratio,
        "Share of the old generation in use after garbage collections",
    ),
    target("swell.target.gc_time", MetricUnit::Ratio, "Share of time spent in garbage collections"),
    target("swell.target.gc_count", MetricUnit::EventsPerSecond, "Garbage collections"),
    target(
        "swell.target.gc_full_count",
        MetricUnit::EventsPerSecond,
        "Garbage collections of the whole heap",
    ),
    target("swell.target.jvm_threads", MetricUnit::Things, "Live threads of the JVM"),
];

const OF_NAME: &[&str] = &["source", "name"];

static OTHER: Definition = Definition {
    labels: OF_NAME,
    ..target(
        "swell.target.other",
        MetricUnit::Own,
        "A figure of an exporter, with the exporter's name and unit",
    )
};
static OTHER_RATE: Definition = Definition {
    labels: OF_NAME,
    ..target(
        "swell.target.other_rate",
        MetricUnit::EventsPerSecond,
        "Increase per second of a counter of an exporter, with the exporter's name",
    )
};

/// Returns the metric of a figure.
pub(super) fn definition_of(figure: &Figure) -> &'static Definition {
    match figure {
        Figure::Named { is_rate: false, .. } => &OTHER,
        Figure::Named { is_rate: true, .. } => &OTHER_RATE,
        Figure::Known(known) => &KNOWN[*known as usize],
    }
}

/// Returns all metrics in the order in which they are exported.
pub(super) fn definitions() -> impl Iterator<Item = &'static Definition> {
    KNOWN.iter().chain([&OTHER, &OTHER_RATE])
}

/// Returns the index of a figure's metric in [`definitions`].
pub(super) fn place_of(figure: &Figure) -> usize {
    match figure {
        Figure::Known(known) => *known as usize,
        Figure::Named { is_rate, .. } => KNOWN.len() + usize::from(*is_rate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::reading;

    #[test]
    fn each_figure_has_the_metric_of_its_name_and_unit() {
        for known in Known::ALL {
            let figure = Figure::Known(known);
            let definition = definition_of(&figure);
            assert_eq!(definition.otlp, format!("swell.target.{}", known.name()));
            let unit = match figure.unit() {
                reading::Unit::Share => MetricUnit::Ratio,
                reading::Unit::Count => MetricUnit::Things,
                reading::Unit::Bytes => MetricUnit::Bytes,
                reading::Unit::PerS => MetricUnit::EventsPerSecond,
                reading::Unit::Own => MetricUnit::Own,
            };
            assert_eq!(definition.unit, unit, "{}", definition.otlp);
            assert!(definitions().nth(place_of(&figure)).is_some_and(|one| std::ptr::eq(one, definition)));
        }
    }
}

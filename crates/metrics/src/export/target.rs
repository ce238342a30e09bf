//! Figures of the target as metrics: the figures of `swell_stats::reading`, for other systems.

use swell_stats::reading::{Figure, Known};

use super::definition::{Definition, Kind, Unit};

/// Labels of all figures: their source is a machine, process or exporter.
const OF_SOURCE: &[&str] = &["source"];

const fn target(otlp: &'static str, unit: Unit, help: &'static str) -> Definition {
    Definition { otlp, unit, kind: Kind::Gauge, help, labels: OF_SOURCE }
}

/// In the order of [`Known::ALL`].
static KNOWN: [Definition; Known::ALL.len()] = [
    target("swell.target.machine_user", Unit::Ratio, "Share of the processors' time in user mode"),
    target(
        "swell.target.machine_system",
        Unit::Ratio,
        "Share of the processors' time in the kernel, including interrupts",
    ),
    target(
        "swell.target.machine_io_wait",
        Unit::Ratio,
        "Share of the processors' time spent waiting for disks",
    ),
    target(
        "swell.target.machine_steal",
        Unit::Ratio,
        "Share of the processors' time that the hypervisor took",
    ),
    target("swell.target.machine_idle", Unit::Ratio, "Share of the processors' time spent idle"),
    target("swell.target.processors", Unit::Things, "Processors of the machine"),
    target("swell.target.run_queue", Unit::Things, "Threads that run or wait for a processor"),
    target("swell.target.load_average", Unit::Things, "Load average over one minute"),
    target(
        "swell.target.machine_memory_used",
        Unit::Bytes,
        "Memory of the machine that is not available to programs",
    ),
    target("swell.target.machine_memory_total", Unit::Bytes, "Memory of the machine"),
    target(
        "swell.target.process_cpu",
        Unit::Things,
        "Number of processors that the process and its children kept busy",
    ),
    target("swell.target.process_memory", Unit::Bytes, "Memory of the process and its children in RAM"),
    target("swell.target.processes", Unit::Things, "Number of processes: the process and its children"),
    target("swell.target.threads", Unit::Things, "Threads of the process and its children"),
    target("swell.target.user_threads", Unit::Things, "Threads of all processes of the same user"),
    target("swell.target.user_thread_limit", Unit::Things, "Limit of threads for that user"),
    target("swell.target.group_threads", Unit::Things, "Threads in the control group of the process"),
    target("swell.target.group_thread_limit", Unit::Things, "Limit of threads for the control group"),
    target(
        "swell.target.descriptors",
        Unit::Things,
        "Open file descriptors of the process with the most of them",
    ),
    target("swell.target.descriptor_limit", Unit::Things, "Limit of open file descriptors for that process"),
    target("swell.target.established", Unit::Things, "Open TCP connections"),
    target("swell.target.time_wait", Unit::Things, "TCP connections in TIME_WAIT"),
    target("swell.target.close_wait", Unit::Things, "TCP connections that only the other side has closed"),
    target("swell.target.handshakes", Unit::Things, "TCP connections during their handshake"),
    target("swell.target.accept_queue", Unit::Things, "Connections that the process has not accepted yet"),
    target(
        "swell.target.listen_overflows",
        Unit::EventsPerSecond,
        "Connections that found the accept queue full",
    ),
    target(
        "swell.target.listen_drops",
        Unit::EventsPerSecond,
        "Segments that listeners dropped for any reason",
    ),
    target(
        "swell.target.handshakes_dropped",
        Unit::EventsPerSecond,
        "Handshakes that found the handshake queue full",
    ),
    target("swell.target.retransmits", Unit::EventsPerSecond, "Retransmitted TCP segments"),
    target("swell.target.heap_used", Unit::Bytes, "Heap of the JVM in use"),
    target("swell.target.heap_max", Unit::Bytes, "Maximum size of the heap"),
    target(
        "swell.target.heap_after_gc",
        Unit::Ratio,
        "Share of the old generation in use after garbage collections",
    ),
    target("swell.target.gc_time", Unit::Ratio, "Share of time spent in garbage collections"),
    target("swell.target.gc_count", Unit::EventsPerSecond, "Garbage collections"),
    target("swell.target.gc_full_count", Unit::EventsPerSecond, "Garbage collections of the whole heap"),
    target("swell.target.jvm_threads", Unit::Things, "Live threads of the JVM"),
];

const OF_NAME: &[&str] = &["source", "name"];

static OTHER: Definition = Definition {
    labels: OF_NAME,
    ..target("swell.target.other", Unit::Own, "A figure of an exporter, with the exporter's name and unit")
};
static OTHER_RATE: Definition = Definition {
    labels: OF_NAME,
    ..target(
        "swell.target.other_rate",
        Unit::EventsPerSecond,
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
                reading::Unit::Share => Unit::Ratio,
                reading::Unit::Count => Unit::Things,
                reading::Unit::Bytes => Unit::Bytes,
                reading::Unit::PerS => Unit::EventsPerSecond,
                reading::Unit::Own => Unit::Own,
            };
            assert_eq!(definition.unit, unit, "{}", definition.otlp);
            assert!(definitions().nth(place_of(&figure)).is_some_and(|one| std::ptr::eq(one, definition)));
        }
    }
}

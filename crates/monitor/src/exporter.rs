//! Figures of a Prometheus exporter: those of node exporter, JMX exporter and other libraries for
//! JVMs, with Swell's names, and others that the user names.

use std::sync::Arc;
use std::time::Duration;

use swell_connect::{TlsConfig, machine_roots};
use swell_fetch::{BodyLimit, Client, Limits, Request};
use swell_stats::Reading;
use swell_stats::reading::{Figure, Known};

use crate::exposition::{self, Exposition, Sample};
use crate::rise::Rises;
use crate::source::is_match;

/// Maximum size of a page.
const LARGEST: u64 = 32 << 20;

/// Figures that are named by a pattern, at most.
const MOST_NAMED: usize = 100;

/// A scrape may take so long; Prometheus' own default.
const PATIENCE: Duration = Duration::from_secs(10);

/// Figures that are values of a name as they are.
const GAUGES: [(&str, Known); 8] = [
    ("node_procs_running", Known::RunQueue),
    ("node_load1", Known::LoadAverage),
    ("node_netstat_Tcp_CurrEstab", Known::Established),
    ("node_sockstat_TCP_tw", Known::TimeWait),
    // Names of client_java, then of Micrometer.
    ("jvm_threads_current", Known::JvmThreads),
    ("jvm_threads_live_threads", Known::JvmThreads),
    ("jvm_threads_live", Known::JvmThreads),
    ("node_memory_MemTotal_bytes", Known::MachineMemoryTotal),
];

/// Figures that are rises of a name a second.
const RATES: [(&str, Known); 4] = [
    ("node_netstat_TcpExt_ListenOverflows", Known::ListenOverflows),
    ("node_netstat_TcpExt_ListenDrops", Known::ListenDrops),
    ("node_netstat_TcpExt_TCPReqQFullDrop", Known::HandshakesDropped),
    ("node_netstat_Tcp_RetransSegs", Known::Retransmits),
];

/// What a process reports about itself. Node exporter does, too, and is not under test.
const OF_PROCESS: [(&str, Known); 3] = [
    ("process_resident_memory_bytes", Known::ProcessMemory),
    ("process_open_fds", Known::Descriptors),
    ("process_max_fds", Known::DescriptorLimit),
];

/// Converts pages of one exporter to readings, without network access.
pub struct Mapping {
    source: Arc<str>,
    matching: Option<String>,
    rises: Rises<String>,
    /// The heap after the last collections has no maximum here.
    heap_max: f64,
}

impl Mapping {
    /// A page of an exporter of that name, with figures that match the pattern in addition to the
    /// known ones.
    pub fn new(source: Arc<str>, matching: Option<String>) -> Self {
        Self { source, matching, rises: Rises::default(), heap_max: 0.0 }
    }

    /// The figures of a page that was fetched at this time, in seconds on any clock.
    ///
    /// # Errors
    /// It is no page of an exporter.
    pub fn readings(&mut self, page: &str, at_s: f64) -> Result<Vec<Reading>, String> {
        let page = exposition::read(page);
        if page.samples.is_empty() {
            return Err(
                "the response is not from a Prometheus exporter: no line has a name and a number".to_owned()
            );
        }
        let seconds = self.rises.begin(at_s).unwrap_or(1.0);
        let mut found = ExporterValues { readings: Vec::new(), source: self.source.clone(), seconds };
        let rises = &mut self.rises;
        let mut rise = |name: &str, count: f64| rises.per_s(name.to_owned(), count);
        machine(&page, &mut rise, &mut found);
        process(&page, &mut rise, &mut found);
        java(&page, &mut rise, &mut self.heap_max, &mut found);
        if let Some(pattern) = &self.matching {
            named(&page, pattern, &mut rise, &mut found);
        }
        Ok(found.readings)
    }
}

struct ExporterValues {
    readings: Vec<Reading>,
    source: Arc<str>,
    seconds: f64,
}

impl ExporterValues {
    fn add(&mut self, known: Known, value: Option<f64>) {
        self.put(Figure::Known(known), value);
    }

    fn put(&mut self, figure: Figure, value: Option<f64>) {
        let value = value.filter(|value| value.is_finite());
        self.readings.extend(value.map(|value| Reading {
            source: self.source.clone(),
            figure,
            value,
            seconds: self.seconds,
        }));
    }
}

type Rise<'r> = &'r mut dyn FnMut(&str, f64) -> Option<f64>;

/// The sum of all samples of a name that are wanted; none if there is none.
fn sum(page: &Exposition<'_>, name: &str, is_wanted: impl Fn(&Sample<'_>) -> bool) -> Option<f64> {
    let own = page.samples.iter().filter(|sample| sample.name == name && is_wanted(sample));
    own.map(|sample| sample.value).reduce(|all, next| all + next)
}

fn any(_: &Sample<'_>) -> bool {
    true
}

fn machine(page: &Exposition<'_>, rise: Rise<'_>, found: &mut ExporterValues) {
    const CPU: &str = "node_cpu_seconds_total";
    let of = |modes: &[&str]| sum(page, CPU, |sample| modes.contains(&sample.label("mode")));
    let parts = [
        (Known::MachineUser, of(&["user", "nice"])),
        (Known::MachineSystem, of(&["system", "irq", "softirq"])),
        (Known::MachineIoWait, of(&["iowait"])),
        (Known::MachineSteal, of(&["steal"])),
        (Known::MachineIdle, of(&["idle"])),
    ];
    let parts = parts.map(|(known, all)| (known, all.and_then(|all| rise(known.name(), all))));
    let all: f64 = parts.iter().filter_map(|(_, per_s)| *per_s).sum();
    for (known, per_s) in parts {
        found.add(known, per_s.filter(|_| all > 0.0).map(|per_s| per_s / all));
    }
    let processors = sum(page, CPU, |sample| sample.label("mode") == "idle").map(|_| {
        page.samples.iter().filter(|sample| sample.name == CPU && sample.label("mode") == "idle").count()
            as f64
    });
    found.add(Known::Processors, processors);
    for (name, known) in GAUGES {
        found.add(known, sum(page, name, any));
    }
    for (name, known) in RATES {
        found.add(known, sum(page, name, any).and_then(|count| rise(name, count)));
    }
    let memory = |name| sum(page, name, any);
    let used = memory("node_memory_MemTotal_bytes").zip(memory("node_memory_MemAvailable_bytes"));
    found.add(Known::MachineMemoryUsed, used.map(|(total, available)| total - available));
}

fn process(page: &Exposition<'_>, rise: Rise<'_>, found: &mut ExporterValues) {
    if page.samples.iter().any(|sample| sample.name == "node_cpu_seconds_total") {
        return;
    }
    let cpu = sum(page, "process_cpu_seconds_total", any);
    found.add(Known::ProcessCpu, cpu.and_then(|cpu| rise("process_cpu_seconds_total", cpu)));
    for (name, known) in OF_PROCESS {
        found.add(known, sum(page, name, any));
    }
}

/// Names of client_java before and from 1.0 on, and of Micrometer.
fn java(page: &Exposition<'_>, rise: Rise<'_>, heap_max: &mut f64, found: &mut ExporterValues) {
    let is_heap = |sample: &Sample<'_>| sample.label("area") == "heap" && sample.value >= 0.0;
    let either = |names: &[&str], is_wanted: &dyn Fn(&Sample<'_>) -> bool| {
        names.iter().find_map(|name| sum(page, name, is_wanted))
    };
    found.add(Known::HeapUsed, either(&["jvm_memory_used_bytes", "jvm_memory_bytes_used"], &is_heap));
    let max = either(&["jvm_memory_max_bytes", "jvm_memory_bytes_max"], &is_heap).filter(|max| *max > 0.0);
    *heap_max = max.unwrap_or(*heap_max);
    found.add(Known::HeapMax, max);
    let is_old = |sample: &Sample<'_>| {
        ["Old", "Tenured", "ZHeap", "Shenandoah"].iter().any(|part| sample.label("pool").contains(part))
    };
    let pools = ["jvm_memory_pool_collection_used_bytes", "jvm_memory_pool_collection_bytes_used"];
    let left = either(&pools, &is_old).or_else(|| either(&["jvm_gc_live_data_size_bytes"], &any));
    // The heap is full when the old generation is. A generation that may use the whole heap has no
    // separate limit.
    let maxima = ["jvm_memory_pool_max_bytes", "jvm_memory_pool_bytes_max"];
    let room = either(&maxima, &is_old).or_else(|| either(&["jvm_gc_max_data_size_bytes"], &any));
    let room = room.filter(|room| *room > 0.0).unwrap_or(*heap_max);
    found.add(Known::HeapAfterGc, left.filter(|_| room > 0.0).map(|left| left / room));
    let is_full = |sample: &Sample<'_>| {
        let gc = sample.label("gc");
        let old = ["Old", "MarkSweep", "Full"].iter().any(|part| gc.contains(part));
        old || sample.label("action").contains("major")
    };
    let times = ["jvm_gc_collection_seconds_sum", "jvm_gc_pause_seconds_sum"];
    let counts = ["jvm_gc_collection_seconds_count", "jvm_gc_pause_seconds_count"];
    for (known, all) in [
        (Known::GcTime, either(&times, &any)),
        (Known::GcCount, either(&counts, &any)),
        (Known::GcFullCount, either(&counts, &is_full)),
    ] {
        found.add(known, all.and_then(|all| rise(known.name(), all)));
    }
}

fn named(page: &Exposition<'_>, pattern: &str, rise: Rise<'_>, found: &mut ExporterValues) {
    let wanted = page.samples.iter().filter(|sample| is_match(pattern, sample.name));
    for sample in wanted.take(MOST_NAMED) {
        let mut name = sample.name.to_owned();
        if !sample.labels.is_empty() {
            let labels: Vec<_> =
                sample.labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
            name = format!("{name}{{{}}}", labels.join(","));
        }
        let is_rate = page.is_counter(sample.name);
        let value = if is_rate { rise(&name, sample.value) } else { Some(sample.value) };
        found.put(Figure::Named { name: name.into(), is_rate }, value);
    }
}

/// Fetches a text of at most 32 MB by http or https within 10 s.
///
/// # Errors
/// What went wrong.
pub fn fetch(url: &str) -> Result<String, String> {
    get(&client(), url)
}

fn client() -> Client {
    let limits = Limits {
        connect: PATIENCE,
        silence: PATIENCE,
        total: PATIENCE,
        body: BodyLimit::Refuse(LARGEST),
        redirects: 3,
    };
    Client::new(limits, Some(TlsConfig::trusting(&machine_roots()))).with_proxies()
}

fn get(client: &Client, url: &str) -> Result<String, String> {
    let answer = client.send(Request::get(url)).map_err(|error| error.to_string())?;
    if !answer.is_success() {
        return Err(answer.status_line);
    }
    Ok(String::from_utf8_lossy(&answer.body).into_owned())
}

/// Fetches pages of an exporter.
pub(crate) struct Exporter {
    url: String,
    client: Client,
    mapping: Mapping,
}

impl Exporter {
    pub(crate) fn new(url: &str, matching: Option<String>) -> Self {
        let source = url::Url::parse(url).ok().and_then(|url| {
            let host = url.host_str()?.to_owned();
            Some(url.port().map_or_else(|| host.clone(), |port| format!("{host}:{port}")))
        });
        let source = source.unwrap_or_else(|| url.to_owned()).into();
        Self { url: url.to_owned(), client: client(), mapping: Mapping::new(source, matching) }
    }

    /// The figures since the last look.
    ///
    /// # Errors
    /// It cannot be fetched in time, or is no page of an exporter.
    pub(crate) fn look(&mut self, clock: impl Fn() -> f64) -> Result<Vec<Reading>, String> {
        let page = get(&self.client, &self.url)?;
        self.mapping.readings(&page, clock())
    }

    /// Whether the user has named figures: then there need not be one that is known.
    pub(crate) fn pattern(&self) -> Option<&str> {
        self.mapping.matching.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(all: &[Reading], known: Known) -> Option<f64> {
        Reading::mean_of(all, known).map(|value| (value * 1e6).round() / 1e6)
    }

    fn node(user: f64, idle: f64, drops: u64) -> String {
        format!(
            "# TYPE node_cpu_seconds_total counter\n\
             node_cpu_seconds_total{{cpu=\"0\",mode=\"user\"}} {user}\nnode_cpu_seconds_total{{cpu=\"1\",mode=\"user\"}} 7\n\
             node_cpu_seconds_total{{cpu=\"0\",mode=\"idle\"}} {idle}\nnode_cpu_seconds_total{{cpu=\"1\",mode=\"idle\"}} 0\n\
             node_load1 1.5\nnode_memory_MemTotal_bytes 1e9\nnode_memory_MemAvailable_bytes 2.5e8\n\
             node_netstat_TcpExt_ListenDrops {drops}\nprocess_resident_memory_bytes 5\n"
        )
    }

    #[test]
    fn node_exporter_tells_of_its_machine_and_not_of_itself() {
        let mut mapping = Mapping::new("h:9100".into(), None);
        let first = mapping.readings(&node(10.0, 100.0, 3), 1.0).expect("a page");
        assert_eq!((of(&first, Known::MachineUser), of(&first, Known::LoadAverage)), (None, Some(1.5)));
        assert_eq!(
            (of(&first, Known::Processors), of(&first, Known::MachineMemoryUsed)),
            (Some(2.0), Some(7.5e8))
        );
        assert_eq!(of(&first, Known::ProcessMemory), None);
        let second = mapping.readings(&node(11.0, 103.0, 13), 3.0).expect("a page");
        assert_eq!(
            (of(&second, Known::MachineUser), of(&second, Known::MachineIdle)),
            (Some(0.25), Some(0.75))
        );
        assert_eq!((of(&second, Known::ListenDrops), &*second[0].source), (Some(5.0), "h:9100"));
    }

    #[test]
    fn jvms_of_either_library_tell_the_same() {
        let client = |gc: f64| {
            format!(
                "jvm_memory_bytes_used{{area=\"heap\",}} 600\njvm_memory_bytes_used{{area=\"nonheap\",}} 50\n\
                 jvm_memory_bytes_max{{area=\"heap\",}} 1000\njvm_memory_bytes_max{{area=\"nonheap\",}} -1\n\
                 jvm_memory_pool_collection_used_bytes{{pool=\"G1 Old Gen\",}} 400\n\
                 jvm_gc_collection_seconds_sum{{gc=\"G1 Young Generation\",}} {gc}\n\
                 jvm_gc_collection_seconds_count{{gc=\"G1 Young Generation\",}} 10\n\
                 jvm_gc_collection_seconds_count{{gc=\"G1 Old Generation\",}} {gc}\n\
                 jvm_threads_current 33\nprocess_cpu_seconds_total {gc}\n"
            )
        };
        let micrometer = |gc: f64| {
            format!(
                "jvm_memory_used_bytes{{area=\"heap\",id=\"Eden\"}} 200\njvm_memory_used_bytes{{area=\"heap\",id=\"Old\"}} 400\n\
                 jvm_memory_max_bytes{{area=\"heap\",id=\"Eden\"}} -1\njvm_memory_max_bytes{{area=\"heap\",id=\"Old\"}} 1000\n\
                 jvm_gc_live_data_size_bytes 400\njvm_gc_pause_seconds_sum{{action=\"end of minor GC\"}} {gc}\n\
                 jvm_gc_pause_seconds_count{{action=\"end of major GC\"}} {gc}\njvm_threads_live_threads 33\nprocess_cpu_seconds_total {gc}\n"
            )
        };
        for page in [&client as &dyn Fn(f64) -> String, &micrometer] {
            let mut mapping = Mapping::new("h".into(), None);
            mapping.readings(&page(1.0), 0.0).expect("a page");
            let all = mapping.readings(&page(1.4), 2.0).expect("a page");
            let found =
                [Known::HeapUsed, Known::HeapMax, Known::HeapAfterGc, Known::GcTime, Known::GcFullCount]
                    .map(|known| of(&all, known));
            assert_eq!(found, [Some(600.0), Some(1000.0), Some(0.4), Some(0.2), Some(0.2)]);
            assert_eq!((of(&all, Known::JvmThreads), of(&all, Known::ProcessCpu)), (Some(33.0), Some(0.2)));
        }
    }

    #[test]
    fn a_heap_is_as_full_as_its_old_generation() {
        let client = "jvm_memory_bytes_max{area=\"heap\",} 1000\njvm_memory_pool_bytes_max{pool=\"Tenured Gen\",} 500\n\
                      jvm_memory_pool_collection_used_bytes{pool=\"Tenured Gen\",} 400\n";
        let micrometer = "jvm_memory_max_bytes{area=\"heap\",id=\"Old\"} 1000\njvm_gc_max_data_size_bytes 500\n\
                          jvm_gc_live_data_size_bytes 400\n";
        for page in [client, micrometer] {
            let found = Mapping::new("h".into(), None).readings(page, 0.0).expect("a page");
            assert_eq!(of(&found, Known::HeapAfterGc), Some(0.8), "{page}");
        }
    }

    #[test]
    fn figures_that_the_user_names_are_rates_where_they_count() {
        let page = |count| {
            format!(
                "# TYPE t_total counter\nt_total{{a=\"b\"}} {count}\npool_active 5\npool_max +Inf\nother 1\n"
            )
        };
        let mut mapping = Mapping::new("h".into(), Some("t_*|pool*".to_owned()));
        mapping.readings(&page(10), 0.0).expect("a page");
        let all = mapping.readings(&page(16), 2.0).expect("a page");
        let told: Vec<_> = all.iter().map(|one| (one.figure.name(), one.value)).collect();
        assert_eq!(told, [("t_total{a=b}", 3.0), ("pool_active", 5.0)]);
    }

    #[test]
    fn a_page_of_something_else_is_an_error() {
        let told = Mapping::new("h".into(), None).readings("<html>\n<p>no</p>", 0.0).expect_err("it is none");
        assert!(told.contains("not from a Prometheus exporter"), "{told}");
    }
}

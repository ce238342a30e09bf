//! Heap, garbage collections and threads of a JVM on this machine, as shown by `jstat -gc`.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use swell_stats::Reading;
use swell_stats::reading::Known;

use crate::kernel::line_number;
use crate::perf_data::PerfData;
use crate::rise::Rises;

/// Maximum size of a file of counters.
const LARGEST: u64 = 4 << 20;

/// Observes a JVM.
pub(crate) struct JvmLook {
    path: PathBuf,
    rises: Rises<Known>,
}

impl JvmLook {
    /// None if the process is not a JVM, or has no counters (`-XX:-UsePerfData`).
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let path = path_of(pid)?;
        Some(Self { path, rises: Rises::default() })
    }

    /// The figures since the last look.
    pub(crate) fn look(&mut self, source: &Arc<str>, at_s: f64) -> Result<Vec<Reading>, String> {
        let failed = |why: &str| format!("cannot read `{}`: {why}", self.path.display());
        let length = fs::metadata(&self.path).map_err(|error| failed(&error.to_string()))?.len();
        if length > LARGEST {
            return Err(failed("the file is too large for JVM performance counters"));
        }
        let bytes = fs::read(&self.path).map_err(|error| failed(&error.to_string()))?;
        let data = PerfData::read(&bytes).map_err(failed)?;
        Ok(self.readings(&data, source, at_s))
    }

    fn readings(&mut self, data: &PerfData, source: &Arc<str>, at_s: f64) -> Vec<Reading> {
        let seconds = self.rises.begin(at_s);
        let mut found = Vec::new();
        let mut add = |known, value| found.push(Reading::new(source, known, value, seconds.unwrap_or(1.0)));
        let heap = Heap::of(data);
        if let Some(heap) = heap {
            add(Known::HeapUsed, heap.used);
            if heap.max > 0.0 {
                add(Known::HeapMax, heap.max);
            }
            if heap.room > 0.0 {
                add(Known::HeapAfterGc, heap.after_gc / heap.room);
            }
        }
        if let Some(threads) = data.long("java.threads.live") {
            add(Known::JvmThreads, threads as f64);
        }
        let gc = Collections::of(data);
        for (known, count) in
            [(Known::GcTime, gc.seconds), (Known::GcCount, gc.count), (Known::GcFullCount, gc.full)]
        {
            if let Some(per_s) = self.rises.per_s(known, count) {
                add(known, per_s);
            }
        }
        found
    }
}

/// The file of a process, in its own file system if it has one.
fn path_of(pid: u32) -> Option<PathBuf> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    // A JVM that was killed leaves its file, and its number may be another's by now: the process
    // must have the file in its memory.
    if !fs::read_to_string(format!("/proc/{pid}/maps")).ok()?.contains("/hsperfdata_") {
        return None;
    }
    // In a container it has a different number; the last one is the innermost.
    let inner = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    let inner = inner.and_then(|pids| pids.split_whitespace().last()).unwrap_or_default().to_owned();
    debug_assert!(line_number(&status, "Threads").is_some());
    let folders = [(format!("/proc/{pid}/root/tmp"), inner), ("/tmp".to_owned(), pid.to_string())];
    folders.into_iter().find_map(|(folder, name)| {
        let entries = fs::read_dir(folder).ok()?.filter_map(Result::ok);
        let users = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("hsperfdata_"));
        users.map(|entry| entry.path().join(&name)).find(|path| path.is_file())
    })
}

/// The heap, in bytes.
struct Heap {
    used: f64,
    max: f64,
    /// What the last collections left, in the generations that objects grow old in.
    after_gc: f64,
    /// How much those may have. The heap is full when they are, however much the young generation
    /// has.
    room: f64,
}

impl Heap {
    /// Generations are numbered from 0, and spaces within each. Generation 0 is the young one, and
    /// its space 0 is where objects are created, unless there is no other generation.
    fn of(data: &PerfData) -> Option<Self> {
        let of = |generation: usize, rest: &str| {
            data.long(&format!("sun.gc.generation.{generation}.{rest}")).map(|bytes| bytes.max(0) as f64)
        };
        let space = |generation, space: usize| of(generation, &format!("space.{space}.used"));
        let used_of = |generation: usize| (0..8).map_while(|number| space(generation, number)).sum::<f64>();
        space(0, 0)?;
        let maxima: Vec<_> = (0..8).map_while(|number| of(number, "maxCapacity")).collect();
        let generations = maxima.len();
        // Collectors that move borders between generations (G1) say of each that it may be the
        // whole heap.
        let is_shared = maxima.len() > 1 && maxima.iter().all(|max| is_near(*max, maxima[0]));
        let used = (0..generations).map(used_of).sum::<f64>();
        let max = if is_shared { maxima[0] } else { maxima.iter().sum() };
        let (after_gc, room) = match generations {
            _ if is_shared => (used - space(0, 0).unwrap_or(0.0), max),
            0 | 1 => (used, max),
            _ => ((1..generations).map(used_of).sum(), maxima[1..].iter().sum()),
        };
        Some(Self { used, max, after_gc, room })
    }
}

/// G1 adds a little to what it says of the young generation.
fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 0.001 * a.max(b)
}

/// Garbage collections since the start of the JVM.
#[derive(Default)]
struct Collections {
    count: f64,
    full: f64,
    seconds: f64,
}

impl Collections {
    fn of(data: &PerfData) -> Self {
        let per_s =
            data.long("sun.os.hrt.frequency").filter(|ticks| *ticks > 0).unwrap_or(1_000_000_000) as f64;
        let mut all = Self::default();
        for collector in 0..8 {
            let of =
                |what| data.long(&format!("sun.gc.collector.{collector}.{what}")).map(|number| number as f64);
            let (Some(count), Some(ticks)) = (of("invocations"), of("time")) else { continue };
            all.count += count;
            all.seconds += ticks / per_s;
            // `jstat` calls 0 the young one (YGC), 1 the full one (FGC), and 2 the concurrent one
            // (CGC).
            if collector == 1 {
                all.full += count;
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf_data::tests::file;

    const SERIAL: [(&str, i64); 12] = [
        ("sun.gc.generation.0.maxCapacity", 40),
        ("sun.gc.generation.0.space.0.used", 30),
        ("sun.gc.generation.0.space.1.used", 2),
        ("sun.gc.generation.0.space.2.used", 0),
        ("sun.gc.generation.1.maxCapacity", 60),
        ("sun.gc.generation.1.space.0.used", 28),
        ("sun.gc.collector.0.invocations", 5),
        ("sun.gc.collector.0.time", 2000),
        ("sun.gc.collector.1.invocations", 1),
        ("sun.gc.collector.1.time", 500),
        ("sun.os.hrt.frequency", 1000),
        ("java.threads.live", 17),
    ];

    fn of(all: &[Reading], known: Known) -> Option<f64> {
        Reading::mean_of(all, known)
    }

    #[test]
    fn heap_and_collections_are_those_of_jstat() {
        let mut look = JvmLook { path: PathBuf::new(), rises: Rises::default() };
        let source = "jvm".into();
        let data = PerfData::read(&file(&SERIAL, &[], true)).expect("counters");
        let first = look.readings(&data, &source, 10.0);
        assert_eq!((of(&first, Known::HeapUsed), of(&first, Known::HeapMax)), (Some(60.0), Some(100.0)));
        assert_eq!(of(&first, Known::HeapAfterGc), Some(28.0 / 60.0), "of the old generation");
        assert_eq!(of(&first, Known::JvmThreads), Some(17.0));
        assert_eq!(of(&first, Known::GcTime), None, "there was no look before");
        let mut later = SERIAL;
        (later[6].1, later[7].1) = (9, 3000);
        let data = PerfData::read(&file(&later, &[], true)).expect("counters");
        let second = look.readings(&data, &source, 12.0);
        let rises = [Known::GcTime, Known::GcCount, Known::GcFullCount].map(|known| of(&second, known));
        assert_eq!(rises, [Some(0.5), Some(2.0), Some(0.0)]);
    }

    #[test]
    fn generations_that_may_each_be_the_whole_heap_are_one_heap() {
        let g1 = [
            ("sun.gc.generation.0.maxCapacity", 1_000_024),
            ("sun.gc.generation.0.space.0.used", 300_000),
            ("sun.gc.generation.1.maxCapacity", 1_000_008),
            ("sun.gc.generation.1.space.0.used", 200_000),
        ];
        let heap = Heap::of(&PerfData::read(&file(&g1, &[], true)).expect("counters")).expect("a heap");
        assert_eq!((heap.used as i64, heap.max as i64, heap.after_gc as i64), (500_000, 1_000_024, 200_000));
        assert_eq!(heap.room as i64, 1_000_024);
        let z = [("sun.gc.generation.0.maxCapacity", 100), ("sun.gc.generation.0.space.0.used", 30)];
        let heap = Heap::of(&PerfData::read(&file(&z, &[], true)).expect("counters")).expect("a heap");
        assert_eq!((heap.used as i64, heap.after_gc as i64), (30, 30));
        assert!(Heap::of(&PerfData::default()).is_none());
    }
}

//! Figures of the machine and the processes under test over the time of the run, read by
//! `--monitor`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A figure of a source over some time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Whose figure it is: `machine`, `port 8080`, `pid 4711`, the address of an exporter.
    pub source: Arc<str>,
    /// What it is.
    pub figure: Figure,
    /// How much, in the unit of the figure: the mean over the time.
    pub value: f64,
    /// The time it is the mean over, in seconds.
    pub seconds: f64,
}

/// The kind of a figure. The order is that of the encoding: new ones are appended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Figure {
    /// A figure of an exporter with a different name.
    Named {
        /// As the exporter writes it, with its labels.
        name: Arc<str>,
        /// A count that only grows, of which this is the rise a second.
        is_rate: bool,
    },
    /// One that every source of its kind has alike.
    Known(Known),
}

/// Figures named by Swell. The order is that of the encoding: new ones are appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Known {
    /// Share of the time of all processors in user mode.
    MachineUser,
    /// Share of the time of all processors in the kernel, interrupts among it.
    MachineSystem,
    /// Share of the time of all processors in which they waited for disks.
    MachineIoWait,
    /// Share of the time of all processors that the hypervisor took.
    MachineSteal,
    /// Share of the time of all processors in which they did nothing.
    MachineIdle,
    /// Processors of the machine.
    Processors,
    /// Threads that run or wait for a processor.
    RunQueue,
    /// The kernel's load average of a minute.
    LoadAverage,
    /// Memory of the machine that is not available to programs.
    MachineMemoryUsed,
    /// Memory of the machine.
    MachineMemoryTotal,
    /// Processors that the process and its children kept busy.
    ProcessCpu,
    /// Memory of the process and its children in RAM; what they share counts for each.
    ProcessMemory,
    /// Processes: the one that is watched and its children.
    Processes,
    /// Threads of the process and its children.
    Threads,
    /// Threads of all processes of the same user.
    UserThreads,
    /// How many threads that user may have (`Max processes`), or the machine, whichever is less.
    UserThreadLimit,
    /// Threads in the control group of the process.
    GroupThreads,
    /// How many there may be (`pids.max`).
    GroupThreadLimit,
    /// Descriptors that the process with the most of them has open.
    Descriptors,
    /// How many it may have open.
    DescriptorLimit,
    /// TCP connections that are open.
    Established,
    /// TCP connections in `TIME_WAIT`.
    TimeWait,
    /// TCP connections that the other side has closed and this side has not.
    CloseWait,
    /// TCP connections in a handshake.
    Handshakes,
    /// Connections in the listener's queue that the process has not accepted yet.
    AcceptQueue,
    /// Connections a second that found the accept queue full (`ListenOverflows`).
    ListenOverflows,
    /// Segments a second that listeners dropped for any reason (`ListenDrops`).
    ListenDrops,
    /// Handshakes a second that found the queue of handshakes full (`TCPReqQFullDrop`).
    HandshakesDropped,
    /// Segments sent again, a second.
    Retransmits,
    /// Heap of the JVM in use.
    HeapUsed,
    /// The most that the heap can grow to.
    HeapMax,
    /// Share of the old generation, or of a heap without one, that is in use after garbage
    /// collections.
    HeapAfterGc,
    /// Share of the time that went into garbage collections.
    GcTime,
    /// Garbage collections a second.
    GcCount,
    /// Garbage collections of the whole heap a second.
    GcFullCount,
    /// Live threads of the JVM.
    JvmThreads,
}

/// The unit of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A share, 0..=1.
    Share,
    /// Whole things.
    Count,
    /// Bytes.
    Bytes,
    /// Events a second.
    PerS,
    /// What the exporter's name says.
    Own,
}

/// Groups of figures that a page shows together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Shares of the processors' time.
    Cpu,
    /// Processors in use.
    Processors,
    /// Threads that want a processor.
    Queue,
    /// Memory of processes.
    Memory,
    /// Memory of machines.
    MachineMemory,
    /// Threads, and how many there may be.
    Threads,
    /// Descriptors, and how many there may be.
    Descriptors,
    /// Sockets by their states.
    Sockets,
    /// Connections that were turned away.
    TurnedAway,
    /// Shares of heap and time.
    Gc,
    /// Collections a second.
    Collections,
    /// Figures of exporters.
    Named,
}

impl Group {
    /// The title of its chart.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cpu => "Target: processor time",
            Self::Processors => "Target: processors in use",
            Self::Queue => "Target: runnable threads",
            Self::Memory => "Target: memory",
            Self::MachineMemory => "Target: memory of the machine",
            Self::Threads => "Target: threads",
            Self::Descriptors => "Target: descriptors",
            Self::Sockets => "Target: sockets",
            Self::TurnedAway => "Target: rejected per second",
            Self::Gc => "Target: heap and garbage collection time",
            Self::Collections => "Target: garbage collections per second",
            Self::Named => "Target: other figures",
        }
    }
}

impl Known {
    /// All of them, in the order of the encoding.
    pub const ALL: [Self; 36] = [
        Self::MachineUser,
        Self::MachineSystem,
        Self::MachineIoWait,
        Self::MachineSteal,
        Self::MachineIdle,
        Self::Processors,
        Self::RunQueue,
        Self::LoadAverage,
        Self::MachineMemoryUsed,
        Self::MachineMemoryTotal,
        Self::ProcessCpu,
        Self::ProcessMemory,
        Self::Processes,
        Self::Threads,
        Self::UserThreads,
        Self::UserThreadLimit,
        Self::GroupThreads,
        Self::GroupThreadLimit,
        Self::Descriptors,
        Self::DescriptorLimit,
        Self::Established,
        Self::TimeWait,
        Self::CloseWait,
        Self::Handshakes,
        Self::AcceptQueue,
        Self::ListenOverflows,
        Self::ListenDrops,
        Self::HandshakesDropped,
        Self::Retransmits,
        Self::HeapUsed,
        Self::HeapMax,
        Self::HeapAfterGc,
        Self::GcTime,
        Self::GcCount,
        Self::GcFullCount,
        Self::JvmThreads,
    ];

    /// Its name in files and on the page, group, unit, and whether it is a limit of others.
    fn row(self) -> (&'static str, Group, Unit) {
        use Group::{
            Collections, Cpu, Descriptors, Gc, MachineMemory, Memory, Processors, Queue, Sockets, Threads,
            TurnedAway,
        };
        use Unit::{Bytes, Count, PerS, Share};
        match self {
            Self::MachineUser => ("machine_user", Cpu, Share),
            Self::MachineSystem => ("machine_system", Cpu, Share),
            Self::MachineIoWait => ("machine_io_wait", Cpu, Share),
            Self::MachineSteal => ("machine_steal", Cpu, Share),
            Self::MachineIdle => ("machine_idle", Cpu, Share),
            Self::Processors => ("processors", Processors, Count),
            Self::RunQueue => ("run_queue", Queue, Count),
            Self::LoadAverage => ("load_average", Queue, Count),
            Self::MachineMemoryUsed => ("machine_memory_used", MachineMemory, Bytes),
            Self::MachineMemoryTotal => ("machine_memory_total", MachineMemory, Bytes),
            Self::ProcessCpu => ("process_cpu", Processors, Count),
            Self::ProcessMemory => ("process_memory", Memory, Bytes),
            Self::Processes => ("processes", Threads, Count),
            Self::Threads => ("threads", Threads, Count),
            Self::UserThreads => ("user_threads", Threads, Count),
            Self::UserThreadLimit => ("user_thread_limit", Threads, Count),
            Self::GroupThreads => ("group_threads", Threads, Count),
            Self::GroupThreadLimit => ("group_thread_limit", Threads, Count),
            Self::Descriptors => ("descriptors", Descriptors, Count),
            Self::DescriptorLimit => ("descriptor_limit", Descriptors, Count),
            Self::Established => ("established", Sockets, Count),
            Self::TimeWait => ("time_wait", Sockets, Count),
            Self::CloseWait => ("close_wait", Sockets, Count),
            Self::Handshakes => ("handshakes", Sockets, Count),
            Self::AcceptQueue => ("accept_queue", Sockets, Count),
            Self::ListenOverflows => ("listen_overflows", TurnedAway, PerS),
            Self::ListenDrops => ("listen_drops", TurnedAway, PerS),
            Self::HandshakesDropped => ("handshakes_dropped", TurnedAway, PerS),
            Self::Retransmits => ("retransmits", TurnedAway, PerS),
            Self::HeapUsed => ("heap_used", Memory, Bytes),
            Self::HeapMax => ("heap_max", Memory, Bytes),
            Self::HeapAfterGc => ("heap_after_gc", Gc, Share),
            Self::GcTime => ("gc_time", Gc, Share),
            Self::GcCount => ("gc_count", Collections, PerS),
            Self::GcFullCount => ("gc_full_count", Collections, PerS),
            Self::JvmThreads => ("jvm_threads", Threads, Count),
        }
    }

    /// Its name in files and on the page.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The figure of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }

    /// Whether it is how much there may be of another figure of its group.
    pub fn is_limit(self) -> bool {
        matches!(
            self,
            Self::Processors
                | Self::MachineMemoryTotal
                | Self::UserThreadLimit
                | Self::GroupThreadLimit
                | Self::DescriptorLimit
                | Self::HeapMax
        )
    }
}

impl Figure {
    /// Its name; that of a rate of an exporter is the name of its count.
    pub fn name(&self) -> &str {
        match self {
            Self::Named { name, .. } => name,
            Self::Known(known) => known.name(),
        }
    }

    /// What it belongs to.
    pub fn group(&self) -> Group {
        match self {
            Self::Named { .. } => Group::Named,
            Self::Known(known) => known.row().1,
        }
    }

    /// What its value counts.
    pub fn unit(&self) -> Unit {
        match self {
            Self::Named { is_rate: true, .. } => Unit::PerS,
            Self::Named { is_rate: false, .. } => Unit::Own,
            Self::Known(known) => known.row().2,
        }
    }

    /// Whether it is how much there may be of another figure of its group.
    pub fn is_limit(&self) -> bool {
        matches!(self, Self::Known(known) if known.is_limit())
    }
}

impl Reading {
    /// A figure of Swell.
    pub fn new(source: &Arc<str>, known: Known, value: f64, seconds: f64) -> Self {
        Self { source: source.clone(), figure: Figure::Known(known), value, seconds }
    }

    /// The mean value of a figure over all readings of it, whichever source has it; none if no
    /// source does.
    pub fn mean_of<'a>(readings: impl IntoIterator<Item = &'a Self>, known: Known) -> Option<f64> {
        let wanted = Figure::Known(known);
        let mut sums = (0.0, 0.0);
        for reading in readings.into_iter().filter(|reading| reading.figure == wanted) {
            sums = (sums.0 + reading.value * reading.seconds, sums.1 + reading.seconds);
        }
        (sums.1 > 0.0).then(|| sums.0 / sums.1)
    }

    /// Merges readings of another time into these: means over both times.
    pub fn merge(all: &mut Vec<Self>, others: &[Self]) {
        for other in others {
            match all.iter_mut().find(|one| one.figure == other.figure && one.source == other.source) {
                Some(one) => one.add(other),
                None => all.push(other.clone()),
            }
        }
    }

    fn add(&mut self, other: &Self) {
        let seconds = self.seconds + other.seconds;
        // Damaged or foreign numbers do not become a panic, and what has no length has no weight.
        if seconds > 0.0 {
            self.value = (self.value * self.seconds + other.value * other.seconds) / seconds;
        }
        self.seconds = seconds;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(source: &str, known: Known, value: f64, seconds: f64) -> Reading {
        Reading::new(&source.into(), known, value, seconds)
    }

    #[test]
    fn readings_merge_to_the_mean_over_their_time_in_any_grouping() {
        let parts = [(2.0, 1.0), (5.0, 1.0), (8.0, 4.0)]
            .map(|(value, seconds)| vec![reading("a", Known::ProcessCpu, value, seconds)]);
        let mut left = parts[0].clone();
        Reading::merge(&mut left, &parts[1]);
        Reading::merge(&mut left, &parts[2]);
        let mut right = parts[1].clone();
        Reading::merge(&mut right, &parts[2]);
        Reading::merge(&mut right, &parts[0]);
        assert_eq!(left, right);
        assert_eq!(left, [reading("a", Known::ProcessCpu, 6.5, 6.0)]);
        Reading::merge(&mut left, &[reading("b", Known::ProcessCpu, 0.5, 6.0)]);
        assert_eq!(left.len(), 2, "sources stay apart");
        assert_eq!(Reading::mean_of(&left, Known::ProcessCpu), Some(3.5));
        assert_eq!(Reading::mean_of(&left, Known::GcTime), None);
    }

    #[test]
    fn every_figure_has_a_name_of_its_own_and_is_found_by_it() {
        for (place, known) in Known::ALL.into_iter().enumerate() {
            assert_eq!(Known::named(known.name()), Some(known));
            assert_eq!(known as usize, place, "in the order of the encoding");
        }
        assert_eq!(Known::named("nothing"), None);
    }
}

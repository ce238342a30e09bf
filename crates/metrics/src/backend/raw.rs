//! Sends one line per sample (`InfluxDBRawBackendListenerClient`).

use std::fmt::Write;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use swell_api::{Listener, Needs, SampleEvent, SampleResult};

use super::influx::{Transport, tag};
use super::{Complaints, Export, Sending, SharedHost, Users};

/// Interval at which lines are sent.
const EVERY: Duration = Duration::from_millis(100);

/// Bytes of lines that a worker keeps for the sending thread; more are lost, and counted.
const MOST: usize = 8 << 20;

/// The state that workers and the sending thread share.
pub(super) struct RawExport {
    measurement: Arc<str>,
    workers: Arc<Mutex<Vec<Arc<Mutex<Lines>>>>>,
    sending: Sending,
}

/// Lines of a worker that are not sent yet.
#[derive(Default)]
struct Lines {
    text: String,
    lost: u64,
}

impl RawExport {
    /// Starts sending.
    pub(super) fn start(transport: Transport, measurement: String, host: SharedHost) -> Self {
        let workers: Arc<Mutex<Vec<Arc<Mutex<Lines>>>>> = Arc::default();
        let sending = Sending::default();
        let all = workers.clone();
        sending.start("backend", move |pause| {
            let what = format!("cannot send samples to {}", transport.to());
            let mut complaints = Complaints::new(&*host, what);
            let mut send = || {
                let (text, lost) = taken(&all.lock());
                if lost > 0 {
                    complaints.take(Err(format!("it is too slow, {lost} samples are lost")));
                } else if !text.is_empty() {
                    complaints.take(transport.send(&text));
                }
            };
            pause.ticks(EVERY).for_each(|()| send());
            send();
        });
        Self { measurement: measurement.into(), workers, sending }
    }
}

/// The lines of all workers, and how many are lost.
fn taken(workers: &[Arc<Mutex<Lines>>]) -> (String, u64) {
    workers.iter().fold((String::new(), 0), |(text, lost), worker| {
        let lines = std::mem::take(&mut *worker.lock());
        (text + &lines.text, lost + lines.lost)
    })
}

impl Export for RawExport {
    fn listener(&self) -> Rc<dyn Listener> {
        let lines = Arc::<Mutex<Lines>>::default();
        self.workers.lock().push(lines.clone());
        Rc::new(Raw { measurement: self.measurement.clone(), lines })
    }

    fn set_users(&self, _: Users) {}

    fn finish(&self) {
        self.sending.finish();
    }
}

struct Raw {
    measurement: Arc<str>,
    lines: Arc<Mutex<Lines>>,
}

impl Listener for Raw {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        let mut lines = self.lines.lock();
        if lines.text.len() < MOST {
            line(&mut lines.text, &self.measurement, event.sample);
        } else {
            lines.lost += 1;
        }
    }
}

fn line(out: &mut String, measurement: &str, sample: &SampleResult) {
    let status = if sample.success { "ok" } else { "ko" };
    let label = tag(sample.label.trim_matches(['"', ' ']));
    let thread = sample.thread_name.split_whitespace().collect::<String>();
    let timing = &sample.timing;
    writeln!(
        out,
        "{measurement},status={status},transaction={label},threadName={thread} \
         duration={},ttfb={},connectTime={} {}000000",
        timing.elapsed_ms(),
        timing.latency_ms(),
        timing.connect_ms(),
        timing.timestamp_ms(),
    )
    .expect("a string takes all");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_a_sample() {
        let mut sample = SampleResult {
            label: "\" a b=c \"".into(),
            thread_name: "Users 1-1".into(),
            success: true,
            ..SampleResult::default()
        };
        sample.timing.start_ns = 5_000_000;
        sample.timing.connected_ns = 6_000_000;
        sample.timing.first_byte_ns = 8_000_000;
        sample.timing.end_ns = 12_000_000;
        let mut text = String::new();
        line(&mut text, "m n", &sample);
        assert_eq!(
            text,
            "m n,status=ok,transaction=a\\ b\\=c,threadName=Users1-1 duration=7,ttfb=3,connectTime=1 5000000\n"
        );
    }
}

//! Moves work on large texts to a helper thread, and limits its cost there and here.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::Mutex;
use swell_budget::{Account, Budget, Limits, Meter, Total};

use crate::properties::Properties;

/// Work for a helper thread.
pub type Job = Box<dyn FnOnce() + Send>;

/// Runs a job on another thread; the future ends when the job has ended.
pub type BackgroundRunner = Arc<dyn Fn(Job) -> Pin<Box<dyn Future<Output = ()>>> + Send + Sync>;

/// What the loop of a worker spends on one check at most, microseconds.
const ON_LOOP_US: u64 = 1_000;

/// How work on large texts is done.
#[derive(Clone)]
pub struct Heavy {
    /// What the work on one text may cost on a helper thread.
    pub limits: Limits,
    /// What a function may cost, which cannot wait for a helper.
    pub of_function: Limits,
    /// Measures CPU time, and knows when the test stops.
    pub meter: Meter,
    /// The way to a helper thread.
    pub aside: BackgroundRunner,
    /// The memory that all users have together for what servers send, and for what is made of it.
    pub account: Arc<Account>,
}

impl Heavy {
    /// The property with the CPU time that a check may take on a helper thread, milliseconds.
    pub const WORK: &'static str = "swell.check.max_work_ms";
    /// The property with the number of results of a check.
    pub const RESULTS: &'static str = "swell.check.max_results";
    /// The property with the bytes that the results of a check may take.
    pub const BYTES: &'static str = "swell.check.max_bytes";
    /// The property with the CPU time that a function may take on a text, milliseconds.
    pub const FUNCTION: &'static str = "swell.function.max_work_ms";

    /// With the limits of properties.
    pub fn of(props: &Properties, meter: Meter, aside: BackgroundRunner, account: Arc<Account>) -> Self {
        let whole = Limits::default();
        let number = |name: &str, default: u64| {
            props.get(name).and_then(|text| text.trim().parse().ok()).unwrap_or(default)
        };
        let limits = Limits {
            work_us: number(Self::WORK, whole.work_us / 1_000).saturating_mul(1_000),
            results: number(Self::RESULTS, whole.results),
            bytes: number(Self::BYTES, whole.bytes),
        };
        let of_function = Limits { work_us: number(Self::FUNCTION, 20).saturating_mul(1_000), ..limits };
        Self { limits, of_function, meter, aside, account }
    }

    /// The budget of a check on a helper thread, to be made there.
    pub fn budget(limits: Limits, meter: Meter) -> Budget {
        Budget::metered(limits, meter)
    }

    /// The budget of work on the loop, which goes to a helper thread where that is not enough.
    pub fn on_loop(&self) -> Budget {
        Budget::metered(Limits { work_us: ON_LOOP_US, ..self.limits }, self.meter.clone())
    }

    /// Does something on a helper thread, and waits for it.
    ///
    /// # Panics
    /// If the work does.
    pub async fn elsewhere<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let answer = Arc::new(Mutex::new(None));
        let place = answer.clone();
        let job = move || {
            let done = work();
            *place.lock() = Some(done);
        };
        (self.aside)(Box::new(job)).await;
        let answer = answer.lock().take();
        answer.expect("the helper thread answers unless the work panicked")
    }

    /// The budget of a function.
    pub fn function(&self) -> Budget {
        Budget::metered(self.of_function, self.meter.clone())
    }
}

impl Default for Heavy {
    /// For code without an event loop, and for tests: no time passes, and jobs run at once.
    fn default() -> Self {
        let meter = Meter { clock_ns: || 0, stop: Arc::new(AtomicBool::new(false)) };
        let at_once = |job: Job| -> Pin<Box<dyn Future<Output = ()>>> {
            job();
            Box::pin(std::future::ready(()))
        };
        let limits = Limits::default();
        let of_function = Limits::default();
        let account = Arc::new(Account::new(Total::Is(u64::MAX)));
        Self { limits, of_function, meter, aside: Arc::new(at_once), account }
    }
}

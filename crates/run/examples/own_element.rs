//! Runs a plan with a custom element, a listener that counts samples:
//! `cargo run -p swell-run --example own_element -- PLAN`

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use swell_api::{ElementKind, Listener, Make, Needs, Role, SampleEvent};
use swell_run::{Trial, TrialSettings};

/// Counts the samples in its scope.
struct Counter(Arc<AtomicU64>);

impl Listener for Counter {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn sample(&self, _event: &SampleEvent<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a plan")?;
    let path = Path::new(&path);
    let plan = swell_plan::read(&std::fs::read(path)?, Some(path)).plan.ok_or("that is not a plan")?;
    let count = Arc::new(AtomicU64::new(0));
    let counted = count.clone();
    let make = Make::listener(move |_, _| Some(Rc::new(Counter(counted.clone()))));
    let counter = ElementKind::native(Role::Listener, "com.example.Counter", "Counter", make);
    let settings = TrialSettings { elements: vec![counter], ..TrialSettings::of_file(path) };
    let report = Trial::prepare(&plan, settings)?.start()?.wait();
    println!("{} of {} samples", count.load(Ordering::Relaxed), report.summary.total.samples);
    Ok(())
}

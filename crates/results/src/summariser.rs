//! Generate Summary Results elements: count the samples in their scope for the lines of their name
//! (`org.apache.jmeter.reporters.Summariser`).

use std::rc::Rc;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::{Listener, ListenerMaker, Needs, SampleEvent};
use swell_expr::Properties;
use swell_stats::Tally;

use crate::ResultFiles;

/// Whether samples of Transaction Controllers count in totals: the property
/// `summariser.ignore_transaction_controller_sample_result` is false.
pub fn counts_transactions(props: &Properties) -> bool {
    !props.flag("summariser.ignore_transaction_controller_sample_result", true)
}

/// Makes the listeners of Generate Summary Results elements.
pub fn summariser_factory(files: &ResultFiles) -> ListenerMaker {
    let files = files.clone();
    Arc::new(move |node, compile| {
        if files.options().dry_run {
            return None;
        }
        let name = files.start_texts().name(&node.element, compile);
        let with_transactions = counts_transactions(&compile.props);
        let tally = files.summaries().tally(node.id, name);
        Some(Rc::new(Summarising { tally, with_transactions }) as Rc<dyn Listener>)
    })
}

struct Summarising {
    /// This worker's own tally, so it and the monitor of the run wait only for each other.
    tally: Arc<Mutex<Tally>>,
    with_transactions: bool,
}

impl Listener for Summarising {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        let sample = event.sample;
        if self.with_transactions || !sample.is_transaction {
            self.tally.lock().record(sample.timing.elapsed_ms() as u64, sample.success);
        }
    }
}

//! A share that an agent makes: a trial, and a thread that tells what it counts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Instant;

use swell_debug::KeptFailures;
use swell_engine::{LoadChange, Phase, Stopped};
use swell_run::{RunningTrial, Subscription, Trial, TrialControl, TrialReport};
use swell_stats::encoding::encode;
use tokio::sync::mpsc::UnboundedSender;

use super::plan::RowFile;
use crate::FleetError;
use crate::bus::agent::Order;
use crate::reporting::IntervalReporter;
use crate::wire::{Body, EventLoops, Rows, ShareEnd, ShareStatus, phase_of};

/// A share that runs.
pub(super) struct ShareOf {
    pub(super) name: String,
    pub(super) slices: Vec<u32>,
    control: TrialControl,
    running: RunningTrial,
    reporter: JoinHandle<u64>,
    rows: Vec<RowFile>,
    released: Vec<u8>,
    /// Changes of the load that were made.
    changed: usize,
    given_up: Option<String>,
    /// Its users when it was given up. Those that are cut then have not ended: they continue
    /// elsewhere.
    left: Arc<OnceLock<ShareStatus>>,
    /// When to leave whatever still runs.
    leave_at: Option<Instant>,
}

/// A finished share.
pub(super) struct FinishedShare {
    pub(super) share: String,
    pub(super) slices: Vec<u32>,
    pub(super) end: ShareEnd,
    pub(super) folders: Vec<PathBuf>,
}

impl ShareOf {
    pub(super) fn start(
        name: &str,
        slices: Vec<u32>,
        trial: Trial,
        rows: Vec<RowFile>,
        (folder, orders, interval_s): (&Path, UnboundedSender<Order>, u32),
    ) -> Result<Self, FleetError> {
        let cannot = |error: std::io::Error| FleetError::new(format!("cannot start a thread: {error}"));
        let seconds = trial.subscribe();
        let failures = trial.kept_failures().cloned();
        let running = trial.start().map_err(cannot)?;
        let share = name.to_owned();
        let left = Arc::<OnceLock<ShareStatus>>::default();
        let told = left.clone();
        let folder = folder.to_owned();
        let thread = std::thread::Builder::new().name("swell-share".to_owned());
        let reporter = thread
            .spawn(move || {
                tell((&share, &folder, interval_s), seconds, (&told, failures.as_deref()), &orders)
            })
            .map_err(cannot)?;
        Ok(Self {
            name: name.to_owned(),
            slices,
            control: running.control(),
            running,
            reporter,
            rows,
            released: Vec::new(),
            changed: 0,
            given_up: None,
            left,
            leave_at: None,
        })
    }

    /// Its results files, by the listeners that they are of.
    pub(super) fn files(&self) -> Vec<(u32, PathBuf)> {
        self.rows.iter().map(|file| (file.listener.0, file.path.clone())).collect()
    }

    pub(super) fn control(&self) -> TrialControl {
        self.control.clone()
    }

    /// The phase whose release it waits for.
    pub(super) fn held(&self) -> Option<Phase> {
        let status = self.control.status()?;
        status.phase.filter(|_| status.is_held)
    }

    /// Releases phases and changes the load, as far as that was not done.
    pub(super) fn release(&mut self, released: &BTreeMap<u8, i64>, changes: &[LoadChange]) {
        if self.control.status().is_none() {
            return;
        }
        for (phase, start_ns) in released {
            if !self.released.contains(phase)
                && self.control.load().release(phase_of(*phase), Some(*start_ns)).is_ok()
            {
                self.released.push(*phase);
            }
        }
        for change in changes.iter().skip(self.changed) {
            // What a share refuses was told where it was made first.
            let _ = self.control.load().apply(change);
        }
        self.changed = changes.len();
    }

    pub(super) fn stop(&mut self, how: Stopped) {
        match how {
            Stopped::Graceful => self.control.stop(),
            Stopped::Immediate => self.control.stop_now(),
        }
    }

    /// Others make the rest.
    pub(super) fn give_up(&mut self, why: &str, leave_at: Instant) {
        if self.given_up.is_none() {
            self.given_up = Some(why.to_owned());
            let mut left = self.control.status().as_ref().map(ShareStatus::from).unwrap_or_default();
            left.groups.iter_mut().for_each(|group| group.active = 0);
            // It is given up once.
            let _ = self.left.set(left);
            self.leave_at = Some(leave_at);
            self.control.stop_now();
        }
    }

    /// Leaves then what still runs, if it does not end before.
    pub(super) fn leave_by(&mut self, at: Instant) {
        self.leave_at.get_or_insert(at);
    }

    /// Leaves what does not end.
    pub(super) fn end_if_late(&mut self, now: Instant) {
        if self.leave_at.is_some_and(|at| at <= now) {
            self.leave_at = None;
            self.control.abandon();
        }
    }

    pub(super) fn abandon(&self) {
        self.control.stop_now();
        self.control.abandon();
    }

    pub(super) fn is_over(&self) -> bool {
        self.reporter.is_finished()
    }

    /// What is to be told at its end.
    pub(super) fn finish(self) -> FinishedShare {
        let began = self.control.load().first_start_ns();
        let report = self.running.wait();
        let samples = self.reporter.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let mut end = end_of(&report, samples);
        (end.given_up, end.began) = (self.given_up, began);
        if end.given_up.is_some() {
            end.began = None;
        }
        for file in &self.rows {
            if let Ok(there) = file.path.metadata() {
                end.rows.push(Rows { listener: file.listener.0, bytes: there.len() });
            }
        }
        let folders = self.rows.iter().filter_map(|file| file.path.parent().map(Into::into)).collect();
        FinishedShare { share: self.name, slices: self.slices, end, folders }
    }
}

/// A placeholder for the folder of an agent in names of files: other agents have different folders.
const FOLDER: &str = "<folder>";

/// Names as they are sent to others.
fn rows_elsewhere(rows: BTreeMap<String, u64>, folder: &Path) -> BTreeMap<String, u64> {
    let folder = folder.to_string_lossy();
    rows.into_iter().map(|(name, rows)| (name.replace(&*folder, FOLDER), rows)).collect()
}

/// Names as they are here.
pub(super) fn rows_here(rows: BTreeMap<String, u64>, folder: &Path) -> BTreeMap<String, u64> {
    let folder = folder.to_string_lossy();
    rows.into_iter().map(|(name, rows)| (name.replace(FOLDER, &folder), rows)).collect()
}

fn end_of(report: &TrialReport, samples: u64) -> ShareEnd {
    ShareEnd {
        samples,
        outcome: report.outcome.as_ref().map(encode),
        evidence: encode(&report.evidence),
        refusal: report.refusal().map(ToString::to_string),
        servers: report.servers.clone(),
        event_loops: report
            .io
            .as_ref()
            .map(|served| EventLoops { io: served.io.word().to_owned(), refused: served.refused.clone() }),
        rows: Vec::new(),
        rows_lost: report.write_failures.iter().map(|failure| failure.rows_lost).sum(),
        refused_file: None,
        given_up: None,
        began: None,
    }
}

/// Reports the counts of a trial until it has finished, every `interval_s` seconds; `left`: users
/// when it was given up, after which no others are reported; `failures`: what is kept of failed
/// samples. Returns the number of counted samples.
fn tell(
    (share, folder, interval_s): (&str, &Path, u32),
    seconds: Subscription,
    (left, failures): (&OnceLock<ShareStatus>, Option<&KeptFailures>),
    orders: &UnboundedSender<Order>,
) -> u64 {
    swell_net::machine::give_way();
    let send = |body| {
        // The bus is gone only when the agent ends.
        let _ = orders.send(Order::Count { share: share.to_owned(), body });
    };
    let mut telling = IntervalReporter::new(share, interval_s);
    let mut told_s = i64::MIN;
    let mut sent = 0;
    for second in seconds {
        let kept = failures.map(|kept| kept.packed_from(sent)).unwrap_or_default();
        sent += kept.len();
        // What cannot be packed is empty.
        kept.into_iter()
            .filter(|packed| !packed.is_empty())
            .for_each(|packed| send(Body::Failure { packed }));
        second.counted().iter().for_each(|(at_s, counted)| telling.count(*at_s, counted));
        let mut through_s = telling.tell(second.at_ns / 1_000_000_000, send);
        if interval_s == 1 {
            telling.tell_so_far(&mut { send });
        }
        if second.is_last {
            telling.finish(send);
            through_s = second.at_ns / 1_000_000_000 + 1;
        }
        if std::mem::replace(&mut told_s, through_s) == through_s {
            continue;
        }
        let status = left.get().cloned().or_else(|| second.status.as_ref().map(ShareStatus::from));
        let mut status = status.unwrap_or_default();
        status.rows_read = rows_elsewhere(status.rows_read, folder);
        send(Body::Goes { through_s, samples: telling.samples(), status, load: second.load });
    }
    telling.samples()
}

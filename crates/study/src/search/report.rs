//! What a search found: every trial, the answer, and what the levels say together.

use serde::Serialize;
use swell_report::number::rate;
use swell_stats::capacity::{Class, Estimate, Goal, SearchTrial, TrialOutcome, Usl, knee, usl};

use super::load::Vary;
use crate::limit::{Level, Limit, whose};

/// A trial that was made.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its load.
    pub load: f64,
    /// Its steady part, seconds.
    pub seconds: f64,
    /// Whether the server met the objectives.
    pub outcome: TrialOutcome,
    /// Why, as text.
    pub why: String,
    /// Samples were too few to be sure.
    pub by_figure: bool,
    /// Median, of response times under open load; milliseconds, as the next.
    pub p50_ms: Option<f64>,
    /// 95th percentile.
    pub p95_ms: Option<f64>,
    /// 99th percentile.
    pub p99_ms: Option<f64>,
    /// Figures for whose limit it was.
    pub level: Level,
    #[serde(skip)]
    pub(super) tried: Option<SearchTrial>,
}

/// Why a search has finished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The limit is known as well as was wanted.
    Found,
    /// The server can handle the largest load that may be tried.
    BearsAll,
    /// It does not bear the least one.
    BearsNone,
    /// Not one request succeeded at the lowest load, as a sentence: there is no limit to find.
    NothingWorks(String),
    /// The tool cannot make more load.
    Generator,
    /// Trials contradict each other.
    Unsteady,
    /// Its time has passed.
    Budget,
    /// The caller did not want it any longer.
    Interrupted,
    /// The server is not there any more.
    ServerGone(String),
}

/// A search and its answer.
#[derive(Clone, Debug, Serialize)]
pub struct SearchReport {
    /// The tool.
    pub made_by: String,
    /// Plan or URL.
    pub subject: String,
    /// What is varied: `rate`, `users` or the name of a property.
    pub varied: String,
    /// The rules.
    pub rules: Vec<String>,
    /// Where arrivals are drawn from.
    pub seed: u64,
    /// The trials in their order.
    pub trials: Vec<Row>,
    /// What was noticed: how load is set, servers that did not recover.
    pub notes: Vec<String>,
    /// Why it ended; none while it runs.
    pub stopped: Option<StopReason>,
    /// Seconds that it took.
    pub took_s: f64,
    /// The current answer.
    pub answer: Option<SearchAnswer>,
    #[serde(skip)]
    goal: Goal,
    #[serde(skip)]
    vary: Vary,
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct SearchAnswer {
    /// The highest load that holds.
    pub holds: Option<f64>,
    /// The lowest load that does not.
    pub fails: Option<f64>,
    /// The most probable limit.
    pub likely: f64,
    /// The probability that the limit is between both (0..=1), or beyond the one that is known.
    pub probability: f64,
    /// In a sentence.
    pub words: String,
    /// Whose limit it is.
    pub limit: Option<Limit>,
    /// Load and throughput where the curve bends ([`knee`]).
    pub knee: Option<(f64, f64)>,
    /// The Universal Scalability Law, where it explains the levels.
    pub usl: Option<Law>,
    /// For a server that can handle less after an overload: the highest load that held before the
    /// first one, and the lowest below that which did not hold afterwards. The answer is then what
    /// holds afterwards.
    pub memory: Option<(f64, f64)>,
    /// Loads of several trials, and what they say by themselves (RFC 9971).
    pub classes: Vec<(f64, &'static str)>,
}

/// Figures of the Universal Scalability Law.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Law {
    /// Throughput of one user.
    pub lambda: f64,
    /// Contention.
    pub sigma: f64,
    /// Coherence.
    pub kappa: f64,
    /// Users with the highest throughput.
    pub peak: f64,
    /// 95 % bounds of that.
    pub peak_bounds: Option<(f64, f64)>,
    /// Part of the variance that is explained.
    pub r_squared: f64,
}

impl Law {
    /// What it says of this many users.
    pub(super) fn throughput(&self, users: f64) -> f64 {
        let Self { lambda, sigma, kappa, .. } = self;
        lambda * users / (1.0 + sigma * (users - 1.0) + kappa * users * (users - 1.0))
    }
}

impl From<Usl> for Law {
    fn from(law: Usl) -> Self {
        let Usl { lambda, sigma, kappa, r_squared, peak_bounds, .. } = law;
        Self { lambda, sigma, kappa, peak: law.peak(), peak_bounds, r_squared }
    }
}

impl SearchReport {
    /// Nothing tried yet.
    pub fn new(made_by: &str, subject: &str, goal: Goal, vary: Vary, rules: Vec<String>, seed: u64) -> Self {
        let varied = match &vary {
            Vary::Rate => "rate".to_owned(),
            Vary::Users => "users".to_owned(),
            Vary::Property(name) => name.clone(),
        };
        Self {
            made_by: made_by.to_owned(),
            subject: subject.to_owned(),
            varied,
            rules,
            seed,
            trials: Vec::new(),
            notes: Vec::new(),
            stopped: None,
            took_s: 0.0,
            answer: None,
            goal,
            vary,
        }
    }

    /// What is searched, and how well.
    pub fn goal(&self) -> &Goal {
        &self.goal
    }

    /// Adds a trial. What an overloaded server reached is close to its limit only if it did not
    /// break down: one that bore far more before has.
    pub(super) fn add(&mut self, mut row: Row) {
        const CLOSE: f64 = 0.7;
        let most = self.most_passed().unwrap_or(0.0);
        if let Some(tried) = &mut row.tried {
            tried.reached = tried.reached.filter(|reached| *reached > CLOSE * most);
        }
        self.trials.push(row);
    }

    /// The trials as the search takes them.
    pub(super) fn history(&self) -> Vec<SearchTrial> {
        self.trials.iter().filter_map(|row| row.tried).collect()
    }

    /// A load with its unit.
    pub fn load_words(&self, load: f64) -> String {
        match &self.vary {
            Vary::Rate => format!("{}/s", rate(load)),
            Vary::Users if load.round() as u64 == 1 => "1 user".to_owned(),
            Vary::Users => format!("{} users", swell_report::number::count(load.round() as u64)),
            Vary::Property(name) => format!("{name} {}", rounded(load)),
        }
    }

    /// Widens the interval to that of several searches, each with a separate server: the lowest
    /// load that held and the highest that did not. An end that one of them does not know is
    /// unknown.
    pub fn spread_over_starts(&mut self, starts: &[(Option<f64>, Option<f64>)]) {
        let lows: Option<Vec<f64>> = starts.iter().map(|start| start.0).collect();
        let highs: Option<Vec<f64>> = starts.iter().map(|start| start.1).collect();
        let low = lows.unwrap_or_default().into_iter().reduce(f64::min);
        let high = highs.unwrap_or_default().into_iter().reduce(f64::max);
        let range = |(low, high): &(Option<f64>, Option<f64>)| match (low, high) {
            (Some(low), Some(high)) => format!("{} to {}", self.load_words(*low), self.load_words(*high)),
            (Some(low), None) => format!("{} or more", self.load_words(*low)),
            (None, Some(high)) => format!("less than {}", self.load_words(*high)),
            (None, None) => "nothing".to_owned(),
        };
        let each: Vec<_> = starts.iter().map(range).collect();
        self.notes.push(format!("{} searches found {}", starts.len(), each.join(", ")));
        let Some(mut answer) = self.answer.take() else { return };
        let estimate =
            Estimate { holds: low, fails: high, likely: answer.likely, probability: answer.probability };
        answer.words = self.words(&estimate, answer.memory, answer.limit.as_ref());
        (answer.holds, answer.fails) = (low, high);
        self.answer = Some(answer);
    }

    /// Why there is no limit to find.
    pub(super) fn nothing_works(&self) -> Option<&str> {
        match &self.stopped {
            Some(StopReason::NothingWorks(why)) => Some(why),
            _ => None,
        }
    }

    /// Brings the answer up to date.
    pub(super) fn conclude(&mut self) {
        let history = self.history();
        let estimate = self.goal.estimate(&history);
        let by_tool = self.stopped == Some(StopReason::Generator) && !self.server_failed_first();
        let levels: Vec<_> =
            self.trials.iter().filter(|row| row.is_told() || by_tool).map(|row| row.level.clone()).collect();
        let any_failed = self.trials.iter().any(|row| row.outcome == TrialOutcome::Fail);
        let limit = (any_failed || by_tool).then(|| whose(&levels, by_tool));
        let limit = limit.filter(|_| self.nothing_works().is_none());
        let mut points: Vec<_> =
            self.trials.iter().filter(|row| row.is_told()).map(|row| (row.load, row.level.per_s)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let law = (self.vary == Vary::Users).then(|| usl(&points)).flatten().filter(Usl::is_worth_showing);
        let memory = self.goal.memory(&history).map(|memory| (memory.before, memory.after));
        let words = match self.nothing_works() {
            Some(why) => why.to_owned(),
            None => self.words(&estimate, memory, limit.as_ref()),
        };
        self.answer = Some(SearchAnswer {
            holds: estimate.holds,
            fails: estimate.fails,
            likely: estimate.likely,
            probability: estimate.probability,
            words,
            limit,
            knee: knee(&means(&points)),
            usl: law.map(Law::from),
            memory,
            classes: self.classes(&history),
        });
    }

    fn words(&self, estimate: &Estimate, memory: Option<(f64, f64)>, limit: Option<&Limit>) -> String {
        let rules = format!(" ({})", self.rules.join(", "));
        let of = |load| self.load_words(load);
        let mut words = match (estimate.holds, estimate.fails) {
            (Some(holds), Some(fails)) => format!("holds {}, not {}{rules}", of(holds), of(fails)),
            (Some(holds), None) if self.stopped == Some(StopReason::Generator) => {
                format!("holds at least {}{rules}", of(holds))
            }
            (Some(holds), None) => match self.least_failed(holds) {
                Some(failed) => {
                    let failed = of(failed);
                    format!(
                        "holds {}; {failed} was too much, but the upper bound is not certain yet{rules}",
                        of(holds)
                    )
                }
                None => format!("holds {}, and no higher load was too much{rules}", of(holds)),
            },
            (None, Some(fails)) => format!("does not hold {}{rules}", of(fails)),
            (None, None) => match (self.most_passed(), self.least_failed(0.0)) {
                (None, None) => format!("no result yet{rules}"),
                (passed, failed) => {
                    let passed = passed.map(|load| format!("{} held", of(load)));
                    let failed = failed.map(|load| format!("{} was too much", of(load)));
                    let told: Vec<_> = passed.into_iter().chain(failed).collect();
                    format!("not certain yet: {}{rules}", told.join(", "))
                }
            },
        };
        if let Some((before, after)) = memory {
            let before = of(before);
            let after = of(after);
            words.extend([
                "; an overload has a lasting effect on the server: before the first one it held ",
                &*before,
                ", afterwards not even ",
                &*after,
            ]);
        }
        if let Some(limit) = limit {
            words.extend(["; limit: ", &*limit.words]);
            words += &limit.server_cpu.as_ref().map(|line| format!("; {line}")).unwrap_or_default();
        }
        words
    }

    /// A trial failed by the server at a load at which, or below which, the tool was at fault
    /// later.
    fn server_failed_first(&self) -> bool {
        let void = self.trials.iter().rev().find(|row| row.outcome == TrialOutcome::Void).map(|row| row.load);
        void.zip(self.least_failed(0.0)).is_some_and(|(void, failed)| failed <= void)
    }

    /// The least load above this one that a trial found too much.
    fn least_failed(&self, above: f64) -> Option<f64> {
        let failed = self.trials.iter().filter(|row| row.outcome == TrialOutcome::Fail && row.load > above);
        failed.map(|row| row.load).reduce(f64::min)
    }

    /// The most that a trial found borne.
    fn most_passed(&self) -> Option<f64> {
        let passed = self.trials.iter().filter(|row| row.outcome == TrialOutcome::Pass);
        passed.map(|row| row.load).reduce(f64::max)
    }

    fn classes(&self, history: &[SearchTrial]) -> Vec<(f64, &'static str)> {
        let mut loads: Vec<f64> = history.iter().map(|tried| tried.load).collect();
        loads.sort_unstable_by(f64::total_cmp);
        loads.dedup();
        let class = |load: f64| match self.goal.class_of(history, load) {
            Class::Lower => Some((load, "lower bound")),
            Class::Upper => Some((load, "upper bound")),
            Class::Open => None,
        };
        loads.into_iter().filter_map(class).collect()
    }
}

impl Row {
    fn is_told(&self) -> bool {
        matches!(self.outcome, TrialOutcome::Pass | TrialOutcome::Fail)
    }
}

/// One point a load.
fn means(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    points
        .chunk_by(|a, b| (a.0 - b.0).abs() < 1e-9 * b.0)
        .map(|same| (same[0].0, same.iter().map(|point| point.1).sum::<f64>() / same.len() as f64))
        .collect()
}

fn rounded(load: f64) -> String {
    format!("{}", (load * 100.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(trials: &[(f64, TrialOutcome)]) -> SearchReport {
        let rules = vec!["p(99) < 100 ms".to_owned()];
        let mut found =
            SearchReport::new("swell", "plan.jmx", Goal::between(10.0, 1_000.0), Vary::Rate, rules, 1);
        for (load, outcome) in trials {
            let tried = SearchTrial { load: *load, seconds: 10.0, outcome: *outcome, reached: None };
            found.trials.push(Row {
                load: *load,
                seconds: 10.0,
                outcome: *outcome,
                why: String::new(),
                by_figure: false,
                p50_ms: None,
                p95_ms: None,
                p99_ms: None,
                level: Level::default(),
                tried: Some(tried),
            });
        }
        found
    }

    fn said(trials: &[(f64, TrialOutcome)], holds: Option<f64>, fails: Option<f64>) -> String {
        let estimate = Estimate { holds, fails, likely: 300.0, probability: 0.9 };
        found(trials).words(&estimate, None, None).replace(" (p(99) < 100 ms)", "")
    }

    #[test]
    fn an_end_that_is_not_sure_is_said_to_be_so() {
        use TrialOutcome::{Fail, Pass};
        let both = [(282.0, Pass), (400.0, Fail), (318.6, Fail), (200.0, Fail)];
        assert_eq!(said(&both, Some(282.0), Some(318.6)), "holds 282.0/s, not 318.6/s");
        assert_eq!(
            said(&both, Some(282.0), None),
            "holds 282.0/s; 318.6/s was too much, but the upper bound is not certain yet"
        );
        assert_eq!(said(&both, None, None), "not certain yet: 282.0/s held, 200.0/s was too much");
        assert_eq!(said(&both[3..], Some(282.0), None), "holds 282.0/s, and no higher load was too much");
        assert_eq!(said(&both[..1], None, None), "not certain yet: 282.0/s held");
        assert_eq!(said(&both[1..2], None, None), "not certain yet: 400.0/s was too much");
        assert_eq!(said(&[], None, None), "no result yet");
    }

    #[test]
    fn a_server_that_remembers_an_overload_is_said_to() {
        use TrialOutcome::{Fail, Pass};
        let mut found = found(&[(400.0, Pass), (800.0, Fail), (350.0, Fail), (300.0, Fail), (200.0, Pass)]);
        found.conclude();
        let answer = found.answer.expect("there is one");
        assert_eq!(answer.memory, Some((400.0, 300.0)));
        let memory = "has a lasting effect on the server: before the first one it held 400.0/s, afterwards not even 300.0/s";
        assert!(answer.words.contains(memory), "{}", answer.words);
    }

    #[test]
    fn a_tool_that_gets_busy_later_does_not_hide_whose_limit_was_found() {
        use TrialOutcome::{Fail, Pass, Void};
        let cause = |trials: &[(f64, TrialOutcome)]| {
            let mut found = found(trials);
            found.stopped = Some(StopReason::Generator);
            found.conclude();
            found.answer.and_then(|answer| answer.limit).map(|limit| limit.cause)
        };
        let before = [(100.0, Pass), (250.0, Fail), (250.0, Void), (250.0, Void)];
        assert_eq!(cause(&before), Some(crate::limit::Cause::Unknown));
        let above = [(100.0, Pass), (400.0, Fail), (250.0, Void), (250.0, Void)];
        assert_eq!(cause(&above), Some(crate::limit::Cause::Generator));
    }

    #[test]
    fn where_nothing_works_there_is_no_limit() {
        let mut found = found(&[(10.0, TrialOutcome::Fail)]);
        found.trials[0].level.refused = 1.0;
        found.conclude();
        let cause = |found: &SearchReport| {
            found.answer.as_ref().and_then(|answer| Some(answer.limit.as_ref()?.cause))
        };
        assert_eq!(cause(&found), Some(crate::limit::Cause::AcceptQueue), "as far as is known by then");
        found.stopped = Some(StopReason::NothingWorks("nothing answered".to_owned()));
        found.conclude();
        assert_eq!(cause(&found), None);
        assert_eq!(found.answer.expect("there is one").words, "nothing answered");
    }

    #[test]
    fn what_a_server_that_broke_down_reached_is_not_its_limit() {
        let mut found = found(&[(230.0, TrialOutcome::Pass)]);
        let template = found.trials[0].clone();
        for reached in [0.0, 21.0, 225.0] {
            let tried = SearchTrial {
                load: 250.0,
                seconds: 4.0,
                outcome: TrialOutcome::Fail,
                reached: Some(reached),
            };
            found.add(Row {
                load: 250.0,
                outcome: TrialOutcome::Fail,
                tried: Some(tried),
                ..template.clone()
            });
        }
        let reached: Vec<_> = found.history().iter().map(|tried| tried.reached).collect();
        assert_eq!(reached, [None, None, None, Some(225.0)]);
    }

    #[test]
    fn what_one_of_several_searches_does_not_know_is_not_known() {
        let mut found = found(&[(240.0, TrialOutcome::Pass), (300.0, TrialOutcome::Fail)]);
        found.conclude();
        found.spread_over_starts(&[(Some(250.0), None), (Some(240.0), Some(300.0))]);
        let answer = found.answer.as_ref().expect("there is one");
        assert_eq!((answer.holds, answer.fails), (Some(240.0), None), "{}", answer.words);
        assert_eq!(found.notes, ["2 searches found 250.0/s or more, 240.0/s to 300.0/s"]);
    }
}

//! The summarisers of a run: that of the command line (`summariser.name`) and those of the plan, by
//! name.

use swell_expr::{Host, Level, Properties};
use swell_report::Summariser;
use swell_report::summariser::DEFAULT_INTERVAL_S;
use swell_stats::{Tally, Users};

/// What the properties `summariser.*` say.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Name of the one that has all samples; none: there is none.
    pub(crate) name: Option<String>,
    pub(crate) interval_s: i64,
    /// Lines go to an output stream.
    pub(crate) out: bool,
    /// Lines go to the log.
    pub(crate) log: bool,
}

impl Settings {
    pub(crate) fn of_run(props: &Properties) -> Self {
        Self {
            name: props.get("summariser.name").filter(|name| !name.is_empty()),
            interval_s: props.number("summariser.interval", DEFAULT_INTERVAL_S),
            out: props.flag("summariser.out", true),
            log: props.flag("summariser.log", true),
        }
    }

    /// No lines at all.
    pub(crate) const NONE: Self = Self { name: None, interval_s: DEFAULT_INTERVAL_S, out: false, log: false };
}

/// The summarisers by name. Those of one name are one.
pub(crate) struct Summarisers {
    settings: Settings,
    started_ms: i64,
    /// The test has begun.
    has_begun: bool,
    /// A sample was counted.
    has_counted: bool,
    all: Vec<Named>,
    /// How many names the plan has.
    of_plan: usize,
}

struct Named {
    name: String,
    /// The place among the names of the plan; that of the command line is behind all of them.
    place: usize,
    summariser: Summariser,
}

impl Summarisers {
    pub(crate) fn new(settings: Settings, now_ms: i64) -> Self {
        let has_begun = false;
        let has_counted = false;
        let all = Vec::new();
        let mut summarisers = Self { settings, started_ms: now_ms, has_begun, has_counted, all, of_plan: 0 };
        if let Some(name) = summarisers.settings.name.clone() {
            summarisers.put(name);
        }
        summarisers
    }

    /// Sets the time at which the test began; preparations before it, such as starting a JVM, do not
    /// count. Samples that are already counted stay: a controller that has taken over a run receives
    /// samples before it receives the number of users.
    pub(crate) fn begin(&mut self, start_ms: i64) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        self.started_ms = start_ms;
        for one in &mut self.all {
            one.summariser.began(start_ms);
        }
    }

    fn put(&mut self, name: String) {
        let summariser = Summariser::new(&name, self.settings.interval_s, self.started_ms);
        self.all.push(Named { name, place: usize::MAX, summariser });
    }

    fn named(&mut self, name: &str) -> Option<&mut Named> {
        self.all.iter_mut().find(|one| one.name == name)
    }

    /// Counts for that of the command line.
    pub(crate) fn add_to_all(&mut self, counted: &Tally) {
        self.has_counted |= counted.samples > 0;
        let name = self.settings.name.clone();
        if let Some(one) = name.and_then(|name| self.named(&name)) {
            one.summariser.add(counted);
        }
    }

    /// Counts for one of the plan, which there is from now on if there was none.
    pub(crate) fn add(&mut self, name: &str, counted: &Tally) {
        self.has_counted |= counted.samples > 0;
        if self.named(name).is_none() {
            self.put(name.to_owned());
        }
        let new_place = self.of_plan;
        let names = self.all.len();
        let one = self.named(name).expect("it was just put there");
        one.summariser.add(counted);
        if one.place == usize::MAX {
            one.place = new_place;
            self.of_plan += 1;
            self.all.sort_by_key(|one| (bin(&one.name, names), one.place));
        }
    }

    /// Lines that are due now.
    pub(crate) fn report(&mut self, now_ms: i64, users: Users) -> Vec<String> {
        self.all.iter_mut().flat_map(|one| one.summariser.report(now_ms, users)).collect()
    }

    /// Lines at the end of the test; none of one that never began.
    pub(crate) fn finish(&mut self, now_ms: i64, users: Users) -> Vec<String> {
        if !self.has_begun && !self.has_counted {
            return Vec::new();
        }
        self.all.iter_mut().flat_map(|one| one.summariser.finish(now_ms, users)).collect()
    }

    /// Whether lines go to an output stream.
    pub(crate) fn to_out(&self) -> bool {
        self.settings.out
    }

    /// Writes lines to the log, if they go there, as log4j shows them.
    pub(crate) fn log(&self, lines: &[String], host: &dyn Host) {
        if self.settings.log {
            for line in lines {
                host.log(Level::Info, &format!("o.a.j.r.Summariser: {line}"));
            }
        }
    }
}

/// The position of a name in JMeter's table of names, a Java hash map: lines are in its order.
fn bin(name: &str, names: usize) -> u32 {
    swell_java::map::bin(name, (names * 4 / 3 + 1).next_power_of_two().max(16) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(samples: u64) -> Tally {
        let mut tally = Tally::default();
        (0..samples).for_each(|_| tally.record(1, true));
        tally
    }

    #[test]
    fn those_of_one_name_are_one_and_lines_come_in_the_order_of_a_java_map() {
        let settings = Settings { name: Some("summary".into()), ..Settings::of_run(&Properties::default()) };
        let mut all = Summarisers::new(settings, 0);
        for (name, samples) in [("zoo", 1), ("Aa", 2), ("zoo", 8)] {
            all.add(name, &counted(samples));
        }
        all.add_to_all(&counted(16));
        let mut again = Summarisers::new(all.settings.clone(), 0);
        for name in ["summary", "Aa"] {
            again.add(name, &counted(1));
        }
        assert!(again.finish(1, Users::default())[0].starts_with("summary"));
        let lines = all.finish(1000, Users::default());
        let starts: Vec<_> = lines.iter().map(|line| line.split(" in ").next().unwrap_or_default()).collect();
        assert_eq!(starts, ["Aa =      2", "summary =     16", "zoo =      9"]);
    }

    #[test]
    fn the_start_of_a_jvm_before_the_test_is_no_part_of_its_time() {
        let settings = Settings { name: Some("summary".into()), ..Settings::of_run(&Properties::default()) };
        let mut all = Summarisers::new(settings, 0);
        all.begin(5_000);
        all.begin(6_000);
        all.add_to_all(&counted(4));
        all.add("x", &counted(4));
        let lines = all.finish(7_000, Users::default());
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| line.contains("4 in 00:00:02 =    2.0/s")), "{lines:?}");
    }

    #[test]
    fn what_was_counted_before_the_start_was_known_stays() {
        let settings = Settings { name: Some("summary".into()), ..Settings::of_run(&Properties::default()) };
        let mut all = Summarisers::new(settings, 0);
        all.add_to_all(&counted(4));
        all.begin(5_000);
        all.add_to_all(&counted(2));
        let lines = all.finish(7_000, Users::default());
        assert!(lines[0].contains("6 in 00:00:02 =    3.0/s"), "{lines:?}");
    }

    #[test]
    fn without_a_name_there_are_only_those_of_the_plan() {
        let mut all = Summarisers::new(Settings::NONE, 0);
        all.add_to_all(&counted(3));
        assert!(all.finish(5, Users::default()).is_empty());
        all.add("x", &counted(0));
        assert!(all.report(6, Users::default()).is_empty());
        assert_eq!(all.finish(7, Users::default()).len(), 1);
    }
}

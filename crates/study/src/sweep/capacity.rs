//! How much load each setting can handle: a search a setting, instead of an axis of loads.

use serde::Serialize;
use swell_report::number::{count, rate};
use swell_report::page::{Answer, Block, LineChart, PageKind, StudyPage, Tone, Unit, study_file};
use swell_stats::capacity::TrialOutcome;

use super::grid::words;
use crate::chart::{Curve, chart, page_table};
use crate::search::{Row, SearchReport, trials};
use crate::table::Table;

/// Version of the form of `capacity.json`.
const FORM: u32 = 1;

/// The searches until now.
#[derive(Clone, Debug, Serialize)]
pub struct Capacities {
    /// Version of this form.
    pub form: u32,
    /// The tool that made it.
    pub made_by: String,
    /// What was loaded: a plan or a URL.
    pub subject: String,
    /// The command of the server, with its settings as names.
    pub server: Option<String>,
    /// What is varied: `rate`, `users` or the name of a property.
    pub varied: String,
    /// A search a setting, in the order of the settings.
    pub each: Vec<Capacity>,
}

/// A setting and how much load it can handle.
#[derive(Clone, Debug, Serialize)]
pub struct Capacity {
    /// Names and values.
    pub settings: Vec<(String, String)>,
    /// What was found; what was known by then, where there is a failure as well.
    pub found: SearchReport,
    /// Why it was not found, by the server that could not be started, or by a hook.
    pub failure: Option<String>,
}

impl Capacity {
    fn words(&self) -> String {
        let words = words(&self.settings);
        if words.is_empty() { "the server unchanged".to_owned() } else { words }
    }

    /// In a line.
    pub fn told(&self) -> String {
        let told = match (&self.failure, &self.found.answer) {
            (Some(why), _) => swell_report::plain_lines(why).to_string(),
            (None, Some(answer)) => answer.words.clone(),
            (None, None) => "no result".to_owned(),
        };
        format!("{}: {told}", self.words())
    }

    fn most_per_s(&self) -> Option<f64> {
        self.found.trials.iter().map(|row| row.level.per_s).reduce(f64::max)
    }
}

impl Capacities {
    /// Nothing searched yet.
    pub fn new(made_by: &str, subject: &str, varied: &str) -> Self {
        Self {
            form: FORM,
            made_by: made_by.to_owned(),
            subject: subject.to_owned(),
            server: None,
            varied: varied.to_owned(),
            each: Vec::new(),
        }
    }

    /// A row a setting.
    fn table(&self) -> Table {
        let mut table = Table::new([
            "setting",
            "holds",
            "does not hold",
            "highest throughput/s",
            "knee",
            "trials",
            "s",
            "limit",
        ]);
        for one in &self.each {
            let found = &one.found;
            let answer = found.answer.as_ref();
            let load = |load: Option<f64>| load.map(|load| found.load_words(load)).unwrap_or_default();
            let limit = answer.and_then(|answer| answer.limit.as_ref()).map(|limit| limit.words.clone());
            table.rows.push(vec![
                one.words(),
                load(answer.and_then(|answer| answer.holds)),
                load(answer.and_then(|answer| answer.fails)),
                one.most_per_s().map(rate).unwrap_or_default(),
                load(answer.and_then(|answer| answer.knee).map(|(load, _)| load)),
                count(found.trials.len() as u64),
                count(found.took_s.round() as u64),
                one.failure.clone().or(limit).unwrap_or_default(),
            ]);
        }
        table.without_empty_columns()
    }

    /// The table, and an answer a setting as text.
    pub fn text(&self) -> String {
        let mut out = self.table().text();
        out.push('\n');
        for one in &self.each {
            out.extend([&*one.told(), "\n"]);
            for line in
                one.found.answer.iter().flat_map(|answer| &answer.limit).flat_map(|limit| &limit.evidence)
            {
                out.extend(["  ", &**line, "\n"]);
            }
        }
        out
    }

    /// A row a setting, with numbers without units; what is not known is empty.
    pub fn csv(&self) -> String {
        let names = self
            .each
            .first()
            .map(|one| one.settings.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>());
        let columns = [
            "holds",
            "fails",
            "likely",
            "probability",
            "cause",
            "pool",
            "most_per_s",
            "trials",
            "took_s",
            "failure",
        ];
        let mut table = Table::new(names.unwrap_or_default().into_iter().chain(columns.map(str::to_owned)));
        let known = |value: Option<f64>| value.map(|value| format!("{value:.3}")).unwrap_or_default();
        for one in &self.each {
            let answer = one.found.answer.as_ref();
            let limit = answer.and_then(|answer| answer.limit.as_ref());
            let cause = limit.and_then(|limit| serde_json::to_value(limit.cause).ok());
            let mut row: Vec<String> = one.settings.iter().map(|(_, value)| value.clone()).collect();
            row.extend([
                known(answer.and_then(|answer| answer.holds)),
                known(answer.and_then(|answer| answer.fails)),
                known(answer.map(|answer| answer.likely)),
                known(answer.map(|answer| answer.probability)),
                cause.and_then(|cause| cause.as_str().map(str::to_owned)).unwrap_or_default(),
                known(limit.and_then(|limit| limit.pool)),
                known(one.most_per_s()),
                one.found.trials.len().to_string(),
                format!("{:.1}", one.found.took_s),
                one.failure.clone().unwrap_or_default(),
            ]);
            table.rows.push(row);
        }
        table.csv()
    }

    /// The page: the table, curves with a line a setting, the trials of each.
    pub fn html(&self) -> String {
        study_file(&self.page())
    }

    fn page(&self) -> StudyPage {
        let title = format!("How much load {} can handle", self.subject);
        let mut page = StudyPage::new(PageKind::Sweep, title, &*self.made_by);
        page.answer = self.answer();
        page.fact("Server", self.server.clone().unwrap_or_default());
        page.fact("Load", &*self.varied);
        page.fact("Settings", count(self.each.len() as u64));
        page.section(
            "Settings",
            vec![
                Block::Table(page_table("Settings and how much load each can handle", self.table())),
                Block::Lines(self.chart("Throughput", Unit::PerS, |row| Some(row.level.per_s))),
                Block::Lines(self.chart("99th percentile", Unit::Ms, |row| row.p99_ms)),
            ],
        );
        for one in &self.each {
            let mut blocks = vec![Block::note(one.told())];
            if !one.found.trials.is_empty() {
                blocks.push(Block::Table(page_table(&one.words(), trials(&one.found))));
            }
            blocks.extend(one.found.notes.iter().map(Block::text));
            page.section(one.words(), blocks);
        }
        page
    }

    /// The setting that can handle most.
    fn answer(&self) -> Option<Answer> {
        let holds = |one: &Capacity| one.found.answer.as_ref()?.holds;
        let known = self.each.iter().filter_map(|one| Some((one, holds(one)?)));
        let Some((best, load)) = known.max_by(|a, b| a.1.total_cmp(&b.1)) else {
            let first = self.each.first()?;
            return Some(Answer { tone: Some(Tone::Bad), headline: first.told(), lines: Vec::new() });
        };
        let headline = match self.each.len() {
            1 => best.told(),
            _ => format!("holds most, {}: {}", best.found.load_words(load), best.words()),
        };
        Some(Answer { tone: None, headline, lines: Vec::new() })
    }

    fn chart(&self, name: &str, unit: Unit, figure: fn(&Row) -> Option<f64>) -> LineChart {
        let curve = |one: &Capacity| {
            let told = one.found.trials.iter().filter(|row| row.outcome != TrialOutcome::Void);
            let holds = one.found.answer.as_ref().and_then(|answer| answer.holds);
            let mark = |load| (load, format!("{} holds {}", one.words(), one.found.load_words(load)));
            Curve {
                name: one.words(),
                points: told.filter_map(|row| Some((row.load, figure(row)?))).collect(),
                marks: holds.map(mark).into_iter().collect(),
                computed: false,
            }
        };
        let curves = self.each.iter().map(curve).collect();
        let first = self.each.first();
        chart(&format!("{name} over {}", self.varied), &self.varied, unit, curves, |load| {
            first.map(|one| one.found.load_words(load)).unwrap_or_default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Vary;
    use swell_stats::capacity::Goal;

    fn capacities() -> Capacities {
        let mut all = Capacities::new("Swell", "http://a/", "rate");
        for (threads, failure) in
            [("25", None), ("<5000>", Some("the server exited with status 1".to_owned()))]
        {
            let rules = vec!["p(99)<100ms".to_owned()];
            let found =
                SearchReport::new("Swell", "http://a/", Goal::between(50.0, 5000.0), Vary::Rate, rules, 1);
            all.each.push(Capacity {
                settings: vec![("maxThreads".to_owned(), threads.to_owned())],
                found,
                failure,
            });
        }
        all
    }

    #[test]
    fn each_setting_has_a_row_and_a_failure_is_told_there() {
        let all = capacities();
        let text = all.text();
        assert!(text.starts_with("setting") && text.contains("maxThreads 25"), "{text}");
        assert!(text.contains("maxThreads <5000>: the server exited with status 1"), "{text}");
        let csv = all.csv();
        assert!(csv.starts_with("maxThreads,holds,fails,"), "{csv}");
        assert!(csv.contains("\n<5000>,,,,,,,,0,0.0,the server exited with status 1"), "{csv}");
        let document = all.page().document();
        assert_eq!((&document["kind"], &document["answer"]["tone"]), (&"sweep".into(), &"bad".into()));
        let titles = document["sections"].as_array().expect("a list").iter().map(|section| &section["title"]);
        let expected = ["Settings", "maxThreads 25", "maxThreads <5000>"];
        assert!(titles.eq(expected.iter()), "{document}");
        assert!(!all.html().contains("<5000>"));
    }
}

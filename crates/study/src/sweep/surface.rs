//! The whole of a sweep: its cells, and what they say together.

use serde::Serialize;
use swell_report::number::without_zeros;

use super::grid::words;
use super::{Cell, CellEnd, Figures, Grid};
use crate::limit::{self, Limit, whose};
use crate::table::Table;

/// Version of the form of `surface.json`.
const FORM: u32 = 1;

/// Measurements of a sweep.
#[derive(Clone, Debug, Serialize)]
pub struct Surface {
    /// Version of this form.
    pub form: u32,
    /// The tool that made it.
    pub made_by: String,
    /// What was loaded: a plan or a URL.
    pub subject: String,
    /// The command of the server, with its settings as names.
    pub server: Option<String>,
    /// Seconds a cell.
    pub each_s: f64,
    /// The seed of the order; none: in the order given.
    pub seed: Option<u64>,
    /// Settings and loads.
    pub grid: Grid,
    /// The cells in the order in which they were measured.
    pub cells: Vec<Cell>,
}

/// The rounds of a setting and load together.
#[derive(Clone, Debug)]
pub struct Level {
    /// Number of the load.
    pub load: usize,
    /// The figures of the round whose rate is in the middle.
    pub figures: Figures,
    /// Lowest and highest rate of all rounds.
    pub per_s_range: (f64, f64),
    /// Rounds that were measured.
    pub rounds: usize,
}

impl Level {
    /// The tool was good enough, as far as is known.
    fn is_valid(&self) -> bool {
        self.figures.verdict.as_deref().is_none_or(|verdict| verdict != "INVALID")
    }
}

impl Surface {
    /// Nothing measured yet.
    pub fn new(made_by: &str, subject: &str, grid: Grid) -> Self {
        Self {
            form: FORM,
            made_by: made_by.to_owned(),
            subject: subject.to_owned(),
            server: None,
            each_s: 0.0,
            seed: None,
            grid,
            cells: Vec::new(),
        }
    }

    /// What was measured at a setting, a level a load, in the order of the loads; loads without a
    /// whole measurement are left out.
    pub fn levels(&self, setting: usize) -> Vec<Level> {
        let level = |load: usize| {
            let mine = |cell: &&Cell| cell.setting == setting && cell.load == load;
            let mut all: Vec<_> = self.cells.iter().filter(mine).filter_map(Cell::measured).collect();
            all.sort_by(|a, b| a.per_s.total_cmp(&b.per_s));
            let figures = (*all.get(all.len().checked_sub(1)? / 2)?).clone();
            let per_s_range = (all.first()?.per_s, all.last()?.per_s);
            Some(Level { load, figures, per_s_range, rounds: all.len() })
        };
        (0..self.grid.load.values.len()).filter_map(level).collect()
    }

    /// Where the throughput of a setting stops following the load: load and throughput
    /// ([`swell_stats::capacity::knee`]). None with fewer than five loads, where loads are no
    /// numbers, or where there is none.
    pub fn knee(&self, setting: usize) -> Option<(f64, f64)> {
        let places = self.grid.load.numbers()?;
        let point = |level: &Level| (places[level.load], level.figures.per_s);
        let mut points: Vec<_> = self.levels(setting).iter().map(point).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        swell_stats::capacity::knee(&points)
    }

    /// A load between those that were tried, to three digits.
    pub fn load_words(load: f64) -> String {
        let step = 10_f64.powi(load.abs().log10().floor() as i32 - 2).min(1.0);
        let digits = (-step.log10()).max(0.0) as usize;
        without_zeros(&format!("{load:.digits$}")).to_owned()
    }

    /// The most throughput of a setting, with the load at which it was.
    pub fn most(&self, setting: usize) -> Option<(&str, f64)> {
        let levels = self.levels(setting);
        let most = levels.iter().max_by(|a, b| a.figures.per_s.total_cmp(&b.figures.per_s))?;
        Some((&self.grid.load.values[most.load], most.figures.per_s))
    }

    /// Knee and most throughput of a setting in a line, or why nothing worked.
    pub fn summary(&self, setting: usize) -> Option<String> {
        if let Some(why) = self.nothing_worked(setting) {
            return Some(why);
        }
        let (load, per_s) = self.most(setting)?;
        let name = &self.grid.load.name;
        let number = swell_report::number::rate;
        let most = format!("highest: {}/s at {name} {load}", number(per_s));
        Some(match self.knee(setting) {
            Some((at, per_s)) => {
                format!("knee at {name} {} ({}/s); {most}", Self::load_words(at), number(per_s))
            }
            None => most,
        })
    }

    /// Why not one request succeeded at the lightest load of a setting, and at any other that was
    /// measured where loads are no numbers.
    pub fn nothing_worked(&self, setting: usize) -> Option<String> {
        let levels = self.levels(setting);
        let why = |level: &Level| level.figures.nothing_worked.clone();
        let Some(places) = self.grid.load.numbers() else {
            return levels.iter().map(why).collect::<Option<Vec<_>>>()?.into_iter().next();
        };
        let lightest = levels.iter().min_by(|a, b| places[a.load].total_cmp(&places[b.load]))?;
        why(lightest)
    }

    /// Whose limit it was that throughput stopped following the load, or that samples failed; none
    /// where it did not, where loads are no numbers, or where nothing worked.
    pub fn limit(&self, setting: usize) -> Option<Limit> {
        let places = self.grid.load.numbers().filter(|_| self.nothing_worked(setting).is_none())?;
        let is_rate = self.grid.load.name == "rate";
        let of = |level: &Level| limit::Level {
            load: places[level.load],
            offered_per_s: is_rate.then_some(places[level.load]),
            tool: if level.is_valid() { Vec::new() } else { level.figures.reasons.clone() },
            per_s: level.figures.per_s,
            ..level.figures.level.clone()
        };
        let mut levels: Vec<limit::Level> = self.levels(setting).iter().map(of).collect();
        levels.sort_by(|a, b| a.load.total_cmp(&b.load));
        let followed: Vec<bool> = (0..levels.len()).map(|at| follows(&levels[..=at])).collect();
        for (level, followed) in levels.iter_mut().zip(followed) {
            level.passed = followed;
        }
        let beyond = || levels.iter().filter(|level| !level.passed);
        let by_tool = beyond().all(|level| !level.tool.is_empty());
        (beyond().count() > 0).then(|| whose(&levels, by_tool))
    }

    /// What went wrong at a setting, each once, with the load at which it did.
    pub fn failures(&self, setting: usize) -> Vec<(usize, &str)> {
        let mut found: Vec<(usize, &str)> = Vec::new();
        for cell in self.cells.iter().filter(|cell| cell.setting == setting) {
            if let CellEnd::ServerDied(why) | CellEnd::NoServer(why) = &cell.ending
                && found.iter().all(|(_, known)| known != why)
            {
                found.push((cell.load, why));
            }
        }
        found
    }

    /// A setting as text, empty if there are none.
    pub fn setting_words(&self, setting: usize) -> String {
        self.grid.combinations().get(setting).map(|settings| words(settings)).unwrap_or_default()
    }

    /// One row a cell, in the order in which they were measured; what is not known is empty.
    pub fn csv(&self) -> String {
        let names = self.grid.settings.iter().map(|axis| axis.name.clone());
        let columns = [
            "round",
            "ending",
            "samples",
            "errors",
            "error",
            "per_s",
            "mean_ms",
            "p50_ms",
            "p95_ms",
            "p99_ms",
            "max_ms",
            "warm_up_s",
            "is_steady",
            "length_s",
            "run_queue",
            "server_processors",
            "server_threads",
            "server_process_limit",
            "server_rss_bytes",
            "verdict",
            "reasons",
            "aborted",
        ];
        let head = names.chain([self.grid.load.name.clone()]).chain(columns.map(str::to_owned));
        let mut table = Table::new(head);
        let combinations = self.grid.combinations();
        for cell in &self.cells {
            let mut row: Vec<String> =
                combinations[cell.setting].iter().map(|(_, value)| value.clone()).collect();
            row.extend([self.grid.load.values[cell.load].clone(), cell.round.to_string()]);
            row.push(match &cell.ending {
                CellEnd::Measured => "measured".to_owned(),
                CellEnd::ServerDied(why) => format!("server died: {why}"),
                CellEnd::NoServer(why) => format!("no server: {why}"),
            });
            row.extend(cell.figures.as_ref().map(figures_row).unwrap_or_default());
            row.resize(table.head.len(), String::new());
            table.rows.push(row);
        }
        table.csv()
    }
}

/// Whether the last of these levels has what its load asks for, by rising load: under a rate, that
/// rate; under users, more throughput than far fewer of them have; and hardly a failure.
fn follows(levels: &[limit::Level]) -> bool {
    const ERRORS: f64 = 0.01;
    const REACHED: f64 = 0.97;
    let Some((last, fewer)) = levels.split_last() else { return true };
    let reached = match last.offered_per_s {
        Some(offered) => last.per_s >= REACHED * offered,
        None => !fewer.iter().any(|fewer| {
            fewer.load <= 0.8 * last.load
                && swell_stats::capacity::is_saturated((fewer.load, fewer.per_s), (last.load, last.per_s))
        }),
    };
    reached && last.errors <= ERRORS
}

fn figures_row(of: &Figures) -> Vec<String> {
    fn known<T: ToString>(value: Option<T>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    let ms = |value: Option<f64>| known(value.map(|ms| format!("{ms:.3}")));
    vec![
        of.samples.to_string(),
        of.errors.to_string(),
        known(of.error.clone()),
        format!("{:.2}", of.per_s),
        ms(of.mean_ms),
        ms(of.p50_ms),
        ms(of.p95_ms),
        ms(of.p99_ms),
        ms(of.max_ms),
        format!("{:.1}", of.warm_up_s),
        of.is_steady.to_string(),
        format!("{:.1}", of.length_s),
        known(of.run_queue.map(|value| format!("{value:.2}"))),
        known(of.server_processors.map(|value| format!("{value:.3}"))),
        known(of.server_threads),
        known(of.server_process_limit),
        known(of.server_rss_bytes),
        known(of.verdict.clone()),
        of.reasons.join("; "),
        known(of.aborted.clone()),
    ]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::sweep::CellPosition;

    /// Two settings and three loads; the server of the second dies at the last load.
    pub(in crate::sweep) fn surface() -> Surface {
        let axis = |text: &str| text.parse().expect(text);
        let grid = Grid { settings: vec![axis("maxThreads=25,<5000>")], load: axis("users=10,100,1000") };
        // A setting with a character of HTML; `Axis` takes any value.
        let mut surface = Surface { each_s: 20.0, seed: Some(1), ..Surface::new("Swell", "http://a/", grid) };
        for (setting, load, round, per_s) in [
            (0, 2, 0, 1200.0),
            (0, 0, 0, 480.0),
            (0, 1, 0, 1210.0),
            (1, 0, 0, 490.0),
            (1, 1, 0, 4800.0),
            (0, 1, 1, 1150.0),
            (0, 1, 2, 1190.0),
        ] {
            let figures = Figures {
                samples: (per_s * 19.0) as u64,
                per_s,
                mean_ms: Some(20.5),
                p99_ms: Some(25.0),
                verdict: Some("VALID".to_owned()),
                run_queue: Some(1.5),
                ..Figures::default()
            };
            surface.cells.push(Cell::new(
                CellPosition { setting, load, round },
                CellEnd::Measured,
                Some(figures),
            ));
        }
        let died = CellEnd::ServerDied("the server exited with status 1".to_owned());
        surface.cells.push(Cell::new(CellPosition { setting: 1, load: 2, round: 0 }, died, None));
        surface
    }

    #[test]
    fn rounds_are_told_by_the_one_in_the_middle() {
        let levels = surface().levels(0);
        assert_eq!(levels.iter().map(|level| level.load).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!((levels[1].rounds, levels[1].figures.per_s), (3, 1190.0));
        assert_eq!(levels[1].per_s_range, (1150.0, 1210.0));
        assert_eq!(surface().levels(1).len(), 2);
        assert_eq!(surface().failures(1), [(2, "the server exited with status 1")]);
    }

    #[test]
    fn where_nothing_works_at_the_lightest_load_there_is_no_limit() {
        let mut surface = surface();
        for cell in surface.cells.iter_mut().filter(|cell| cell.setting == 0) {
            let figures = cell.figures.as_mut().expect("measured");
            (figures.errors, figures.level.errors, figures.level.refused) = (figures.samples, 1.0, 1.0);
        }
        assert_eq!(surface.limit(0).map(|limit| limit.cause), Some(crate::limit::Cause::AcceptQueue));
        let why = |load: usize| (load == 0).then(|| "nothing answered".to_owned());
        for cell in &mut surface.cells {
            let load = cell.load;
            if let Some(figures) = &mut cell.figures {
                figures.nothing_worked = why(load);
            }
        }
        assert_eq!((surface.nothing_worked(0), surface.limit(0)), (why(0), None));
        assert!(crate::sweep::text(&surface).contains("\nnothing answered\n"));
        surface.cells.iter_mut().filter_map(|cell| cell.figures.as_mut()).for_each(|figures| {
            figures.nothing_worked = None;
        });
        assert_eq!(surface.nothing_worked(0), None);
    }

    #[test]
    fn loads_between_those_that_were_tried_have_three_digits() {
        for (load, words) in
            [(24.999_999, "25"), (25.234, "25.2"), (0.5, "0.5"), (101.7, "102"), (1234.5, "1234")]
        {
            assert_eq!(Surface::load_words(load), words);
        }
    }

    #[test]
    fn the_knee_of_a_pool_is_at_its_size() {
        let axis = |text: &str| text.parse().expect(text);
        let grid = Grid { settings: Vec::new(), load: axis("users=200,5,10,15,20,25,40,80,120") };
        let mut surface = Surface::new("Swell", "http://a/", grid);
        for (load, users) in surface.grid.load.numbers().expect("numbers").into_iter().enumerate() {
            let per_s = 50.0 * users.min(25.0);
            let figures = Figures { per_s, ..Figures::default() };
            surface.cells.push(Cell::new(
                CellPosition { setting: 0, load, round: 0 },
                CellEnd::Measured,
                Some(figures),
            ));
        }
        let found = surface.knee(0).expect("there is one");
        assert!((found.0 - 25.0).abs() < 1e-6 && (found.1 - 1250.0).abs() < 1e-6, "{found:?}");
        assert!(
            surface.summary(0).is_some_and(|line| line.starts_with("knee at users 25 (1,250/s); highest: "))
        );
        // Three loads are too few.
        assert_eq!(tests::surface().summary(0).as_deref(), Some("highest: 1,200/s at users 1000"));
    }

    #[test]
    fn a_setting_has_the_name_of_its_limit() {
        let axis = |text: &str| text.parse().expect(text);
        let with = |loads: &str, per_s: fn(f64) -> f64| {
            let grid = Grid { settings: Vec::new(), load: axis(loads) };
            let mut surface = Surface::new("Swell", "http://a/", grid);
            for (load, value) in surface.grid.load.numbers().expect("numbers").into_iter().enumerate() {
                let users_ms = 20.0 * (value / 25.0).max(1.0);
                let level = limit::Level { mean_ms: Some(users_ms), ..limit::Level::default() };
                let figures = Figures { per_s: per_s(value), level, ..Figures::default() };
                let place = CellPosition { setting: 0, load, round: 0 };
                surface.cells.push(Cell::new(place, CellEnd::Measured, Some(figures)));
            }
            surface.limit(0).map(|limit| limit.words)
        };
        let users = "users=80,5,10,20,25,40,120";
        let pool = Some("a pool of about 25 in the server".to_owned());
        assert_eq!(with(users, |users| 50.0 * users.min(25.0)), pool);
        assert_eq!(with(users, |users| 50.0 * users), None, "it follows");
        assert_eq!(with("rate=20,1240,1300,2000", |rate| rate.min(1250.0)), pool);
    }

    #[test]
    fn rows_have_what_is_known_and_nothing_else() {
        let csv = surface().csv();
        let lines: Vec<_> = csv.lines().collect();
        assert_eq!(lines.len(), 9);
        assert!(lines[0].starts_with("maxThreads,users,round,ending,samples,"), "{}", lines[0]);
        assert!(lines[1].starts_with("25,1000,0,measured,22800,0,,1200.00,20.500,,,25.000,"), "{}", lines[1]);
        assert!(
            lines[8].starts_with("<5000>,1000,0,server died: the server exited with status 1,,,"),
            "{}",
            lines[8]
        );
    }
}

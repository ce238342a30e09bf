//! Which cells there are, and in which order they are measured.

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use serde::Serialize;

/// A name and the values that it takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Its values in their order, at least one, none twice.
    pub values: Vec<String>,
}

impl std::str::FromStr for Axis {
    type Err = String;

    /// `NAME=VALUE,VALUE,…`
    fn from_str(text: &str) -> Result<Self, String> {
        let right = "use NAME=VALUE,VALUE, as in maxThreads=200,500";
        let (name, values) =
            text.split_once('=').ok_or_else(|| format!("`{text}` has no values; {right}"))?;
        let name = name.trim();
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(format!("invalid name `{name}`: use letters, digits, `_`, `-` and `.`; {right}"));
        }
        let values: Vec<_> = values.split(',').map(|value| value.trim().to_owned()).collect();
        if values.iter().any(String::is_empty) {
            return Err(format!("`{text}` has an empty value; {right}"));
        }
        if let Some(twice) = values.iter().enumerate().find(|(at, value)| values[..*at].contains(value)) {
            return Err(format!("`{text}` has {} twice", twice.1));
        }
        Ok(Self { name: name.to_owned(), values })
    }
}

impl Axis {
    /// Its values as numbers, if all of them are.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        let number = |value: &String| value.parse::<f64>().ok().filter(|number| number.is_finite());
        self.values.iter().map(number).collect()
    }
}

/// Every setting with every load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Grid {
    /// Settings of the server; none: it is measured as it is.
    pub settings: Vec<Axis>,
    /// What is loaded.
    pub load: Axis,
}

/// How cells follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they are given.
    Given,
    /// Drawn from this seed.
    Drawn(u64),
}

/// A cell: numbers of a setting and of a load, and how often they were measured before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellPosition {
    /// Number of the combination of settings.
    pub setting: usize,
    /// Number of the load.
    pub load: usize,
    /// From 0 on.
    pub round: usize,
}

impl Grid {
    /// All [`combinations`] of its settings.
    pub fn combinations(&self) -> Vec<Vec<(String, String)>> {
        combinations(&self.settings)
    }

    /// The cells of a setting and round are adjacent: the server keeps running. In each round the
    /// settings and, within each, the loads have a different order.
    pub fn places(&self, rounds: usize, order: Order) -> Vec<CellPosition> {
        let mut random = match order {
            Order::Given => None,
            Order::Drawn(seed) => Some(StdRng::seed_from_u64(seed)),
        };
        let mut ordered = |count: usize| {
            let mut all: Vec<_> = (0..count).collect();
            if let Some(random) = &mut random {
                all.shuffle(random);
            }
            all
        };
        let mut places = Vec::new();
        for round in 0..rounds {
            for setting in ordered(self.combinations().len()) {
                let loads = ordered(self.load.values.len());
                places.extend(loads.into_iter().map(|load| CellPosition { setting, load, round }));
            }
        }
        places
    }
}

/// All combinations of settings in the order in which they are given, the last axis running
/// fastest; one empty one where there are no settings.
pub fn combinations(settings: &[Axis]) -> Vec<Vec<(String, String)>> {
    settings.iter().fold(vec![Vec::new()], |all, axis| {
        let with = |before: &Vec<(String, String)>, value: &String| {
            let mut next = before.clone();
            next.push((axis.name.clone(), value.clone()));
            next
        };
        all.iter().flat_map(|before| axis.values.iter().map(move |value| with(before, value))).collect()
    })
}

/// A combination of settings as text: `maxThreads 200, acceptCount 10`; empty if there are none.
pub fn words(settings: &[(String, String)]) -> String {
    settings.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(settings: &[&str], load: &str) -> Grid {
        let axis = |text: &str| text.parse().expect(text);
        Grid { settings: settings.iter().map(|text| axis(text)).collect(), load: axis(load) }
    }

    #[test]
    fn axes_are_read_and_mistakes_told() {
        let axis: Axis = "maxThreads = 200, 500 ,5000".parse().expect("right");
        assert_eq!((&*axis.name, axis.numbers()), ("maxThreads", Some(vec![200.0, 500.0, 5000.0])));
        assert_eq!("kind=a,b".parse::<Axis>().expect("right").numbers(), None);
        for (text, why) in [
            ("users", "no values"),
            ("users=", "an empty value"),
            ("users=1,,2", "an empty value"),
            ("=1", "invalid name"),
            ("a b=1", "invalid name"),
            ("users=1,2,1", "has 1 twice"),
        ] {
            let error = text.parse::<Axis>().expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn every_cell_comes_once_a_round_and_the_same_seed_gives_the_same_order() {
        let grid = grid(&["a=1,2,3", "b=x,y"], "users=10,20,30,40");
        assert_eq!(grid.combinations().len(), 6);
        assert_eq!(words(&grid.combinations()[1]), "a 1, b y");
        let places = grid.places(2, Order::Drawn(7));
        assert_eq!(places, grid.places(2, Order::Drawn(7)));
        assert_ne!(places, grid.places(2, Order::Drawn(8)));
        let key = |place: &CellPosition| (place.round, place.setting, place.load);
        let mut sorted: Vec<_> = places.iter().map(key).collect();
        sorted.sort_unstable();
        let given: Vec<_> = grid.places(2, Order::Given).iter().map(key).collect();
        assert_eq!(sorted, given);
        // The server is started once a setting and round.
        let changes = places.windows(2).filter(|two| two[0].setting != two[1].setting).count();
        assert!(changes <= 11, "{changes}");
    }

    #[test]
    fn without_settings_there_is_one_combination() {
        let grid = grid(&[], "users=1,2");
        assert_eq!((grid.combinations(), grid.places(1, Order::Given).len()), (vec![Vec::new()], 2));
    }
}

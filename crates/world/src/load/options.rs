//! The options of a world with load: all that decides what happens in it, as text.

use rand::Rng;
use rand::rngs::SmallRng;
use serde::{Deserialize, Serialize};

use crate::kernel::draws;

/// All options of a world with load. The same options give the same world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadOptions {
    /// The seed of all draws during the run.
    pub seed: u64,
    /// Requests that are started.
    pub requests: u32,
    /// Requests a second.
    pub rate_per_s: f64,
    /// One way between tool and site, microseconds.
    pub latency_us: u32,
    /// A process that waited runs up to this after it is woken, microseconds.
    pub wake_us: u32,
    /// A read of a clock takes this, nanoseconds.
    pub read_ns: u32,
    /// How long a request may take, milliseconds.
    pub timeout_ms: u32,
    /// The share of requests to routes that break HTTP on purpose.
    pub misbehaving: f64,
    /// All requests go over HTTP/2, with as few connections as possible.
    #[serde(default)]
    pub http2: bool,
    /// What goes wrong.
    #[serde(default)]
    pub faults: Vec<Fault>,
}

/// Something that goes wrong in a world. Times are milliseconds of world time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// Segments take up to this longer, each another time.
    Jitter {
        /// Microseconds.
        most_us: u32,
    },
    /// Segments are lost and sent again.
    Loss {
        /// The share of all segments.
        share: f64,
    },
    /// Connections break.
    Resets {
        /// The share of all segments.
        share: f64,
    },
    /// Sends and reads take a part of what they could.
    Partial {
        /// The share of all calls.
        share: f64,
    },
    /// Connections have small buffers.
    SmallBuffers {
        /// Bytes.
        bytes: u32,
    },
    /// Arrivals meet timers to the nanosecond.
    NearTies {
        /// The share of all segments.
        share: f64,
    },
    /// Nothing passes between tool and site.
    Cut {
        /// From then.
        at_ms: u32,
        /// For so long.
        for_ms: u32,
    },
    /// The tool gets no processor.
    ToolStall {
        /// From then.
        at_ms: u32,
        /// For so long.
        for_ms: u32,
    },
    /// The site gets no processor.
    SiteStall {
        /// From then.
        at_ms: u32,
        /// For so long.
        for_ms: u32,
    },
    /// The machine of the tool is suspended.
    ToolSuspended {
        /// From then.
        at_ms: u32,
        /// For so long.
        for_ms: u32,
    },
    /// The wall clock of the tool's machine is set.
    WallStep {
        /// At that time.
        at_ms: u32,
        /// By this.
        by_ms: i32,
    },
    /// The clocks run at different rates.
    Drift {
        /// The tool's machine, parts per million.
        tool_ppm: i32,
        /// The site's machine, parts per million.
        site_ppm: i32,
    },
    /// Each turn of a loop takes up to this.
    SlowTurns {
        /// Microseconds.
        most_us: u32,
    },
    /// The tool may send nothing from then on, since its lease ends.
    LeaseEnds {
        /// At that time.
        at_ms: u32,
    },
    /// The process of the site ends, and with it its connections and its listener.
    SiteKilled {
        /// At that time.
        at_ms: u32,
    },
}

impl Fault {
    /// One of each kind, as strong as drawn. `length_ms`: how long the load lasts.
    fn all(draws: &mut SmallRng, length_ms: u32) -> Vec<Self> {
        let mut at = || draws.random_range(500..500 + length_ms.max(1));
        let (cut, tool, site, asleep, step, kill, lease) = (at(), at(), at(), at(), at(), at(), at());
        vec![
            Self::Jitter { most_us: draws.random_range(1..5_000) },
            Self::Loss { share: rounded(draws.random_range(0.0..0.05)) },
            Self::Resets { share: rounded(draws.random_range(0.0..0.01)) },
            Self::Partial { share: rounded(draws.random_range(0.0..0.5)) },
            Self::SmallBuffers { bytes: draws.random_range(60..2_000) },
            Self::NearTies { share: rounded(draws.random_range(0.0..0.5)) },
            Self::Cut { at_ms: cut, for_ms: draws.random_range(1..2_000) },
            Self::ToolStall { at_ms: tool, for_ms: draws.random_range(1..1_000) },
            Self::SiteStall { at_ms: site, for_ms: draws.random_range(1..1_000) },
            Self::ToolSuspended { at_ms: asleep, for_ms: draws.random_range(1..1_000) },
            Self::WallStep { at_ms: step, by_ms: draws.random_range(-2_000..2_000) },
            Self::Drift { tool_ppm: draws.random_range(-200..200), site_ppm: draws.random_range(-200..200) },
            Self::SlowTurns { most_us: draws.random_range(1..50) },
            Self::SiteKilled { at_ms: kill },
            Self::LeaseEnds { at_ms: lease },
        ]
    }
}

/// Six decimals, so that a share reads the same from its text.
fn rounded(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

impl LoadOptions {
    /// Options of a swarm: a seed draws which faults exist, about a third of them, and then how
    /// strong they are. In every tenth world there are none.
    pub fn drawn(seed: u64) -> Self {
        let mut draws = draws(seed, "options");
        let requests = draws.random_range(5..150);
        let rate_per_s = f64::from(draws.random_range(20..600));
        let length_ms = (f64::from(requests) / rate_per_s * 1e3) as u32;
        let is_calm = draws.random_bool(0.1);
        let exists: Vec<bool> = (0..64).map(|_| !is_calm && draws.random_bool(0.33)).collect();
        let faults = Fault::all(&mut draws, length_ms).into_iter().zip(exists);
        let faults = faults.filter(|(_, exists)| *exists).map(|(fault, _)| fault).collect();
        Self {
            seed,
            requests,
            rate_per_s,
            latency_us: draws.random_range(5..5_000),
            wake_us: if draws.random_bool(0.3) { 0 } else { draws.random_range(1..50) },
            read_ns: if draws.random_bool(0.4) { 0 } else { draws.random_range(1..30) },
            timeout_ms: if draws.random_bool(0.5) { 20_000 } else { draws.random_range(5..500) },
            misbehaving: if draws.random_bool(0.5) { 0.0 } else { rounded(draws.random_range(0.0..0.3)) },
            http2: draws.random_bool(0.3),
            faults,
        }
    }

    /// The options as TOML.
    ///
    /// # Panics
    /// Never: every value has a form in TOML.
    pub fn to_text(&self) -> String {
        toml::to_string(self).expect("options have a form in TOML")
    }

    /// Options a step smaller: with fewer faults and requests, and without routes that break HTTP.
    pub(crate) fn steps(&self) -> Vec<Self> {
        let mut all: Vec<_> = (0..self.faults.len())
            .map(|place| {
                let mut less = self.clone();
                less.faults.remove(place);
                less
            })
            .collect();
        if self.misbehaving > 0.0 {
            all.push(Self { misbehaving: 0.0, ..self.clone() });
        }
        if self.requests > 1 {
            all.push(Self { requests: self.requests / 2, ..self.clone() });
            all.push(Self { requests: self.requests - 1, ..self.clone() });
        }
        all
    }

    /// Whether a fault of a kind exists.
    pub(super) fn has(&self, is_it: impl Fn(&Fault) -> bool) -> bool {
        self.faults.iter().any(is_it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_read_the_same_from_their_text() {
        for seed in 0..50 {
            let options = LoadOptions::drawn(seed);
            assert_eq!(toml::from_str::<LoadOptions>(&options.to_text()).as_ref(), Ok(&options));
        }
    }

    #[test]
    fn a_typo_is_named() {
        let text = LoadOptions::drawn(1).to_text().replace("timeout_ms", "timeout_sm");
        let error = toml::from_str::<LoadOptions>(&text).expect_err("a field that does not exist");
        assert!(error.to_string().contains("unknown field `timeout_sm`, expected one of"), "{error}");
    }

    #[test]
    fn a_third_of_the_faults_exist_and_some_worlds_are_calm() {
        let of: Vec<usize> = (0..500).map(|seed| LoadOptions::drawn(seed).faults.len()).collect();
        let calm = of.iter().filter(|faults| **faults == 0).count();
        let all: usize = of.iter().sum();
        assert!((30..90).contains(&calm), "{calm} of 500");
        assert!((1_600..2_600).contains(&all), "{all} in 500");
    }
}

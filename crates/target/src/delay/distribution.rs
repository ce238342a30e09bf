//! Random delays that can be known beforehand: the n-th draw is a function of the seed and n.

use std::f64::consts::TAU;

use super::duration::{DELAY_MAX_NS, parse_duration};

/// A distribution of delays; the fields are in nanoseconds but for shares and shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Distribution {
    Constant(f64),
    Uniform {
        low: f64,
        high: f64,
    },
    /// `first` with probability `share`, else `second`.
    Bimodal {
        first: f64,
        second: f64,
        share: f64,
    },
    Exponential {
        mean: f64,
    },
    /// Draws below zero become zero.
    Normal {
        mean: f64,
        deviation: f64,
    },
    /// exp(N(ln median, sigma²)).
    LogNormal {
        median: f64,
        sigma: f64,
    },
    /// Heavy tail: P(X > x) = (least / x)^alpha.
    Pareto {
        least: f64,
        alpha: f64,
    },
}

const HINT: &str = "use const:D, uniform:LOW,HIGH, bimodal:FIRST,SECOND,SHARE, exp:MEAN, \
    normal:MEAN,SD, lognormal:MEDIAN,SIGMA or pareto:LEAST,ALPHA";

impl Distribution {
    /// Reads `name:parameter,…`; a bare duration is a constant.
    ///
    /// # Errors
    /// A line that says what is wrong and what would be right.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let Some((name, parameters)) = text.split_once(':') else {
            return Ok(Self::Constant(parse_duration(text)? as f64));
        };
        let parts: Vec<&str> = parameters.split(',').map(str::trim).collect();
        let time = |text: &str| parse_duration(text).map(|ns| ns as f64);
        match (name, &parts[..]) {
            ("const", [delay]) => Ok(Self::Constant(time(delay)?)),
            ("uniform", [low, high]) => Ok(Self::Uniform { low: time(low)?, high: time(high)? }),
            ("bimodal", [first, second, part]) => {
                Ok(Self::Bimodal { first: time(first)?, second: time(second)?, share: share(part)? })
            }
            ("exp", [mean]) => Ok(Self::Exponential { mean: time(mean)? }),
            ("normal", [mean, sd]) => Ok(Self::Normal { mean: time(mean)?, deviation: time(sd)? }),
            ("lognormal", [median, sigma]) => {
                Ok(Self::LogNormal { median: time(median)?, sigma: shape(sigma)? })
            }
            ("pareto", [least, alpha]) => Ok(Self::Pareto { least: time(least)?, alpha: shape(alpha)? }),
            _ => Err(format!("invalid distribution {text:?}: {HINT}")),
        }
    }

    /// The draw of that index in the stream of that seed, in nanoseconds, at most one hour.
    pub(crate) fn draw(&self, seed: u64, index: u64) -> i64 {
        let key = random(seed).wrapping_add(index.wrapping_mul(2));
        let u = unit(random(key));
        let v = unit(random(key.wrapping_add(1)));
        let normal = || (-2.0 * u.ln()).sqrt() * (TAU * v).cos();
        let ns = match *self {
            Self::Constant(ns) => ns,
            Self::Uniform { low, high } => low + (high - low) * u,
            Self::Bimodal { first, second, share } => {
                if u <= share {
                    first
                } else {
                    second
                }
            }
            Self::Exponential { mean } => -mean * u.ln(),
            Self::Normal { mean, deviation } => mean + deviation * normal(),
            Self::LogNormal { median, sigma } => median * (sigma * normal()).exp(),
            Self::Pareto { least, alpha } => least * u.powf(-1.0 / alpha),
        };
        ns.clamp(0.0, DELAY_MAX_NS as f64).round() as i64
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("invalid share {text:?}: expected a number between 0 and 1"))
}

fn shape(text: &str) -> Result<f64, String> {
    let shape = text.parse().ok().filter(|shape: &f64| shape.is_finite() && *shape > 0.0);
    shape.ok_or_else(|| format!("invalid number {text:?}: expected a number above 0"))
}

/// A bijection of 64 bits that looks random (SplitMix64, Steele et al. 2014).
pub(crate) fn random(value: u64) -> u64 {
    let mut mixed = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// 53 of the bits as a number in (0, 1].
fn unit(bits: u64) -> f64 {
    ((bits >> 11) + 1) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u64 = 100_000;

    fn draws(text: &str, seed: u64) -> Vec<f64> {
        let distribution = Distribution::parse(text).unwrap();
        let mut draws: Vec<f64> =
            (0..DRAWS).map(|index| distribution.draw(seed, index) as f64 / 1e6).collect();
        draws.sort_unstable_by(f64::total_cmp);
        draws
    }

    /// Quantiles in milliseconds that follow from each distribution's formula, with four standard
    /// errors and more.
    #[test]
    fn draws_follow_their_distribution() {
        let table = [
            ("const:5ms", 0.5, 5.0),
            ("5ms", 0.99, 5.0),
            ("uniform:10ms,30ms", 0.25, 15.0),
            ("bimodal:5ms,200ms,0.9", 0.89, 5.0),
            ("bimodal:5ms,200ms,0.9", 0.91, 200.0),
            ("exp:10ms", 0.5, 6.931),
            ("exp:10ms", 0.99, 46.05),
            ("normal:100ms,10ms", 0.8413, 110.0),
            ("lognormal:20ms,0.5", 0.5, 20.0),
            ("lognormal:20ms,0.5", 0.8413, 32.97),
            ("pareto:1ms,1.5", 0.99, 21.54),
        ];
        for (text, quantile, wanted_ms) in table {
            let seen_ms = draws(text, 7)[(quantile * DRAWS as f64) as usize];
            assert!((seen_ms - wanted_ms).abs() <= wanted_ms * 0.04, "{text} {quantile}: {seen_ms}");
        }
    }

    #[test]
    fn a_seed_is_a_stream() {
        assert_eq!(draws("exp:10ms", 7), draws("exp:10ms", 7));
        assert_ne!(draws("exp:10ms", 7), draws("exp:10ms", 8));
        assert!(draws("normal:1ms,5ms", 3)[0].abs() < f64::EPSILON);
    }

    #[test]
    fn nonsense_is_refused_with_a_hint() {
        for text in
            ["bimodal:5ms,200ms", "bimodal:5ms,200ms,1.5", "pareto:1ms,0", "gauss:1ms,2ms", "exp:", "x"]
        {
            assert!(Distribution::parse(text).is_err(), "{text}");
        }
    }
}

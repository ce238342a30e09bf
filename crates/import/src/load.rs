//! The load that the user wants, divided among the flows.

use crate::model::{Flow, Load};
use crate::notes::Notes;
use crate::options::Options;
use crate::source::Place;

/// Gives each flow its part of the load, and the data file.
pub(crate) fn apply(flows: &mut [Flow], options: &Options, notes: &mut Notes) {
    let weights: Vec<u32> = flows.iter().map(|flow| weight(flow, &options.weights)).collect();
    for (name, _) in &options.weights {
        if !flows.iter().any(|flow| flow.name == *name) {
            let names: Vec<&str> = flows.iter().map(|flow| flow.name.as_str()).collect();
            let reason = format!("no file has this name; there are {}", names.join(", "));
            notes.left_out(&Place::default(), format!("weight of {name}"), reason);
        }
    }
    let Load { users, loops, ramp_s, duration_s, rate, pause, .. } = &options.load;
    let users = users.map(|users| shares(users, &weights));
    let total: f64 = weights.iter().copied().map(f64::from).sum();
    for (number, flow) in flows.iter_mut().enumerate() {
        let load = &mut flow.load;
        if let Some(users) = &users {
            load.users = users.get(number).copied();
        }
        load.loops = loops.or(load.loops);
        load.ramp_s = ramp_s.or(load.ramp_s);
        load.duration_s = duration_s.or(load.duration_s);
        load.rate = rate.map(|rate| rate * f64::from(weights[number]) / total).or(load.rate);
        if pause.is_some() {
            load.pause.clone_from(pause);
        }
        flow.data.extend(options.data.clone());
    }
}

fn weight(flow: &Flow, weights: &[(String, u32)]) -> u32 {
    weights.iter().find(|(name, _)| *name == flow.name).map_or(1, |(_, weight)| *weight)
}

/// A number in parts by weights. Each part with a weight has at least 1; the largest remainders get
/// what is left.
fn shares(whole: u32, weights: &[u32]) -> Vec<u32> {
    let total: u64 = weights.iter().copied().map(u64::from).sum();
    if total == 0 {
        return vec![whole; weights.len()];
    }
    let exact = |weight: &u32| u64::from(whole) * u64::from(*weight);
    let floor = |weight: &u32| u32::try_from(exact(weight) / total).unwrap_or(u32::MAX);
    let mut parts: Vec<u32> = weights.iter().map(floor).collect();
    let mut by_remainder: Vec<usize> = (0..weights.len()).collect();
    by_remainder.sort_by_key(|part| std::cmp::Reverse(exact(&weights[*part]) % total));
    let left = whole - parts.iter().sum::<u32>();
    for part in by_remainder.into_iter().take(usize::try_from(left).unwrap_or(usize::MAX)) {
        parts[part] += 1;
    }
    parts.iter().zip(weights).map(|(part, weight)| if *weight == 0 { 0 } else { (*part).max(1) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_is_divided_by_weight() {
        for (whole, weights, wanted) in [
            (10, &[1, 1][..], &[5, 5][..]),
            (10, &[1, 8], &[1, 9]),
            (10, &[1, 1, 1], &[4, 3, 3]),
            (1, &[1, 1], &[1, 1]),
            (50, &[0, 5], &[0, 50]),
            (7, &[0, 0], &[7, 7]),
        ] {
            assert_eq!(shares(whole, weights), wanted, "{whole} {weights:?}");
        }
        let mut flows = ["a", "b"].map(|name| Flow { name: name.to_owned(), ..Flow::default() });
        let load = Load { users: Some(9), rate: Some(90.0), ..Load::default() };
        let weights = vec![("b".to_owned(), 8), ("c".to_owned(), 1)];
        let mut notes = Notes::default();
        apply(&mut flows, &Options { load, weights, ..Options::default() }, &mut notes);
        let found: Vec<_> = flows.iter().map(|flow| (flow.load.users, flow.load.rate)).collect();
        assert_eq!(found, [(Some(1), Some(10.0)), (Some(8), Some(80.0))]);
        assert!(notes.is_lossy() && notes.all()[0].reason.ends_with("there are a, b"), "{notes:?}");
    }
}

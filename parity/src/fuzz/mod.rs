//! Runs random plans through both programs. The same seed makes the same plans. Groups in which the
//! programs differ are reduced and written to files.

mod compare;
mod families;
pub(crate) mod grammar;
mod plan;
pub(crate) mod rng;
mod shrink;
mod summary;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use swell_plan::Node;

use crate::runner::{JMeter, Swell, Tool};
use compare::{Bench, Difference};
pub use families::{FAMILIES, Family};
use plan::Trial;
use rng::ChoiceRng;

/// What the groups of a plan share.
#[derive(Clone, Debug)]
struct Setting {
    /// JMeter properties, as with `-J`.
    properties: Vec<(String, String)>,
    /// The Test Plan and its elements before the groups.
    root: Node,
}

/// Options of a fuzzing run.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    /// Run only this family.
    pub family: Option<&'a str>,
    /// Seed of the first plan.
    pub seed: u64,
    /// Number of plans per family; each has the next seed.
    pub plans: u64,
    /// Number of groups per plan.
    pub groups: u64,
    /// Whether groups that differ are reduced.
    pub shrink: bool,
    /// Folder for the reduced plans.
    pub folder: &'a Path,
}

/// Counts of a fuzzing run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Plans that were run.
    pub plans: usize,
    /// Groups in them.
    pub groups: usize,
    /// Groups in which the programs differ.
    pub different: usize,
    /// Kinds of differences.
    pub kinds: usize,
    /// Plans that JMeter refused.
    pub refused: usize,
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { plans, groups, different, kinds, refused } = self;
        write!(
            f,
            "fuzz: {plans} plans, {groups} groups: {different} different, of {kinds} kinds; {refused} plans not run by JMeter"
        )
    }
}

/// Makes and compares plans. `tell` is called with a report of each kind of difference.
///
/// # Errors
/// The family is unknown, or a file cannot be written.
pub fn fuzz(wanted: &Wanted, jmeter: JMeter, swell: Swell, tell: &dyn Fn(&str)) -> Result<Totals, String> {
    let data = crate::home().join("cases/data");
    let bench = Bench { jmeter: Tool::JMeter(jmeter), swell: Tool::Swell(swell), data };
    let chosen = |family: &&Family| wanted.family.is_none_or(|name| family.name == name);
    let chosen: Vec<&Family> = FAMILIES.iter().filter(chosen).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        return Err(format!("no such family; there are {}", names.join(", ")));
    }
    let mut totals = Totals::default();
    let mut kinds = BTreeMap::new();
    for seed in wanted.seed..wanted.seed + wanted.plans {
        for family in &chosen {
            let trial = trial(family, seed, wanted.groups);
            totals.plans += 1;
            totals.groups += trial.groups.len();
            let found = match bench.differences(&trial) {
                Ok(found) => found,
                Err(error) => {
                    totals.refused += 1;
                    tell(&format!("##### {} {seed}: JMeter does not run it: {error}", family.name));
                    continue;
                }
            };
            for (index, difference) in found.into_iter().enumerate() {
                let Some(difference) = difference else { continue };
                totals.different += 1;
                let place = format!("{}-{seed}-{index}", family.name);
                let count: &mut usize = kinds.entry(difference.key.clone()).or_default();
                *count += 1;
                if *count > 1 {
                    tell(&format!("##### {place}: again: {}", difference.key));
                    continue;
                }
                tell(&report(&bench, wanted, &trial, index, &place, difference)?);
            }
        }
    }
    totals.kinds = kinds.len();
    Ok(totals)
}

/// Makes the plan of a family and a seed.
fn trial(family: &Family, seed: u64, groups: u64) -> Trial {
    let whole = family.is_whole;
    let count = if whole { 1 } else { groups };
    let setting = family.setting(&mut ChoiceRng::new(seed, &[0]));
    let groups = (1..=count).map(|index| family.group(&mut ChoiceRng::new(seed, &[index]))).collect();
    Trial { setting, groups, whole }
}

/// Reduces a difference, writes it to a file and reports it.
fn report(
    bench: &Bench,
    wanted: &Wanted,
    trial: &Trial,
    index: usize,
    place: &str,
    difference: Difference,
) -> Result<String, String> {
    let (small, difference) = smaller(bench, wanted, trial, index, difference);
    let file: PathBuf = wanted.folder.join(format!("{place}.jmx"));
    let written = std::fs::create_dir_all(wanted.folder)
        .and_then(|()| std::fs::write(&file, swell_plan::write(&small.plan())));
    written.map_err(|error| format!("{}: {error}", file.display()))?;
    let all = small.groups.len() > 1;
    let nodes = if all { &trial.groups[index] } else { &small.groups[0] };
    let lost = if all { "only together with the others of its plan:\n" } else { "" };
    let Difference { key, text } = difference;
    Ok(format!(
        "##### {place}: {key}\n{}{lost}{}(- JMeter, + Swell)\n{text}{}",
        summary::summary(&small.setting.root.children),
        summary::summary(nodes),
        file.display()
    ))
}

/// Returns the group alone and reduced, if it differs in the same way then; otherwise the whole
/// plan.
fn smaller(
    bench: &Bench,
    wanted: &Wanted,
    trial: &Trial,
    index: usize,
    difference: Difference,
) -> (Trial, Difference) {
    let of = |groups: Vec<Vec<Node>>| Trial { groups, ..trial.clone() };
    let alone = of(vec![trial.groups[index].clone()]);
    if !wanted.shrink {
        return (alone, difference);
    }
    let one =
        |trial: &Trial| bench.differences(trial).ok().and_then(|found| found.into_iter().next().flatten());
    if one(&alone).is_none_or(|found| found.key != difference.key) {
        return (trial.clone(), difference);
    }
    let mut differ = |variants: &[Vec<Node>]| stay(bench, &of(variants.to_vec()), &difference.key);
    let small = of(vec![shrink::shrink(&trial.groups[index], &mut differ)]);
    let difference = one(&small).unwrap_or(difference);
    (small, difference)
}

/// Returns for each group whether the programs differ in this way. If JMeter refuses a plan, its
/// halves are tried.
fn stay(bench: &Bench, trial: &Trial, key: &str) -> Vec<bool> {
    let count = trial.groups.len();
    let halves = |at: usize| {
        let half = |groups: &[Vec<Node>]| Trial { groups: groups.to_vec(), ..trial.clone() };
        let (first, second) = trial.groups.split_at(at);
        [stay(bench, &half(first), key), stay(bench, &half(second), key)].concat()
    };
    if trial.whole && count > 1 {
        return halves(1);
    }
    match bench.differences(trial) {
        Ok(found) => found.iter().map(|found| found.as_ref().is_some_and(|found| found.key == key)).collect(),
        Err(_) if count > 1 => halves(count / 2),
        Err(_) => vec![false],
    }
}

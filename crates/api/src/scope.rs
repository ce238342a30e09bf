//! The samples that an element applies to (`AbstractScopedTestElement`, `AbstractScopedAssertion`).

use crate::SampleResult;

/// JMeter's "Apply to".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Main sample only.
    #[default]
    Parent,
    /// Sub-samples only.
    Children,
    /// Main sample and sub-samples.
    All,
    /// A variable.
    Variable,
    /// A value that JMeter does not know: no sample at all.
    Nothing,
}

/// Levels of sub-samples below the first that are looked at.
const DEEPEST: u32 = 3;

impl Scope {
    /// Whether the main sample is in it.
    pub fn has_parent(self) -> bool {
        matches!(self, Self::Parent | Self::All)
    }

    /// Whether sub-samples are in it.
    pub fn has_children(self) -> bool {
        matches!(self, Self::Children | Self::All)
    }

    /// The samples in it (`AbstractScopedTestElement.getSampleList`): the main sample, then its
    /// sub-samples, then level by level those below each of them.
    pub fn samples(self, main: &SampleResult) -> Vec<&SampleResult> {
        let mut samples = Vec::with_capacity(1);
        if self.has_parent() {
            samples.push(main);
        }
        if self.has_children() {
            samples.extend(&main.sub_results);
            add_below(&mut samples, &main.sub_results, DEEPEST + 1);
        }
        samples
    }

    /// Visits the same samples, in the same order.
    pub fn each(self, main: &mut SampleResult, visit: &mut dyn FnMut(&mut SampleResult)) {
        if self.has_parent() {
            visit(main);
        }
        if self.has_children() {
            main.sub_results.iter_mut().for_each(&mut *visit);
            visit_below(&mut main.sub_results, DEEPEST + 1, visit);
        }
    }
}

fn visit_below(parents: &mut [SampleResult], levels: u32, visit: &mut dyn FnMut(&mut SampleResult)) {
    if levels == 0 {
        return;
    }
    for parent in parents {
        parent.sub_results.iter_mut().for_each(&mut *visit);
        visit_below(&mut parent.sub_results, levels - 1, visit);
    }
}

fn add_below<'a>(samples: &mut Vec<&'a SampleResult>, parents: &'a [SampleResult], levels: u32) {
    if levels == 0 {
        return;
    }
    for parent in parents {
        samples.extend(&parent.sub_results);
        add_below(samples, &parent.sub_results, levels - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(label: &'static str, sub_results: Vec<SampleResult>) -> SampleResult {
        SampleResult { label: label.into(), sub_results, ..SampleResult::default() }
    }

    fn labels(scope: Scope, main: &SampleResult) -> String {
        scope.samples(main).iter().map(|s| &*s.label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_scope_lists_its_samples_in_jmeters_order() {
        let main = sample(
            "main",
            vec![
                sample("a", vec![sample("a1", vec![sample("a11", vec![])])]),
                sample("b", vec![sample("b1", vec![])]),
            ],
        );
        for (scope, wanted) in [
            (Scope::Parent, "main"),
            (Scope::Children, "a b a1 a11 b1"),
            (Scope::All, "main a b a1 a11 b1"),
            (Scope::Variable, ""),
            (Scope::Nothing, ""),
        ] {
            assert_eq!(labels(scope, &main), wanted, "{scope:?}");
        }
    }

    #[test]
    fn samples_deeper_than_five_levels_are_not_looked_at() {
        let deep = ["l6", "l5", "l4", "l3", "l2", "l1"]
            .into_iter()
            .fold(None, |below: Option<SampleResult>, label| {
                Some(sample(label, below.into_iter().collect()))
            });
        let main = sample("main", deep.into_iter().collect());
        assert_eq!(labels(Scope::Children, &main), "l1 l2 l3 l4 l5");
    }
}

//! What is known of a run before it begins.

use std::collections::BTreeMap;
use std::path::Path;

use swell_api::Role;
use swell_expr::Properties;
use swell_plan::Plan;
use swell_report::{is_secret, masked_arguments, without_passwords};
use swell_results::run_folder::{MachineFacts, Metadata, PlanFacts, ThresholdResult};
use swell_stats::threshold::{Group, Judgement};

use super::{Annotation, is_part_of_name};
use crate::{SessionOptions, Subject};

/// What is known of a run before it begins.
pub(crate) struct RunFacts {
    kind: &'static str,
    trial: Option<String>,
    start_ms: i64,
    plan_facts: PlanFacts,
    properties: BTreeMap<String, String>,
    subject: String,
    annotation: Annotation,
    label_groups: Vec<String>,
    /// The plan as a file.
    pub(crate) plan: Vec<u8>,
}

impl RunFacts {
    /// Facts of a run that is about to begin.
    pub(crate) fn new(subject: &Subject<'_>, props: &Properties, options: &SessionOptions) -> Self {
        let Subject { file, plan, .. } = *subject;
        let changed = subject.changed_text.clone();
        let trial = subject.trial.as_ref().map(|trial| trial.number.clone());
        // The file as it is, if it can still be read; else what was made of it.
        let bytes = changed.or_else(|| file.and_then(|file| std::fs::read(file).ok()));
        Self {
            kind: subject.kind,
            trial,
            start_ms: swell_net::now_ns().div_euclid(1_000_000),
            plan_facts: PlanFacts {
                file: file.map(|file| file.display().to_string()).unwrap_or_default(),
                title: plan.root.element.name().to_owned(),
                groups: groups(plan),
            },
            properties: props.entries_to_send().into_iter().map(masked).collect(),
            subject: subject_of(subject),
            annotation: options.keep.annotation.clone(),
            label_groups: definitions(&options.thresholds.groups),
            plan: bytes.unwrap_or_else(|| swell_plan::write(plan).into_bytes()),
        }
    }

    /// The name of a run to which the user gave none: that of its plan, and its start (UTC).
    pub(crate) fn default_name(&self) -> String {
        let trial = self.trial.as_ref().map(|number| format!("-trial-{number}")).unwrap_or_default();
        format!("{}{trial}", name_with_start(&self.plan_facts.file, self.kind, self.start_ms))
    }

    pub(crate) fn start_ms(&self) -> i64 {
        self.start_ms
    }

    pub(crate) fn kind(&self) -> &'static str {
        self.kind
    }

    pub(crate) fn plan_file(&self) -> &str {
        &self.plan_facts.file
    }

    /// What it tests: the absolute path of its plan, or a URL.
    pub(crate) fn subject(&self) -> &str {
        &self.subject
    }

    /// The subject of a run of this file. A relative path would name another plan from another
    /// folder.
    pub(crate) fn subject_of_file(file: &Path) -> String {
        std::path::absolute(file).unwrap_or_else(|_| file.to_owned()).display().to_string()
    }

    /// Its tags and its note.
    pub(crate) fn annotation(&self) -> &Annotation {
        &self.annotation
    }

    pub(crate) fn metadata(&self, name: &str) -> Metadata {
        let arguments: Vec<_> =
            std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
        Metadata {
            schema: Metadata::SCHEMA.to_owned(),
            name: name.to_owned(),
            made_by: crate::MADE_BY.to_owned(),
            kind: self.kind.to_owned(),
            start_ms: self.start_ms,
            command: masked_arguments(&arguments),
            plan: self.plan_facts.clone(),
            properties: self.properties.clone(),
            tags: self.annotation.tags.clone(),
            note: self.annotation.note.clone(),
            label_groups: self.label_groups.clone(),
            machine: MachineFacts::of_this_machine(),
        }
    }
}

/// A name as a folder can have it, from that of a file, or of what there is without one, and the
/// start of the run (UTC).
pub(super) fn name_with_start(file: &str, otherwise: &str, start_ms: i64) -> String {
    let stem = Path::new(file).file_stem().map_or_else(|| otherwise.into(), |stem| stem.to_string_lossy());
    let harmless = |c: char| if is_part_of_name(c) { c } else { '-' };
    let stem: String = stem.trim_start_matches('.').chars().map(harmless).take(60).collect();
    let began = jiff::Timestamp::from_millisecond(start_ms).unwrap_or_default();
    format!("{stem}-{}", began.strftime("%Y%m%d-%H%M%S"))
}

fn subject_of(subject: &Subject<'_>) -> String {
    let title = match (subject.file, &subject.trial) {
        (Some(file), _) => return RunFacts::subject_of_file(file),
        (None, Some(_)) => format!("{} {}", subject.kind, subject.title),
        (None, None) => subject.about.title.clone(),
    };
    without_passwords(&title).into_owned()
}

fn masked((name, value): (String, String)) -> (String, String) {
    let shown = if is_secret(&name) { "***".to_owned() } else { without_passwords(&value).into_owned() };
    (name, shown)
}

/// The patterns of groups of labels, passwords masked.
fn definitions(groups: &[Group]) -> Vec<String> {
    let all = groups.iter().flat_map(Group::definitions);
    all.map(|text| without_passwords(&text).into_owned()).collect()
}

/// Names of the thread groups that are enabled.
fn groups(plan: &Plan) -> Vec<String> {
    let nodes = plan.root.children.iter().filter(|node| node.element.enabled());
    let groups = nodes.filter(|node| Role::by_name(&node.element.class) == Some(Role::ThreadGroup));
    groups.map(|node| node.element.name().to_owned()).collect()
}

pub(crate) fn threshold(judgement: &Judgement) -> ThresholdResult {
    ThresholdResult {
        rule: judgement.rule.clone(),
        passed: judgement.passed,
        value: judgement.value,
        limit: judgement.limit,
        unit: judgement.unit.sign().to_owned(),
        text: judgement.text.clone(),
        aborted: judgement.aborted,
        all_failed: judgement.all_failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TrialIdentity;
    use swell_plan::{Element, Node};
    use swell_report::page::About;

    fn facts(file: Option<&str>) -> RunFacts {
        let root = Node::new(Element::new("TestPlan", "", "Shop"))
            .with(Node::new(Element::new("ThreadGroup", "", "buyers")))
            .with(Node::new(Element::new("ConfigTestElement", "", "defaults")));
        let plan = Plan::new(root);
        let subject = Subject {
            kind: "run",
            file: file.map(Path::new),
            changed_text: None,
            trial: file.is_none().then(|| TrialIdentity { number: "3".to_owned(), load: String::new() }),
            plan: &plan,
            title: String::new(),
            about: About::default(),
        };
        let props = Properties::default();
        props.set("db.password", "x");
        props.set("users", "5");
        RunFacts {
            start_ms: 1_700_000_000_000,
            ..RunFacts::new(&subject, &props, &SessionOptions::default())
        }
    }

    #[test]
    fn a_run_that_nobody_names_is_named_after_its_plan_and_time() {
        assert_eq!(facts(Some("plans/my shop.jmx")).default_name(), "my-shop-20231114-221320");
        assert_eq!(facts(None).default_name(), "run-20231114-221320-trial-3");
    }

    #[test]
    fn secrets_do_not_stand_in_the_metadata() {
        let metadata = facts(None).metadata("a");
        let properties: Vec<_> = metadata.properties.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(properties, [("db.password", "***"), ("users", "5")]);
        assert_eq!((metadata.plan.title.as_str(), metadata.plan.groups), ("Shop", vec!["buyers".to_owned()]));
    }
}

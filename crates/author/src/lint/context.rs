//! What all rules look at.

use std::collections::{BTreeMap, BTreeSet};

use swell_api::{Registry, Role};
use swell_plan::{Element, Plan};

use super::{Finding, Fix, Rule};
use crate::outline::{Entry, outline};
use crate::variables::{FileText, Uses, stems};

/// What is known outside of the plan.
pub struct Surroundings<'a> {
    /// Texts of data files and scripts, by the names that the plan has for them.
    pub file: &'a FileText<'a>,
    /// The name of a file relative to the plan's folder, if it is in that folder.
    pub relative: &'a dyn Fn(&str) -> Option<String>,
}

/// A plan and what is known of it.
pub(super) struct Context<'p> {
    pub(super) entries: Vec<Entry<'p>>,
    pub(super) uses: Vec<Uses>,
    pub(super) registry: &'p Registry,
    pub(super) around: &'p Surroundings<'p>,
    /// The file is a whole plan, not a fragment.
    pub(super) is_whole: bool,
    /// Variables that elements outside of thread groups set, and all definitions.
    everywhere: Names,
    /// Variables that elements of each thread group set.
    of_groups: BTreeMap<usize, Names>,
    /// The same of elements that are disabled.
    disabled: Names,
    /// Thread groups in which elements stand for others.
    with_modules: BTreeSet<usize>,
}

/// Variables that elements set.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    pub(super) exact: BTreeSet<String>,
    prefixes: BTreeSet<String>,
    /// Texts that may be names of variables that a script or an unknown element sets.
    maybe: BTreeSet<String>,
    any: bool,
}

/// Beginnings of the names of variables that JMeter itself sets.
const OWN: [&str; 6] = ["__jm__", "JMeterThread.", "START.", "TESTSTART.", "COOKIE_", "__jmeter"];

impl Names {
    fn add(&mut self, uses: &Uses) {
        self.exact.extend(uses.sets.iter().cloned());
        self.prefixes.extend(uses.prefixes.iter().cloned());
        self.maybe.extend(uses.may_set.iter().cloned());
        // Any text in quotes of a script may become the name of a variable.
        self.maybe.extend(uses.literals.iter().cloned());
        self.any |= uses.sets_any;
    }

    /// Whether a variable of that name may be set.
    fn may_have(&self, name: &str) -> bool {
        self.any
            || stems(name).any(|stem| self.exact.contains(stem) || self.maybe.contains(stem))
            || self.prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()))
    }
}

impl<'p> Context<'p> {
    pub(super) fn new(plan: &'p Plan, registry: &'p Registry, around: &'p Surroundings<'p>) -> Self {
        let entries = outline(plan, registry);
        let uses: Vec<Uses> = entries.iter().map(|entry| entry.uses(around.file)).collect();
        let has_groups = entries.iter().any(|entry| entry.role == Some(Role::ThreadGroup));
        let mut cx = Self {
            is_whole: !plan.root.element.tag.is_empty() && has_groups,
            entries,
            uses,
            registry,
            around,
            everywhere: Names::default(),
            of_groups: BTreeMap::new(),
            disabled: Names::default(),
            with_modules: BTreeSet::new(),
        };
        cx.collect();
        cx
    }

    fn collect(&mut self) {
        for (entry, uses) in self.entries.iter().zip(&self.uses) {
            let names = match entry.group {
                _ if !entry.is_enabled => &mut self.disabled,
                // Lists of variables define them for all, wherever they are.
                Some(group) if !entry.defines_variables() => self.of_groups.entry(group).or_default(),
                _ => &mut self.everywhere,
            };
            names.add(uses);
            // The variables of an included file are not in this one.
            let is_include = entry.is_enabled
                && !entry.element().text_or_empty("IncludeController.includepath").trim().is_empty();
            names.any |= is_include;
            if entry.is_enabled && entry.element().stands_for_others() {
                self.with_modules.extend(entry.group);
            }
        }
    }

    /// The names that an element in a thread group, or outside of all, can read.
    fn visible(&self, group: Option<usize>) -> Vec<&Names> {
        let modules = group.is_none_or(|group| self.with_modules.contains(&group));
        let mut all = vec![&self.everywhere];
        if modules {
            // What it stands for may be anywhere, and disabled where it is.
            all.extend(self.of_groups.values());
            all.extend(group.is_some().then_some(&self.disabled));
        } else {
            all.extend(group.and_then(|group| self.of_groups.get(&group)));
        }
        all
    }

    /// Whether a variable may be set where it is read.
    pub(super) fn may_be_set(&self, name: &str, group: Option<usize>) -> bool {
        OWN.iter().any(|own| name.starts_with(own))
            || self.visible(group).iter().any(|names| names.may_have(name))
    }

    /// Whether an element of another thread group sets a variable.
    pub(super) fn is_set_in_other_group(&self, name: &str) -> Option<&Entry<'p>> {
        let found =
            self.of_groups.iter().find(|(_, names)| stems(name).any(|stem| names.exact.contains(stem)));
        found.map(|(group, _)| &self.entries[*group])
    }

    /// Whether only a disabled element sets a variable.
    pub(super) fn is_set_by_disabled(&self, name: &str) -> bool {
        self.disabled.may_have(name)
    }

    /// The names that are set for certain where an element reads.
    pub(super) fn set_names(&self, group: Option<usize>) -> BTreeSet<&str> {
        self.visible(group).iter().flat_map(|names| names.exact.iter().map(String::as_str)).collect()
    }
}

/// A finding about an element.
pub(super) fn finding(rule: Rule, element: &Element, message: String, remedy: impl Into<String>) -> Finding {
    let Rule { name, level, why, .. } = rule;
    Finding {
        rule: name,
        level,
        element: element.path.clone(),
        line: element.line,
        property: None,
        message,
        why,
        remedy: remedy.into(),
        fix: None,
    }
}

impl Finding {
    pub(super) fn about(self, property: &str) -> Self {
        Self { property: (!property.is_empty()).then(|| property.to_owned()), ..self }
    }

    pub(super) fn fixed_by(self, fix: Option<Fix>) -> Self {
        Self { fix, ..self }
    }
}

//! The table of elements of a run, combined from all crates.

use std::sync::Arc;

use swell_api::{ElementKind, Registry, Role};
use swell_engine::ScriptsNatively;
use swell_expr::Properties;
use swell_jvm::{Java, JvmProvider, JvmSettings};
use swell_results::FileOptions;

use crate::Sinks;

/// Where scripts run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScriptMode {
    /// Natively those that are understood, on the JVM all others.
    #[default]
    Auto,
    /// Natively; a plan with others is refused.
    Native,
    /// On the JVM.
    Jvm,
}

/// All elements that there are, and those of the caller. What listeners write goes to `sinks`.
pub fn registry(sinks: &Sinks, elements: &[ElementKind]) -> Registry {
    table(sinks, elements, swell_engine::kinds())
}

/// The table for questions about a plan that this process does not run: nothing is made of its
/// kinds, and no provider is asked.
pub fn table_of_elements() -> Registry {
    let options = FileOptions { dry_run: true, ..FileOptions::new("") };
    registry(&Sinks::new(options), &[])
}

/// The same with the JVM for scripts, as far as `mode` wants it. `props`: properties of the run.
pub fn registry_beside_jvm(
    sinks: &Sinks,
    elements: &[ElementKind],
    mode: ScriptMode,
    jvm: &JvmSettings,
    props: &Arc<Properties>,
) -> Registry {
    let on_jmeters_engine = jvm.runs_all_groups;
    let java_home = jvm.java_home.clone();
    props.ask_java_with(move || {
        Java::find(java_home.as_deref()).map_or_else(|_| Vec::new(), |java| java.properties())
    });
    let jvm = JvmSettings { takes_all_scripts: mode == ScriptMode::Jvm, ..jvm.clone() };
    let provider = Arc::new(JvmProvider::new(jvm, props.clone()));
    let natively = match mode {
        ScriptMode::Native if on_jmeters_engine => return on_jmeter(registry(sinks, elements), provider),
        ScriptMode::Native => return registry(sinks, elements),
        ScriptMode::Auto => ScriptsNatively::WhereUnderstood,
        ScriptMode::Jvm => ScriptsNatively::Never,
    };
    let mut registry = table(sinks, elements, swell_engine::kinds_beside_jvm(&natively, props));
    if on_jmeters_engine {
        return on_jmeter(registry, provider);
    }
    if props.flag(JAVA_CLIENT, false) {
        let followed = sent_by_java(&registry);
        registry.extend(followed);
    }
    registry.add_provider(provider);
    registry
}

/// The table with all thread groups on JMeter's own engine.
fn on_jmeter(mut registry: Registry, provider: Arc<JvmProvider>) -> Registry {
    let groups = registry.kinds().filter_map(|kind| Some((kind.clone(), swell_engine::phase_of(kind)?)));
    let groups = provider.on_jmeter(groups.collect());
    registry.extend(groups);
    registry.add_provider(provider);
    registry
}

/// Property: `true` has JMeter's own classes send the HTTP Requests whose implementation is `Java`.
const JAVA_CLIENT: &str = "swell.http.java.jvm";

/// HTTP Requests whose implementation is `Java`, as elements for the JVM.
fn sent_by_java(registry: &Registry) -> Vec<ElementKind> {
    let property = "HTTPSampler.implementation";
    let departs =
        |kind: &&ElementKind| kind.departure.is_some_and(|departure| departure.property == property);
    let samplers = registry.kinds().filter(|kind| kind.role == Role::Sampler).filter(departs);
    let for_jvm = samplers.map(|kind| {
        let why = format!("`{JAVA_CLIENT}` requires JMeter's Java classes");
        ElementKind::needs_jvm(kind.role, kind.class().to_owned(), kind.name.clone(), why)
            .when(property, &["Java"])
    });
    for_jvm.collect()
}

fn table(sinks: &Sinks, elements: &[ElementKind], of_engine: Vec<ElementKind>) -> Registry {
    let mut registry = Registry::of(swell_elements::kinds());
    registry.extend(of_engine);
    registry.extend(swell_samplers::kinds());
    registry.extend(swell_http::kinds());
    registry.extend(swell_results::kinds(&sinks.files));
    registry.extend(swell_metrics::kinds(&sinks.metrics));
    registry.extend(elements.iter().cloned());
    registry
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    use swell_api::{Documentation, Make, Treatment};

    #[test]
    fn what_is_native_is_made_of_something() {
        for kind in table_of_elements().kinds().filter(|kind| kind.treatment == Treatment::Native) {
            let made = !matches!(kind.make, Make::Nothing) || kind.each_iteration.is_some();
            assert!(made, "{}: there is no code for it", kind.class());
            let fits = match kind.make {
                Make::Sampler(_) => kind.role == Role::Sampler,
                Make::Config => kind.role == Role::Config,
                Make::Timer(_) => kind.role == Role::Timer,
                Make::Controller(_) => kind.role == Role::Controller,
                Make::ThreadGroup(_) | Make::ExternalGroup(_) => kind.role == Role::ThreadGroup,
                Make::PreProcessor(_) => kind.role == Role::PreProcessor,
                Make::PostProcessor(_) => kind.role == Role::PostProcessor,
                Make::Assertion(_) => kind.role == Role::Assertion,
                Make::Listener(_) => kind.role == Role::Listener,
                Make::Step(_) => {
                    [Role::PreProcessor, Role::PostProcessor, Role::Assertion].contains(&kind.role)
                }
                Make::Nothing | Make::Engine(_) | Make::InExternalGroup(_) => true,
            };
            assert!(fits, "{}: it is made of what its role has no use for", kind.class());
        }
    }

    #[test]
    fn no_element_has_two_kinds() {
        let mut seen = HashSet::new();
        for kind in table_of_elements().kinds() {
            for class in &kind.classes {
                let any = [std::borrow::Cow::Borrowed("any")];
                for gui in if kind.guis.is_empty() { &any[..] } else { &kind.guis[..] } {
                    assert!(
                        seen.insert((class.to_string(), gui.to_string(), kind.when)),
                        "{class} {gui} stands twice"
                    );
                }
            }
        }
    }

    #[test]
    fn the_documented_default_is_the_value_that_a_run_takes() {
        let mut seen = 0;
        for kind in table_of_elements().kinds().filter(|kind| !kind.missing.is_empty()) {
            let documented = Documentation::of(kind).expect("beans are documented");
            for missing in kind.missing {
                let property = documented.properties.iter().find(|one| one.name == missing.property);
                let property = property.unwrap_or_else(|| panic!("{}: {missing:?}", kind.class()));
                assert_eq!(property.default, missing.run, "{}: {}", kind.class(), missing.property);
                seen += 1;
            }
        }
        assert!(seen > 20, "{seen}");
    }

    #[test]
    fn the_property_of_a_load_is_documented() {
        let table = table_of_elements();
        let with_load: Vec<_> = table.kinds().filter_map(|kind| Some((kind, kind.load?))).collect();
        assert!(with_load.len() > 5);
        for (kind, load) in with_load {
            let documented = Documentation::of(kind).expect("native elements are documented");
            let is_there = documented.properties.iter().any(|one| one.name == load.property);
            assert!(is_there, "{}: {}", kind.class(), load.property);
        }
    }

    #[test]
    fn what_is_native_has_documentation_in_sentences() {
        for kind in table_of_elements().kinds().filter(|kind| kind.treatment == Treatment::Native) {
            let told = Documentation::of(kind).expect("native elements have documentation");
            let notes = told.properties.into_iter().map(|property| property.meaning);
            for text in notes.chain(told.differs).chain([told.does]).filter(|text| !text.is_empty()) {
                assert!(text.ends_with('.') && !text.contains('\n'), "{}: `{text}`", kind.class());
            }
        }
    }
}

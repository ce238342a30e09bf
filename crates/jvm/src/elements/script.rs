//! The settings of a script element.

use parking_lot::Mutex;
use swell_api::Role as PlanRole;
use swell_plan::Element;

use crate::JvmFault;
use crate::java_side::JavaSide;
use crate::request::{self, Family, ScriptRole};

/// A script element in the form sent to the JVM, once.
pub(super) struct Script {
    pub(super) number: u32,
    family: Family,
    role: ScriptRole,
    is_strict: bool,
    resets_interpreter: bool,
    language: String,
    cache_key: String,
    pub(super) fields: Fields,
    /// The number of the Java side that knows it, and what that said; 0: none.
    defined: Mutex<(u32, Result<(), JvmFault>)>,
}

/// The fields that may contain expressions, as in the plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    pub(super) label: String,
    pub(super) text: String,
    pub(super) file: String,
    pub(super) parameters: String,
}

/// The property names of an element for these fields, and for the check box for a new interpreter.
pub(super) struct Names {
    pub(super) text: String,
    pub(super) file: String,
    pub(super) parameters: String,
    reset: String,
}

impl Names {
    /// The BeanShell Sampler and Assertion are not beans, and name their properties differently.
    pub(super) fn of(class: &str) -> Self {
        let end = class.strip_prefix("BeanShell").unwrap_or_default();
        let is_bean = !matches!(end, "Sampler" | "Assertion");
        let name = |plain: &str, own: &str| {
            if is_bean { plain.to_owned() } else { format!("{class}.{own}") }
        };
        Self {
            text: name("script", "query"),
            file: name("filename", "filename"),
            parameters: name("parameters", "parameters"),
            reset: name("resetInterpreter", "resetInterpreter"),
        }
    }
}

/// The family of a class by its name; `None` if it is not a script element.
pub(super) fn family(class: &str) -> Option<Family> {
    [("JSR223", Family::Jsr223), ("BeanShell", Family::BeanShell), ("BSF", Family::Bsf)]
        .into_iter()
        .find_map(|(start, family)| class.starts_with(start).then_some(family))
}

fn role(role: PlanRole) -> Option<ScriptRole> {
    Some(match role {
        PlanRole::Sampler => ScriptRole::Sampler,
        PlanRole::PreProcessor => ScriptRole::PreProcessor,
        PlanRole::PostProcessor => ScriptRole::PostProcessor,
        PlanRole::Assertion => ScriptRole::Assertion,
        PlanRole::Listener => ScriptRole::Listener,
        PlanRole::Timer => ScriptRole::Timer,
        _ => return None,
    })
}

impl Script {
    /// That of an element.
    ///
    /// # Panics
    /// Not a script element.
    pub(super) fn of(element: &Element, plan_role: PlanRole, is_strict: bool, number: u32) -> Self {
        let text = |name: &str| element.text(name).unwrap_or_default().to_owned();
        let names = Names::of(&element.class);
        let family = family(&element.class).expect("only such elements are made by it");
        let cache_key = element.text("cacheKey").unwrap_or("true");
        // JMeter compiles the first text that a user has, and runs that for all later ones: its own
        // element does so.
        let keeps_first =
            family == Family::Jsr223 && cache_key != "false" && text(&names.text).contains("${");
        // Fast elements have a class of Swell.
        let looks_at_class = plan_role == PlanRole::Sampler
            && ["ampler", "lass"].iter().all(|word| text(&names.text).contains(word));
        Self {
            number,
            family,
            role: role(plan_role).expect("only such elements are made by it"),
            is_strict: is_strict || keeps_first || looks_at_class,
            resets_interpreter: element.flag(&names.reset, false),
            language: text("scriptLanguage"),
            cache_key: cache_key.to_owned(),
            fields: Fields {
                label: element.name().to_owned(),
                text: text(&names.text),
                file: text(&names.file),
                parameters: text(&names.parameters),
            },
            defined: Mutex::new((0, Ok(()))),
        }
    }

    /// Makes it known to the JVM if that was not done; on a thread that may call it.
    pub(super) fn define(&self, jvm: &JavaSide) -> Result<(), JvmFault> {
        let mut defined = self.defined.lock();
        if defined.0 != jvm.number {
            let mut message = Vec::new();
            let script = request::Script {
                family: self.family,
                role: self.role,
                strict: self.is_strict,
                reset_interpreter: self.resets_interpreter,
                language: &self.language,
                label: &self.fields.label,
                text: &self.fields.text,
                file: &self.fields.file,
                parameters: &self.fields.parameters,
                cache_key: &self.cache_key,
            };
            request::define_script(&mut message, self.number, &script);
            *defined = (jvm.number, jvm.tell(&message));
        }
        defined.1.clone()
    }

    /// What the script may look at.
    pub(super) fn sights(&self) -> ElementAccess {
        let text = &self.fields.text;
        // Only Groovy says by names what it looks at; a file, or a text that is made while the test
        // runs, may hold anything.
        let is_groovy =
            self.family == Family::Jsr223 && matches!(self.language.to_lowercase().as_str(), "" | "groovy");
        let is_known = is_groovy && self.fields.file.is_empty() && !text.contains("${");
        let mentions = |words: &[&str]| !is_known || words.iter().any(|word| text.contains(word));
        const DYNAMIC: [&str; 6] = ["ctx", "evaluate", "GroovyShell", "inding", "load", "JMeterContext"];
        let is_dynamic = mentions(&DYNAMIC);
        let judges = matches!(self.role, ScriptRole::Assertion | ScriptRole::Listener);
        ElementAccess {
            previous: judges
                || is_dynamic
                || mentions(&["prev", "SampleResult", "sampleResult", "sampleEvent"]),
            // A sampler of scripts is itself the sampler.
            request: self.role != ScriptRole::Sampler && (is_dynamic || mentions(&["sampler"])),
            sampler_before: !self.fields.file.is_empty()
                || ["reviousSampler", "${"].iter().any(|word| text.contains(word)),
        }
    }
}

/// What an element may read.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementAccess {
    /// The sample before, or the one that it is about.
    pub(super) previous: bool,
    /// The sampler.
    pub(super) request: bool,
    /// The sampler that ran before.
    pub(super) sampler_before: bool,
}

impl ElementAccess {
    /// Whatever there is.
    pub(super) const ALL: Self = Self { previous: true, request: true, sampler_before: true };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sights(class: &str, text: &str) -> (bool, bool) {
        let element = Element::new(class, "TestBeanGUI", "s").with_text("script", text);
        let sights = Script::of(&element, PlanRole::PreProcessor, false, 1).sights();
        (sights.previous, sights.request)
    }

    #[test]
    fn what_a_groovy_script_looks_at_is_read_from_its_text() {
        assert_eq!(sights("JSR223PreProcessor", "vars.put('a', '1')"), (false, false));
        assert_eq!(sights("JSR223PreProcessor", "prev.code"), (true, false));
        assert_eq!(sights("JSR223PreProcessor", "sampler.path = '/'"), (false, true));
        for text in ["ctx.x", "evaluate(x)", "vars.put('a', '${b}')"] {
            assert_eq!(sights("JSR223PreProcessor", text), (true, true), "{text}");
        }
        assert_eq!(sights("BeanShellPreProcessor", "x = 1"), (true, true));
    }
}

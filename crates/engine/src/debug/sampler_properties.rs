//! The properties of a sampler as texts (`TestElement.propertyIterator`,
//! `JMeterProperty.getStringValue`).

use swell_api::CompileContext;
use swell_expr::{Context, Template};
use swell_plan::{Element, Node, PropertyValue, class_of};

/// The properties of a sampler as texts.
pub(super) struct SamplerProperties(Vec<(String, Template)>);

impl SamplerProperties {
    /// Those of the sampler, and, where it has none or an empty one, those of its defaults.
    pub(super) fn compile(sampler: &Node, defaults: &[&Node], compile: &CompileContext) -> Self {
        let element = &sampler.element;
        let enabled = if element.enabled() { "true" } else { "false" };
        let mut all: Vec<(String, String)> = vec![
            ("TestElement.enabled".to_owned(), enabled.to_owned()),
            ("TestElement.gui_class".to_owned(), class_of(&element.gui_class).to_owned()),
            ("TestElement.name".to_owned(), element.name().to_owned()),
            ("TestElement.test_class".to_owned(), class_of(&element.class).to_owned()),
        ];
        all.extend(element.properties.iter().filter_map(|p| Some((p.name.clone(), shown(&p.value)?))));
        for property in defaults.iter().flat_map(|node| &node.element.properties) {
            let Some(text) = shown(&property.value) else { continue };
            match all.iter_mut().find(|(name, _)| *name == property.name) {
                None => all.push((property.name.clone(), text)),
                Some((_, old)) if old.is_empty() => *old = text,
                Some(_) => {}
            }
        }
        let compiled = all.into_iter().map(|(name, text)| {
            let template = compile.text(element, &name, &text);
            (name, template)
        });
        Self(compiled.collect())
    }

    /// Names and values now.
    pub(super) fn now(&self, cx: &mut Context) -> Vec<(String, String)> {
        self.0.iter().map(|(name, template)| (name.clone(), template.eval(cx).into_owned())).collect()
    }
}

/// A value as text; arguments are `name=value()` joined by `&`.
fn shown(value: &PropertyValue) -> Option<String> {
    match value {
        PropertyValue::Element(element) => Some(arguments(element)),
        PropertyValue::Collection(_) | PropertyValue::Map(_) | PropertyValue::Xml(_) => None,
        simple => simple.as_text().map(str::to_owned),
    }
}

/// `Arguments.toString`.
fn arguments(element: &Element) -> String {
    let Some(PropertyValue::Collection(members)) = element.property("Arguments.arguments") else {
        return String::new();
    };
    let one = |argument: &Element| {
        let text = |name: &str| argument.text(name).unwrap_or_default();
        let metadata = argument.text("Argument.metadata").unwrap_or("=");
        format!("{}{metadata}{}({})", text("Argument.name"), text("Argument.value"), text("Argument.desc"))
    };
    let members = members.iter().filter_map(|member| match &member.value {
        PropertyValue::Element(argument) => Some(one(argument)),
        _ => None,
    });
    members.collect::<Vec<_>>().join("&")
}

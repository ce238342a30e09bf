//! `__P` and `__property` (JMeter's `Property2` and `Property`).

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use crate::arguments::Args;
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::properties::Properties;
use crate::scope::Scope;
use crate::template::Template;
use crate::trim::trim;
use crate::vars::Value;

struct Property {
    name: Template,
    default: Fallback,
    variable: Option<Template>,
    kept: RefCell<Option<CachedProperty>>,
}

enum Fallback {
    One,
    Name,
    Given(Template),
}

impl Fallback {
    /// Appends the value of a property; without one what this says, if that is constant.
    fn push(&self, name: &str, value: Option<&str>, out: &mut String) {
        out.push_str(trim(match (value, self) {
            (Some(value), _) => value,
            (None, Self::One) => "1",
            (None, Self::Name) => name,
            (None, Self::Given(default)) => default.constant().unwrap_or_default(),
        }));
    }
}

/// The value of a constant call, good as long as no property of the run changes: reading it takes
/// no lock.
struct CachedProperty {
    props: Weak<Properties>,
    version: u64,
    value: Value,
}

/// `__P(name, default)`: the default is `1` where none is given.
pub(crate) fn p(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    let name = args.required();
    let default = args.optional().map_or(Fallback::One, Fallback::Given);
    Box::new(Property { name, default, variable: None, kept: RefCell::default() })
}

/// `__property(name, variable, default)`: the default is the name where none is given.
pub(crate) fn property(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    let name = args.required();
    let variable = args.optional();
    let default = args.optional().map_or(Fallback::Name, Fallback::Given);
    Box::new(Property { name, default, variable, kept: RefCell::default() })
}

impl Function for Property {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let start = out.len();
        if self.is_constant() {
            self.push_kept(cx, out);
        } else {
            self.push_current(cx, out);
        }
        if let Some(variable) = &self.variable {
            // JMeter does not trim this name, unlike those of the other functions.
            let variable = variable.text(cx);
            if !variable.is_empty() {
                cx.store(&variable, &out[start..]);
            }
        }
        Ok(())
    }

    fn is_of_plan(&self, cx: &Context) -> bool {
        self.is_constant() && self.name.constant().is_none_or(|name| !cx.props.is_foreign(trim(name)))
    }

    fn known(&self, props: &Properties, out: &mut String) -> bool {
        let Some(name) = self.name.constant().filter(|_| self.is_settled()) else { return false };
        self.default.push(name, props.get(name).as_deref(), out);
        true
    }

    fn is_settled(&self) -> bool {
        let kept = self.variable.as_ref().is_some_and(|variable| variable.constant() != Some(""));
        self.is_constant() && !kept
    }
}

impl Property {
    /// Whether only a change of properties can change the value.
    fn is_constant(&self) -> bool {
        let default = match &self.default {
            Fallback::Given(template) => template.constant().is_some(),
            _ => true,
        };
        default && self.name.constant().is_some()
    }

    fn push_kept(&self, cx: &mut Context, out: &mut String) {
        let version = cx.props.version();
        if let Some(kept) = &*self.kept.borrow()
            && kept.version == version
            && std::ptr::eq(kept.props.as_ptr(), &raw const *cx.props)
        {
            return out.push_str(&kept.value);
        }
        let start = out.len();
        self.push_current(cx, out);
        let props = Arc::downgrade(&cx.props);
        let value = out[start..].into();
        *self.kept.borrow_mut() = Some(CachedProperty { props, version, value });
    }

    /// JMeter trims the value, be it the default (`JMeterUtils.getPropDefault`).
    fn push_current(&self, cx: &mut Context, out: &mut String) {
        let name = self.name.text(cx);
        match (cx.props.get(&name), &self.default) {
            (None, Fallback::Given(default)) => out.push_str(trim(&default.text(cx))),
            (value, default) => default.push(&name, value.as_deref(), out),
        }
    }
}

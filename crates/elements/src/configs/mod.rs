//! Pre-processors and configuration elements that set variables, one file each.

pub(crate) mod counter;
pub(crate) mod random_variable;
#[cfg(test)]
mod tests;
pub(crate) mod user_parameters;

use swell_api::CompileContext;
use swell_expr::{Context, Level, Template};
use swell_java::format::DecimalFormat;
use swell_plan::{Element, Severity};

/// The format of a number (`DecimalFormat`); a wrong or empty one gives plain digits.
enum NumberFormat {
    Plain,
    Fixed(DecimalFormat),
    Evaluated(Template),
}

/// Why an element with such a format of numbers needs JMeter's class.
pub(crate) fn lacks_format(element: &Element, property: &str) -> Option<String> {
    let format = element.text_or_empty(property);
    let is_unknown = !format.is_empty() && !format.contains("${") && DecimalFormat::new(format).is_err();
    is_unknown.then(|| format!("the number format `{format}` is not native"))
}

impl NumberFormat {
    fn of(element: &Element, compile: &CompileContext, property: &str) -> Self {
        let template = compile.template(element, property, "");
        let Some(text) = template.constant() else { return Self::Evaluated(template) };
        if text.is_empty() {
            return Self::Plain;
        }
        match DecimalFormat::new(text) {
            Ok(format) => Self::Fixed(format),
            Err(reason) => {
                let message =
                    format!("invalid number format `{text}`, so numbers are not formatted: {reason}");
                compile.note(
                    Severity::Warning,
                    element,
                    Some(property),
                    message,
                    Some("0000 writes 7 as 0007"),
                );
                Self::Plain
            }
        }
    }

    fn write(&self, cx: &mut Context, number: i64) -> String {
        match self {
            Self::Plain => number.to_string(),
            Self::Fixed(format) => format.format_i64(number),
            Self::Evaluated(template) => {
                let pattern = template.eval(cx);
                if let Ok(format) = DecimalFormat::new(&pattern) {
                    return format.format_i64(number);
                }
                let message = format!("Error formatting {number} at format {pattern}, using default");
                cx.host.log(Level::Warn, &message);
                number.to_string()
            }
        }
    }
}

/// What an element keeps for each user, by its instance number.
fn user_state<T: 'static>(cx: &mut Context, instance: u32, make: impl FnOnce() -> T) -> &mut T {
    let index = instance as usize;
    if cx.function_states.len() <= index {
        cx.function_states.resize_with(index + 1, || None);
    }
    let state = cx.function_states[index].get_or_insert_with(|| Box::new(make()));
    state.downcast_mut().expect("an instance number identifies one element or function")
}

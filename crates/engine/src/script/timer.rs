//! JSR223 and BeanShell timers.

use swell_api::CompileContext;
use swell_expr::{Context, ElementKind, Level};
use swell_plan::Node;

use super::sample_bindings::Samples;
use super::source::Source;

/// A timer whose delay is the result of a script.
pub(crate) struct ScriptTimer(Source);

impl ScriptTimer {
    /// The timer of an element; none if its script is not understood.
    pub(crate) fn compile(node: &Node, kind: ElementKind, compile: &CompileContext) -> Option<Self> {
        Source::compile(&node.element, kind, compile).map(Self)
    }

    /// The delay now in milliseconds; 0 where the script fails or tells no number.
    pub(crate) fn delay_ms(&self, cx: &mut Context) -> i64 {
        let source = &self.0;
        let value = match source.run(Vec::new(), cx, &mut Samples::default()) {
            Ok(ended) => ended.value,
            Err(exception) => {
                source.log(&exception, cx);
                return 0;
            }
        };
        let Some(value) = value else {
            if source.is_jsr223() {
                source.tell(Level::Warn, "Script did not return a value", cx);
            }
            return 0;
        };
        value.parse().unwrap_or_else(|_| {
            source.log(&format!("invalid delay `{value}`: the script must return milliseconds"), cx);
            0
        })
    }
}

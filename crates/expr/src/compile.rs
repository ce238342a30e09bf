//! Compiles texts of the plan to templates, with all functions of Swell.

use crate::compiler::Compiler;
use crate::function_list::FUNCTIONS;
use crate::parser;
use crate::remote::RemoteFunction;
use crate::scope::Scope;
use crate::template::Template;

impl Compiler {
    /// Parses a text as JMeter's `ValueReplacer` does with an element's property. Never fails: a
    /// text without any reference stays exactly as it is, backslashes included; a text with a
    /// reference loses the backslashes before `$`, `,` and `\`. What is wrong is noted in
    /// [`Compiler::problems`]: an unknown function stays as text, a wrong call leaves the whole
    /// text as it is written.
    pub fn template(&self, text: &str) -> Template {
        let before = self.calls_remotely.replace(false);
        let template = match parser::parse(text, &Scope::plan(self, text), &FUNCTIONS) {
            Ok(pieces) if parser::has_reference(&pieces) => {
                Template::from_pieces(pieces).waiting_if(self.calls_remotely.get())
            }
            _ => Template::constant_text(text),
        };
        self.calls_remotely.set(before || self.calls_remotely.get());
        template
    }

    /// A function that foreign code answers, called outside a text: by an element that makes its
    /// arguments itself. None where nothing answers.
    pub fn remote_function(&self, name: &str, arguments: usize) -> Option<RemoteFunction> {
        let scope = Scope::plan(self, "");
        let remote = scope.remote().filter(|remote| remote.missing().is_none())?;
        scope.remote_function(remote, name, arguments).ok()
    }

    /// Why [`Self::remote_function`] has none, and what to install, where that is known.
    pub fn missing_remote(&self) -> Option<String> {
        Scope::plan(self, "").remote().and_then(|remote| remote.missing())
    }

    /// Calls of what [`Self::remote_function`] gave are sure to come.
    pub fn expect_calls(&self) {
        if let Some(remote) = Scope::plan(self, "").remote() {
            remote.expect();
        }
    }
}

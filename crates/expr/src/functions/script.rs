//! `__groovy`, `__jexl3`, `__jexl2`, `__javaScript`, `__BeanShell`, where the script only compares ([`crate::script`]).

use super::{Args, Failed, Function, Naming, Outcome, Target};
use crate::context::{Context, Level};
use crate::scope::Scope;
use crate::script::{HOLE, Language, Script, Sight};
use crate::template::Template;

struct ScriptCall {
    text: Template,
    /// The script, where its text never changes.
    constant: Option<Script>,
    language: Language,
    target: Target,
}

/// `__groovy(script, variable)` and its relatives. The error says what of the script needs a script engine.
pub(crate) fn make(
    language: Language,
    args: &mut Args,
    scope: &Scope<'_>,
) -> Result<Box<dyn Function>, String> {
    let text = args.required();
    let shape = text.shape(HOLE);
    if Script::is_reference(&shape, language, Sight::Objects)? {
        let message = "the whole script is a reference: only the run shows whether it is understood";
        scope.problem(Level::Warn, message.to_owned(), None);
    }
    // `JavaScript` takes an empty name for a name.
    let naming = if language == Language::JavaScript { Naming::EvenEmpty } else { Naming::Trimmed };
    let constant = text.constant().map(|text| Script::parse(text, language, Sight::Objects)).transpose()?;
    Ok(Box::new(ScriptCall { text, constant, language, target: args.target_named(naming, scope) }))
}

impl Function for ScriptCall {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let text = self.text.text(cx);
        let result = match &self.constant {
            Some(script) => script.run(cx),
            None => Script::parse(&text, self.language, Sight::Objects).and_then(|script| script.run(cx)),
        };
        // JMeter logs what goes wrong in a script and goes on with an empty text.
        let result = result.map_err(|reason| Failed::empty(format!("{reason} in [{}]", &*text)))?;
        out.push_str(&result);
        self.target.put(cx, &result);
        Ok(())
    }

    /// A script that asks for nothing that a run brings, as the folder of the plan.
    fn is_of_plan(&self) -> bool {
        const OF_THE_RUN: [&str; 5] = ["vars", "props", "prev", "ctx", "sampler"];
        self.text.constant().is_some_and(|text| OF_THE_RUN.iter().all(|word| !text.contains(word)))
    }
}

//! Unknown names: whether a function was meant, and which one.

use strsim::levenshtein;

use crate::function_table::FunctionTable;

/// A variable whose name looks like the call of a function that does not exist.
pub(crate) struct Unknown<'n> {
    pub(crate) name: &'n str,
    pub(crate) nearest: Option<&'static str>,
}

/// Whether a function was meant. A name without parentheses counts only if it is nearly a known
/// one: `__jm__Users__idx` is a variable.
pub(crate) fn meant_as_function<'n>(variable: &'n str, functions: &FunctionTable) -> Option<Unknown<'n>> {
    let name = variable.split('(').next().unwrap_or(variable).trim();
    if !name.starts_with("__") || name.starts_with("__jm__") {
        return None;
    }
    let called = variable.contains('(');
    let nearest = nearest(name, functions, if called { 2 } else { 1 });
    (called || nearest.is_some()).then_some(Unknown { name, nearest })
}

/// The known name with the fewest changes, if they are no more than the limit.
fn nearest(name: &str, functions: &FunctionTable, limit: usize) -> Option<&'static str> {
    let lower = name.to_lowercase();
    functions
        .functions()
        .map(|known| (levenshtein(&lower, &known.name.to_lowercase()), known.name))
        .min()
        .filter(|(changes, _)| *changes <= limit)
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function_list::FUNCTIONS;

    #[test]
    fn names_near_known_ones() {
        for (name, near) in [
            ("__tiem", Some("__time")),
            ("__Uuid", Some("__UUID")),
            ("__p", Some("__P")),
            ("__random", Some("__Random")),
            ("__generateDate", None),
        ] {
            assert_eq!(nearest(name, &FUNCTIONS, 2), near, "{name}");
        }
    }

    #[test]
    fn only_calls_and_near_names_are_meant_as_functions() {
        assert!(meant_as_function("__GetSecret(a)", &FUNCTIONS).is_some());
        assert!(meant_as_function("__tim", &FUNCTIONS).is_some());
        for variable in ["token", "__jm__Users__idx", "__mine", "a(b)"] {
            assert!(meant_as_function(variable, &FUNCTIONS).is_none(), "{variable}");
        }
    }
}

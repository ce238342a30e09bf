//! The place of an element in a plan, and of an event in its script, for messages.

use std::path::Path;

use swell_plan::Element;

/// The place of an element: `plan.jmx:17, Plan > Users > page > script`.
pub(super) fn of_element(element: &Element, file: Option<&Path>) -> String {
    let path = if element.path.is_empty() { element.name() } else { &element.path };
    let file = file.and_then(Path::file_name).filter(|_| element.line > 0);
    match file {
        Some(file) => format!("{}:{}, {path}", file.to_string_lossy(), element.line),
        None => path.to_owned(),
    }
}

/// The text before the line number of the script in the messages and stacks of each language.
const BEFORE_LINE: [&str; 5] = [
    // Groovy: a frame of a stack, and a message of its compiler.
    ".groovy:",
    "@ line ",
    // BeanShell: a message, and a message of its parser.
    "at Line: ",
    "Parse error at line ",
    // Rhino.
    "Unknown source>#",
];

/// The line of its script that a stack of Java names first; none if it names none.
pub(super) fn line_of_script(stack: &str) -> Option<u32> {
    BEFORE_LINE.iter().find_map(|before| {
        stack.split(before).skip(1).find_map(|rest| {
            let rest = rest.trim_start();
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            rest[..end].parse().ok()
        })
    })
}

/// The place, and the line of the script where a stack names one.
pub(super) fn with_line(place: &str, stack: &str) -> String {
    at_line(place, line_of_script(stack))
}

/// The place, and the line of the script where that is known.
pub(super) fn at_line(place: &str, line: Option<u32>) -> String {
    match line {
        Some(line) => format!("{place}, line {line} of its script"),
        None => place.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_named_by_file_line_and_path() {
        let mut element = Element::new("JSR223PreProcessor", "", "script");
        assert_eq!(of_element(&element, Some(Path::new("/a/plan.jmx"))), "script", "made in memory");
        (element.line, element.path) = (17, "Plan > Users > script".to_owned());
        let place = of_element(&element, Some(Path::new("/a/plan.jmx")));
        assert_eq!(place, "plan.jmx:17, Plan > Users > script");
        assert_eq!(of_element(&element, None), "Plan > Users > script");
    }

    #[test]
    fn the_line_of_a_script_is_read_from_what_each_language_says() {
        for (stack, line) in [
            (
                "Caused by: x\n\tat java.Y.z(Y.java:9)\n\tat Script1.run(Script1.groovy:2)\n\tat Script1.x(Script1.groovy:1)",
                Some(2),
            ),
            ("startup failed:\nScript1.groovy: 3: Unexpected input: '(' @ line 3, column 10.", Some(3)),
            ("bsh.EvalError: Sourced file: inline evaluation of: ``...'' : at Line: 4 : in file", Some(4)),
            ("bsh.ParseException: Parse error at line 5, column 1.", Some(5)),
            ("TypeError: x (<Unknown source>#6) in <Unknown source> at line number 6", Some(6)),
            ("java.lang.OutOfMemoryError: Java heap space\n\tat A.b(A.java:7)", None),
            ("at Line: x", None),
        ] {
            assert_eq!(line_of_script(stack), line, "{stack}");
        }
    }
}

//! What is shown of an entry of the log with an exception of Java.

/// Lines that are shown of a message, or of what caused it, at most.
const SHOWN_LINES: usize = 8;

/// An entry of the log without the stack of its exception: its message, and what caused it unless
/// the message has that.
pub(crate) fn without_stack(entry: &str) -> String {
    let lines: Vec<_> = entry.lines().filter(|line| !line.trim().is_empty()).collect();
    let frame = |line: &&str| line.starts_with("\tat ") || line.starts_with("\t... ");
    let thrown = lines.iter().skip(1).position(|line| names_exception(line) || frame(line));
    let (message, stack) = lines.split_at(thrown.map_or(lines.len(), |place| place + 1));
    let cause = stack.iter().rposition(|line| line.starts_with("Caused by: ")).unwrap_or_default();
    let cause: Vec<_> = stack[cause..].iter().take_while(|line| !frame(line)).copied().collect();
    let mut shown: Vec<String> =
        message.iter().take(SHOWN_LINES).map(|line| line.trim_end().to_owned()).collect();
    let repeats = |line: &&str| message.iter().any(|said| said.contains(line.trim()));
    let cause = cause.iter().map(|line| line.strip_prefix("Caused by: ").unwrap_or(line));
    if !cause.clone().all(|line| repeats(&line)) {
        shown.extend(cause.take(SHOWN_LINES).map(|line| format!("  {}", line.trim_end())));
    }
    shown.join("\n")
}

/// Whether a line begins with the name of a class of Java, as that of an exception under the
/// message of an entry does.
fn names_exception(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default();
    let is_name = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic())
            && part.chars().all(|char| char.is_ascii_alphanumeric() || "_$".contains(char))
    };
    name.split('.').count() > 2 && name.split('.').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_several_lines_is_shown_whole_with_its_place_and_without_its_stack() {
        let cause = "org.a.Errors: startup failed:\nScript1.groovy: 1: unable to resolve class b.C\n @ line 1\n\n1 error\n";
        let message =
            format!("Problem in script, message: javax.ScriptException: {cause} [p.jmx:3, Plan > G > s]");
        let entry = format!(
            "{message}\njavax.script.ScriptException: {cause}\n\tat a.B.c(D.java:1)\nCaused by: {cause}\n\t... 11 more"
        );
        let shown = "Problem in script, message: javax.ScriptException: org.a.Errors: startup failed:\n\
                     Script1.groovy: 1: unable to resolve class b.C\n @ line 1\n1 error\n [p.jmx:3, Plan > G > s]";
        assert_eq!(without_stack(&entry), shown);
    }

    #[test]
    fn what_caused_an_entry_stands_below_it_if_it_does_not_say_so() {
        let entry = "Problem in script s [p.jmx:3]\njavax.script.ScriptException: a.b.Errors: failed:\n\tat a.B.c(D.java:1)\n\
                     Caused by: a.b.Errors: failed:\nScript1.groovy: 1: unable\n\tat e.F.g(H.java:2)";
        assert_eq!(
            without_stack(entry),
            "Problem in script s [p.jmx:3]\n  a.b.Errors: failed:\n  Script1.groovy: 1: unable"
        );
        assert_eq!(without_stack("one line: of words"), "one line: of words");
    }
}

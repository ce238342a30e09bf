use super::*;
use crate::testing::{SHOP, plan, table};

fn set_one(text: &str) -> Result<Edited, PathError> {
    set(SHOP.as_bytes(), None, &table(), &[text.to_owned()])
}

/// What a change makes of the plan's text, as the only line that differs and its line before.
fn line(text: &str) -> (String, String) {
    let edited = set_one(text).unwrap_or_else(|error| panic!("{error}"));
    let after = String::from_utf8(edited.bytes).expect("UTF-8");
    assert_eq!(after.lines().count(), SHOP.lines().count(), "{text}");
    let mut differ = SHOP.lines().zip(after.lines()).filter(|(old, new)| old != new);
    let (old, new) = differ.next().unwrap_or_else(|| panic!("{text} changes nothing"));
    assert_eq!(differ.next(), None, "{text} changes one line");
    (old.trim().to_owned(), new.trim().to_owned())
}

#[test]
fn ten_kinds_of_paths_change_one_value() {
    let int = |value: &str| format!("<intProp name=\"ThreadGroup.num_threads\">{value}</intProp>");
    let text = |name: &str, value: &str| format!("<stringProp name=\"{name}\">{value}</stringProp>");
    let cases = [
        ("Users/num_threads=50", int("10"), int("50")),
        ("/Admins/ThreadGroup.num_threads=2", int("1"), int("2")),
        ("ThreadGroup[2]/num_threads=${__P(n)}", int("1"), text("ThreadGroup.num_threads", "${__P(n)}")),
        ("Users/loops=9", text("LoopController.loops", "5"), text("LoopController.loops", "9")),
        (
            "**/\"GET /admin\"/path=/a",
            text("HTTPSampler.path", "/admin?t=${token}&amp;m=${made}"),
            text("HTTPSampler.path", "/a"),
        ),
        ("POST*/arguments[user]=ada", text("Argument.value", "${user}"), text("Argument.value", "ada")),
        ("POST*/user=ada", text("Argument.value", "${user}"), text("Argument.value", "ada")),
        ("POST*/arguments[2].name=pw", text("Argument.name", "password"), text("Argument.name", "pw")),
        ("Shop/base=<x>", text("Argument.value", "/shop"), text("Argument.value", "&lt;x&gt;")),
        ("Accounts/filename=a.csv", text("filename", "/srv/data/accounts.csv"), text("filename", "a.csv")),
        ("ConstantTimer/delay=0", text("ConstantTimer.delay", "300"), text("ConstantTimer.delay", "0")),
    ];
    for (path, old, new) in cases {
        assert_eq!(line(path), (old, new), "{path}");
    }
    let (old, new) = line("/**/View*/enabled=false");
    assert_eq!(new, old.replace("enabled=\"true\"", "enabled=\"false\""));
}

#[test]
fn a_pattern_sets_all_that_have_the_property() {
    let edited = set_one("/**/HTTPSampler.domain=127.0.0.1").expect("it matches");
    assert_eq!(edited.changes.len(), 2, "the third has no such property");
    let after = String::from_utf8(edited.bytes).expect("UTF-8");
    assert_eq!(after, SHOP.replace("shop.example.com", "127.0.0.1"));
}

#[test]
fn a_documented_property_that_is_missing_is_added() {
    let edited = set_one("Users/scheduler=true").expect("it is documented");
    let after = String::from_utf8(edited.bytes).expect("UTF-8");
    let before = "<stringProp name=\"ThreadGroup.ramp_time\">1</stringProp>\n      </ThreadGroup>\n      <hashTree>\n        <HTTPSamplerProxy guiclass=\"HttpTestSampleGui\" testclass=\"HTTPSamplerProxy\" testname=\"POST";
    assert_eq!(SHOP.matches(before).count(), 1);
    let added =
        before.replacen('\n', "\n        <boolProp name=\"ThreadGroup.scheduler\">true</boolProp>\n", 1);
    assert_eq!(after, SHOP.replace(before, &added));
    assert_eq!(edited.changes[0].old, None);
}

#[test]
fn wrong_paths_and_values_are_refused_with_a_hint() {
    let cases = [
        ("Uesrs/num_threads=1", "no element is called `Uesrs`", "did you mean `Users`?"),
        ("Admins/Token/x=1", "no element is called `Token`", "Shop > Users > POST /login > Token"),
        ("Users/num_thread=1", "has no property `num_thread`", "`num_threads`"),
        ("ThreadGroup/num_threads=1", "matches 2 elements", "Users[2]"),
        ("num_threads=1", "matches 2 elements", "`**/`"),
        ("Users/num_threads=many", "`many` is not a value", "a whole number"),
        ("Users/continue_forever=yes", "`yes` is not a value", "`true` or `false`"),
        ("ConstantTimer/delay=soon", "`soon` is not a value", "whole number, ms"),
        ("Users/enabled=no", "`no` is not a value", "`true` or `false`"),
        ("/**/nothing=1", "no element of this path", "`--set list`"),
        ("zzzzzz/x=1", "no element is called `zzzzzz`", "`--set list`"),
    ];
    for (text, message, hint) in cases {
        let error = set_one(text).expect_err(text);
        assert!(error.message.contains(message), "{text}: {}", error.message);
        assert!(error.hint.contains(hint), "{text}: {}", error.hint);
    }
    let broken = set(b"<a>", None, &table(), &["a/b=1".to_owned()]).expect_err("it is not a plan");
    assert!(broken.message.contains("never closed"), "{}", broken.message);
}

#[test]
fn an_unusual_choice_is_set_with_a_warning() {
    let edited = set_one("Users/on_sample_error=stop").expect("it is set");
    let warning = edited.changes[0].warning.as_deref().expect("a warning");
    assert!(warning.contains("stoptestnow"), "{warning}");
}

#[test]
fn every_path_of_the_list_sets_its_property_and_nothing_else() {
    let table = table();
    let before = plan(SHOP);
    let all = settable(&before, &table);
    assert!(all.len() > 50, "{}", all.len());
    for Settable { path, property, value, .. } in all {
        let text = format!("{path}/{property}={value}");
        let edited = set(SHOP.as_bytes(), None, &table, std::slice::from_ref(&text));
        let edited = edited.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(edited.changes.len(), 1, "{text}");
        let change = &edited.changes[0];
        assert_eq!(change.old.as_deref().unwrap_or("true"), value, "{text}");
        // An element without the attribute gets it.
        if change.old.is_some() {
            assert!(edited.bytes == SHOP.as_bytes(), "{text} changes something");
        }
    }
}

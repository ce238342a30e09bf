use super::*;
use crate::testing::{SHOP, plan, table};

fn names(path: &str) -> Vec<String> {
    let assignment = Assignment::parse(&format!("{path}/x=1")).unwrap_or_else(|error| panic!("{error}"));
    let plan = plan(SHOP);
    let found = assignment.path.find(&plan, &table());
    found.iter().map(|node| node.element.name().to_owned()).collect()
}

#[test]
fn paths_lead_to_elements_by_names_classes_and_wildcards() {
    let requests = ["POST /login", "GET /order", "GET /admin"];
    let cases: [(&str, &[&str]); 17] = [
        ("Users", &["Users"]),
        ("/Users", &["Users"]),
        ("/POST*", &[]),
        ("Shop", &["Shop"]),
        ("Shop/Users", &["Users"]),
        ("ThreadGroup", &["Users", "Admins"]),
        ("ThreadGroup[2]", &["Admins"]),
        ("/ThreadGroup[3]", &[]),
        ("Thread Group", &["Users", "Admins"]),
        ("\"ThreadGroup\"", &[]),
        ("Users/\"POST /login\"", &["POST /login"]),
        ("Users/POST \\/login", &["POST /login"]),
        ("**/HTTP Request", &requests),
        ("/**/HTTPSamplerProxy", &requests),
        ("Users/*", &["POST /login", "GET /order", "Script", "View Results Tree"]),
        ("Users/**/*oke?", &["Token"]),
        ("/*/HTTP Request[2]", &["GET /order"]),
    ];
    for (path, expected) in cases {
        assert_eq!(names(path), expected, "{path}");
    }
    assert_eq!(names("/**").len(), 13, "the Test Plan and all below");
}

#[test]
fn a_quoted_name_is_read_as_it_was() {
    for name in ["Users", "a/b", "x = [1]", " end ", "\"q\" \\", "", "*", "ü"] {
        let assignment = Assignment::parse(&format!("{}/p=v", quoted(name))).expect("a path");
        let Segment::Element { glob, .. } = &assignment.path.segments[0] else { panic!("a name") };
        assert!(glob.matches(name) && !glob.has_wildcards(), "{name}");
    }
}

#[test]
fn values_may_have_any_character_and_paths_need_a_form() {
    let read = |text: &str| Assignment::parse(text).map(|found| (found.property.to_string(), found.value));
    let is = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
    assert_eq!(read("a/b=c=d/e"), is("b", "c=d/e"));
    assert_eq!(read("b="), is("b", ""));
    assert_eq!(read("a/args[x].name=1"), is("args[x].name", "1"));
    assert_eq!(read("a/args[2]=1"), is("args[2]", "1"));
    assert_eq!(read("a/args[\"x/y\"]=1"), is("args[x/y]", "1"));
    for (text, part) in [
        ("a/b", "no ="),
        ("a//b=1", "empty name"),
        ("a/=1", "no property"),
        ("=1", "no property"),
        ("\"a/b=1", "not closed"),
        ("a\\", "backslash"),
        ("a/[x]=1", "no property"),
    ] {
        let message = read(text).expect_err(text).message;
        assert!(message.contains(part), "{text}: {message}");
    }
}

#[test]
fn patterns_of_many_stars_end_in_time() {
    let text = format!("{}/x=1", "*a".repeat(200));
    let assignment = Assignment::parse(&text).expect("a path");
    let Segment::Element { glob, .. } = &assignment.path.segments[0] else { panic!("a name") };
    assert!(!glob.matches(&"a".repeat(5000).replace('a', "ab")));
    assert!(glob.matches(&"a".repeat(200)));
}

use super::*;
use crate::testing::{SHOP, table};

fn extractor(name: &str) -> Element {
    Element::new("JSONPostProcessor", "JSONPostProcessorGui", name)
        .with_text("JSONPostProcessor.referenceNames", name)
}

fn addition(below: &str, name: &str) -> Addition {
    Addition { below: below.to_owned(), element: extractor(name), sets: Some(name.to_owned()) }
}

fn add_to_shop(additions: &[Addition]) -> Result<ExtendedPlan, PathError> {
    add(SHOP.as_bytes(), None, &table(), additions)
}

#[test]
fn lines_are_added_and_none_changes() {
    let enlarged = add_to_shop(&[addition("**/\"GET /admin\"", "first"), addition("Users/POST*", "second")])
        .unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<_> = enlarged.added.iter().map(|added| added.name.as_str()).collect();
    assert_eq!(names, ["first", "second"]);
    let after = String::from_utf8(enlarged.bytes).expect("UTF-8");
    let mut left = after.lines();
    for line in SHOP.lines() {
        let is_there =
            left.any(|found| found == line || line.trim() == "<hashTree/>" && found.trim() == "<hashTree>");
        assert!(is_there, "`{line}` is gone");
    }
    let plan = crate::testing::plan(&after);
    for added in &enlarged.added {
        let line = after.lines().nth(added.line as usize - 1).unwrap_or_default();
        assert!(line.contains(&format!("testname=\"{}\"", added.name)), "{added:?}: {line}");
    }
    for (name, above) in [("first", "GET /admin"), ("second", "POST")] {
        let path = line_path(&plan, name);
        assert!(path.contains(above), "{path}");
    }
}

fn line_path(plan: &Plan, name: &str) -> String {
    let mut found = String::new();
    plan.root.walk(&mut |node| {
        if node.element.name() == name {
            found.clone_from(&node.element.path);
        }
    });
    found
}

#[test]
fn what_cannot_be_added_is_refused_with_its_place() {
    let admin = "**/\"GET /admin\"";
    let cases = [
        (vec![addition("**/\"GET /nowhere\"", "x")], "matches nothing"),
        (vec![addition("Users", "x")], "is not a sampler"),
        (vec![addition("/**/HTTPSampler*", "x")], "elements, such as"),
        (vec![addition(admin, "token")], "sets the variable `token` already"),
        (vec![addition(admin, "a b")], "is not a name of a variable"),
        (vec![addition(admin, "${a}")], "is not a name of a variable"),
        (vec![addition(admin, "x"), addition(admin, "x")], "has an element `x` already"),
        (vec![addition(admin, "x"), addition("Users/POST*", "x")], "two elements would set `x`"),
        (vec![addition("Users/x=1", "x")], "it has a ="),
    ];
    for (additions, part) in cases {
        let error = add_to_shop(&additions).expect_err(part);
        assert!(error.message.contains(part), "{part}: {error}");
        assert!(!error.hint.is_empty(), "{part}");
    }
}

#[test]
fn a_path_of_a_place_names_its_element_alone() {
    let registry = table();
    // Also in a file of one line.
    for text in [SHOP.to_owned(), SHOP.replace('\n', " ")] {
        let plan = crate::testing::plan(&text);
        let mut named = 0;
        plan.root.walk(&mut |node| {
            let names = &node.element.path;
            let path = crate::path_of_place(&plan, &registry, node.element.line, names);
            let Some(path) = path else { return };
            let parsed = PlanPath::parse(&path).unwrap_or_else(|error| panic!("{error}"));
            let found = parsed.find(&plan, &registry);
            assert_eq!(found.iter().map(|found| found.id).collect::<Vec<_>>(), [node.id], "{path}");
            named += 1;
        });
        assert!(named > 5, "{named}");
        assert_eq!(crate::path_of_place(&plan, &registry, 1, "nothing"), None);
    }
}

#[test]
fn elements_of_one_name_in_one_line_have_no_path_of_their_own() {
    let sampler = "<HTTPSamplerProxy testname=\"a\"></HTTPSamplerProxy><hashTree/>";
    let text = format!(
        "<jmeterTestPlan><hashTree><TestPlan testname=\"p\"></TestPlan><hashTree>{sampler}{sampler}</hashTree></hashTree></jmeterTestPlan>"
    );
    let plan = crate::testing::plan(&text);
    assert_eq!(crate::path_of_place(&plan, &table(), 1, "p > a"), None);
    let first = add(text.as_bytes(), None, &table(), &[addition("/a[2]", "x")]);
    assert_eq!(first.unwrap_or_else(|error| panic!("{error}")).added[0].line, 2);
}

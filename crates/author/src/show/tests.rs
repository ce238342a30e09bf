use super::*;
use crate::testing::{SHOP, no_file, plan, table};

#[test]
fn a_plan_is_shown_in_lines_of_100_columns() {
    let plan = plan(SHOP);
    let shown = View::of(&plan, &table(), &no_file).to_string();
    let line = |start: &str| {
        let found = shown.lines().find(|line| line.trim_start().starts_with(start));
        found.unwrap_or_else(|| panic!("{start}: {shown}")).trim_start().to_owned()
    };
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    assert_eq!(
        line("4 "),
        "4     HTTP Request: POST /login  POST shop.example.com/${base}/login  user=${user}  password=${pas…"
    );
    assert_eq!(
        line("5 "),
        "5       JSON Extractor: Token  -> id, token  referenceNames=token;id  jsonPathExprs=$.token;$.id"
    );
    assert_eq!(line("3 "), "3   Thread Group: Users  loops=5  num_threads=10  ramp_time=1");
    assert!(!shown.contains("hunter22"), "a password is not shown");
    assert_eq!(line("token "), "token     set by 5                     read by 7, 8, 11");
    assert_eq!(line("id "), "id        set by 5                     read by 7");
    assert_eq!(line("nowhere "), "nowhere   set by nothing               read by 7");
}

#[test]
fn stable_text_has_no_numbers_and_all_values() {
    let text = View::of(&plan(SHOP), &table(), &no_file).stable();
    assert!(text.starts_with("Test Plan: Shop\n    Arguments.arguments[base].name = base\n"), "{text}");
    assert!(
        text.contains("\n  Thread Group: Users\n      ThreadGroup.on_sample_error = continue\n"),
        "{text}"
    );
    let moved = SHOP
        .replace("  <hashTree>\n    <TestPlan", "\n\n\n  <hashTree>\n    <TestPlan")
        .replace("TestPlanGui", "Other");
    assert_eq!(View::of(&plan(&moved), &table(), &no_file).stable(), text);
    let two_lines = SHOP.replace("vars.put(", "// first\nvars.put(");
    let text = View::of(&plan(&two_lines), &table(), &no_file).stable();
    assert!(text.contains("script =\n        | // first\n        | vars.put("), "{text}");
}

#[test]
fn data_names_setters_and_readers() {
    let file = |name: &str| (name == "/srv/data/accounts.csv").then(|| "user,unused\na,b\n".to_owned());
    let plan = plan(&SHOP.replace(">user,unused<", "><"));
    let shown = View::of(&plan, &table(), &file).shown();
    assert_eq!(shown.elements[1].sets, ["unused", "user"], "the header of the file has the names");
    assert_eq!(shown.elements[3].reads, ["base", "passwrod", "user"]);
    let made = shown.variables.iter().find(|one| one.name == "made").expect("the script sets it");
    assert_eq!((&made.set_by[..], &made.read_by[..]), (&[8][..], &[11][..]));
}

#[test]
fn markup_in_names_is_text_on_the_page() {
    let hostile = SHOP.replace("testname=\"Users\"", "testname=\"&lt;script&gt;&#x1b;[2J\"");
    let view = plan(&hostile);
    let page = View::of(&view, &table(), &no_file).html("<plan>");
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
    assert!(!page.contains('\u{1b}') && !page.contains("hunter22"));
    assert_eq!(page.matches("<li ").count(), 13);
    assert_eq!(page.matches("<li ").count(), page.matches("</li>").count());
    assert_eq!(page.matches("<ol>").count(), page.matches("</ol>").count());
}

use super::*;
use crate::element::Element;
use crate::read;

const PLAN: &str = "<?xml version='1.0'?>\n<!-- ours -->\n<jmeterTestPlan version=\"1.2\">\n<hashTree>\n  \
    <TestPlan guiclass=\"TestPlanGui\" testclass=\"TestPlan\" testname='Pl&amp;an' />\n  <hashTree>\n    \
    <ThreadGroup guiclass=\"g\" testclass=\"ThreadGroup\" testname=\"Users\" enabled=\"true\">\n      \
    <intProp name=\"ThreadGroup.num_threads\">1</intProp> <!-- few -->\n      \
    <stringProp name=\"ThreadGroup.delay\"/>\n      \
    <elementProp name=\"ThreadGroup.main_controller\" elementType=\"LoopController\">\n        \
    <stringProp name=\"LoopController.loops\"><![CDATA[1]]></stringProp>\n      </elementProp>\n      \
    <doubleProp><name>x</name><value>1.5</value><savedValue>0.0</savedValue></doubleProp>\n    \
    </ThreadGroup>\n    <hashTree/>\n  </hashTree>\n</hashTree>\n</jmeterTestPlan>\n";

fn place(node: u32, steps: &[usize]) -> PropertyPlace {
    PropertyPlace { node: NodeId(node), steps: steps.to_vec() }
}

fn text(value: &str) -> PropertyValue {
    PropertyValue::Text(value.to_owned())
}

/// What an edit makes of a plan, as pairs of what is replaced: old and new text.
fn changed(edits: &[Edit]) -> String {
    String::from_utf8(edit(PLAN.as_bytes(), edits).expect("it can be edited")).expect("UTF-8")
}

#[test]
fn only_the_value_changes() {
    let cases = [
        (Edit::Value(place(1, &[0]), PropertyValue::Int("50".into())), ">1</intProp>", ">50</intProp>"),
        (
            Edit::Value(place(1, &[0]), text("${__P(n)}")),
            "<intProp name=\"ThreadGroup.num_threads\">1</intProp>",
            "<stringProp name=\"ThreadGroup.num_threads\">${__P(n)}</stringProp>",
        ),
        (
            Edit::Value(place(1, &[1]), text("a<b\r\n")),
            "<stringProp name=\"ThreadGroup.delay\"/>",
            "<stringProp name=\"ThreadGroup.delay\">a&lt;b&#xd;\n</stringProp>",
        ),
        (Edit::Value(place(1, &[2, 0]), text("7")), "<![CDATA[1]]>", "7"),
        (
            Edit::Value(place(1, &[3]), PropertyValue::Double("2.5".into())),
            "<value>1.5</value>",
            "<value>2.5</value>",
        ),
        (
            Edit::Attribute(NodeId(1), "enabled".into(), "false".into()),
            "enabled=\"true\"",
            "enabled=\"false\"",
        ),
        (Edit::Attribute(NodeId(0), "testname".into(), "a'b".into()), "'Pl&amp;an'", "'a&apos;b'"),
        (Edit::Attribute(NodeId(0), "enabled".into(), "false".into()), "an' />", "an' enabled=\"false\" />"),
    ];
    for (change, old, new) in cases {
        assert_eq!(PLAN.matches(old).count(), 1, "{old}");
        assert_eq!(changed(&[change]), PLAN.replace(old, new));
    }
}

#[test]
fn properties_are_added_at_the_end_of_their_element() {
    let new = |name: &str| Property::new(name, text("v"));
    let two = [Edit::Add(place(0, &[]), new("a")), Edit::Add(place(0, &[]), new("b"))];
    let filled = "an'>\n    <stringProp name=\"a\">v</stringProp>\n    <stringProp name=\"b\">v</stringProp>\n  \
         </TestPlan>\n";
    assert_eq!(changed(&two), PLAN.replace("an' />\n", filled));
    let inner = [Edit::Add(place(1, &[2]), new("c"))];
    let after = "<![CDATA[1]]></stringProp>";
    assert_eq!(
        changed(&inner),
        PLAN.replace(after, &format!("{after}\n        <stringProp name=\"c\">v</stringProp>"))
    );
}

#[test]
fn of_two_values_of_one_property_the_last_counts() {
    let to = |value: &str| Edit::Value(place(1, &[0]), PropertyValue::Int(value.into()));
    assert_eq!(changed(&[to("2"), to("3")]), changed(&[to("3")]));
}

#[test]
fn line_ends_and_encodings_stay() {
    let windows = PLAN.replace('\n', "\r\n");
    let add = Edit::Add(place(1, &[]), Property::new("p", text("a\nb")));
    let edited = edit(windows.as_bytes(), std::slice::from_ref(&add)).expect("edited");
    assert_eq!(String::from_utf8(edited).expect("UTF-8"), changed(&[add]).replace('\n', "\r\n"));
    let latin =
        PLAN.replace("version='1.0'", "version='1.0' encoding='ISO-8859-1'").replace("Users", "Us\u{e9}rs");
    let latin: Vec<u8> = latin.chars().map(|c| c as u8).collect();
    let rename = Edit::Attribute(NodeId(1), "testname".into(), "\u{e9}\u{2192}".into());
    let edited = edit(&latin, &[rename]).expect("edited");
    let name = read(&edited, None).plan.expect("a plan").root.children[0].element.name().to_owned();
    assert_eq!(name, "\u{e9}\u{2192}");
    assert!(edited.windows(3).any(|bytes| bytes == b"\"\xE9&"), "in the encoding of the file");
}

#[test]
fn what_cannot_be_edited_is_refused() {
    let value = |node: u32, steps: &[usize]| [Edit::Value(place(node, steps), text("x"))];
    let message = |bytes: &[u8], edits: &[Edit]| edit(bytes, edits).expect_err("refused").message;
    assert!(message(PLAN.as_bytes(), &value(9, &[0])).contains("not in the file"));
    assert!(message(PLAN.as_bytes(), &value(1, &[9])).contains("not in the file"));
    assert!(message(PLAN.as_bytes(), &value(1, &[2])).contains("no single value"));
    assert!(message(b"<a>\xFF</a>", &value(0, &[0])).contains("invalid"));
    assert!(message(b"<a>", &value(0, &[0])).contains("well-formed"));
    let old = PLAN.replace("\"1.2\"", "\"1.0\"");
    assert!(message(old.as_bytes(), &value(1, &[0])).contains("2.1"));
    let list = PropertyValue::Element(Box::new(Element::new("A", "", "")));
    assert!(message(PLAN.as_bytes(), &[Edit::Value(place(1, &[0]), list)]).contains("one value"));
}

fn extractor(name: &str) -> Element {
    Element::new("JSONPostProcessor", "Gui", name).with_text("path", "$.a\n<b>")
}

fn as_written(indent: &str, name: &str) -> String {
    format!(
        "\n{indent}<JSONPostProcessor guiclass=\"Gui\" testclass=\"JSONPostProcessor\" testname=\"{name}\" \
         enabled=\"true\">\n{indent}  <stringProp name=\"path\">$.a\n&lt;b&gt;</stringProp>\n\
         {indent}</JSONPostProcessor>\n{indent}<hashTree/>"
    )
}

#[test]
fn an_element_is_added_as_the_last_below_another() {
    let below_users = |names: &[&str]| {
        let written: String = names.iter().map(|name| as_written("      ", name)).collect();
        PLAN.replace("<hashTree/>", &format!("<hashTree>{written}\n    </hashTree>"))
    };
    let one = changed(&[Edit::Element(NodeId(1), extractor("a"))]);
    assert_eq!(one, below_users(&["a"]));
    let two = changed(&[Edit::Element(NodeId(1), extractor("a")), Edit::Element(NodeId(1), extractor("b"))]);
    assert_eq!(two, below_users(&["a", "b"]));
    let again = edit(one.as_bytes(), &[Edit::Element(NodeId(1), extractor("b"))]).expect("it can be edited");
    assert_eq!(String::from_utf8(again).expect("UTF-8"), two);
    let read = read(two.as_bytes(), None).plan.expect("a plan");
    let users = &read.root.children[0];
    let below: Vec<_> =
        users.children.iter().map(|node| (node.element.name(), node.element.text("path"))).collect();
    assert_eq!(below, [("a", Some("$.a\n<b>")), ("b", Some("$.a\n<b>"))]);
}

#[test]
fn an_element_without_a_tree_below_it_gets_one() {
    let without = PLAN.replace("    <hashTree/>\n", "").replace('\n', "\r\n");
    let edited =
        edit(without.as_bytes(), &[Edit::Element(NodeId(1), extractor("a"))]).expect("it can be edited");
    let written = as_written("      ", "a").replace('\n', "\r\n");
    let expected = without.replace(
        "    </ThreadGroup>",
        &format!("    </ThreadGroup>\r\n    <hashTree>{written}\r\n    </hashTree>"),
    );
    assert_eq!(String::from_utf8(edited).expect("UTF-8"), expected);
}

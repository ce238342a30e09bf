//! Writes a plan as JMX, with the layout of JMeter 5.6.3.

use crate::element::{Element, Node, Property, PropertyValue};
use crate::plan::Plan;
use crate::xml::{escape_attribute, escape_text};

/// The plan as a JMX file in UTF-8. Elements, properties and attributes keep their order and their
/// original names; comments and odd indentation are gone.
pub fn write(plan: &Plan) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    start_tag(&mut out, "jmeterTestPlan", &plan.attributes, false);
    out.push('\n');
    hash_tree(&mut out, plan.top(), 1);
    out.push_str("</jmeterTestPlan>\n");
    out
}

fn hash_tree<'a>(out: &mut String, nodes: impl Iterator<Item = &'a Node>, depth: usize) {
    indent(out, depth);
    let mut nodes = nodes.peekable();
    if nodes.peek().is_none() {
        out.push_str("<hashTree/>\n");
        return;
    }
    out.push_str("<hashTree>\n");
    for node in nodes {
        indent(out, depth + 1);
        element(out, &node.element, depth + 1);
        out.push('\n');
        hash_tree(out, node.children.iter(), depth + 1);
    }
    indent(out, depth);
    out.push_str("</hashTree>\n");
}

/// An element without indentation before it and without a line end after it.
pub(crate) fn element(out: &mut String, element: &Element, depth: usize) {
    block(out, &element.tag, &element.attributes, &element.properties, depth);
}

fn block(
    out: &mut String,
    tag: &str,
    attributes: &[(String, String)],
    properties: &[Property],
    depth: usize,
) {
    let mut written = properties.iter().filter(|p| p.written.as_deref() != Some("")).peekable();
    let empty = written.peek().is_none();
    start_tag(out, tag, attributes, empty);
    if empty {
        return;
    }
    for child in written {
        out.push('\n');
        indent(out, depth + 1);
        property(out, child, depth + 1);
    }
    out.push('\n');
    indent(out, depth);
    end_tag(out, tag);
}

/// A property at a depth, without indentation before it and without a line end after it.
pub(crate) fn property(out: &mut String, property: &Property, depth: usize) {
    match &property.written {
        Some(xml) => out.push_str(xml),
        None => plain_property(out, property, depth),
    }
}

/// A property as JMeter writes its kind.
pub(crate) fn plain_property(out: &mut String, property: &Property, depth: usize) {
    let name = &property.name;
    match &property.value {
        PropertyValue::Text(text) => simple(out, "stringProp", name, text),
        PropertyValue::Int(text) => simple(out, "intProp", name, text),
        PropertyValue::Long(text) => simple(out, "longProp", name, text),
        PropertyValue::Bool(text) => simple(out, "boolProp", name, text),
        PropertyValue::Float(text) => fields(out, "FloatProperty", name, text, depth),
        PropertyValue::Double(text) => fields(out, "doubleProp", name, text, depth),
        PropertyValue::Element(value) => element(out, value, depth),
        PropertyValue::Collection(members) => named_block(out, "collectionProp", name, members, depth),
        PropertyValue::Map(members) => named_block(out, "mapProp", name, members, depth),
        PropertyValue::Xml(xml) => out.push_str(xml),
    }
}

fn named_block(out: &mut String, tag: &str, name: &str, members: &[Property], depth: usize) {
    block(out, tag, &[("name".to_owned(), name.to_owned())], members, depth);
}

fn simple(out: &mut String, tag: &str, name: &str, text: &str) {
    out.push('<');
    out.push_str(tag);
    attribute(out, "name", name);
    out.push('>');
    escape_text(out, text);
    end_tag(out, tag);
}

/// The two kinds without a converter in JMeter, so XStream writes the fields of the Java class.
fn fields(out: &mut String, tag: &str, name: &str, text: &str, depth: usize) {
    out.push('<');
    out.push_str(tag);
    out.push('>');
    for (field, value) in [("name", name), ("value", text), ("savedValue", "0.0")] {
        out.push('\n');
        indent(out, depth + 1);
        out.push('<');
        out.push_str(field);
        out.push('>');
        escape_text(out, value);
        end_tag(out, field);
    }
    out.push('\n');
    indent(out, depth);
    end_tag(out, tag);
}

fn start_tag(out: &mut String, tag: &str, attributes: &[(String, String)], empty: bool) {
    out.push('<');
    out.push_str(tag);
    for (key, value) in attributes {
        attribute(out, key, value);
    }
    out.push_str(if empty { "/>" } else { ">" });
}

fn end_tag(out: &mut String, tag: &str) {
    out.push_str("</");
    out.push_str(tag);
    out.push('>');
}

fn attribute(out: &mut String, key: &str, value: &str) {
    out.push(' ');
    out.push_str(key);
    out.push_str("=\"");
    escape_attribute(out, value);
    out.push('"');
}

fn indent(out: &mut String, depth: usize) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_written_as_jmeter_writes_it() {
        let header = Element::new("Header", "", "")
            .with_text("Header.name", "X")
            .with_text("Header.value", "\"1\"\r\n");
        let headers = Element::new("HeaderManager", "HeaderPanel", "H<1>")
            .with_elements("HeaderManager.headers", [header]);
        let timer = Element::new("ConstantThroughputTimer", "TestBeanGUI", "T")
            .with("throughput", PropertyValue::Double("60.0".to_owned()))
            .with_int("calcMode", 1)
            .with("empty", PropertyValue::Collection(Vec::new()))
            .with_text("no", "");
        let root = Node::new(Element::new("TestPlan", "TestPlanGui", "P").with_flag("a", true));
        let plan = Plan::new(root.with(Node::new(headers)).with(Node::new(timer)));
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3">
  <hashTree>
    <TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="P" enabled="true">
      <boolProp name="a">true</boolProp>
    </TestPlan>
    <hashTree>
      <HeaderManager guiclass="HeaderPanel" testclass="HeaderManager" testname="H&lt;1&gt;" enabled="true">
        <collectionProp name="HeaderManager.headers">
          <elementProp name="" elementType="Header">
            <stringProp name="Header.name">X</stringProp>
            <stringProp name="Header.value">&quot;1&quot;&#xd;
</stringProp>
          </elementProp>
        </collectionProp>
      </HeaderManager>
      <hashTree/>
      <ConstantThroughputTimer guiclass="TestBeanGUI" testclass="ConstantThroughputTimer" testname="T" enabled="true">
        <doubleProp>
          <name>throughput</name>
          <value>60.0</value>
          <savedValue>0.0</savedValue>
        </doubleProp>
        <intProp name="calcMode">1</intProp>
        <collectionProp name="empty"/>
        <stringProp name="no"></stringProp>
      </ConstantThroughputTimer>
      <hashTree/>
    </hashTree>
  </hashTree>
</jmeterTestPlan>
"#;
        assert_eq!(write(&plan), expected);
    }
}

//! Whether anything of a plan can read the loop indexes (`__jm__<controller>__idx`). Writing one takes as long as a
//! tenth of a sample's other work, and most plans never look.

use swell_expr::Properties;
use swell_plan::{Element, Node, PropertyValue};

/// Texts that can name a variable which does not stand in the plan otherwise, or an index itself.
const READERS: [&str; 3] = ["__jm__", "__V", "__eval"];

/// Whether the indexes can be read: by name, by a name made while the test runs, by a listing of all variables, by a
/// results file, or by an element of a kind that is not known here.
pub(super) fn are_read(root: &Node, props: &Properties) -> bool {
    let mut read = props.get("sample_variables").is_some_and(|names| names.contains("__jm__"));
    root.walk(&mut |node| read = read || reads(&node.element));
    read
}

fn reads(element: &Element) -> bool {
    let lists = ["Debug", "JSR223", "BeanShell", "BSF"].iter().any(|start| element.class.starts_with(start));
    lists || element.class.contains('.') || mentions(element)
}

fn mentions(element: &Element) -> bool {
    let is_reader = |text: &str| READERS.iter().any(|reader| text.contains(reader));
    element.attributes.iter().any(|(_, value)| is_reader(value))
        || element
            .properties
            .iter()
            .any(|property| is_reader(&property.name) || value_mentions(&property.value))
}

fn value_mentions(value: &PropertyValue) -> bool {
    match value {
        PropertyValue::Element(element) => mentions(element),
        PropertyValue::Collection(members) | PropertyValue::Map(members) => {
            members.iter().any(|member| value_mentions(&member.value))
        }
        PropertyValue::Xml(text) => READERS.iter().any(|reader| text.contains(reader)),
        simple => simple.as_text().is_some_and(|text| READERS.iter().any(|reader| text.contains(reader))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_read_by_name_by_made_names_and_by_listings() {
        let props = Properties::default();
        let plan = |element: Element| {
            Node::new(Element::new("TestPlan", "TestPlanGui", "t")).with(Node::new(element))
        };
        let sampler = |name: &str, path: &str| {
            Element::new("HTTPSamplerProxy", "HttpTestSampleGui", name).with_text("HTTPSampler.path", path)
        };
        assert!(!are_read(&plan(sampler("s", "/${id}")), &props));
        assert!(are_read(&plan(sampler("s ${__jm__Loop__idx}", "/")), &props));
        assert!(are_read(&plan(sampler("s", "/${__jm__Loop__idx}")), &props));
        assert!(are_read(&plan(sampler("s", "/${__V(a_${b})}")), &props));
        assert!(are_read(&plan(Element::new("DebugSampler", "TestBeanGUI", "d")), &props));
        assert!(are_read(&plan(Element::new("com.example.Reader", "x", "d")), &props));
        let inner = Element::new("Arguments", "x", "a").with_text("value", "${__evalVar(x)}");
        assert!(are_read(&plan(sampler("s", "/").with_element("HTTPsampler.Arguments", inner)), &props));
        props.set("sample_variables", "a,__jm__Loop__idx");
        assert!(are_read(&plan(sampler("s", "/")), &props));
    }
}

//! Finds what the scripts and texts of a plan read. Some values are only stored if they are read:
//! writing a loop index (`__jm__<controller>__idx`) takes a tenth of the time of a sample's other
//! work, and most plans never read it.

use swell_expr::{Properties, calls_unknown};
use swell_plan::{Element, Node};

/// How the names of loop indexes begin.
pub(super) const INDEXES: &[&str] = &["__jm__"];

/// Texts that can name a variable which the rest of the plan does not contain.
const READERS: [&str; 2] = ["__V", "__eval"];

/// Whether variables can be read whose names are these or begin so: by name, by a name made while
/// the test runs, by a listing of all variables, by a results file, or by an element of a kind that
/// is not known here.
pub(super) fn reads_variables(root: &Node, props: &Properties, names: &[&str]) -> bool {
    let saved = props.get("sample_variables").unwrap_or_default();
    let mut read = names.iter().any(|name| saved.contains(name));
    let words = [names, &READERS].concat();
    root.walk(&mut |node| read = read || reads(&node.element, &words));
    read
}

/// Whether a text may call a function that reads the response before.
pub(super) fn reads_previous(root: &Node) -> bool {
    let mut read = false;
    root.walk(&mut |node| read = read || mentions(&node.element, &["__regexFunction"]));
    read
}

/// Functions with scripts, by the starts of their names.
const SCRIPTS: [&str; 5] = ["__groovy", "__BeanShell", "__javaScript", "__jexl2", "__jexl3"];
/// Identifiers with which scripts that look at samples.
const SAMPLES: [&str; 3] = ["prev", "ctx", "ampleResult"];

/// Whether a text may call a function that runs on JMeter's classes and reads samples: a script
/// that names them, or a function that is not known here.
pub(super) fn functions_read_samples(root: &Node) -> bool {
    let mut read = false;
    root.walk(&mut |node| {
        let element = &node.element;
        read = read
            || mentions(element, &SCRIPTS) && mentions(element, &SAMPLES)
            || element.any_text(&calls_unknown)
            || calls_unknown(element.name());
    });
    read
}

fn reads(element: &Element, words: &[&str]) -> bool {
    let lists = element.class.starts_with("Debug") || element.runs_script();
    lists || element.class.contains('.') || mentions(element, words)
}

fn mentions(element: &Element, words: &[&str]) -> bool {
    element.any_text(&|text| words.iter().any(|word| text.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_read_by_name_by_made_names_and_by_listings() {
        let props = Properties::default();
        let reads_indexes = |root: &Node, props: &Properties| reads_variables(root, props, INDEXES);
        let plan = |element: Element| {
            Node::new(Element::new("TestPlan", "TestPlanGui", "t")).with(Node::new(element))
        };
        let sampler = |name: &str, path: &str| {
            Element::new("HTTPSamplerProxy", "HttpTestSampleGui", name).with_text("HTTPSampler.path", path)
        };
        assert!(!reads_indexes(&plan(sampler("s", "/${id}")), &props));
        assert!(reads_indexes(&plan(sampler("s ${__jm__Loop__idx}", "/")), &props));
        assert!(reads_indexes(&plan(sampler("s", "/${__jm__Loop__idx}")), &props));
        assert!(reads_indexes(&plan(sampler("s", "/${__V(a_${b})}")), &props));
        assert!(reads_indexes(&plan(Element::new("DebugSampler", "TestBeanGUI", "d")), &props));
        assert!(reads_indexes(&plan(Element::new("com.example.Reader", "x", "d")), &props));
        let inner = Element::new("Arguments", "x", "a").with_text("value", "${__evalVar(x)}");
        assert!(reads_indexes(&plan(sampler("s", "/").with_element("HTTPsampler.Arguments", inner)), &props));
        props.set("sample_variables", "a,__jm__Loop__idx");
        assert!(reads_indexes(&plan(sampler("s", "/")), &props));
    }
}

//! The plan that the JVM receives.

use swell_plan::{Element, Node, Plan, Property, PropertyValue};

use crate::request::NUMBER;

/// The part of an element that the JVM receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementPart {
    /// All of it.
    Whole,
    /// A Simple Controller of its name: only its children matter.
    AsController,
    /// A sampler of its name that is never asked for a sample.
    AsSampler,
    /// A thread group of JMeter's; of other kinds a plain one of their name. Its users are made
    /// elsewhere.
    AsThreadGroup,
    /// A listener that tells the other side of the samples in its scope.
    AsSink,
    /// Neither the element nor its children.
    Not,
}

/// A plan to write for the JVM.
pub struct PlanForJvm<'a> {
    /// The Test Plan with Module and Include Controllers filled.
    pub root: &'a Node,
    /// Variables that the plan defines, as values; none: the elements that define them are written
    /// and the JVM evaluates them.
    pub variables: Option<&'a [(String, String)]>,
    /// What is written of each element below the Test Plan; not asked for those below one that is
    /// left out. JMeter refuses a whole plan for one element whose class is not on its class path.
    pub kept: &'a dyn Fn(&Node) -> ElementPart,
}

const VARIABLES: &str = "TestPlan.user_defined_variables";
/// Jars of the plan's own are on the class path of the JVM already.
const CLASS_PATH: &str = "TestPlan.user_define_classpath";

impl PlanForJvm<'_> {
    /// The plan as JMX, each element with its id as the property [`NUMBER`].
    pub fn write(&self) -> String {
        let mut element = self.root.element.clone();
        if element.tag.is_empty() {
            element = Element::new("TestPlan", "TestPlanGui", "Test Plan");
        }
        element.properties.retain(|property| property.name != CLASS_PATH);
        if let Some(variables) = self.variables {
            element.properties.retain(|property| property.name != VARIABLES);
            element = element.with_element(VARIABLES, arguments(variables));
        }
        let root =
            Node { id: self.root.id, element: numbered(element, self.root), children: self.below(self.root) };
        // Its ids and paths stay as they are: they are those of the plan that it was made from.
        let empty = Plan::new(Node::new(Element::new("TestPlan", "TestPlanGui", "")));
        swell_plan::write(&Plan { root, ..empty })
    }

    fn below(&self, node: &Node) -> Vec<Node> {
        node.children.iter().filter_map(|child| self.node(child)).collect()
    }

    fn node(&self, node: &Node) -> Option<Node> {
        let element = &node.element;
        let name = element.name();
        let element = match (self.kept)(node) {
            ElementPart::Not => return None,
            ElementPart::AsThreadGroup => thread_group(element),
            ElementPart::AsSampler => Element::new("TestAction", "TestActionGui", name),
            ElementPart::AsSink => Element::new("swell.jvm.SampleSink", "SampleSink", name),
            ElementPart::AsController => Element::new("GenericController", "LogicControllerGui", name),
            // Their targets are already below them; JMeter would look for them again.
            ElementPart::Whole if element.stands_for_others() => {
                Element::new("GenericController", "LogicControllerGui", name)
            }
            ElementPart::Whole => element.clone(),
        };
        Some(Node { id: node.id, element: numbered(element, node), children: self.below(node) })
    }
}

fn numbered(mut element: Element, node: &Node) -> Element {
    element.properties.retain(|property| property.name != NUMBER);
    element.properties.push(Property::new(NUMBER, PropertyValue::Int(node.id.0.to_string())));
    element
}

/// JMeter's looping thread groups are written unchanged: scripts ask them for their settings. Their
/// users are made elsewhere.
fn thread_group(group: &Element) -> Element {
    let controller = Element::new("LoopController", "LoopControlPanel", "Loop Controller");
    let loops = |own: &Element| own.class == controller.class;
    if !group.class.contains('.') && group.element("ThreadGroup.main_controller").is_some_and(loops) {
        return group.clone();
    }
    let controller = controller.with_text("LoopController.loops", "-1");
    let threads = group.text("ThreadGroup.num_threads").unwrap_or("1");
    Element::new("ThreadGroup", "ThreadGroupGui", group.name())
        .with_text(
            "ThreadGroup.on_sample_error",
            group.text("ThreadGroup.on_sample_error").unwrap_or("continue"),
        )
        .with_text("ThreadGroup.num_threads", threads)
        .with_element("ThreadGroup.main_controller", controller)
}

fn arguments(variables: &[(String, String)]) -> Element {
    let argument = |(name, value): &(String, String)| {
        let argument = Element::new("Argument", "", "").with_text("Argument.name", &escaped(name));
        argument.with_text("Argument.value", &escaped(value)).with_text("Argument.metadata", "=")
    };
    Element::new("Arguments", "ArgumentsPanel", "")
        .with_elements("Arguments.arguments", variables.iter().map(argument))
}

/// A value that JMeter leaves as it is when it looks for functions in it
/// (`FunctionParser.compileString`).
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('$', "\\$")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(class: &str, name: &str, children: Vec<Node>) -> Node {
        Node { children, ..Node::new(Element::new(class, "X", name)) }
    }

    fn plan() -> Node {
        let assertion = node("XPath2Assertion", "check", Vec::new());
        let sampler = node("HTTPSamplerProxy", "page", vec![assertion]);
        let unknown = node("com.example.Odd", "odd", vec![node("ConstantTimer", "below", Vec::new())]);
        let module = node("ModuleController", "module", vec![sampler, unknown]);
        let group = node("kg.apc.jmeter.threads.UltimateThreadGroup", "users", vec![module]);
        Plan::new(node("TestPlan", "plan", vec![group])).root
    }

    fn read_back(jmx: &str) -> Node {
        let reading = swell_plan::read(jmx.as_bytes(), None);
        assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
        reading.plan.expect("a plan").root
    }

    fn lines(root: &Node) -> Vec<String> {
        let mut lines = Vec::new();
        root.walk(&mut |node| {
            let element = &node.element;
            lines.push(format!("{} {} {}", element.text_or_empty(NUMBER), element.class, element.name()));
        });
        lines
    }

    #[test]
    fn elements_keep_their_numbers_and_what_is_left_out_takes_along_what_is_below() {
        let root = plan();
        let kept = |node: &Node| match &*node.element.class {
            "com.example.Odd" => ElementPart::Not,
            "HTTPSamplerProxy" => ElementPart::AsSampler,
            class if class.ends_with("ThreadGroup") => ElementPart::AsThreadGroup,
            _ => ElementPart::Whole,
        };
        let jmx = PlanForJvm { root: &root, variables: None, kept: &kept }.write();
        let wanted = [
            "0 TestPlan plan",
            "1 ThreadGroup users",
            "2 GenericController module",
            "3 TestAction page",
            "4 XPath2Assertion check",
        ];
        assert_eq!(lines(&read_back(&jmx)), wanted);
    }

    #[test]
    fn variables_are_written_as_values_that_nothing_evaluates_once_more() {
        let root = plan();
        let variables = [("a".to_owned(), r"\ ${b}, $".to_owned())];
        let kept = |_: &Node| ElementPart::Not;
        let jmx = PlanForJvm { root: &root, variables: Some(&variables), kept: &kept }.write();
        let read = read_back(&jmx);
        let arguments = read.element.element(VARIABLES).expect("they are there");
        let argument = arguments.elements("Arguments.arguments").next().expect("there is one");
        assert_eq!(argument.text("Argument.value"), Some(r"\\ \${b}, \$"));
    }
}

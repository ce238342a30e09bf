//! Bugs of JMeter 5.6.3 that are fixed for JMeter 6.0, and how to detect plans that may be
//! affected.

use swell_plan::{Element, Node, Plan};

/// A bug, and how to see from an element that it may meet it.
struct Bug {
    /// Number of the issue or change at github.com/apache/jmeter.
    issue: &'static str,
    /// What JMeter 5.6.3 does, as a sentence without its end.
    what: &'static str,
    may_meet: fn(&Element) -> bool,
}

const BUGS: [Bug; 5] = [
    Bug {
        issue: "6080",
        what: "a redirect with 307 or 308 is followed by GET without a body, or not at all",
        may_meet: |element| {
            is_request(element) && sends_body(element) && element.flag("HTTPSampler.follow_redirects", false)
        },
    },
    Bug {
        issue: "6250",
        what: "the content type of a multipart body has a charset, which some servers reject",
        may_meet: |element| {
            let has_files = || {
                element
                    .element("HTTPsampler.Files")
                    .is_some_and(|files| !files.collection("HTTPFileArgs.files").is_empty())
            };
            is_request(element)
                && sends_body(element)
                && (element.flag("HTTPSampler.DO_MULTIPART_POST", false) || has_files())
        },
    },
    Bug {
        issue: "5891",
        what: "conditional comments for Internet Explorer before 10 are parsed if the user agent names it",
        may_meet: |element| {
            let names = |line: &Element| line.text_or_empty("Header.value").contains("MSIE ");
            element.class == "HeaderManager" && element.elements("HeaderManager.headers").any(names)
        },
    },
    Bug {
        issue: "6448",
        what: "a JSON Extractor drops empty default values at the end of its list, and then fails",
        may_meet: |element| {
            element.class == "JSONPostProcessor"
                && element.text_or_empty("JSONPostProcessor.defaultValues").ends_with(';')
        },
    },
    Bug {
        issue: "5466",
        what: "a disabled parameter is sent",
        may_meet: |element| {
            let of = |element: &Element| {
                element
                    .elements("Arguments.arguments")
                    .any(|argument| !argument.flag("TestElement.enabled", true))
            };
            is_request(element) && element.element("HTTPsampler.Arguments").is_some_and(of)
        },
    },
];

/// A bug that may affect a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PossibleBug {
    /// Number of the issue or change at github.com/apache/jmeter.
    pub issue: &'static str,
    /// What JMeter 5.6.3 does, as a sentence without its end.
    pub what: &'static str,
    /// Names of the elements that may meet it, in the plan's order.
    pub elements: Vec<String>,
}

/// The bugs that the enabled elements of a plan may meet. Constant settings are looked at only.
pub fn bugs_that_a_plan_may_meet(plan: &Plan) -> Vec<PossibleBug> {
    let tree = plan.enabled_tree();
    let found = BUGS.iter().map(|bug| {
        let mut elements = Vec::new();
        tree.walk(&mut |node: &Node| {
            if (bug.may_meet)(&node.element) {
                elements.push(node.element.name().to_owned());
            }
        });
        PossibleBug { issue: bug.issue, what: bug.what, elements }
    });
    found.filter(|bug| !bug.elements.is_empty()).collect()
}

fn is_request(element: &Element) -> bool {
    element.class == "HTTPSamplerProxy"
}

fn sends_body(element: &Element) -> bool {
    !matches!(element.text_or_empty("HTTPSampler.method").trim(), "" | "GET" | "HEAD" | "OPTIONS" | "TRACE")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issues(elements: &str) -> Vec<&'static str> {
        let plan = format!(
            "<jmeterTestPlan version=\"1.2\"><hashTree><TestPlan testclass=\"TestPlan\" testname=\"T\"/>\
             <hashTree>{elements}</hashTree></hashTree></jmeterTestPlan>"
        );
        let plan = swell_plan::read(plan.as_bytes(), None).plan.expect("a plan");
        bugs_that_a_plan_may_meet(&plan).into_iter().map(|bug| bug.issue).collect()
    }

    fn request(properties: &str) -> String {
        format!(
            "<HTTPSamplerProxy testclass=\"HTTPSamplerProxy\" testname=\"r\">{properties}</HTTPSamplerProxy><hashTree/>"
        )
    }

    #[test]
    fn what_may_meet_a_bug_is_seen_from_settings() {
        let post = "<stringProp name=\"HTTPSampler.method\">POST</stringProp>";
        let follows = "<boolProp name=\"HTTPSampler.follow_redirects\">true</boolProp>";
        assert_eq!(issues(&request(follows)), [""; 0], "GET stays GET");
        assert_eq!(issues(&request(post)), [""; 0]);
        assert_eq!(issues(&request(&format!("{post}{follows}"))), ["6080"]);
        assert_eq!(
            issues(&request(&format!(
                "{post}<boolProp name=\"HTTPSampler.DO_MULTIPART_POST\">true</boolProp>"
            ))),
            ["6250"]
        );
        let extractor = |defaults: &str| {
            issues(&format!(
                "<JSONPostProcessor testclass=\"JSONPostProcessor\" testname=\"j\">\
                 <stringProp name=\"JSONPostProcessor.defaultValues\">{defaults}</stringProp></JSONPostProcessor><hashTree/>"
            ))
        };
        assert_eq!((extractor("a;"), extractor("a;b")), (vec!["6448"], vec![]));
    }
}

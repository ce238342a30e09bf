//! The results of reading literal plans.

use std::path::Path;

use swell_plan::{Element, MissingValue, Plan, PropertyValue, Reading, Severity, read, write};

/// A plan with these elements below the Test Plan.
fn around(elements: &str) -> String {
    format!(
        "<jmeterTestPlan version=\"1.2\"><hashTree>\n<TestPlan guiclass=\"TestPlanGui\" testname=\"P\"/>\
         <hashTree>{elements}</hashTree></hashTree></jmeterTestPlan>"
    )
}

fn good(text: &str) -> Plan {
    let reading = read(text.as_bytes(), None);
    reading.plan.unwrap_or_else(|| panic!("{text}: {:?}", reading.diagnostics))
}

/// The only element below the Test Plan.
fn single(element: &str) -> Element {
    let plan = good(&around(&format!("{element}<hashTree/>")));
    assert_eq!(plan.root.children.len(), 1, "{element}");
    plan.root.children[0].element.clone()
}

fn messages(reading: &Reading) -> Vec<String> {
    reading.diagnostics.iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_no_plan_is_told_with_place_and_hint() {
    let cases = [
        ("", "p.jmx: error: the file is empty", "save the plan"),
        (" \n ", "p.jmx: error: the file contains only white space", "save the plan"),
        ("<html><body></body></html>", "p.jmx:1: error: `html` is not a JMeter test plan", "web page"),
        (
            "<!DOCTYPE html>\n<html><br></html>",
            "p.jmx:2: error: column 11: not well-formed XML: expected `</br>`",
            "web page",
        ),
        ("<testResults/>", "p.jmx:1: error: `testResults` is not a JMeter test plan", "results file"),
        ("<node/>", "p.jmx:1: error: `node` is not a JMeter test plan", "JMeter 2.1 or older"),
        ("{\"a\": 1}", "p.jmx:1: error: column 1: not well-formed XML: text is outside", "JSON"),
        ("plain", "p.jmx:1: error: column 1: not well-formed XML: text is outside", ""),
        ("<jmeterTestPlan/>", "p.jmx:1: error: `jmeterTestPlan` contains no `hashTree`", ""),
        ("<jmeterTestPlan><hashTree/></jmeterTestPlan>", "p.jmx:1: error: the plan contains no element", ""),
        (
            "<jmeterTestPlan>\n é<hashTree>",
            "p.jmx:2: error: column 13: not well-formed XML: `<hashTree>` in line 2 is never closed",
            "truncated",
        ),
        (
            "<jmeterTestPlan>\n<a b='&nbsp;'/>",
            "p.jmx:2: error: column 7: not well-formed XML: unknown entity `&nbsp;`",
            "&amp;",
        ),
    ];
    for (text, message, hint) in cases {
        let reading = read(text.as_bytes(), Some(Path::new("p.jmx")));
        assert!(reading.plan.is_none(), "{text}");
        let last = reading.diagnostics.last().expect("a diagnostic");
        let shown = last.to_string();
        assert!(shown.starts_with(message), "{text}: {shown}");
        assert!(last.hint.as_deref().unwrap_or_default().contains(hint), "{text}: {shown}");
    }
}

#[test]
fn elements_are_paired_with_their_hash_trees() {
    let plan = good(&around(
        "<A guiclass=\"g\" testname=\"a\"/><hashTree><B guiclass=\"g\" testname=\"b\"/><hashTree/></hashTree>\n<C guiclass=\"g\" testname=\"c\"/><hashTree/>",
    ));
    let mut seen = Vec::new();
    plan.root.walk(&mut |node| seen.push((node.id.0, node.element.line, node.element.path.clone())));
    let expected = [(0, 2, "P"), (1, 2, "P > a"), (2, 2, "P > a > b"), (3, 3, "P > c")];
    assert_eq!(seen, expected.map(|(id, line, path)| (id, line, path.to_owned())));
}

#[test]
fn a_tree_out_of_step_is_mended_and_told() {
    let a = "<A guiclass=\"g\" testname=\"a\"/>";
    let b = "<B guiclass=\"g\" testname=\"b\"/>";
    let cases = [
        (format!("{a}{b}<hashTree/>"), "P > a: none, P > b", "[P > a] no `hashTree` follows"),
        (format!("{a}<hashTree/>{b}"), "P > a: none, P > b", "[P > b] no `hashTree` follows"),
        (
            format!("{a}<hashTree/><hashTree>{b}<hashTree/></hashTree>"),
            "P > a, P > a > b",
            "[P] a `hashTree` without",
        ),
        (
            format!("<hashTree>{a}<hashTree/></hashTree>{b}<hashTree/>"),
            "P > a, P > b",
            "[P] a `hashTree` without",
        ),
    ];
    for (elements, paths, message) in cases {
        let reading = read(around(&elements).as_bytes(), None);
        let shown = messages(&reading);
        assert!(shown.len() == 1 && shown[0].contains(message), "{elements}: {shown:?}");
        let mut seen = Vec::new();
        reading.plan.expect("a plan").root.walk(&mut |node| seen.push(node.element.path.clone()));
        assert_eq!(seen[1..].join(", "), paths.replace(": none", ""), "{elements}");
    }
}

#[test]
fn classes_are_brought_to_todays_aliases() {
    let cases = [
        ("<ThreadGroup guiclass=\"ThreadGroupGui\"/>", "ThreadGroup", "ThreadGroupGui"),
        (
            "<org.apache.jmeter.threads.ThreadGroup guiclass=\"org.apache.jmeter.threads.gui.ThreadGroupGui\"/>",
            "ThreadGroup",
            "ThreadGroupGui",
        ),
        (
            "<Anything class=\"org.apache.jmeter.threads.ThreadGroup\" guiclass=\"ThreadGroupGui\"/>",
            "ThreadGroup",
            "ThreadGroupGui",
        ),
        ("<ThreadGroup testclass=\"Other\" guiclass=\"g\"/>", "ThreadGroup", "g"),
        ("<HTTPSampler guiclass=\"HttpTestSampleGui\"/>", "HTTPSamplerProxy", "HttpTestSampleGui"),
        ("<HTTPSampler2 guiclass=\"HttpTestSampleGui2\"/>", "HTTPSamplerProxy", "HttpTestSampleGui"),
        ("<HTTPSampler_ guiclass=\"HttpTestSampleGui\"/>", "HTTPSamplerProxy", "HttpTestSampleGui"),
        ("<HTTPSampler2_ guiclass=\"HttpTestSampleGui\"/>", "ConfigTestElement", "HttpTestSampleGui"),
        ("<SoapSampler guiclass=\"SoapSamplerGui\"/>", "ConfigTestElement", "ObsoleteGui"),
        (
            "<ConfigTestElement guiclass=\"org.apache.jmeter.protocol.http.config.gui.UrlConfigGui\"/>",
            "ConfigTestElement",
            "HttpDefaultsGui",
        ),
        (
            "<ConfigTestElement guiclass=\"org.apache.jmeter.protocol.jdbc.config.gui.DbConfigGui\"/>",
            "JDBCDataSource",
            "TestBeanGUI",
        ),
        (
            "<org.apache.jmeter.assertions.Assertion guiclass=\"AssertionGui\"/>",
            "ResponseAssertion",
            "AssertionGui",
        ),
        ("<kg.apc.jmeter.X guiclass=\"kg.apc.jmeter.XGui\"/>", "kg.apc.jmeter.X", "kg.apc.jmeter.XGui"),
    ];
    for (xml, class, gui_class) in cases {
        let element = single(xml);
        assert_eq!((&*element.class, &*element.gui_class), (class, gui_class), "{xml}");
    }
}

#[test]
fn http_samplers_of_old_tags_name_their_implementation() {
    for (tag, implementation) in [("HTTPSampler", "Java"), ("HTTPSampler2", "HttpClient4")] {
        let xml = format!(
            "<{tag} guiclass=\"g\"><stringProp name=\"HTTPSampler.implementation\">x</stringProp></{tag}>"
        );
        assert_eq!(single(&xml).text("HTTPSampler.implementation"), Some(implementation));
    }
    assert_eq!(single("<HTTPSamplerProxy guiclass=\"g\"/>").text("HTTPSampler.implementation"), None);
}

#[test]
fn properties_of_every_kind_are_read() {
    let element = single(
        "<X guiclass=\"g\">\
         <stringProp name=\"text\">a &lt; b&#xd;\n c</stringProp><stringProp name=\"empty\"/>\
         <intProp name=\"int\">1</intProp><longProp name=\"long\">2</longProp><boolProp name=\"bool\">TRUE</boolProp>\
         <doubleProp><name>double</name><value>1.5</value><savedValue>0.0</savedValue></doubleProp>\
         <FloatProperty><name>float</name><value>2.5</value><savedValue>0.0</savedValue></FloatProperty>\
         <org.apache.jmeter.testelement.property.StringProperty name=\"long name\">v</org.apache.jmeter.testelement.property.StringProperty>\
         <elementProp name=\"element\" elementType=\"org.apache.jmeter.config.Arguments\"><stringProp name=\"in\">i</stringProp></elementProp>\
         <collectionProp name=\"list\"><stringProp name=\"1\">one</stringProp><collectionProp name=\"2\"><intProp name=\"\">2</intProp></collectionProp></collectionProp>\
         <mapProp name=\"map\"><stringProp name=\"k\">v</stringProp></mapProp>\
         <objProp><name>saveConfig</name><value class=\"SampleSaveConfiguration\"><time>true</time><xml>false</xml></value></objProp>\
         <what ever=\"1\"><is/></what></X>",
    );
    let texts = [
        ("text", "a < b\r\n c"),
        ("empty", ""),
        ("int", "1"),
        ("long", "2"),
        ("bool", "TRUE"),
        ("double", "1.5"),
        ("float", "2.5"),
        ("long name", "v"),
    ];
    for (name, text) in texts {
        assert_eq!(element.text(name), Some(text), "{name}");
    }
    assert!(matches!(element.property("int"), Some(PropertyValue::Int(_))));
    assert!(matches!(element.property("float"), Some(PropertyValue::Float(_))));
    let inner = element.element("element").expect("an element");
    assert_eq!((&*inner.class, inner.text("in")), ("Arguments", Some("i")));
    assert_eq!(element.collection("list")[0].value.as_text(), Some("one"));
    assert!(
        matches!(&element.collection("list")[1].value, PropertyValue::Collection(members) if members.len() == 1)
    );
    assert_eq!(element.collection("map")[0].name, "k");
    let choices = [("time", "true"), ("xml", "false")].map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(element.save_config(), Some(choices.to_vec()));
    assert_eq!(
        element.properties.last().map(|p| &p.value),
        Some(&PropertyValue::Xml("<what ever=\"1\"><is/></what>".to_owned()))
    );
}

#[test]
fn old_property_names_are_renamed_and_abolished_ones_unseen() {
    let xml = "<ConfigTestElement guiclass=\"org.apache.jmeter.protocol.jdbc.config.gui.DbConfigGui\">\
               <stringProp name=\"JDBCSampler.url\">u</stringProp>\
               <stringProp name=\"JDBCSampler.connections\">3</stringProp></ConfigTestElement>";
    let element = single(xml);
    assert_eq!(element.text("dbUrl"), Some("u"));
    assert_eq!((element.text("JDBCSampler.url"), element.text("JDBCSampler.connections")), (None, None));
    let written = write(&good(&around(&format!("{xml}<hashTree/>"))));
    for old in [
        "<stringProp name=\"JDBCSampler.url\">u</stringProp>",
        "<stringProp name=\"JDBCSampler.connections\">3</stringProp>",
    ] {
        assert!(written.contains(old), "{written}");
    }
    let header = single(
        "<HeaderManager guiclass=\"HeaderPanel\"><collectionProp name=\"HeaderManager.headers\">\
         <elementProp name=\"A\" elementType=\"org.apache.jmeter.protocol.http.control.Header\">\
         <stringProp name=\"TestElement.name\">A</stringProp></elementProp></collectionProp></HeaderManager>",
    );
    let header = header.elements("HeaderManager.headers").next().expect("a header");
    assert_eq!((&*header.class, header.text("Header.name")), ("Header", Some("A")));
}

#[test]
fn translated_choices_are_read_in_one_spelling_and_written_as_they_were() {
    let xml = "<CSVDataSet guiclass=\"TestBeanGUI\"><stringProp name=\"shareMode\">Todos los hilos</stringProp></CSVDataSet>";
    let element = single(xml);
    assert_eq!(element.text("shareMode"), Some("shareMode.all"));
    let timer = "<ConstantThroughputTimer guiclass=\"TestBeanGUI\"><stringProp name=\"calcMode\">all active threads</stringProp></ConstantThroughputTimer>";
    assert_eq!(single(timer).property("calcMode"), Some(&PropertyValue::Int("1".to_owned())));
    assert!(
        write(&good(&around(&format!("{timer}<hashTree/>")))).contains(">all active threads</stringProp>")
    );
}

#[test]
fn missing_properties_have_the_values_that_an_element_was_given_and_are_not_written() {
    const RECYCLE: &[MissingValue] = &[MissingValue::new("recycle", "false", "true")];
    let mut plan = good(&around("<CSVDataSet guiclass=\"TestBeanGUI\" testname=\"c\"/><hashTree/>"));
    let before = write(&plan);
    let element = &mut plan.root.children[0].element;
    assert_eq!(element.text("recycle"), None);
    element.missing = RECYCLE;
    assert_eq!((element.text("recycle"), element.property("recycle")), (Some("false"), None));
    assert!(!element.flag("recycle", true));
    assert_eq!(write(&plan), before);
}

#[test]
fn the_one_file_of_old_http_samplers_comes_first_in_the_list() {
    let old = "<stringProp name=\"HTTPSampler.FILE_NAME\">f</stringProp><stringProp name=\"HTTPSampler.FILE_FIELD\">n</stringProp>\
               <stringProp name=\"HTTPSampler.mimetype\">m</stringProp>";
    let list = "<elementProp name=\"HTTPsampler.Files\" elementType=\"HTTPFileArgs\"><collectionProp name=\"HTTPFileArgs.files\">\
                <elementProp name=\"g\" elementType=\"HTTPFileArg\"><stringProp name=\"File.path\">g</stringProp></elementProp>\
                </collectionProp></elementProp>";
    for (properties, paths) in
        [(old.to_owned(), vec!["f"]), (format!("{old}{list}"), vec!["f", "g"]), (list.to_owned(), vec!["g"])]
    {
        let xml = format!("<HTTPSamplerProxy guiclass=\"g\">{properties}</HTTPSamplerProxy>");
        let element = single(&xml);
        let files = element.element("HTTPsampler.Files").expect("a list of files");
        let found: Vec<&str> =
            files.elements("HTTPFileArgs.files").map(|file| file.text_or_empty("File.path")).collect();
        assert_eq!(found, paths);
        let written = write(&good(&around(&format!("{xml}<hashTree/>"))));
        assert_eq!(
            written.matches("HTTPsampler.Files").count(),
            properties.matches("HTTPsampler.Files").count()
        );
    }
}

#[test]
fn references_of_xstream_are_followed() {
    let element = single(
        "<X guiclass=\"g\"><collectionProp name=\"a\"><stringProp name=\"n\">1</stringProp><stringProp name=\"m\">2</stringProp></collectionProp>\
         <collectionProp name=\"b\"><stringProp reference=\"../../collectionProp/stringProp[2]\"/>\
         <stringProp reference=\"../..\"/><stringProp reference=\"../nowhere\"/><stringProp reference=\"../stringProp\"/></collectionProp></X>",
    );
    let members = element.collection("b");
    assert_eq!((&*members[0].name, members[0].value.as_text()), ("m", Some("2")));
    assert!(members[1..].iter().all(|p| matches!(p.value, PropertyValue::Xml(_))), "{members:?}");
}

/// As converters of recordings write the headers of a sampler a second time.
#[test]
fn references_to_lists_are_followed_but_not_into_themselves() {
    let element = single(
        "<X guiclass=\"g\"><elementProp name=\"e\" elementType=\"H\"><collectionProp name=\"list\">\
         <stringProp name=\"n\">1</stringProp></collectionProp></elementProp>\
         <elementProp name=\"f\" elementType=\"H\"><collectionProp reference=\"../../elementProp/collectionProp\"/></elementProp>\
         <collectionProp name=\"c\"><collectionProp reference=\"..\"/></collectionProp>\
         <collectionProp reference=\"../elementProp\"/></X>",
    );
    let within = element.element("f").expect("it exists");
    assert_eq!(within.collection("list")[0].value.as_text(), Some("1"));
    let PropertyValue::Collection(inner) = &element.collection("c")[0].value else { panic!("{element:?}") };
    assert!(inner.is_empty(), "{inner:?}");
    assert!(element.collection("e").is_empty());
}

#[test]
fn what_jmeter_would_refuse_or_misread_is_a_warning() {
    let cases = [
        ("<A testname=\"a\"/><hashTree/>", "[P > a] the attribute `guiclass` is missing"),
        (
            "<A guiclass=\"g\"><intProp name=\"n\">${x}</intProp></A><hashTree/>",
            "n: JMeter refuses a plan with `${x}` in a `intProp`",
        ),
        (
            "<A guiclass=\"g\"><boolProp name=\"n\">yes</boolProp></A><hashTree/>",
            "n: JMeter reads `yes` in a `boolProp` as false",
        ),
        (
            "<A guiclass=\"g\"><intProp name=\"n\">1</intProp><stringProp name=\"n\">2</stringProp></A><hashTree/>",
            "n: is given twice",
        ),
    ];
    for (elements, message) in cases {
        let reading = read(around(elements).as_bytes(), None);
        assert_eq!(reading.diagnostics.len(), 1, "{:?}", messages(&reading));
        assert_eq!(reading.diagnostics[0].severity, Severity::Warning);
        assert!(messages(&reading)[0].contains(message), "{:?}", messages(&reading));
    }
    let doubled =
        single("<A guiclass=\"g\"><intProp name=\"n\">1</intProp><stringProp name=\"n\">2</stringProp></A>");
    assert_eq!(doubled.text("n"), Some("2"));
}

#[test]
fn names_and_enabled_follow_jmeter() {
    let cases = [
        ("<A guiclass=\"g\" testname=\"n\"/>", "n", true),
        ("<A guiclass=\"g\" enabled=\"false\"/>", "", false),
        ("<A guiclass=\"g\" enabled=\"TRUE\"/>", "", true),
        ("<A guiclass=\"g\" enabled=\"yes\"/>", "", false),
        (
            "<A guiclass=\"g\" testname=\"n\" enabled=\"true\"><stringProp name=\"TestElement.name\">m</stringProp><boolProp name=\"TestElement.enabled\">false</boolProp></A>",
            "m",
            false,
        ),
    ];
    for (xml, name, enabled) in cases {
        let element = single(xml);
        assert_eq!((element.name(), element.enabled()), (name, enabled), "{xml}");
    }
}

#[test]
fn elements_beside_the_test_plan_are_kept_apart_and_written_in_place() {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<jmeterTestPlan version=\"1.2\" properties=\"2.8\" jmeter=\"2.13\">\n  <hashTree>\n    \
                <Before guiclass=\"g\"/>\n    <hashTree/>\n    <TestPlan guiclass=\"g\"/>\n    <hashTree/>\n    \
                <WorkBench guiclass=\"g\"/>\n    <hashTree/>\n  </hashTree>\n</jmeterTestPlan>\n";
    let plan = good(text);
    let classes: Vec<&str> = plan.beside.iter().map(|node| &*node.element.class).collect();
    assert_eq!((&*plan.root.element.class, classes), ("TestPlan", vec!["Before", "WorkBench"]));
    assert_eq!((plan.format_version(), plan.jmeter_version()), ("1.2", "2.13"));
    assert_eq!(write(&plan), text);
}

#[test]
fn a_file_without_a_test_plan_is_a_fragment() {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<jmeterTestPlan version=\"1.2\">\n  <hashTree>\n    \
                <TestFragmentController guiclass=\"g\"/>\n    <hashTree/>\n  </hashTree>\n</jmeterTestPlan>\n";
    let plan = good(text);
    assert_eq!(plan.root.children[0].element.class, "TestFragmentController");
    assert_eq!(write(&plan), text);
}

#[test]
fn url_encoded_plans_of_format_1_0_are_decoded_and_written_as_1_2() {
    let text = "<jmeterTestPlan version=\"1.0\"><hashTree><TestPlan guiclass=\"g\" testname=\"a+b\">\
                <stringProp name=\"x%2Fy\">1%3C2+3</stringProp></TestPlan><hashTree/></hashTree></jmeterTestPlan>";
    let plan = good(text);
    assert_eq!((plan.root.element.name(), plan.root.element.text("x/y")), ("a b", Some("1<2 3")));
    assert!(write(&plan).contains("version=\"1.2\"") && write(&plan).contains(">1&lt;2 3<"));
}

#[test]
fn a_plan_as_deep_as_allowed_needs_no_deep_stack() {
    let levels = 497;
    let open = "<A guiclass=\"g\"/><hashTree>".repeat(levels);
    let reading = read(around(&format!("{open}{}", "</hashTree>".repeat(levels))).as_bytes(), None);
    let plan = reading.plan.expect("a plan");
    let again = read(write(&plan).as_bytes(), None).plan.expect("a plan");
    assert_eq!(again.enabled_tree(), again.resolve(&mut |_| Err(String::new())).root);
    assert_eq!(write(&again), write(&plan));
    let properties =
        format!("{}{}", "<collectionProp name=\"\">".repeat(490), "</collectionProp>".repeat(490));
    let element = single(&format!("<A guiclass=\"g\">{properties}</A>"));
    assert_eq!(element.clone(), element);
    let deeper = "<hashTree>".repeat(100_000);
    let reading = read(around(&deeper).as_bytes(), None);
    assert!(messages(&reading)[0].contains("deeper than 500"), "{:?}", messages(&reading));
}

#[test]
fn hostile_plans_take_neither_long_nor_much_room() {
    let references = "<stringProp reference=\"../stringProp[9999]\"/>".repeat(20_000);
    let element =
        single(&format!("<X guiclass=\"g\"><collectionProp name=\"c\">{references}</collectionProp></X>"));
    assert_eq!(element.collection("c").len(), 20_000);
    let odd = format!("{}{}", "<collectionProp odd=\"\">".repeat(400), "</collectionProp>".repeat(400));
    let element = single(&format!("<X guiclass=\"g\">{odd}</X>"));
    assert_eq!(element.properties[0].written.as_deref(), Some(&*odd));
    let PropertyValue::Collection(members) = &element.properties[0].value else { panic!("a collection") };
    assert_eq!(members[0].written, None, "the outermost keeps it all");
}

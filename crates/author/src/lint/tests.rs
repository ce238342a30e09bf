use super::*;
use crate::testing::{SHOP, no_file, plan, table};

fn found(text: &str) -> Vec<Finding> {
    let around = Surroundings { file: &no_file, relative: &|_| None };
    lint(&plan(text), &table(), &around)
}

fn rules(text: &str) -> Vec<&'static str> {
    found(text).iter().map(|found| found.rule).collect()
}

fn of_rule(text: &str, rule: &str) -> Vec<String> {
    found(text).iter().filter(|found| found.rule == rule).map(|found| found.message.clone()).collect()
}

#[test]
fn each_rule_finds_its_mistake_in_the_shop() {
    let mut found = rules(SHOP);
    found.sort_unstable();
    found.dedup();
    let mut all: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
    all.sort_unstable();
    assert_eq!(found, all);
}

#[test]
fn variables_that_nothing_sets_are_named_with_what_was_meant() {
    assert_eq!(of_rule(SHOP, "variable-never-set"), ["`${nowhere}` is read, but nothing sets it"]);
    assert_eq!(
        of_rule(SHOP, "variable-misspelt"),
        ["`${passwrod}` is read, but nothing sets it; `password` is set"]
    );
    let other = of_rule(SHOP, "variable-of-other-group");
    assert_eq!(other.len(), 2, "{other:?}");
    assert!(other[0].contains("only the thread group `Users` sets it"), "{other:?}");
    assert_eq!(of_rule(SHOP, "variable-never-read"), ["nothing reads `unused`"]);
}

/// The shop, where something sets the variable `nowhere`.
fn never_set(setter: &str) -> Vec<String> {
    let place = "        <JSR223PostProcessor guiclass";
    assert_eq!(SHOP.matches(place).count(), 1);
    of_rule(&SHOP.replace(place, &format!("{setter}\n<hashTree/>\n{place}")), "variable-never-set")
}

fn element(class: &str, properties: &str) -> String {
    format!(
        "<{class} guiclass=\"g\" testclass=\"{class}\" testname=\"e\" enabled=\"true\">{properties}</{class}>"
    )
}

fn text(name: &str, value: &str) -> String {
    format!("<stringProp name=\"{name}\">{value}</stringProp>")
}

#[test]
fn many_elements_set_variables() {
    let script = |code: &str| element("JSR223PostProcessor", &text("script", code));
    let setters = [
        element("RegexExtractor", &text("RegexExtractor.refname", "nowhere")),
        element("BoundaryExtractor", &text("BoundaryExtractor.refname", "nowhere")),
        element("HtmlExtractor", &text("HtmlExtractor.refname", "nowhere")),
        element("XPathExtractor", &text("XPathExtractor.refname", "nowhere")),
        element("XPath2Extractor", &text("XPathExtractor2.refname", "nowhere")),
        element("JMESPathExtractor", &text("JMESExtractor.referenceName", "nowhere")),
        element("JDBCPostProcessor", &text("variableNames", "a, nowhere")),
        element("JDBCPostProcessor", &text("resultVariable", "nowhere")),
        element("CounterConfig", &text("CounterConfig.name", "nowhere")),
        element("RandomVariableConfig", &text("variableName", "nowhere")),
        element("ForeachController", &text("ForeachController.returnVal", "nowhere")),
        element("CSVDataSet", &text("variableNames", "x,nowhere")),
        element("CSVDataSet", &(text("variableNames", "") + &text("filename", "no.csv"))),
        element("com.example.Sampler", &text("output", "nowhere")),
        element("JavaSampler", &text("classname", "com.example.Sets")),
        element("IncludeController", &text("IncludeController.includepath", "part.jmx")),
        element("ConstantTimer", &text("ConstantTimer.delay", "${__Random(1,2,nowhere)}")),
        element("ConstantTimer", &text("ConstantTimer.delay", "${__groovy(vars.put('nowhere'\\, '1'))}")),
        element("ConstantTimer", &text("ConstantTimer.delay", "${__unknown(nowhere)}")),
        script("vars.put('nowhere', 'x')"),
        script("[ 'nowhere' ].each { vars.put(it, 'x') }"),
        script("vars.put('no' + where, 'x')"),
        script("com.example.Tools.fill(vars)"),
        element("JSR223PostProcessor", &text("filename", "fill.groovy")),
        element(
            "UserParameters",
            "<collectionProp name=\"UserParameters.names\"><stringProp name=\"1\">nowhere</stringProp></collectionProp>",
        ),
    ];
    for setter in setters {
        assert_eq!(never_set(&setter), [""; 0], "{setter}");
    }
    let other = element("RegexExtractor", &text("RegexExtractor.refname", "elsewhere"));
    assert_eq!(never_set(&other).len(), 1);
    let off = element("RegexExtractor", &text("RegexExtractor.refname", "nowhere"))
        .replace("\"true\"", "\"false\"");
    assert!(never_set(&off)[0].contains("only disabled elements"), "{:?}", never_set(&off));
}

#[test]
fn a_script_interpolates_its_own_variables_and_a_program_those_of_its_shell() {
    let script = element("JSR223Sampler", &text("script", "def q = 1; vars.put('z', \"${q}\")"));
    let shell = element("SystemSampler", &text("SystemSampler.command", "echo ${HOME}"));
    let payload = element("HTTPSamplerProxy", &text("HTTPSampler.path", "/${7*7}${jndi:ldap://x}"));
    for added in [script, shell, payload] {
        assert_eq!(never_set(&added), ["`${nowhere}` is read, but nothing sets it"], "{added}");
    }
}

#[test]
fn fixes_do_what_they_say() {
    let findings = found(SHOP);
    let fixes: Vec<_> = findings.iter().filter_map(|found| found.fix.as_ref()).collect();
    let edits: Vec<Edit> = fixes.iter().flat_map(|fix| fix.edits.clone()).collect();
    let fixed = swell_plan::edit(SHOP.as_bytes(), &edits).expect("it can be edited");
    let fixed = String::from_utf8(fixed).expect("UTF-8");
    let expected = SHOP
        .replace("${passwrod}", "${password}")
        .replace("testname=\"Nothing\" enabled=\"true\"", "testname=\"Nothing\" enabled=\"false\"");
    assert_eq!(fixed, expected);
    assert!(found(&fixed).iter().all(|found| found.fix.is_none()));
    let around = Surroundings { file: &no_file, relative: &|_| Some("data/accounts.csv".to_owned()) };
    let with_path = lint(&plan(SHOP), &table(), &around);
    let path = with_path.iter().find(|found| found.rule == "absolute-path").expect("found");
    let fixed = swell_plan::edit(SHOP.as_bytes(), &path.fix.as_ref().expect("a fix").edits).expect("edited");
    assert_eq!(
        String::from_utf8(fixed).expect("UTF-8"),
        SHOP.replace("/srv/data/accounts.csv", "data/accounts.csv")
    );
}

#[test]
fn secrets_are_found_by_name_and_by_form_and_never_shown() {
    let message = of_rule(SHOP, "secret-in-plan");
    assert_eq!(message.len(), 1, "{message:?}");
    assert!(!message[0].contains("hunter22"));
    let from_outside = SHOP.replace("hunter22", "${__P(password)}");
    assert_eq!(of_rule(&from_outside, "secret-in-plan"), [""; 0]);
    for value in ["AKIAABCDEFGHIJKLMNOP", "Bearer abcdefghijkl", "-----BEGIN RSA PRIVATE KEY-----"] {
        let with = from_outside.replace(">/shop<", &format!(">{value}<"));
        assert_eq!(of_rule(&with, "secret-in-plan").len(), 1, "{value}");
    }
}

#[test]
fn a_fragment_and_a_group_with_modules_raise_no_questions_about_variables() {
    let fragment = "<jmeterTestPlan version=\"1.2\"><hashTree><HTTPSamplerProxy guiclass=\"g\" testname=\"r\">\
        <stringProp name=\"HTTPSampler.path\">${x}</stringProp></HTTPSamplerProxy><hashTree/></hashTree></jmeterTestPlan>";
    assert_eq!(rules(fragment), [""; 0]);
    let module = "<ModuleController guiclass=\"g\" testname=\"m\"/><hashTree/>";
    let with = SHOP.replace("        <GenericController", &format!("{module}        <GenericController"));
    assert_eq!(of_rule(&with, "variable-of-other-group"), [""; 0]);
}

#[test]
fn the_kinds_that_rules_name_are_in_the_table() {
    let table = table();
    for name in ["HTTP Cookie Manager", "HTTP Request", "Flow Control Action"] {
        assert!(table.kinds().any(|kind| kind.name == name), "{name}");
    }
    let mut names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), RULES.len());
}

#[test]
fn sarif_has_a_place_for_each_finding() {
    let findings = found(SHOP);
    let log = sarif([("./plans/a b.jmx".to_owned(), &findings[..])], "1.2.3");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), findings.len());
    for (result, found) in results.iter().zip(&findings) {
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "plans/a%20b.jmx");
        assert_eq!(place["region"]["startLine"], found.line);
        let index = result["ruleIndex"].as_u64().expect("a number") as usize;
        assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][index]["id"], found.rule);
    }
}

#[test]
fn the_reference_page_is_fresh() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/lint.md");
    let page = reference_page();
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let update = "UPDATE_REFERENCE=1 cargo test -p swell-author reference_page";
    assert!(written == page, "docs/reference/lint.md is stale; write it again with `{update}`");
}

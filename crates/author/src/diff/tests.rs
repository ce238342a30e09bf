use super::*;
use crate::testing::{SHOP, plan};

fn lines(before: &str, after: &str) -> Vec<String> {
    diff(&plan(before), &plan(after)).to_string().lines().map(str::to_owned).collect()
}

fn pair(element: &str, what: &str) -> Vec<String> {
    vec![element.to_owned(), format!("  {what}")]
}

#[test]
fn plans_that_only_differ_in_what_jmeter_writes_are_the_same() {
    let other = SHOP
        .replace(
            "guiclass=\"ThreadGroupGui\" testclass=\"ThreadGroup\"",
            "testclass=\"ThreadGroup\" guiclass=\"com.example.Gui\"",
        )
        .replace(
            "<intProp name=\"ThreadGroup.num_threads\">10</intProp>",
            "<stringProp name=\"ThreadGroup.num_threads\">10</stringProp>",
        )
        .replace("jmeter=\"5.6.3\"", "jmeter=\"2.13\"")
        .replace('\n', "\r\n");
    assert_eq!(lines(SHOP, &other), [""; 0]);
    let hashes = |hash: &str| {
        SHOP.replace(
            "<collectionProp name=\"Asserion.test_strings\"/>",
            &format!("<collectionProp name=\"Asserion.test_strings\"><stringProp name=\"{hash}\">ok</stringProp></collectionProp>"),
        )
    };
    assert_eq!(lines(&hashes("123"), &hashes("-456")), [""; 0]);
}

#[test]
fn changes_are_named_with_their_place() {
    let threads = SHOP.replace("num_threads\">10<", "num_threads\">50<");
    assert_eq!(lines(SHOP, &threads), pair("Shop > Users  (line 28)", "~ ThreadGroup.num_threads: 10 -> 50"));
    let renamed = SHOP.replace("testname=\"Users\"", "testname=\"Buyers\"");
    assert_eq!(lines(SHOP, &renamed), pair("Shop > Buyers  (line 28)", "~ renamed: Users -> Buyers"));
    let disabled =
        SHOP.replace("testname=\"Pause\" enabled=\"true\"", "testname=\"Pause\" enabled=\"false\"");
    assert_eq!(lines(SHOP, &disabled), pair("Shop > Admins > Empty > Pause  (line 99)", "~ disabled"));
    let argument = SHOP.replace("${passwrod}", "${password}");
    assert_eq!(
        lines(SHOP, &argument)[1],
        "  ~ Arguments.arguments[password].value: ${passwrod} -> ${password}"
    );
}

#[test]
fn elements_are_added_removed_and_moved() {
    let timer = SHOP.split("          <ConstantTimer").nth(1).expect("a timer");
    let timer = timer.split("        </hashTree>").next().expect("its end");
    let timer = format!("          <ConstantTimer{timer}");
    let without = SHOP.replace(&timer, "");
    assert_eq!(lines(SHOP, &without)[1], "  - ConstantTimer removed");
    assert_eq!(lines(&without, SHOP)[1], "  + ConstantTimer added");
    let elsewhere = without.replace("      <CSVDataSet", &format!("{timer}      <CSVDataSet"));
    assert_eq!(
        lines(SHOP, &elsewhere),
        pair("Shop > Pause  (line 99 -> 22)", "~ moved from Shop > Admins > Empty > Pause")
    );
    let csv_start = SHOP.find("      <CSVDataSet").expect("it is there");
    let csv_end = SHOP.find("      <ThreadGroup").expect("it is there");
    let csv = &SHOP[csv_start..csv_end];
    let last = SHOP.replace(csv, "").replace(
        "      </hashTree>\n    </hashTree>\n  </hashTree>",
        &format!("      </hashTree>\n{csv}    </hashTree>\n  </hashTree>"),
    );
    let moved = lines(SHOP, &last);
    assert_eq!(moved.len(), 2, "{moved:?}");
    assert_eq!(moved[1], "  ~ moved among its siblings");
}

#[test]
fn the_order_of_arguments_counts() {
    let user = SHOP.find("              <elementProp name=\"user\"").expect("there");
    let password = SHOP.rfind("              <elementProp name=\"password\"").expect("there");
    let end = password + SHOP[password..].find("            </collectionProp>").expect("there");
    let swapped =
        format!("{}{}{}{}", &SHOP[..user], &SHOP[password..end], &SHOP[user..password], &SHOP[end..]);
    assert_eq!(lines(SHOP, &swapped)[1], "  ~ Arguments.arguments: entries in another order");
}

#[test]
fn long_values_are_shown_where_they_differ() {
    let script = |end: &str| SHOP.replace("vars.put(", &format!("{}{end}\nvars.put(", "x".repeat(500)));
    let shown = &lines(&script("a"), &script("b"))[1];
    assert!(
        shown.contains("…xxxxxxxxxxxxxxxxxxxxxxxa\\nvars.put") && shown.contains("xb\\nvars.put"),
        "{shown}"
    );
}

#[test]
fn a_hundred_thousand_siblings_are_matched_in_time() {
    let element = |number: usize| {
        format!(
            "<ConstantTimer guiclass=\"g\" testclass=\"ConstantTimer\" testname=\"t{number}\"/><hashTree/>"
        )
    };
    let wrap = |inside: String| {
        format!(
            "<jmeterTestPlan version=\"1.2\"><hashTree><TestPlan guiclass=\"g\" testname=\"p\"/><hashTree>{inside}</hashTree></hashTree></jmeterTestPlan>"
        )
    };
    let before = wrap((0..100_000).map(element).collect());
    let after = wrap((0..100_000).rev().map(element).collect());
    let found = diff(&plan(&before), &plan(&after)).differences;
    assert_eq!(found.len(), 99_999, "all but one have moved");
}

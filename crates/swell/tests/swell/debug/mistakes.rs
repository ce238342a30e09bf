//! Plans with one mistake each, which the output names.

use super::*;

/// A plan with one mistake, and texts of a line that names it.
struct Mistake {
    kind: &'static str,
    elements: String,
    said: &'static [&'static str],
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn mistakes() -> Vec<Mistake> {
    let mistake = |kind, elements, said| Mistake { kind, elements, said };
    let type_of_json = || header("Content-Type", "application/json");
    let order = |below: &str| post("/orders", r#"{"item":"i1","qty":2}"#, &(type_of_json() + below));
    let login = "/login?csrf=${csrf}";
    vec![
        mistake(
            "JSONPath typo",
            order(&json("order id", "order", "$.order.idd", "1")) + &http("GET", "/orders/${order}", &[], ""),
            &["order id", "$.order.idd", "NO MATCH"],
        ),
        mistake(
            "regex typo",
            cookies()
                + &http(
                    "GET",
                    "/",
                    &[],
                    &regex("token of form", "csrf", r#"name="csrf_tok" value="([^"]+)""#, "$1$"),
                )
                + &http("GET", login, &[], ""),
            &["token of form", "NO MATCH"],
        ),
        mistake(
            "CSS typo",
            cookies()
                + &http("GET", "/", &[], &css("hidden field", "csrf", "input[name=csrf_tokn]", "value"))
                + &http("GET", login, &[], ""),
            &["hidden field", "NO MATCH"],
        ),
        mistake(
            "boundary typo",
            cookies()
                + &http("GET", "/", &[], &boundary("between", "csrf", "csrf_token\" valeu=\"", "\""))
                + &http("GET", login, &[], ""),
            &["between", "NO MATCH"],
        ),
        mistake(
            "wrong group",
            cookies()
                + &http("GET", "/", &[], &regex("second group", "csrf", r#"value="([^"]+)""#, "$2$"))
                + &http("GET", login, &[], ""),
            &["hint", "second group", "`$1$` is the first group"],
        ),
        mistake(
            "wrong match number",
            http("GET", "/items", &[], &json("fifth item", "item", "$.items[*].id", "5")),
            &["fifth item", "NO MATCH"],
        ),
        mistake(
            "wrong scope: below a later sampler",
            http("GET", "/orders/${order}", &[], "") + &order(&json("late", "order", "$.order.id", "1")),
            &["hint", "`late`", "${order}"],
        ),
        mistake(
            "wrong scope: sub-samples only",
            order(&json("of children", "order", "$.order.id", "1").replacen(
                "</JSONPostProcessor>",
                "<stringProp name=\"Sample.scope\">children</stringProp></JSONPostProcessor>",
                1,
            )) + &http("GET", "/orders/${order}", &[], ""),
            &["of children", "NO MATCH"],
        ),
        mistake(
            "variable misspelt in a path",
            order(&json("id", "order", "$.order.id", "1")) + &http("GET", "/orders/${ordre}", &[], ""),
            &["hint", "`ordre`", "${order}"],
        ),
        mistake(
            "variable misspelt in a body",
            http("GET", "/items", &[], &json("item", "item", "$.items[0].id", "1"))
                + &post("/orders", r#"{"item":"${itm}"}"#, &type_of_json()),
            &["hint", "`itm`", "${item}"],
        ),
        mistake(
            "no Cookie Manager at login",
            http("GET", "/", &[], &css("csrf", "csrf", "input[name=csrf_token]", "value"))
                + &http("GET", login, &[], ""),
            &["hint", "no HTTP Cookie Manager", "sid"],
        ),
        mistake(
            "no Cookie Manager for a page",
            http("GET", "/", &[], "") + &http("GET", "/home", &[], ""),
            &["hint", "no HTTP Cookie Manager", "sid"],
        ),
        mistake(
            "no content type",
            post("/orders", r#"{"item":"i1"}"#, ""),
            &["hint", "Content-Type", "JSON"],
        ),
        mistake(
            "wrong content type",
            post("/orders", r#"{"item":"i1"}"#, &header("Content-Type", "text/plain")),
            &["hint", "`text/plain`", "JSON"],
        ),
        mistake(
            "If is false",
            if_controller("only for x", "${__jexl3(\"${flag}\" == \"x\")}", &http("GET", "/items", &[], "")),
            &["never ran", "GET /items", "`only for x`"],
        ),
        mistake(
            "If with a text that is not a condition",
            if_controller("flag is set", "${flag}", &http("GET", "/items", &[], "")),
            &["If `flag is set`", "yes", "is not `true`"],
        ),
        mistake(
            "While never begins",
            el(
                "WhileController",
                "until done",
                &[("WhileController.condition", "${__jexl3(\"${flag}\" != \"yes\")}")],
                &http("GET", "/items", &[], ""),
            ),
            &["never ran", "GET /items", "`until done`"],
        ),
        mistake(
            "While after a failure",
            http("GET", "/nowhere", &[], "")
                + &el(
                    "WhileController",
                    "while fine",
                    &[("WhileController.condition", "LAST")],
                    &http("GET", "/items", &[], ""),
                ),
            &["never ran", "GET /items", "`while fine`"],
        ),
        mistake(
            "Switch to nowhere",
            el(
                "SwitchController",
                "by role",
                &[("SwitchController.value", "admn")],
                &(http("GET", "/items", &[], "") + &http("GET", "/home", &[], "")),
            ),
            &["Switch `by role`", "no child has the name `admn`"],
        ),
        mistake(
            "Switch beyond its children",
            el(
                "SwitchController",
                "by number",
                &[("SwitchController.value", "7")],
                &(http("GET", "/items", &[], "") + &http("GET", "/orders/o7", &[], "")),
            ),
            &["Switch `by number`", "no child number 7"],
        ),
        mistake(
            "CSV at its end, which continues",
            el(
                "CSVDataSet",
                "people",
                &[
                    ("filename", "none.csv"),
                    ("variableNames", "user"),
                    ("recycle", "false"),
                    ("stopThread", "false"),
                ],
                "",
            ) + &http("GET", "/orders/${user}", &[], ""),
            &["hint", "`people`", "<EOF>"],
        ),
        mistake(
            "CSV at its end, which stops",
            el(
                "CSVDataSet",
                "people",
                &[
                    ("filename", "none.csv"),
                    ("variableNames", "user"),
                    ("recycle", "false"),
                    ("stopThread", "true"),
                ],
                "",
            ) + &http("GET", "/items", &[], ""),
            &["people", "no more records"],
        ),
        mistake(
            "assertion on headers",
            http("GET", "/items", &[], &contains("has items", "response_headers", "items")),
            &["hint", "`has items`", "is in the response body"],
        ),
        mistake(
            "assertion on the body",
            order(&contains("has a trace", "response_data", "order-7")),
            &["hint", "`has a trace`", "is in the response headers"],
        ),
        mistake(
            "redirect is off",
            http(
                "GET",
                "/old",
                &[("HTTPSampler.follow_redirects", "false")],
                &json("first", "item", "$.items[0].id", "1"),
            ),
            &["hint", "Follow Redirects", "`GET /old`"],
        ),
        mistake(
            "redirect is off at login",
            cookies()
                + &http("GET", "/", &[], &css("csrf", "csrf", "input[name=csrf_token]", "value"))
                + &http(
                    "GET",
                    login,
                    &[("HTTPSampler.follow_redirects", "false")],
                    &contains("is welcome", "response_data", "Welcome"),
                ),
            &["hint", "Follow Redirects", "`GET /login`"],
        ),
    ]
}

#[test]
fn the_output_names_what_is_wrong_with_a_plan() {
    let server = Server::start(shop);
    let folder = Folder::new();
    folder.write("none.csv", "");
    let mut missed = Vec::new();
    let all = mistakes();
    let count = all.len();
    for Mistake { kind, elements, said } in all {
        folder.write("plan.jmx", plan(&elements));
        let ended = call(&folder, &server, &["debug", "plan.jmx"]).run();
        let names = |line: &str| said.iter().all(|text| line.contains(text));
        if !ended.out.lines().any(names) {
            missed.push(format!("{kind}: no line with {said:?} in\n{ended}"));
        }
    }
    assert!(count >= 24);
    assert!(missed.is_empty(), "{} of {count} are not named:\n{}", missed.len(), missed.join("\n"));
}

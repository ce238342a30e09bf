//! Whole plans, as people write them: many elements that work on each other.

use swell_plan::{Node, PropertyValue};

use super::controllers::{foreach, once};
use super::draft::Draft;
use super::extractors::{json, regex};
use super::http_state::cookie_manager;
use super::parts::{
    Edit, action, assertion, counter, debug, defaults, element, get, group, headers, if_of, loop_of, loops,
    pause, raw, request, set, simple, transaction, users, variables, while_of,
};

pub(super) fn drafts() -> Vec<Draft> {
    vec![shop(), api(), retries(), failures(), phases(), nested(), many_users(), stops()]
}

fn here() -> Node {
    defaults(&[
        ("domain", "127.0.0.1"),
        ("port", "${__P(parity.port)}"),
        ("protocol", "http"),
        ("contentEncoding", "UTF-8"),
    ])
}

/// A request that leaves its host to the defaults.
fn bare(node: Node) -> Node {
    node.text("HTTPSampler.domain", "").text("HTTPSampler.port", "").text("HTTPSampler.protocol", "")
}

fn shop() -> Draft {
    let token = regex("token", "token", "name=\"token\" value=\"([^\"]+)\"", "$1$", "1", "none");
    let login = request(
        "POST login",
        "POST",
        "/redirect-to?url=/landing&set=session%3Ds${__threadNum}%3B%20Path%3D/",
        &[("user", "${name}"), ("password", "p&=w ${city}"), ("token", "${token}")],
    );
    let items = get("GET items", "/json?page=${__jm__Users__idx}").of([
        json("item", "$.items[*].id", "-1", "none"),
        assertion("three of them", "response_data", 16, &["\"id\": 9"]),
    ]);
    let csv = element(
        "CSVDataSet",
        "TestBeanGUI",
        "people",
        &[
            ("filename", "data/users.csv"),
            ("fileEncoding", "UTF-8"),
            ("variableNames", "name,city"),
            ("delimiter", ","),
        ],
    )
    .text("shareMode", "shareMode.all")
    .flag("ignoreFirstLine", false)
    .flag("quotedData", false)
    .flag("recycle", true)
    .flag("stopThread", false);
    let visit = [
        once([bare(get("GET home", "/html")).of([token]), bare(login)]),
        transaction(
            "Browse",
            false,
            false,
            [
                bare(items),
                foreach(
                    "each item",
                    "item",
                    "id",
                    [bare(get("GET item ${id}", "/item/${id}")).of([pause("think", "1")])],
                ),
            ],
        ),
        transaction(
            "Order",
            true,
            false,
            [
                bare(raw(
                    "POST order",
                    "POST",
                    "/echo",
                    "{\"user\": \"${name}\", \"items\": [${item_1}, ${item_2}], \"n\": ${item_matchNr}}",
                ))
                .of([
                    headers("json", &[("Content-Type", "application/json")]),
                    regex("sent", "sent", "\"n\": (\\d)", "$1$", "1", "none"),
                ]),
                if_of(
                    "sent three",
                    "${__jexl3(\"${sent}\" == \"3\")}",
                    [bare(get("GET thanks", "/thanks?n=${sent}"))],
                ),
            ],
        ),
        bare(get("GET logout", "/redirect/1")),
    ];
    Draft::new(
        "journey_shop",
        "Log in, look, order, leave: tokens, cookies, lists, conditions.",
        [
            here(),
            cookie_manager(&[], false),
            headers("browser", &[("User-Agent", "Mozilla/5.0"), ("Accept", "text/html")]),
            csv,
            loops(users(visit), "3"),
        ],
    )
}

fn api() -> Draft {
    let step = |name: &str, method: &str, path: &str, body: &str| bare(raw(name, method, path, body));
    Draft::new(
        "journey_api",
        "Create, read, change, delete, with headers that come from responses.",
        [
            here(),
            loops(
                users([
                    counter("n", "n"),
                    headers(
                        "api",
                        &[
                            ("Content-Type", "application/json"),
                            ("Authorization", "Bearer ${bearer}"),
                            ("X-Round", "${n}"),
                        ],
                    ),
                    bare(request(
                        "POST token",
                        "POST",
                        "/headers?X-Token=t-${n}",
                        &[("grant_type", "client_credentials"), ("scope", "a b")],
                    ))
                    .of([regex(
                        "bearer",
                        "bearer",
                        "X-Token: (\\S+)",
                        "$1$",
                        "1",
                        "none",
                    )
                    .text("RegexExtractor.useHeaders", "true")]),
                    step("POST item", "POST", "/status/201", "{\"id\": ${n}}").of([assertion(
                        "created",
                        "response_code",
                        8,
                        &["201"],
                    )]),
                    step("GET item", "GET", "/count/item", "").of([json("count", "$.count", "1", "0")]),
                    step("PUT item", "PUT", "/echo?count=${count}", "{\"id\": ${n},\n \"name\": \"\u{fc}\"}")
                        .of([assertion("echoed", "response_data", 2, &["X-Round: ${n}", "Bearer t-\\d"])]),
                    step("PATCH item", "PATCH", "/status/204", "[]").of([assertion(
                        "nothing",
                        "response_data",
                        8,
                        &[""],
                    )]),
                    bare(request("DELETE item", "DELETE", "/status/404", &[("id", "${n}")])).of([assertion(
                        "gone",
                        "response_code",
                        1,
                        &["404|410"],
                    )
                    .flag("Assertion.assume_success", true)]),
                    bare(request("HEAD item", "HEAD", "/json", &[])),
                    bare(request("OPTIONS item", "OPTIONS", "/json", &[])),
                ]),
                "2",
            ),
        ],
    )
    .variables(&[("bearer", "none")])
}

fn retries() -> Draft {
    Draft::new(
        "journey_retries",
        "Ask until it is ready, at most so often.",
        [loops(
            users([
                variables(&[("state", "1"), ("flaky", "false")]),
                while_of(
                    "until ready",
                    "${__jexl3(\"${state}\" != \"4\" && \"${state}\" != \"8\")}",
                    [get("ask", "/count/ready").of([json("state", "$.count", "1", "0")]), pause("wait", "1")],
                ),
                loop_of(
                    "at most three",
                    "3",
                    [
                        get("flaky", "/flaky/r"),
                        if_of("well", "${JMeterThread.last_sample_ok}", [action("enough", 5, 0)]),
                        get("again", "/again"),
                    ],
                ),
                while_of("never", "${__groovy(vars.get(\"state\") == \"no\")}", [get("never", "/never")]),
                get("done ${state}", "/done?n=${__jm__until ready__idx}"),
            ]),
            "2",
        )],
    )
}

fn failures() -> Draft {
    let handler = |code: &str| {
        let node = element("ResultAction", "ResultActionGui", "handler", &[]);
        set(node, "OnError.action", PropertyValue::Int(code.to_owned()))
    };
    Draft::new(
        "journey_failures",
        "What fails where, and how far it goes.",
        [
            loops(
                users([
                    transaction(
                        "checked",
                        false,
                        true,
                        [
                            get("fine", "/ok").of([assertion("ok", "response_data", 16, &["ok"])]),
                            get("redirected to an error", "/redirect-to?url=/status/503"),
                            get("wrong text", "/ok").of([assertion(
                                "own words",
                                "response_data",
                                16,
                                &["welcome"],
                            )
                            .text("Assertion.custom_message", "no welcome for ${__threadNum}")]),
                        ],
                    ),
                    transaction("as one", true, true, [get("fine", "/ok"), get("404", "/status/404")]),
                    loop_of(
                        "twice",
                        "2",
                        [get("next", "/status/500").of([handler("5")]), get("not reached", "/never")],
                    ),
                    get("after", "/after"),
                ]),
                "2",
            ),
            loops(
                group(
                    "ThreadGroup",
                    "ThreadGroupGui",
                    "Stopping",
                    [
                        get("well", "/ok"),
                        simple(
                            "block",
                            [transaction(
                                "T",
                                false,
                                false,
                                [get("stops", "/status/400"), get("never", "/never")],
                            )],
                        ),
                        get("never too", "/never"),
                    ],
                )
                .text("ThreadGroup.on_sample_error", "stopthread"),
                "3",
            ),
            loops(
                group(
                    "ThreadGroup",
                    "ThreadGroupGui",
                    "Next",
                    [
                        get("well", "/ok"),
                        foreach(
                            "each",
                            "v",
                            "item",
                            [get("next ${item}", "/status/400"), get("never", "/never")],
                        ),
                        get("never too", "/never"),
                    ],
                )
                .text("ThreadGroup.on_sample_error", "startnextloop"),
                "2",
            ),
        ],
    )
    .variables(&[("v_1", "a"), ("v_2", "b")])
    .flag("TestPlan.serialize_threadgroups", true)
}

fn phases() -> Draft {
    let set_up = group(
        "SetupThreadGroup",
        "SetupThreadGroupGui",
        "Set up",
        [
            get("token", "/count/token").of([json("token", "$.count", "1", "none")]),
            debug("${__setProperty(token,t${token})}shared"),
        ],
    );
    let main =
        loops(users([get("uses ${__P(token)}", "/a?t=${__property(token,local,none)}&l=${local}")]), "2");
    let tear_down = loops(
        group(
            "PostThreadGroup",
            "PostThreadGroupGui",
            "Tear down",
            [get("gives back ${__P(token,lost)}", "/down")],
        ),
        "2",
    );
    Draft::new(
        "journey_phases",
        "A token that goes from phase to phase as a property.",
        [tear_down, main, set_up],
    )
    .rule("mask bytes")
}

fn nested() -> Draft {
    let interleave =
        element("InterleaveControl", "InterleaveControlGui", "turns", &[]).int("InterleaveControl.style", 0);
    let switch = element(
        "SwitchController",
        "SwitchControllerGui",
        "switch",
        &[("SwitchController.value", "${__jm__inner__idx}")],
    );
    Draft::new(
        "journey_nested",
        "Controllers in controllers in controllers.",
        [loops(
            users([
                counter("n", "n"),
                transaction(
                    "outer",
                    false,
                    false,
                    [
                        loop_of(
                            "inner",
                            "3",
                            [
                                switch.of([
                                    get("zero", "/0"),
                                    simple("one", [once([get("once", "/once")]), get("one", "/1")]),
                                    transaction(
                                        "two",
                                        true,
                                        false,
                                        [
                                            if_of("even", "${__jexl3(${n} % 2 == 0)}", [get("even", "/2")]),
                                            get("two", "/2"),
                                        ],
                                    ),
                                ]),
                                interleave.of([
                                    get("x", "/x"),
                                    loop_of("ys", "2", [get("y", "/y")]),
                                    simple("zs", [get("z1", "/z"), get("z2", "/z")]),
                                ]),
                            ],
                        ),
                        foreach(
                            "each",
                            "v",
                            "item",
                            [
                                if_of(
                                    "not b",
                                    "${__groovy(\"${item}\" != \"b\")}",
                                    [get("item ${item}", "/i")],
                                ),
                                while_of(
                                    "once",
                                    "${__jexl3(\"${go_${item}}\" == \"yes\")}",
                                    [get("while ${item}", "/w"), action("out", 5, 0)],
                                ),
                            ],
                        ),
                    ],
                ),
                simple("", [simple("", [get("deep", "/deep")])]),
            ]),
            "2",
        )],
    )
    .variables(&[("v_1", "a"), ("v_2", "b"), ("v_3", "c"), ("go_a", "yes"), ("go_b", "no")])
}

fn many_users() -> Draft {
    let csv = element(
        "CSVDataSet",
        "TestBeanGUI",
        "rows",
        &[("filename", "data/users.csv"), ("variableNames", "name,city")],
    )
    .text("delimiter", ",")
    .text("shareMode", "shareMode.thread")
    .flag("recycle", true);
    Draft::new(
        "journey_users",
        "Five users, each with data, cookies and counters of its own.",
        [loops(
            users([
                csv,
                counter("n", "n"),
                cookie_manager(&[("own", "u${__threadNum}", "127.0.0.1", "/")], false),
                get("${name} ${n}", "/cookie?set=s%3Du${__threadNum}%3B%20Path%3D/"),
                get("again", "/a?u=${__threadNum}"),
            ])
            .text("ThreadGroup.num_threads", "5")
            .text("ThreadGroup.ramp_time", "0"),
            "3",
        )],
    )
    .rule("order thread")
    .rule("mask grpThreads allThreads")
}

fn stops() -> Draft {
    let once_in_two = if_of("second round", "${__jexl3(${n} == 2)}", [action("stop", 0, 0)]);
    Draft::new(
        "journey_stops",
        "A user that stops in the middle of everything.",
        [
            loops(
                users([
                    counter("n", "n"),
                    transaction(
                        "T",
                        false,
                        false,
                        [
                            get("before ${n}", "/a"),
                            loop_of(
                                "loop",
                                "2",
                                [foreach("each", "v", "item", [get("${item}", "/i"), once_in_two])],
                            ),
                            get("after", "/b"),
                        ],
                    ),
                    get("last", "/last"),
                ]),
                "4",
            ),
            group("ThreadGroup", "ThreadGroupGui", "Others", [get("other", "/other")]),
        ],
    )
    .variables(&[("v_1", "a"), ("v_2", "b")])
    .flag("TestPlan.serialize_threadgroups", true)
}

//! Where values come from: CSV files, counters, random numbers, user parameters.

use swell_plan::{Node, Property, PropertyValue};

use super::draft::Draft;
use super::parts::{
    Edit, bean, debug, element, get, group, if_of, loop_of, loops, set, simple, texts, users, variables,
};

pub(super) fn drafts() -> Vec<Draft> {
    [csv_files(), csv_ends(), csv_shares(), numbers(), parameters()].concat()
}

/// A CSV Data Set with JMeter's defaults for a new one.
pub(super) fn csv(file: &str, names: &str, more: &[(&str, &str)]) -> Node {
    let node = bean(
        "CSVDataSet",
        file,
        &[
            ("filename", file),
            ("fileEncoding", "UTF-8"),
            ("variableNames", names),
            ("delimiter", ","),
            ("shareMode", "shareMode.all"),
        ],
    );
    let node = node.flag("ignoreFirstLine", false).flag("quotedData", false);
    let node = node.flag("recycle", true).flag("stopThread", false);
    more.iter().fold(node, |node, (name, value)| match *value {
        "true" | "false" => node.flag(name, *value == "true"),
        value => node.text(name, value),
    })
}

/// A request whose name shows variables.
pub(super) fn show(names: &[&str]) -> Node {
    let shown: Vec<String> = names.iter().map(|name| format!("${{{name}}}")).collect();
    get(&shown.join("|"), "/show")
}

fn csv_files() -> Vec<Draft> {
    let reading = |name, about, data: Node, names: &[&str], count: &str| {
        Draft::new(name, about, [loops(users([data, show(names)]), count)])
    };
    vec![
        reading(
            "csv",
            "A line a loop, from the start again at the end.",
            csv("data/users.csv", "name,city", &[]),
            &["name", "city"],
            "5",
        ),
        reading(
            "csv_names",
            "Names that are empty do not count.",
            csv("data/uneven.csv", ",a,,b,", &[]),
            &["a", "b", ""],
            "4",
        ),
        reading(
            "csv_ascii",
            "A file that its encoding does not have.",
            csv("data/latin1.csv", "a,b", &[("fileEncoding", "US-ASCII")]),
            &["a", "b"],
            "3",
        ),
        reading(
            "csv_mark",
            "A mark of UTF-8 is dropped in every encoding.",
            csv("data/bom.csv", "a,b", &[("fileEncoding", "ISO-8859-1")]),
            &["a", "b"],
            "3",
        ),
        reading(
            "csv_header",
            "Names from the first line.",
            csv("data/header.csv", "", &[]),
            &["id", "word", "last one"],
            "4",
        ),
        reading(
            "csv_ignored_first_line",
            "Names from the plan, the first line is left out, each time round.",
            csv("data/header.csv", "a,b,c", &[("ignoreFirstLine", "true")]),
            &["a", "b", "c"],
            "4",
        ),
        reading(
            "csv_quoted",
            "Quotes, doubled quotes, delimiters and line ends in a value.",
            csv("data/quoted.csv", "a,b,c", &[("quotedData", "true")]),
            &["a", "b", "c"],
            "5",
        ),
        reading(
            "csv_quotes_wrong",
            "A quote where none may be.",
            csv("data/wrong_quotes.csv", "a,b,c", &[("quotedData", "true")]),
            &["a", "b", "c"],
            "3",
        ),
        reading(
            "csv_quotes_unread",
            "The same, taken literally.",
            csv("data/quoted.csv", "a,b,c", &[]),
            &["a", "b", "c"],
            "6",
        ),
        reading(
            "csv_tab",
            "Tabs, named as `\\t`.",
            csv("data/tabs.tsv", "a,b,c", &[("delimiter", "\\t")]),
            &["a", "b", "c"],
            "2",
        ),
        reading(
            "csv_delimiter",
            "Another delimiter, of two characters.",
            csv("data/other.txt", "a,b", &[("delimiter", "::")]),
            &["a", "b"],
            "3",
        ),
        reading(
            "csv_uneven",
            "Too many columns, too few, empty lines; blanks in names.",
            csv("data/uneven.csv", " a , b,c", &[]),
            &["a", "b", "c"],
            "6",
        ),
        reading(
            "csv_latin1",
            "Another encoding.",
            csv("data/latin1.csv", "a", &[("fileEncoding", "ISO-8859-1")]),
            &["a"],
            "2",
        ),
        reading("csv_crlf", "Lines that end in CR LF.", csv("data/crlf.csv", "a,b", &[]), &["a", "b"], "3"),
        reading(
            "csv_missing",
            "A file that is not there.",
            csv("data/no-such-file.csv", "a", &[]),
            &["a"],
            "2",
        ),
        reading("csv_empty", "A file without lines.", csv("data/empty.csv", "a", &[]), &["a"], "2"),
        Draft::new(
            "csv_name_from_property",
            "The file's name from a property and a variable.",
            [loops(users([csv("data/${__P(which)}.${kind}", "a,b", &[]), show(&["a", "b"])]), "2")],
        )
        .variables(&[("kind", "csv")])
        .rule("property which=users"),
    ]
}

fn csv_ends() -> Vec<Draft> {
    let ends = |name, about, recycle: &str, stop: &str| {
        let data = csv("data/users.csv", "name,city", &[("recycle", recycle), ("stopThread", stop)]);
        Draft::new(name, about, [loops(users([data, show(&["name", "city"]), get("after", "/after")]), "5")])
    };
    vec![
        ends("csv_end_recycle", "Recycle wins over stop.", "true", "true"),
        ends("csv_end_stop", "The user stops at the end.", "false", "true"),
        ends("csv_end_eof", "The variables say so.", "false", "false"),
        Draft::new(
            "csv_end_header",
            "Recycled, with names from the first line.",
            [loops(
                users([
                    csv("data/header.csv", "", &[("recycle", "false")]),
                    show(&["id"]),
                    if_of("at the end", "${__isVarDefined(nothing)}", [get("never", "/never")]),
                ]),
                "4",
            )],
        ),
    ]
}

fn csv_shares() -> Vec<Draft> {
    let shared = |name, about, mode: &str| {
        let two = |group: Node| group.text("ThreadGroup.num_threads", "2").text("ThreadGroup.ramp_time", "2");
        let data = || csv("data/users.csv", "name,city", &[("shareMode", mode)]);
        let body = || [data(), get("${__threadGroupName} ${__threadNum} ${name}", "/s")];
        Draft::new(
            name,
            about,
            [two(users(body())), two(group("ThreadGroup", "ThreadGroupGui", "Others", body()))],
        )
        .flag("TestPlan.serialize_threadgroups", true)
    };
    vec![
        shared("csv_share_all", "One cursor for all.", "shareMode.all"),
        shared("csv_share_group", "One cursor a group.", "shareMode.group"),
        shared("csv_share_thread", "One cursor a user.", "shareMode.thread"),
        shared("csv_share_named", "One cursor for a name.", "mine"),
        shared("csv_share_old_text", "The text that old versions saved.", "Current thread group"),
        Draft::new(
            "csv_places",
            "A line a loop of what is around it; two elements, one file.",
            [loops(
                users([
                    csv("data/users.csv", "a,b", &[]),
                    loop_of("inner", "2", [csv("data/users.csv", "c,d", &[]), show(&["a", "c"])]),
                    simple("block", [csv("data/header.csv", "", &[]), show(&["id", "a", "c"])]),
                    show(&["a"]).of([csv("data/other.txt", "x", &[("delimiter", "::")])]),
                    show(&["x"]),
                ]),
                "3",
            )],
        ),
    ]
}

fn numbers() -> Vec<Draft> {
    let count = |name: &str, start: &str, end: &str, by: &str, format: &str| {
        element(
            "CounterConfig",
            "CounterConfigGui",
            name,
            &[
                ("CounterConfig.start", start),
                ("CounterConfig.end", end),
                ("CounterConfig.incr", by),
                ("CounterConfig.name", name),
                ("CounterConfig.format", format),
            ],
        )
        .flag("CounterConfig.per_user", false)
    };
    let random = |name: &str, low: &str, high: &str, seed: &str, format: &str| {
        bean(
            "RandomVariableConfig",
            name,
            &[
                ("minimumValue", low),
                ("maximumValue", high),
                ("outputFormat", format),
                ("randomSeed", seed),
                ("variableName", name),
            ],
        )
        .flag("perThread", false)
    };
    vec![
        Draft::new(
            "counter",
            "Start, end, step, form.",
            [loops(
                users([
                    count("plain", "1", "", "1", ""),
                    count("wraps", "3", "5", "1", ""),
                    count("by_two", "0", "3", "2", ""),
                    count("back", "0", "10", "-3", ""),
                    count("form", "7", "", "1", "000"),
                    count("text", "9", "", "1", "'n'#00"),
                    count("odd", "x", "", "", ""),
                    count("big", "9223372036854775806", "", "1", ""),
                    show(&["plain", "wraps", "by_two", "back", "form", "text", "odd", "big"]),
                ]),
                "5",
            )],
        ),
        Draft::new(
            "counter_users",
            "One for all users, or one each; reset on each loop of the group.",
            [loops(
                users([
                    count("shared", "1", "", "1", ""),
                    count("own", "1", "", "1", "").flag("CounterConfig.per_user", true),
                    loop_of(
                        "inner",
                        "2",
                        [
                            count("reset", "1", "", "1", "")
                                .flag("CounterConfig.per_user", true)
                                .flag("CounterConfig.reset_on_tg_iteration", true),
                            show(&["__threadNum", "shared", "own", "reset"]),
                        ],
                    ),
                ])
                .text("ThreadGroup.num_threads", "2")
                .text("ThreadGroup.ramp_time", "2"),
                "2",
            )],
        ),
        Draft::new(
            "random_variable",
            "With a seed it is the same each time.",
            [loops(
                users([
                    random("die", "1", "6", "42", ""),
                    random("form", "0", "999", "7", "id_0000"),
                    random("one", "5", "5", "1", ""),
                    random("below", "-10", "-1", "3", ""),
                    random("each", "1", "1000", "9", "").flag("perThread", true),
                    random("wrong", "10", "1", "9", ""),
                    show(&["die", "form", "one", "below", "each", "wrong"]),
                ]),
                "4",
            )],
        ),
        Draft::new(
            "debug_sampler",
            "What the Debug Sampler shows.",
            [users([variables(&[("b", "2"), ("a", "1"), ("two lines", "x\ny")]), debug("variables")])],
        )
        .rule("mask bytes"),
        Draft::new(
            "debug_sampler_nothing",
            "A Debug Sampler that shows nothing.",
            [users([debug("nothing").flag("displayJMeterVariables", false)])],
        ),
    ]
}

fn parameters() -> Vec<Draft> {
    let parameters = |names: &[&str], columns: &[&[&str]], once: bool| {
        let node = element("UserParameters", "UserParametersGui", "User Parameters", &[]);
        let node = set(node, "UserParameters.names", texts(names));
        let columns = columns.iter().enumerate();
        let columns = columns.map(|(at, values)| Property::new(&at.to_string(), texts(values))).collect();
        let node = set(node, "UserParameters.thread_values", PropertyValue::Collection(columns));
        node.flag("UserParameters.per_iteration", once)
    };
    vec![
        Draft::new(
            "user_parameters",
            "A column of values a user, in turns.",
            [users([
                parameters(&["name", "city"], &[&["ann", "rome"], &["bob"]], false),
                show(&["__threadNum", "name", "city"]),
            ])
            .text("ThreadGroup.num_threads", "3")
            .text("ThreadGroup.ramp_time", "3")],
        ),
        Draft::new(
            "user_parameters_times",
            "Read for each sampler, or once a loop.",
            [loops(
                users([
                    parameters(&["each"], &[&["${__counter(FALSE)}"]], false),
                    parameters(&["once"], &[&["${__counter(FALSE)}"]], true),
                    show(&["each", "once"]),
                    show(&["each", "once"]),
                ]),
                "2",
            )],
        ),
    ]
}

//! Data from files, counters, parameters of users.

use swell_plan::{Node, Property, PropertyValue};

use crate::fuzz::elements::{Edit, bean, debug, element, get, loop_of, loops, set, simple, texts};
use crate::fuzz::plan::users;
use crate::fuzz::{ChoiceRng, Family};

/// See the module.
#[derive(Debug)]
pub(super) struct Csv;

impl Family for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn group(&self, rng: &mut ChoiceRng) -> Vec<Node> {
        vec![loops(users(samplers(rng)), turns(rng))]
    }
}

const FILES: &[&str] = &[
    "users.csv",
    "header.csv",
    "blanks.csv",
    "bom.csv",
    "crlf.csv",
    "empty.csv",
    "header_only.csv",
    "latin1.csv",
    "no_end.csv",
    "quoted.csv",
    "quoted_header.csv",
    "tabs.tsv",
    "uneven.csv",
    "utf16.csv",
    "wrong_quotes.csv",
    "lines.txt",
    "part1.txt",
    "odd.csv",
    "semicolons.csv",
    "pipes.csv",
    "spaces.csv",
    "one_column.csv",
];

/// Loops that read and show.
fn samplers(rng: &mut ChoiceRng) -> Vec<Node> {
    let mut nodes = Vec::new();
    for index in 0..rng.below(3) {
        nodes.push(data_set(&format!("c{index}"), rng));
    }
    if rng.chance(50) {
        nodes.push(counter(rng));
    }
    if rng.chance(25) {
        nodes.push(random(rng));
    }
    let shown = "/show?${a}|${b}|${c}|${n}|${p}|${r}";
    let mut sampler = get(
        "s ${a}|${b}|${c}|${name}|${n}|${p}|${q}|${r}|${JMeterThread.last_sample_ok}",
        if rng.chance(50) { "/show" } else { shown },
    );
    if rng.chance(40) {
        sampler = sampler.of([parameters(rng)]);
    }
    let inner = if rng.chance(30) {
        let nested: Vec<Node> =
            if rng.chance(50) { vec![data_set("inner", rng)] } else { vec![counter(rng)] };
        loop_of("loop", *rng.pick(&["2", "3"]), nested.into_iter().chain([sampler]))
    } else {
        simple("simple", [sampler])
    };
    nodes.push(inner);
    nodes.push(debug("d"));
    nodes
}

/// How often a group loops.
fn turns(rng: &mut ChoiceRng) -> &'static str {
    *rng.pick(&["1", "2", "4", "6"])
}

fn data_set(name: &str, rng: &mut ChoiceRng) -> Node {
    let names = *rng.pick(&[
        "a,b,c",
        "a,b",
        "a",
        "",
        "a,,c",
        " a , b ",
        "a,b,c,d,e",
        "a;b",
        "name,a",
        "${x},b",
        "a\tb",
    ]);
    let delimiter = *rng.weighted(&[
        (6, ","),
        (2, "\\t"),
        (2, ";"),
        (1, "|"),
        (1, ""),
        (1, " "),
        (1, "::"),
        (1, "\t"),
        (1, "${none}"),
        (1, "a"),
        (1, "\\"),
    ]);
    let file = *rng.pick(FILES);
    // Other files give characters that Unicode does not assign, which JMeter writes in another way.
    let encodings: &[&str] =
        if file == "utf16.csv" { &["UTF-16"] } else { &["", "UTF-8", "ISO-8859-1", "US-ASCII"] };
    let encoding = *rng.pick(encodings);
    let node = bean(
        "CSVDataSet",
        name,
        &[
            ("filename", &format!("data/{file}")),
            ("fileEncoding", encoding),
            ("variableNames", names),
            ("delimiter", delimiter),
            (
                "shareMode",
                *rng.pick(&[
                    "shareMode.all",
                    "shareMode.all",
                    "shareMode.group",
                    "shareMode.thread",
                    "own",
                    "@group@",
                ]),
            ),
        ],
    );
    node.flag("ignoreFirstLine", rng.chance(30))
        .flag("quotedData", rng.chance(40))
        .flag("recycle", rng.chance(60))
        .flag("stopThread", rng.chance(30))
}

fn counter(rng: &mut ChoiceRng) -> Node {
    element(
        "CounterConfig",
        "CounterConfigGui",
        "counter",
        &[
            ("CounterConfig.start", *rng.pick(&["", "0", "1", "5", "-2", "x", "${a}"])),
            ("CounterConfig.end", *rng.pick(&["", "", "2", "7", "0", "x"])),
            ("CounterConfig.incr", *rng.pick(&["1", "1", "2", "-1", "", "0", "x"])),
            ("CounterConfig.name", *rng.pick(&["n", "n", "a", ""])),
            ("CounterConfig.format", *rng.pick(&["", "", "000", "#,##0.0", "'no' 0", "x0", "${b}", "%d"])),
        ],
    )
    .flag("CounterConfig.per_user", rng.chance(60))
    .flag("CounterConfig.reset_on_tg_iteration", rng.chance(30))
}

fn random(rng: &mut ChoiceRng) -> Node {
    let bound = *rng.pick(&["3", "0", "-5", "x"]);
    bean(
        "RandomVariableConfig",
        "random",
        &[
            ("minimumValue", bound),
            ("maximumValue", bound),
            ("outputFormat", *rng.pick(&["", "000", "ID_0", "0.0", "x"])),
            ("randomSeed", *rng.pick(&["", "1"])),
            ("variableName", *rng.pick(&["r", "r", "a", ""])),
        ],
    )
    .flag("perThread", rng.chance(50))
}

fn parameters(rng: &mut ChoiceRng) -> Node {
    let names: &[&str] = *rng.pick(&[&["p", "q"][..], &["p"], &["a", "p"], &[], &["", "q"]]);
    let mut user = || {
        let values: Vec<&str> = (0..rng.below(3))
            .map(|_| *rng.pick(&["one", "two", "${a}", "", "${__counter(TRUE,)}", "${n}"]))
            .collect();
        values
    };
    let users = [user(), user()];
    let users: Vec<Property> =
        users.iter().enumerate().map(|(at, values)| Property::new(&at.to_string(), texts(values))).collect();
    let users = users[..rng.below(3)].to_vec();
    let node = element("UserParameters", "UserParametersGui", "parameters", &[]);
    let node = set(node, "UserParameters.names", texts(names));
    let node = set(node, "UserParameters.thread_values", PropertyValue::Collection(users));
    node.flag("UserParameters.per_iteration", rng.chance(40))
}

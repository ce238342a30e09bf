//! Responses saved to files.

use swell_plan::Node;

use super::draft::Draft;
use super::parts::{Edit, debug, element, get, loops, transaction, users};

pub(super) fn drafts() -> Vec<Draft> {
    vec![saved(), choices(), numbers()]
}

fn saver(name: &str) -> Node {
    element("ResultSaver", "ResultSaverGui", "save", &[("FileSaver.filename", name)])
        .flag("FileSaver.errorsonly", false)
        .flag("FileSaver.successonly", false)
        .flag("FileSaver.skipsuffix", false)
        .flag("FileSaver.skipautonumber", false)
}

fn saved() -> Draft {
    let page = get("page", "/page").flag("HTTPSampler.image_parser", true);
    Draft::new(
        "responses_saved",
        "Each response in a file, with its name in a variable.",
        [users([
            saver("all_").text("FileSaver.variablename", "file"),
            get("text", "/any"),
            page,
            get("redirect", "/redirect/1"),
            get("failed", "/status/500"),
            get("json", "/json").of([saver("own_${__P(nothing,x)}_").text("FileSaver.variablename", "own")]),
            debug("variables"),
        ])],
    )
    .rule("mask bytes")
}

fn choices() -> Draft {
    let two = || [get("good", "/any"), get("bad", "/status/404")];
    Draft::new(
        "responses_chosen",
        "Errors or successes only, transactions or not.",
        [users([
            transaction("errors", false, false, two()).of([saver("bad_").flag("FileSaver.errorsonly", true)]),
            transaction("successes", false, false, two())
                .of([saver("good_").flag("FileSaver.successonly", true)]),
            transaction("with parent", true, false, two()).of([saver("inner_")]),
            transaction("and itself", true, false, two())
                .of([saver("whole_").flag("FileSaver.ignoreTC", false)]),
        ])],
    )
}

fn numbers() -> Draft {
    let bare = || saver("fixed").flag("FileSaver.skipautonumber", true).flag("FileSaver.skipsuffix", true);
    Draft::new(
        "responses_numbered",
        "Numbers, their digits, and names without them.",
        [loops(
            users([
                get("padded", "/any").of([saver("padded_").text("FileSaver.numberPadLen", "4")]),
                get("fixed", "/count/x").of([bare()]),
                get("no suffix", "/any").of([saver("bare_").flag("FileSaver.skipsuffix", true)]),
            ]),
            "2",
        )],
    )
}

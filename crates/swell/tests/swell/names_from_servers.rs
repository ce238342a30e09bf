//! Files whose names a server has a say in.

use swell_plan::{Element, Node};

use crate::support::{Answer, Folder, Server, plan};

/// A server that sends this content type and this body.
fn server(content_type: &'static str, body: &'static str) -> Server {
    Server::start(move |_| {
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {}", body.len());
        Answer::Keep(format!("{head}\r\n\r\n{body}").into_bytes())
    })
}

fn saver(filename: &str) -> Node {
    Node::new(Element::new("ResultSaver", "ResultSaverGui", "save").with_text("FileSaver.filename", filename))
}

/// Takes what a response has between brackets as the variable `title`.
fn extractor() -> Node {
    let element = Element::new("RegexExtractor", "RegexExtractorGui", "title")
        .with_text("RegexExtractor.useHeaders", "false")
        .with_text("RegexExtractor.refname", "title")
        .with_text("RegexExtractor.regex", "\\[(.*)\\]")
        .with_text("RegexExtractor.template", "$1$")
        .with_text("RegexExtractor.match_number", "1");
    Node::new(element)
}

/// What a plan leaves in a new folder `work`, as paths from the folder above, sorted.
fn left(nodes: impl IntoIterator<Item = Node>, prepare: impl FnOnce(&Folder)) -> Vec<String> {
    let folder = Folder::new();
    for made in ["work/out", "work/text"] {
        std::fs::create_dir_all(folder.at(made)).expect("made");
    }
    folder.write("victim", "old");
    folder.write("work/plan.jmx", plan::jmx(nodes));
    prepare(&folder);
    let call = crate::support::Call::new(&folder.at("work"), &["run", "plan.jmx", "-j", "/dev/null"]);
    call.run().exits_in(&[0, 98]);
    assert_eq!(folder.read("victim"), "old");
    let mut left = Vec::new();
    let mut folders = vec![folder.path().to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else {
                left.push(path.strip_prefix(folder.path()).expect("below it").display().to_string());
            }
        }
    }
    left.retain(|name| !["victim", "work/plan.jmx"].contains(&name.as_str()));
    left.sort();
    left
}

#[test]
fn a_content_type_makes_a_plain_name_in_the_folder_of_the_prefix() {
    for (content_type, name) in [
        ("x/../../../../OWNED", "work/out/r_1._.._.._.._OWNED"),
        ("text/html; charset=utf-8", "work/out/r_1.html"),
        ("image/svg+xml", "work/out/r_1.svg_xml"),
        ("x//etc/passwd", "work/out/r_1._etc_passwd"),
    ] {
        let server = server(content_type, "body");
        let users = plan::group(1, 1).with(plan::get(server.addr, "/"));
        assert_eq!(left([users.with(saver("out/r_"))], |_| {}), [name]);
    }
}

#[test]
fn a_symbolic_link_in_the_place_of_a_saved_response_is_not_followed() {
    let server = server("text/html", "body");
    let users = plan::group(1, 2).with(plan::get(server.addr, "/"));
    let left = left([users.with(saver("out/r_"))], |folder| {
        std::os::unix::fs::symlink("../../victim", folder.at("work/out/r_1.html")).expect("made");
    });
    assert_eq!(left, ["work/out/r_1.html", "work/out/r_2.html"]);
}

#[test]
fn a_variable_of_a_response_leads_no_file_out_of_the_folder_of_the_plan() {
    for (title, names) in [
        ("[../../out]", &[][..]),
        ("[/tmp/swell-owned]", &["work/out/tmp/swell-owned_1.html"]),
        ("[good]", &["work/out/good_1.html", "work/out/good_2.html", "work/text/good.txt"]),
    ] {
        let server = server("text/html", title);
        let write = "/${__StringToFile(text/${title}.txt,x,false)}${__StringToFile(${title}/x,x,false)}";
        let users = plan::group(1, 1).with(plan::get(server.addr, "/").with(extractor()));
        let users = users.with(plan::get(server.addr, write)).with(saver("out/${title}_"));
        let mut wanted = names.to_vec();
        if title == "[/tmp/swell-owned]" {
            wanted.push("work/out/tmp/swell-owned_2.html");
        }
        wanted.sort_unstable();
        assert_eq!(left([users], |_| {}), wanted, "{title}");
    }
    assert!(!std::path::Path::new("/tmp/swell-owned").exists());
}

#[test]
fn names_of_results_files_are_settled_before_a_server_can_say_anything() {
    let server = server("text/html", "[../out]");
    let collector =
        Element::new("ResultCollector", "SimpleDataWriter", "w").with_text("filename", "${title}.jtl");
    let rows = Element::new("kg.apc.jmeter.reporters.FlexibleFileWriter", "Gui", "f")
        .with_text("filename", "${title}.txt")
        .with_text("columns", "sampleLabel|\\n");
    let users = plan::group(1, 3).with(plan::get(server.addr, "/").with(extractor()));
    let left = left([users.with(Node::new(collector)).with(Node::new(rows))], |_| {});
    assert_eq!(left, ["work/${title}.jtl", "work/${title}.txt"]);
}

/// A program that says something, whose output goes into a file.
fn program(output: &str) -> Node {
    let element = Element::new("SystemSampler", "SystemSamplerGui", "say")
        .with_text("SystemSampler.command", "echo")
        .with_text("SystemSampler.stdout", output);
    Node::new(element)
}

#[test]
fn the_output_of_a_program_does_not_follow_a_link_that_a_variable_of_a_response_names() {
    let server = server("text/html", "[link]");
    let users = plan::group(1, 1).with(plan::get(server.addr, "/").with(extractor()));
    let users = users.with(program("out/${title}")).with(program("out/plain_${title}"));
    let left = left([users], |folder| {
        std::os::unix::fs::symlink("../../victim", folder.at("work/out/link")).expect("made");
    });
    assert_eq!(left, ["work/out/link", "work/out/plain_link"]);
}

#[test]
fn a_property_that_holds_what_a_response_brought_leads_no_file_out_of_the_folder() {
    let server = server("text/html", "[../../out]");
    let set = "/${__setProperty(there,${title})}${__setProperty(here,out/of/plan)}";
    let users = plan::group(1, 1).with(plan::get(server.addr, "/").with(extractor()));
    let users = users.with(plan::get(server.addr, set));
    let write =
        "/${__StringToFile(${__P(there)}.txt,x,false)}${__StringToFile(${__property(there)}_2.txt,x,false)}";
    let users = users.with(plan::get(server.addr, write)).with(program("${__P(there)}"));
    let fine = "/${__StringToFile(${__P(here)}.txt,x,false)}";
    let users = users.with(plan::get(server.addr, fine));
    assert_eq!(
        left([users], |folder| std::fs::create_dir_all(folder.at("work/out/of")).expect("made")),
        ["work/out/of/plan.txt"]
    );
}

//! Files without an end, or far too large, in the places of data.

use swell_plan::{Element, Node};

use crate::support::{Answer, Call, Folder, Server, plan};

/// Most memory that the process may map, bytes: without limits it would run into this and abort.
const MOST: u64 = 2 << 30;

fn data_set(class: &str, file: &str) -> Node {
    let element = Element::new(class, "TestBeanGUI", "data")
        .with_text("filename", file)
        .with_text("variableNames", "a,b")
        .with_text("delimiter", ",")
        .with_flag("quotedData", true)
        .with_flag("recycle", true);
    Node::new(element)
}

/// Runs it with small limits and gives the text of the log. It must end by itself, and within the
/// memory.
fn logged(folder: &Folder) -> String {
    let args = ["run", "plan.jmx", "-Jswell.max_file_bytes=100000", "-Jswell.max_line_bytes=100000"];
    let call = Call::in_shell(folder.path(), &format!("ulimit -v {}", MOST / 1024), &args, "");
    call.run().exits_in(&[0, 98, 113]);
    if folder.has("jmeter.log") { folder.read("jmeter.log") } else { String::new() }
}

#[test]
fn a_data_set_whose_quote_is_not_closed_ends_its_users_with_a_word() {
    for class in ["CSVDataSet", "com.blazemeter.jmeter.RandomCSVDataSetConfig"] {
        let users = plan::group(50, 1).with(data_set(class, "data.csv")).with(plan::nap(0));
        let folder = Folder::with_plan([users]);
        folder.write("data.csv", format!("\"{}", "x,y\n".repeat(1_000_000)));
        let log = logged(&folder);
        assert!(
            log.contains("longer than 100000 bytes, the limit set by the property swell.max_line_bytes"),
            "{log}"
        );
        assert!(log.len() < 50_000, "the value is not in the log");
    }
}

#[test]
fn functions_give_up_on_files_without_an_end() {
    for (call, wanted) in [
        ("__StringFromFile(/dev/zero)", "swell.max_line_bytes"),
        ("__FileToString(/dev/zero)", "swell.max_file_bytes"),
        ("__CSVRead(/dev/zero,0)", "swell.max_line_bytes"),
        ("__XPath(/dev/zero,//a)", "swell.max_file_bytes"),
    ] {
        let sampler = plan::get_from("127.0.0.1", "1", &format!("/${{{call}}}"), "");
        let log = logged(&Folder::with_plan([plan::group(2, 2).with(sampler)]));
        assert!(log.contains(wanted), "{call}: {log}");
    }
}

#[test]
fn files_that_functions_read_share_the_memory_of_all_users() {
    let sampler = plan::get_from("127.0.0.1", "1", "/", "${__FileToString(data,,v)}");
    let folder = Folder::with_plan([plan::group(2, 2).with(sampler)]);
    folder.write("data", "x".repeat(1 << 20));
    let run = |total: &str| {
        let total = format!("-Jresponse.max_bytes_total={total}");
        folder.swell(&["run", "plan.jmx", "-j", "run.log", &total]).exits(98);
        folder.read("run.log")
    };
    let wanted = "Could not read file: data all users together hold too much memory; the property \
                  response.max_bytes_total sets the limit";
    assert!(run("500000").contains(wanted));
    assert!(!run("0").contains("Could not read file"));
}

#[test]
fn a_file_to_send_that_is_too_large_fails_its_sample_only() {
    let server = Server::start(|_| Answer::ok("fine"));
    let post = |file: &str| {
        let part = Element::new("HTTPFileArg", "HTTPFileArg", file).with_text("File.path", file);
        let files =
            Element::new("HTTPFileArgs", "HTTPFileArgs", "").with_elements("HTTPFileArgs.files", [part]);
        let mut node = plan::get(server.addr, "/in");
        node.element =
            node.element.with_element("HTTPsampler.Files", files).with_text("HTTPSampler.method", "POST");
        node
    };
    let users = plan::group(1, 1).with(post("/dev/zero")).with(post("large")).with(post("small"));
    let folder = Folder::with_plan([users]);
    folder.write("large", vec![b'x'; 100_001]);
    folder.write("small", vec![b'x'; 100_000]);
    folder.swell(&["run", "plan.jmx", "-l", "out.jtl", "-Jswell.max_file_bytes=100000"]).exits(0);
    let jtl = folder.jtl("out.jtl");
    assert_eq!((jtl.len(), jtl.count("success", "true")), (3, 1));
    assert!(folder.read("out.jtl").contains("it is larger than 100000 bytes"));
    assert_eq!(server.requests().len(), 1, "nothing was sent of the others");
}

#[test]
fn what_is_read_before_the_run_is_refused() {
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(0))]);
    folder.swell(&["run", "/dev/zero"]).refused(&["cannot read the plan `/dev/zero`: it is larger than"]);
    folder.swell(&["check", "/dev/zero"]).exits(104);
    folder.swell(&["run", "plan.jmx", "-q", "/dev/zero"]).refused(&["`/dev/zero`: it is larger than"]);
    folder.swell(&["hit", "http://127.0.0.1:1/", "-b", "@/dev/zero"]).refused(&["it is larger than"]);
    let wrong = folder.swell(&["run", "plan.jmx", "-Jswell.max_line_bytes=64M"]);
    wrong.refused(&["swell.max_line_bytes: invalid number of bytes `64M`; the default is 16777216"]);
}

#[test]
fn settings_without_an_end_are_refused_with_their_limit() {
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(0))]);
    folder.write("many.rules", "p95<100ms\n".repeat(20_000));
    let run = ["run", "plan.jmx", "--no-run-dir"];
    for (args, wanted) in [
        (&["--shape", "csv(/dev/zero)"][..], "a load profile file is larger than 64 MiB"),
        (&["--shape", "log(/dev/zero)"], "a line of an access log is larger than 1 MiB"),
        (&["--thresholds", "/dev/zero"], "a file of threshold rules is larger than 4 MiB"),
        (&["--thresholds", "many.rules"], "20000 threshold rules are more than 10000, the limit"),
    ] {
        let args = [&run[..], args].concat();
        let call = Call::in_shell(folder.path(), &format!("ulimit -v {}", MOST / 1024), &args, "");
        call.run().refused(&[wanted]);
    }
}

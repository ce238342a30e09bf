//! Options, properties and output files that are wrong.

use crate::support::{Folder, plan};

fn folder() -> Folder {
    Folder::with_plan([plan::group(1, 1).with(plan::nap(0))])
}

#[test]
fn wrong_options_are_refused_with_what_would_be_right() {
    let table: [(&[&str], &[&str]); 42] = [
        (&["run"], &["PLAN", "Usage: swell run"]),
        (&["run", "plan.jmx", "--nosuch"], &["--nosuch"]),
        (&["run", "plan.jmx", "-t", "plan.jmx"], &["cannot be used with"]),
        (&["run", "plan.jmx", "-e"], &["-o with its folder is missing", "-e -o report"]),
        (&["run", "plan.jmx", "-o", "r"], &["-e is missing", "write `-e -o r`"]),
        (&["run", "plan.jmx", "--workers", "0"], &["0 is not in 1..=1024"]),
        (&["run", "plan.jmx", "-J"], &["a value is required"]),
        (&["run", "plan.jmx", "-J", "=5"], &["=5", "write name=value"]),
        (&["run", "plan.jmx", "-D", "=5"], &["=5", "write name=value"]),
        (&["run", "plan.jmx", "-L", "LOUD"], &["unknown log level `LOUD`", "hint: levels are TRACE"]),
        (&["run", "plan.jmx", "-q", "none.properties"], &["`none.properties`: No such file"]),
        (&["run", "plan.jmx", "-p", "none.properties"], &["`none.properties`: No such file"]),
        (
            &["run", "plan.jmx", "-d", "5s"],
            &["-d 5s: this folder does not exist", "for a duration use --for 5s"],
        ),
        (&["run", "plan.jmx", "-S", "none.properties"], &["`none.properties`: No such file"]),
        (&["run", "plan.jmx", "-G", "none.properties"], &["`none.properties`: No such file"]),
        (&["run", "plan.jmx", "-l", ""], &["a value is required"]),
        (&["jvm", "install", "./plug-in.zip"], &["`./plug-in.zip` is not a jar"]),
        (
            &["jvm", "install", "https://h/a.jar"],
            &["https://h/a.jar was not installed", "add `--sha256 DIGEST`"],
        ),
        (&["jvm", "install", "./none.jar"], &["./none.jar was not installed: No such file"]),
        (&["jvm", "install", "./a.jar", "--sha256", "12"], &["expected 64 hexadecimal digits"]),
        (&["nosuch"], &["unknown command `nosuch`", "hint: `swell hit URL`"]),
        (&["hit", "ftp://localhost"], &["invalid URL `ftp://localhost`", "hint: "]),
        (&["hit", "http//localhost"], &["invalid URL `http//localhost`", "hint: "]),
        (&["hit", "HTTPS:/localhost/a"], &["invalid URL `HTTPS:/localhost/a`", "hint: "]),
        (&["hit", "plan.jmx"], &["`plan.jmx` is a file, not a URL", "hint: ", "--urls plan.jmx"]),
        (&["hit", "http://localhost/", "-u", "ada"], &["-u has no password", "hint: write -u USER:PASSWORD"]),
        (&["hit", "http://localhost/", "-X", "GE T"], &["invalid HTTP method `GE T`", "hint: "]),
        (
            &["hit", "http://localhost/", "-x", "proxy"],
            &["invalid proxy `proxy`", "hint: write -x HOST:PORT"],
        ),
        (&["hit", "--urls", "none.txt"], &["cannot read URLs from `none.txt`: No such file"]),
        (&["hit", "http://localhost/", "--multipart", "f=@none"], &["cannot read `none`"]),
        (
            &["hit", "http://localhost/", "--form", "f=@plan.jmx"],
            &["--form `f=@plan.jmx`", "hint: send it as a part"],
        ),
        (&["hit", "http://localhost/", "-d", "0s"], &["a test must take some time", "hint: "]),
        (&["hit", "http://localhost/", "--timeout", "500us"], &["a timeout is at least 1ms", "hint: "]),
        (&["hit", "http://localhost/", "-H", "no colon"], &["invalid header `no colon`", "hint: "]),
        (&["hit", "http://localhost/", "-d", "10x"], &["invalid time `10x`; write 30s"]),
        (&["hit", "http://localhost/", "-d", "{\"a\":1}"], &["invalid time", "a request body is -b"]),
        (&["hit", "http://localhost/", "-r", "0"], &["invalid rate `0`"]),
        (&["hit"], &["no URL to test", "hint: as in `swell hit http://localhost:8080/`"]),
        (&["hit", "-n", "10", "-l", "http://a/"], &["no URL to test", "`-l` took `http://a/` as its value"]),
        (&["hit", "http://localhost/", "-n", "10k"], &["invalid number of requests `10k`", "such as 10000"]),
        (&["hit", "http://localhost/", "-c", "0"], &["invalid number of users `0`; write 1 to 1000000"]),
        (
            &["hit", "http://localhost/", "--columns", "p50,p98"],
            &["unknown column `p98`: did you mean `p9", "there are samples, errors, failed, mean"],
        ),
    ];
    let folder = folder();
    for (args, texts) in table {
        folder.swell(args).refused(&["error: "]).says(texts);
    }
}

#[test]
fn what_is_mistyped_gets_the_nearest_that_there_is() {
    let table: [(&[&str], &[&str]); 13] = [
        (
            &["localhost:8080"],
            &["unknown command `localhost:8080`", "hint: `swell hit localhost:8080` tests a URL"],
        ),
        (
            &["run", "http://localhost:8080/"],
            &["cannot read the plan", "hint: `swell hit http://localhost:8080/`"],
        ),
        (&["rnu", "plan.jmx"], &["unknown command `rnu`", "hint: did you mean `swell run`?"]),
        (&["serch", "http://a/"], &["unknown command `serch`", "hint: did you mean `swell search`?"]),
        (&["run", "plan.jmx", "more"], &["`swell run` does not take `more`", "hint: `swell run --help`"]),
        (&["run", "plan.jmx", "--live", "0.0.0.0:80"], &["does not take `0.0.0.0:80`", "--live=0.0.0.0:80"]),
        (&["hit", "localhost:1", "100"], &["invalid URL `100`", "a value follows its option"]),
        (&["run", "plan.jmx", "--treshold", "errors<1%"], &["hint: did you mean `--threshold`?"]),
        (&["compare", "a", "b", "--markdwon"], &["hint: did you mean `--markdown`?"]),
        (&["doctor", "-c", "x"], &["invalid value 'x' for '--users <USERS>': expected a whole number"]),
        (&["history", "--limit", "0"], &["invalid value '0' for '--limit <N>': expected 1 or more"]),
        (&["search", "http://localhost/"], &["no range of loads given", "hint: ", "--rate 50..5000"]),
        (&["search"], &["no range of loads given", "--users 10..500", "--vary threads=10..500"]),
    ];
    let folder = folder();
    for (args, texts) in table {
        folder.swell(args).refused(&["error: "]).says(texts);
    }
}

#[test]
fn options_of_other_tools_are_told_in_swells_spelling() {
    let table: [(&[&str], &[&str]); 20] = [
        (
            &["hit", "http://a/", "-t", "4"],
            &["`swell hit` has no option `-t`", "hint: ", "-d 30s", "--timeout 5s", "-w 2"],
        ),
        (&["hit", "http://a/", "-q", "100"], &["`swell hit` has no option `-q`", "-r 1000"]),
        (&["hit", "http://a/", "--http3"], &["has no option `--http3`", "--http2 for HTTP/2"]),
        (&["hit", "http://a/", "-s", "wrk.lua"], &["has no option `-s`", "--timeout 5s"]),
        (&["hit", "http://a/", "-D", "body.json"], &["a body from a file is -b @FILE"]),
        (&["hit", "http://a/", "--disable-compression"], &["Accept-Encoding: gzip"]),
        (&["hit", "http://a/", "-duration", "5s"], &["`-duration` has one dash", "hint: write --duration"]),
        (&["hit", "http://a/", "-rate=50"], &["`-rate` has one dash", "hint: write --rate"]),
        (
            &["hit", "http://a/", "--histogran"],
            &["has no option `--histogran`", "hint: did you mean `--histogram`?"],
        ),
        (&["hit", "http://a/", "--qwertz"], &["has no option `--qwertz`", "hint: `swell hit --help` lists"]),
        (&["hit", "http://a/", "-host", "b"], &["has no option `-host`", "-H 'Host: NAME'"]),
        (&["hit", "http://a/", "-h2"], &["has no option `-h2`", "--http2 for HTTP/2"]),
        (&["hit", "http://a/", "-cpus", "2"], &["has no option `-cpus`", "worker threads are -w 2"]),
        (&["hit", "http://a/", "-disable-keepalive"], &["one dash", "write --disable-keepalive"]),
        (&["hit", "http://a/", "-z", "1s", "-d", "a=b"], &["is given twice", "a request body is -b TEXT"]),
        (&["hit", "http://a/", "-U", "me"], &["has no option `-U`", "-H 'User-Agent: NAME'"]),
        (&["attack", "-rate=50"], &["unknown command `attack`", "`swell hit URL -r 50 -d 10s`"]),
        (&["run", "plan.jmx", "--vus", "5"], &["`swell run` has no option `--vus`", "-Jusers=50"]),
        (&["run", "plan.jmx", "-c", "5"], &["`swell run` has no option `-c`", "-Jusers=50"]),
        (&["check", "plan.jmx", "--qwertz"], &["`swell check` has no option `--qwertz`"]),
    ];
    let folder = folder();
    for (args, texts) in table {
        let ended = folder.swell(args).refused(texts);
        assert!(!ended.err.contains("tip:") && ended.err.ends_with('\n'), "{ended}");
    }
}

#[test]
fn options_of_jmeter_that_are_not_there_yet_are_refused_by_name() {
    let table: [(&[&str], &[&str]); 10] = [
        (&["-s"], &["-s: no broker address given", "hint: Swell's agents call the broker"]),
        (
            &["run", "plan.jmx", "--slices", "3"],
            &["--slices is for tests on many machines", "hint: ", "--agents 3"],
        ),
        (
            &["run", "plan.jmx", "--agents-interval", "2s"],
            &["--agents-interval is for tests on many machines"],
        ),
        (&["fleet", "manifest", "ssh", "--join", "nats://a'b"], &["invalid value 'nats://a'b'", "%20"]),
        (&["fleet", "manifest", "ssh", "host; rm x"], &["invalid value 'host; rm x'"]),
        (&["fleet", "manifest", "compose", "--image", "a: b"], &["invalid value 'a: b'"]),
        (&["agent", "http://a"], &["invalid broker address: expected nats:// or nats+tls://"]),
        (&["-n", "-t", "LAST"], &["-t LAST", "hint: name the file"]),
        (&["-n", "-t", "plan.jmx", "-l", "LAST.jtl"], &["-l LAST", "hint: name the file"]),
        (&["-n", "-t", "plan.jmx", "-j", "LAST.log"], &["-j LAST", "hint: name the file"]),
    ];
    let folder = folder();
    for (args, texts) in table {
        folder.swell(args).refused(texts);
        assert!(!folder.has("jmeter.log") && !folder.has("report"), "{args:?}");
    }
}

/// The table of `JMeter.java`: every option, short and long.
#[test]
fn options_of_jmeter_are_known_in_its_spelling() {
    let folder = folder();
    folder.write("some.properties", "a=1\n");
    let run = |line: &str| folder.swell(&line.split(' ').collect::<Vec<_>>()).exits(0);
    let short = "-n -t plan.jmx -l a.jtl -j a.log -f -e -o a -i log4j2.xml -Ja=1 -Gb=2 -Dc=3 -q some.properties -S some.properties";
    run(&format!(
        "{short} -p some.properties -d . -L INFO -H localhost -P 3128 -N * -u ada -a secret -E http"
    ))
    .says(&["-i log4j2.xml is ignored: "]);
    assert!(folder.has("a.jtl") && folder.has("a/index.html"));
    let files = "--nongui --testfile plan.jmx --logfile b.jtl --jmeterlogfile b.log --forceDeleteResultFile \
                 --reportatendofloadtests --reportoutputfolder b --jmeterlogconf log4j2.xml";
    let settings = "--jmeterproperty a=1 --globalproperty b=2 --systemproperty c=3 --addprop some.properties \
                    --systemPropertyFile some.properties --propfile some.properties --homedir . --loglevel INFO";
    let proxy = "--proxyHost localhost --proxyPort 3128 --nonProxyHosts * --username ada --password secret --proxyScheme http";
    run(&format!("{files} {settings} {proxy}"));
    assert!(folder.has("b.jtl") && folder.has("b/index.html"));
}

#[test]
fn properties_that_are_no_text_are_refused_with_their_file() {
    let folder = folder();
    folder.write("broken.properties", "a=\\u00zz\n");
    folder.swell(&["run", "plan.jmx", "-q", "broken.properties"]).refused(&["`broken.properties`: "]);
}

#[test]
fn results_that_cannot_be_written_are_told_before_anything_runs() {
    let folder = folder();
    folder.write("file", "");
    for (args, text) in [
        (&["-l", "file/out.jtl"][..], "cannot write results to `file/out.jtl`"),
        (&["-l", "."], "cannot write results to `.`: "),
        (&["-l", "/proc/none/out.jtl"], "cannot write results to `/proc/none/out.jtl`"),
        (&["--summary", "file/summary.json"], "cannot write the summary to `file/summary.json`"),
        (&["--summary", "none/summary.json"], "cannot write the summary to `none/summary.json`"),
        (&["-e", "-o", "file"], "cannot write the report to `file"),
        (&["-e", "-o", "/proc/none"], "cannot write the report to `/proc/none"),
    ] {
        let ended = folder.swell(&[&["run", "plan.jmx"], args].concat());
        ended.refused(&["error: ", text]);
    }
}

#[test]
fn results_folders_that_are_missing_are_made() {
    let folder = folder();
    folder.swell(&["run", "plan.jmx", "-l", "a/b/out.jtl", "-e", "-o", "c/report"]).exits(0);
    assert_eq!(folder.jtl("a/b/out.jtl").len(), 1);
    assert!(folder.has("c/report/index.html"));
}

#[test]
fn a_log_has_its_folders_made_and_one_of_no_choice_spoils_nothing() {
    let folder =
        Folder::with_plan([plan::group(1, 1).with(plan::get_from("127.0.0.1", "1", "/${__log(said)}", ""))]);
    folder.swell(&["run", "plan.jmx", "-j", "new/swell.log"]).exits_in(&[0, 98]);
    assert!(folder.read("new/swell.log").contains("said"));
    std::fs::create_dir(folder.at("jmeter.log")).expect("made");
    let ended = folder.swell(&["run", "plan.jmx", "-l", "out.jtl"]).exits_in(&[0, 98]);
    ended.says(&["cannot write the log to `jmeter.log`: is a directory; nothing will be logged"]);
    assert_eq!(folder.jtl("out.jtl").len(), 1);
}

#[test]
fn a_run_never_writes_over_its_plan() {
    let folder = folder();
    std::os::unix::fs::symlink("plan.jmx", folder.at("link")).expect("made");
    let plan = folder.read("plan.jmx");
    for args in [
        ["-l", "plan.jmx"],
        ["-fl", "./plan.jmx"],
        ["-l", "link"],
        ["--summary", "plan.jmx"],
        ["-j", "plan.jmx"],
    ] {
        folder.swell(&[&["run", "plan.jmx"], &args[..]].concat()).refused(&["is the plan itself", "hint: "]);
        assert_eq!(folder.read("plan.jmx"), plan);
    }
}

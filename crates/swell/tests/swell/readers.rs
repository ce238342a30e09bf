//! Programs of others that read what a run leaves: JMeter's own report, and what the performance
//! plug-in of Jenkins asks for.

use std::path::PathBuf;
use std::time::SystemTime;

use swell_plan::{Element, Node};

use crate::support::{Call, Folder, Jtl, plan, site};

/// A folder with the results `out.jtl` of three samples that succeed and two that fail.
fn run(more: &[&str]) -> Folder {
    let site = site();
    let group = |loops, path| plan::group(1, loops).with(plan::get(site.addr(), path));
    let folder = Folder::with_plan([group(3, "/bytes/100"), group(2, "/status/404")]);
    folder.swell(&[&["run", "plan.jmx", "-l", "out.jtl"], more].concat()).exits(0);
    folder
}

/// JMeter, where `parity/jmeter/assemble.sh` has put it.
fn jmeter() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    let home = std::env::var_os("JMETER_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(cache?.join("swell/jmeter-5.6.3")))?;
    let jar = home.join("bin/ApacheJMeter.jar");
    let found = jar.exists() && home.join("bin/report-template").exists();
    if !found {
        eprintln!("skipped, there is no JMeter at {}: run parity/jmeter/assemble.sh", home.display());
    }
    found.then_some(jar)
}

#[test]
fn jmeters_own_report_takes_the_results() {
    let Some(jar) = jmeter() else { return };
    let folder = run(&[]);
    let jar = jar.to_str().expect("UTF-8");
    let heap = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];
    let args = [&heap[..], &["-jar", jar, "-g", "out.jtl", "-o", "report", "-j", "report.log"]].concat();
    let ended = Call::shell(folder.path(), "java", &args).run().exits(0);
    assert!(folder.has("report/index.html"), "{ended}");
    let statistics: serde_json::Value =
        serde_json::from_str(&folder.read("report/statistics.json")).expect("JSON");
    let counts = |label: &str| {
        let row = &statistics[label];
        [&row["sampleCount"], &row["errorCount"]].map(serde_json::Value::as_u64)
    };
    assert_eq!(counts("Total"), [Some(5), Some(2)], "{statistics}");
    assert_eq!(counts("/status/404"), [Some(2), Some(2)], "{statistics}");
}

const ODD_LABEL: &str = "one, \"two\"; <three>\nand\tmore";

/// Results `out.jtl` of a plan with what a reader can stumble over: a label with commas, quotes and
/// lines, a redirect with its parts, a transaction and one that holds its samples, answers with a
/// bad status, a connection that is refused.
fn odd_run(more: &[&str]) -> Folder {
    let site = site();
    let transaction = |name: &str, holds: bool, path: &str| {
        let element = Element::new("TransactionController", "TransactionControllerGui", name)
            .with_flag("TransactionController.parent", holds);
        Node::new(element).with(plan::get(site.addr(), path))
    };
    let named = Element::new("HTTPSamplerProxy", "HttpTestSampleGui", ODD_LABEL)
        .with_text("HTTPSampler.domain", &site.addr().ip().to_string())
        .with_text("HTTPSampler.port", &site.addr().port().to_string())
        .with_text("HTTPSampler.path", "/bytes/10");
    let nodes = [
        Node::new(named),
        plan::get(site.addr(), "/redirect/2"),
        plan::get(site.addr(), "/status/404"),
        plan::get_from("127.0.0.1", "1", "/refused", ""),
        transaction("beside", false, "/status/503"),
        transaction("around", true, "/bytes/20"),
    ];
    let folder = Folder::with_plan([nodes.into_iter().fold(plan::group(1, 2), Node::with)]);
    folder.swell(&[&["run", "plan.jmx", "-l", "out.jtl"], more].concat()).exits(0);
    folder
}

/// What `JMeterCsvParser` of the plug-in reads: the delimiter is the first character of the header
/// that is no letter, fields are quoted by `"`, six columns are found whatever their case, and
/// `sentBytes` if it is there; numbers have to be whole ones, times of a start may also be in one
/// of its formats. The first column of `label` and `URL` names a sample.
#[test]
fn csv_results_have_what_jenkins_reads() {
    for (more, delimiter) in [
        (&[][..], ','),
        (&["-Jjmeter.save.saveservice.default_delimiter=;"], ';'),
        (&["-Jjmeter.save.saveservice.default_delimiter=\\t"], '\t'),
        (&["-Jjmeter.save.saveservice.timestamp_format=yyyy/MM/dd HH:mm:ss.SSS"], ','),
    ] {
        let folder = odd_run(more);
        let text = folder.read("out.jtl");
        let header = text.lines().next().expect("a header");
        assert_eq!(header.chars().find(|c| !c.is_alphabetic()), Some(delimiter), "{header}");
        let place = |column: &str| {
            let found = header.split(delimiter).position(|name| name.eq_ignore_ascii_case(column));
            found.unwrap_or_else(|| panic!("{column}: {header}"))
        };
        assert!(place("label") < place("url"), "{header}");
        let jtl = Jtl::separated(&text, delimiter);
        for column in ["elapsed", "bytes", "sentBytes"] {
            assert!(jtl.column(column).iter().all(|value| value.parse::<u64>().is_ok()), "{column}: {text}");
        }
        let is_time = |time: &&str| match time.split_once(' ') {
            None => time.parse::<u64>().is_ok(),
            Some((day, hour)) => day.split('/').count() == 3 && hour.len() == "HH:mm:ss.SSS".len(),
        };
        assert!(jtl.column("timeStamp").iter().all(is_time), "{text}");
        for (label, success, code) in [
            (ODD_LABEL, "true", "200"),
            ("/redirect/2", "true", "200"),
            ("/redirect/2-1", "true", "302"),
            ("/status/404", "false", "404"),
            ("beside", "false", ""),
            ("around", "true", "200"),
        ] {
            let row = jtl.column("label").iter().position(|found| *found == label);
            let row = row.unwrap_or_else(|| panic!("{label}: {text}"));
            assert_eq!(
                (jtl.column("success")[row], jtl.column("responseCode")[row]),
                (success, code),
                "{label}: {text}"
            );
        }
    }
}
/// What `JMeterParser` and `ParserDetector` of the plug-in read: the first line is the declaration,
/// the second has the root, and samples are `httpSample` or `sample` with these attributes.
#[test]
fn xml_results_have_what_jenkins_reads() {
    let folder = run(&["-Jjmeter.save.saveservice.output_format=xml"]);
    let text = folder.read("out.jtl");
    let mut lines = text.lines();
    assert!(lines.next().is_some_and(|line| line.starts_with("<?xml ")), "{text}");
    assert!(lines.next().is_some_and(|line| line.contains("<testResults")), "{text}");
    let samples: Vec<_> = lines.filter(|line| line.starts_with("<httpSample ")).collect();
    assert_eq!(samples.len(), 5, "{text}");
    let now_ms = SystemTime::UNIX_EPOCH.elapsed().expect("after 1970").as_millis();
    for sample in samples {
        let value = |name: &str| {
            let start = sample.find(&format!(" {name}=\"")).unwrap_or_else(|| panic!("{name}: {sample}"));
            sample[start..].split('"').nth(1).expect("quoted")
        };
        let number = |name| value(name).parse::<u128>().unwrap_or_else(|_| panic!("{name}: {sample}"));
        assert!(number("ts") <= now_ms && number("t") < 60_000 && number("by") > 0, "{sample}");
        assert_eq!(value("s"), if value("rc") == "200" { "true" } else { "false" }, "{sample}");
        assert!(value("lb").starts_with('/'), "{sample}");
    }
}

/// Sample elements that are in no other sample, each as its text up to its end: the plug-in counts
/// only these.
fn outermost(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut depth = 0;
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let mut quoted = false;
        let end = rest.find(|c| {
            quoted ^= c == '"';
            c == '>' && !quoted
        });
        let (tag, behind) = rest.split_at(end.expect("a tag ends") + 1);
        rest = behind;
        let name = tag.trim_start_matches(['<', '/']).split([' ', '>', '/']).next();
        if !matches!(name, Some("httpSample" | "sample")) {
            continue;
        }
        if tag.starts_with("</") {
            depth -= 1;
            continue;
        }
        if depth == 0 {
            found.push(tag);
        }
        depth += i32::from(!tag.ends_with("/>"));
    }
    assert_eq!(depth, 0, "{text}");
    found
}

/// Parts of a redirect and samples in a transaction are inside their sample, and are not counted a
/// second time.
#[test]
fn xml_results_hold_each_sample_once_for_jenkins() {
    let folder = odd_run(&["-Jjmeter.save.saveservice.output_format=xml"]);
    let text = folder.read("out.jtl");
    let samples = outermost(&text);
    let value = |sample: &str, name: &str| {
        let (_, behind) =
            sample.split_once(&format!(" {name}=\"")).unwrap_or_else(|| panic!("{name}: {sample}"));
        behind.split('"').next().expect("quoted").to_owned()
    };
    let labels: Vec<_> = samples.iter().map(|sample| value(sample, "lb")).collect();
    let once = [
        "one, &quot;two&quot;; &lt;three&gt;&#xa;and&#x9;more",
        "/redirect/2",
        "/status/404",
        "/refused",
        "/status/503",
        "beside",
        "around",
    ];
    assert_eq!(labels, [once, once].concat(), "{text}");
    let failed = samples.iter().filter(|sample| value(sample, "s") == "false").count();
    assert_eq!(failed, 2 * 4, "{text}");
    for sample in samples {
        assert!(value(sample, "by").parse::<f64>().is_ok_and(|bytes| bytes >= 0.0), "{sample}");
    }
}

//! Programs of others that read what a run leaves: JMeter's own report, and what the performance plug-in of Jenkins asks for.

use std::path::PathBuf;
use std::time::SystemTime;

use crate::support::{Call, Folder, plan, site};

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

/// What `JMeterCsvParser` of the plug-in reads: the delimiter is the first character of the header that is no letter, five columns
/// are found whatever their case, and times are numbers or dates.
#[test]
fn csv_results_have_what_jenkins_reads() {
    let folder = run(&[]);
    let text = folder.read("out.jtl");
    let header = text.lines().next().expect("a header");
    assert_eq!(header.chars().find(|c| !c.is_alphabetic()), Some(','));
    for column in ["timestamp", "elapsed", "responsecode", "success", "url"] {
        assert!(header.split(',').any(|name| name.eq_ignore_ascii_case(column)), "{column}: {header}");
    }
    let jtl = folder.jtl("out.jtl");
    let whole = |column| jtl.column(column).iter().all(|value| value.parse::<u64>().is_ok());
    assert!(whole("timeStamp") && whole("elapsed"), "{text}");
    assert_eq!((jtl.count("success", "true"), jtl.count("responseCode", "404")), (3, 2));
}

/// What `JMeterParser` and `ParserDetector` of the plug-in read: the first line is the declaration, the second has the root, and
/// samples are `httpSample` or `sample` with these attributes.
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

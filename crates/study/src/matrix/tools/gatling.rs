//! Gatling (<https://docs.gatling.io>), with a simulation in Java.

use super::{Adapter, Ask, Job, Output, Reading, Source, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "gatling",
    program: "gatling.sh",
    install: "unzip the bundle gatling-charts-highcharts of Maven Central, then --program gatling=…/bin/gatling.sh",
    version: &[],
    is_recorded: false,
    job,
    sources: &[Source::Stdout],
    reader: read,
};

fn job(ask: &Ask) -> Job {
    let Ask { host, port, path, users, seconds, .. } = ask;
    let simulation = format!(
        "import static io.gatling.javaapi.core.CoreDsl.*;\nimport static io.gatling.javaapi.http.HttpDsl.*;\n\n\
         public class Matrix extends io.gatling.javaapi.core.Simulation {{\n  {{\n    setUp(scenario(\"users\").during({seconds}).on(exec(http(\"get\").get(\"{path}\")))\n      \
         .injectOpen(atOnceUsers({users}))).protocols(http.baseUrl(\"http://{host}:{port}\"));\n  }}\n}}\n"
    );
    Job::of(["--run-mode", "local", "-nr", "-s", "Matrix", "-sf", ".", "-rf", "results", "-rd", "matrix"])
        .with_file("Matrix.java", simulation)
}

/// The block "Global Information", of Gatling 3.10 (`> request count  100 (OK=100 KO=0)`) and of later ones (`> request count | 100 | 100 | 0`). Without
/// reports that block is written all the same by versions that compute it at the end.
fn read(output: &Output<'_>) -> Option<Reading> {
    let text = scan::text(output, 0)?;
    let of = |words: &str| -> Option<f64> {
        let rest = scan::line(&text, words)?;
        let rest = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
        scan::number(rest)
    };
    let failed = || -> Option<f64> {
        let rest = scan::line(&text, "> request count")?;
        match rest.split_once("KO=") {
            Some((_, failed)) => scan::number(failed),
            // `-` stands for none.
            None => rest
                .rsplit('|')
                .map(str::trim)
                .find(|cell| !cell.is_empty())
                .map(|cell| scan::number(cell).unwrap_or(0.0)),
        }
    };
    let percentile = |name: &str| of(&format!("> response time {name} percentile"));
    let per_s = ["> mean throughput (rps)", "> mean requests/sec"].iter().find_map(|words| of(words));
    Some(Reading {
        requests: of("> request count"),
        errors: failed(),
        per_s,
        mean_ms: ["> mean response time (ms)", "> mean response time"].iter().find_map(|words| of(words)),
        p50_ms: percentile("50th"),
        p95_ms: percentile("95th"),
        p99_ms: percentile("99th"),
        max_ms: ["> max response time (ms)", "> max response time"].iter().find_map(|words| of(words)),
        ..Reading::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_as_documented_is_read() {
        let old = b"---- Global Information --------------------\n> request count                                       4000 (OK=3990   KO=10    )\n\
            > min response time                                     10 (OK=10     KO=12    )\n> max response time                                    120 (OK=120    KO=30    )\n\
            > mean response time                                    15 (OK=15     KO=20    )\n> response time 50th percentile                         12 (OK=12     KO=20    )\n\
            > response time 75th percentile                         14 (OK=14     KO=20    )\n> response time 95th percentile                         25 (OK=25     KO=30    )\n\
            > response time 99th percentile                         60 (OK=60     KO=30    )\n> mean requests/sec                                1333.33 (OK=1330   KO=3.33  )\n";
        let new = b"> request count                                         |     4,000 |     3,990 |        10\n> max response time (ms)                                |       120 |       120 |        30\n\
            > mean response time (ms)                               |        15 |        15 |        20\n> response time 50th percentile (ms)                    |        12 |        12 |        20\n\
            > response time 95th percentile (ms)                    |        25 |        25 |        30\n> response time 99th percentile (ms)                    |        60 |        60 |        30\n\
            > mean throughput (rps)                                 |  1,333.33 |     1,330 |      3.33\n";
        let want = Reading {
            requests: Some(4000.0),
            errors: Some(10.0),
            per_s: Some(1333.33),
            mean_ms: Some(15.0),
            p50_ms: Some(12.0),
            p95_ms: Some(25.0),
            p99_ms: Some(60.0),
            max_ms: Some(120.0),
            ..Reading::default()
        };
        super::super::assert_reading("gatling", &[old], want);
        super::super::assert_reading("gatling", &[new], want);
        let none = b"> request count    |  40 |  40 |  -\n";
        let want = Reading { requests: Some(40.0), errors: Some(0.0), ..Reading::default() };
        super::super::assert_reading("gatling", &[none], want);
    }
}

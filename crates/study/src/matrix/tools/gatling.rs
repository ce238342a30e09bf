//! Gatling (<https://docs.gatling.io>), with a simulation in Java that its plug-in for Maven
//! compiles and runs.

use super::{Adapter, Job, Output, Reading, Source, ToolRequest, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "gatling",
    // Maven is on many machines that have no Gatling.
    program: "",
    install: "apt-get install maven, then --program gatling=/usr/bin/mvn; the first run fetches Gatling from Maven Central",
    version: &[],
    job,
    sources: &[Source::Stdout],
    reader: read,
};

/// Gatling and its plug-in, as they were tried.
const VERSIONS: [&str; 2] = ["3.14.3", "4.19.0"];

fn job(ask: &ToolRequest) -> Job {
    let ToolRequest { host, port, path, users, seconds, .. } = ask;
    let simulation = format!(
        "import static io.gatling.javaapi.core.CoreDsl.*;\nimport static io.gatling.javaapi.http.HttpDsl.*;\n\n\
         public class Matrix extends io.gatling.javaapi.core.Simulation {{\n  {{\n    setUp(scenario(\"users\").during({seconds}).on(exec(http(\"get\").get(\"{path}\")))\n      \
         .injectOpen(atOnceUsers({users}))).protocols(http.baseUrl(\"http://{host}:{port}\"));\n  }}\n}}\n"
    );
    let [gatling, plug_in] = VERSIONS;
    let project = format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\n<groupId>matrix</groupId><artifactId>matrix</artifactId><version>1</version>\n\
         <properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>\n\
         <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>\n\
         <dependencies><dependency><groupId>io.gatling.highcharts</groupId><artifactId>gatling-charts-highcharts</artifactId><version>{gatling}</version></dependency></dependencies>\n\
         <build><testSourceDirectory>.</testSourceDirectory><plugins><plugin>\n\
         <groupId>io.gatling</groupId><artifactId>gatling-maven-plugin</artifactId><version>{plug_in}</version></plugin></plugins></build>\n</project>\n"
    );
    Job::of(["--batch-mode", "--quiet", "test-compile", "gatling:test", "-Dgatling.simulationClass=Matrix"])
        .with_file("pom.xml", project)
        .with_file("Matrix.java", simulation)
}

/// The block "Global Information" that it writes with its report:
/// `> request count | 100 | 100 | -`, of all, those that succeeded, those that failed. `-` means
/// none.
fn read(output: &Output<'_>) -> Option<Reading> {
    let text = scan::text(output, 0)?;
    let (_, text) = text.split_once("---- Global Information ")?;
    let cells = |words: &str| -> Option<Vec<Option<f64>>> {
        let (_, cells) = scan::line(text, words)?.split_once('|')?;
        Some(cells.split('|').map(scan::number).collect())
    };
    let of_all = |words: &str| cells(words)?.first().copied().flatten();
    let percentile = |name: &str| of_all(&format!("> response time {name} percentile (ms)"));
    let requests = cells("> request count")?;
    Some(Reading {
        requests: requests.first().copied().flatten(),
        errors: requests.get(2).map(|failed| failed.unwrap_or(0.0)),
        per_s: of_all("> mean throughput (rps)"),
        mean_ms: of_all("> mean response time (ms)"),
        p50_ms: percentile("50th"),
        p95_ms: percentile("95th"),
        p99_ms: percentile("99th"),
        max_ms: of_all("> max response time (ms)"),
        ..Reading::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head of what it wrote of a run in which each fourth request was answered by 503.
    #[test]
    fn failures_are_the_third_count() {
        let text = b"---- Global Information -----|---Total---|-----OK----|----KO----\n\
            > request count                                                                      |       569 |       427 |       142\n\
            > mean throughput (rps)                                                              |     284.5 |     213.5 |        71\n";
        let found = ADAPTER.read(&[text]).expect("its output");
        assert_eq!((found.requests, found.errors, found.per_s), (Some(569.0), Some(142.0), Some(284.5)));
    }
}

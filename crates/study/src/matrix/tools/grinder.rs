//! The Grinder 3.11 (<https://grinder.sourceforge.net>).

use super::{Adapter, Job, Output, Reading, Source, ToolRequest, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "grinder",
    program: "grinder",
    install: "Java 8, grinder-3.11-binary.zip of Maven Central, and a script: exec java -cp …/lib/grinder.jar net.grinder.Grinder \"$@\"",
    version: &[],
    job,
    sources: &[Source::Below("matrix-0.log")],
    reader: read,
};

fn job(ask: &ToolRequest) -> Job {
    let settings = format!(
        "grinder.script=matrix.py\ngrinder.processes=1\ngrinder.threads={}\ngrinder.runs=0\ngrinder.duration={}000\ngrinder.useConsole=false\n\
         grinder.hostID=matrix\ngrinder.logDirectory=logs\ngrinder.numberOfOldLogs=0\n",
        ask.users, ask.seconds
    );
    // Each call of `__call__` begins with new connections, so one call makes all requests; the end
    // of the duration interrupts it.
    let script = format!(
        "from net.grinder.script import Test\nfrom net.grinder.plugin.http import HTTPRequest\n\nrequest = HTTPRequest()\nTest(1, 'get').record(request)\n\n\n\
         class TestRunner:\n    def __call__(self):\n        while True:\n            request.GET('{}')\n",
        ask.url()
    );
    Job::of(["grinder.properties"]).with_file("grinder.properties", settings).with_file("matrix.py", script)
}

/// The table "Final statistics for this process": `Totals  TESTS  ERRORS  MEAN  DEVIATION  TPS
/// LENGTH  BYTES/S  RESPONSE_ERRORS  …`. Tests are those without an error; answers with a bad
/// status, its "response errors", are among them.
fn read(output: &Output<'_>) -> Option<Reading> {
    let text = scan::text(output, 0)?;
    let (_, table) = text.rsplit_once("Final statistics for this process")?;
    let mut numbers = scan::line(table, "Totals")?.split_whitespace().map(scan::number);
    let [done, broken, mean_ms, _, per_s, _, _, refused] = [0; 8].map(|_| numbers.next().flatten());
    Some(Reading {
        requests: done.zip(broken).map(|(done, broken)| done + broken),
        errors: broken.zip(refused).map(|(broken, refused)| broken + refused),
        per_s,
        mean_ms,
        ..Reading::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20 threads made 2,748 connections for 2,748 requests where each request was a separate call,
    /// and 20 in one call each.
    #[test]
    fn connections_are_kept() {
        let script = job(&super::super::ask()).files.remove(1).1;
        assert!(
            script.contains(
                "        while True:\n            request.GET('http://127.0.0.1:9471/delay/10ms')\n"
            ),
            "{script}"
        );
    }

    /// What it wrote of runs in which each fourth request was answered by 503, or its connection
    /// was reset.
    #[test]
    fn answers_with_a_bad_status_are_failures_among_its_tests() {
        let counts = |totals: &str| {
            let text =
                format!("INFO  matrix-0 : Final statistics for this process:\n\nTotals       {totals}\n");
            let found = ADAPTER.read(&[text.as_bytes()]).expect("its output");
            (found.requests, found.errors)
        };
        let refused = "1149         0            3.71         8.30         1054.13      4.00         4215.60      287          0.00         9.90         3.41";
        assert_eq!(counts(refused), (Some(1149.0), Some(287.0)));
        let broken = "1052         18           7.03         18.24        980.43       3.00         2941.29      0            0.04         0.54         6.61";
        assert_eq!(counts(broken), (Some(1070.0), Some(18.0)));
    }
}

//! The recipes for pipelines in `dist/ci`: runs the scripts in them as the services would, in
//! order, with a release on disk, a target and the interface of the service on loopback. The
//! services themselves are not here; `dist/lint.sh` checks the files with their schemas.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Answer, Call, Ended, Folder, Request, Server, site};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn recipe(name: &str) -> String {
    let path = root().join("dist/ci").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The block scalars of a YAML file: the text after each line that ends with `|`, without its
/// indentation.
fn yaml_scripts(yaml: &str) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut all = Vec::new();
    let mut lines = yaml.lines().peekable();
    while let Some(line) = lines.next() {
        if !line.ends_with(": |") && !line.ends_with("- |") {
            continue;
        }
        let depth = lines.peek().map_or(0, |first| indent(first));
        let mut script = String::new();
        while let Some(next) = lines.next_if(|next| next.trim().is_empty() || indent(next) >= depth) {
            script.push_str(next.get(depth..).unwrap_or_default());
            script.push('\n');
        }
        all.push(script);
    }
    all
}

/// The texts of a Groovy file in three single quotes, as Groovy reads them.
fn groovy_scripts(groovy: &str) -> Vec<String> {
    let texts = groovy.split("'''").skip(1).step_by(2);
    texts.map(unescape).collect()
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, chars.clone().next()) {
            ('\\', Some('\n')) => _ = chars.next(),
            ('\\', Some('n')) => {
                out.push('\n');
                chars.next();
            }
            ('\\', Some(next)) => {
                out.push(next);
                chars.next();
            }
            _ => out.push(c),
        }
    }
    out
}

/// A service with its workspace: what its scripts find.
struct Service {
    folder: Folder,
    target: swell_target::Target,
    interface: Server,
}

impl Service {
    /// With a release in `releases`, and an interface that answers by that rule.
    fn new(rule: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let folder = Folder::new();
        let release = folder.at("releases").join(format!("v{VERSION}"));
        let name = format!("swell-{VERSION}-{}-unknown-linux-gnu", std::env::consts::ARCH);
        fs::create_dir_all(release.join(&name).join("bin")).expect("a new folder");
        // A link would be packed as a link.
        fs::hard_link(env!("CARGO_BIN_EXE_swell"), release.join(&name).join("bin/swell"))
            .or_else(|_| {
                fs::copy(env!("CARGO_BIN_EXE_swell"), release.join(&name).join("bin/swell")).map(drop)
            })
            .expect("the program can be copied");
        let pack =
            "tar -cf - \"$0\" | gzip -1 >\"$0.tar.gz\" && rm -r \"$0\" && sha256sum -- *.tar.gz >SHA256SUMS";
        Call::shell(&release, "sh", &["-c", pack, &name]).run().exits(0);
        fs::create_dir_all(folder.at("home")).expect("a new folder");
        fs::create_dir_all(folder.at("work/load")).expect("a new folder");
        let plan = root().join("examples/first.jmx");
        fs::copy(plan, folder.at("work/load/plan.jmx")).expect("the example is there");
        Self { folder, target: site(), interface: Server::start(rule) }
    }

    fn options(&self) -> String {
        format!("-Jport={}", self.target.addr().port())
    }

    fn interface(&self) -> String {
        format!("http://{}", self.interface.addr)
    }

    /// A script in the workspace.
    fn script(&self, text: &str) -> Call {
        Call::shell(&self.folder.at("work"), "bash", &["-euo", "pipefail", "-c", text])
            .env("HOME", self.folder.at("home"))
            .env("SWELL_VERSION", VERSION)
            .env("SWELL_RELEASES", format!("file://{}", self.folder.at("releases").display()))
            .env("PLAN", "load/plan.jmx")
            .env("OPTIONS", format!("{} -Jseconds=1", self.options()))
    }

    fn has(&self, name: &str) {
        assert!(self.folder.has(&format!("work/{name}")), "{name} was not written");
    }

    /// Bodies of the comments that were written, as JSON.
    fn comments(&self) -> Vec<(String, serde_json::Value)> {
        let requests = self.interface.requests();
        let written = requests.iter().filter(|request| !request.head.starts_with("GET "));
        let parts = |request: &Request| {
            let line = request.head.split(" HTTP").next().unwrap_or_default().to_owned();
            (line, serde_json::from_slice(&request.body).expect("a body in JSON"))
        };
        written.map(parts).collect()
    }
}

/// The table that `swell compare` prints.
fn is_table(body: &serde_json::Value) -> bool {
    body.as_str().is_some_and(|text| text.contains("| label |") && text.contains("p95"))
}

fn github(service: &Service, script: &str) -> Call {
    let text = recipe(&format!("github/{script}.sh"));
    service
        .script(&text)
        .env("OPTIONS", format!("{}\n-Jseconds=1\n", service.options()))
        .env("THRESHOLDS", "errors<1%\np(95)<30s\n")
        .env("NAME", "load")
        .env("GITHUB_PATH", service.folder.at("path"))
        .env("GITHUB_OUTPUT", service.folder.at("output"))
        .env("GITHUB_STEP_SUMMARY", service.folder.at("summary.md"))
        .env("GITHUB_API_URL", service.interface())
        .env("GITHUB_REPOSITORY", "me/shop")
        .env("TOKEN", "secret")
        .env("PULL_REQUEST", "7")
}

/// With the path that the first step wrote for the next ones.
fn installed(service: &Service, call: Call) -> Call {
    let file = service.folder.read("path");
    let folder = file.lines().last().expect("a folder");
    let others = std::env::var("PATH").expect("there is one");
    call.env("PATH", format!("{folder}:{others}"))
}

fn github_step(service: &Service, script: &str) -> Ended {
    installed(service, github(service, script)).run()
}

#[test]
fn the_github_action_runs_compares_and_comments() {
    let service = Service::new(|request| {
        let earlier = r#"[{"id": 1, "body": "LGTM"}, {"id": 42, "body": "<!-- swell load -->\nold"}]"#;
        Answer::ok(if request.head.starts_with("GET ") { earlier } else { "{}" })
    });
    github(&service, "install").run().exits(0).prints(&[VERSION]);
    // The second time it is there.
    github(&service, "install").env("SWELL_RELEASES", "file:///nowhere").run().exits(0);
    github_step(&service, "run").exits(0);
    for name in ["results.jtl", "summary.json", "junit.xml", "report/index.html", "run/run.json"] {
        service.has(&format!("swell-load/{name}"));
    }
    github_step(&service, "compare").exits(0);
    assert!(service.folder.read("summary.md").contains("No run of the default branch yet"));

    let work = service.folder.at("work");
    fs::rename(work.join("swell-load/run"), work.join("swell-baseline-load")).expect("a baseline");
    github_step(&service, "run").exits(0);
    github_step(&service, "compare").exits(0);
    github_step(&service, "comment").exits(0);
    assert_eq!(service.folder.read("output"), "status=0\n".repeat(4));
    assert!(service.folder.read("summary.md").contains("| label |"));
    let [(line, comment)] = &service.comments()[..] else { panic!("one comment: {:?}", service.comments()) };
    assert_eq!(line, "PATCH /repos/me/shop/issues/comments/42");
    assert!(is_table(&comment["body"]), "{comment}");
}

#[test]
fn a_crossed_threshold_is_the_status_of_the_github_action() {
    let service =
        Service::new(|_| Answer::Close(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".into()));
    github(&service, "install").run().exits(0);
    installed(&service, github(&service, "run").env("THRESHOLDS", "p(95)<1us")).run().exits(0);
    github_step(&service, "compare").exits(0);
    // A token without the right to write must not fail the job.
    github_step(&service, "comment").exits(0).prints(&["::warning::no comment"]);
    assert_eq!(service.folder.read("output"), "status=99\nstatus=0\n");
    let judge = yaml_scripts(&recipe("github/action.yml")).pop().expect("the last step");
    let judged = |run: &str, compare: &str, fail: &str| {
        service.script(&judge).env("RUN", run).env("COMPARE", compare).env("FAIL_ON_WORSE", fail).run().code
    };
    assert_eq!(judged("99", "0", "false"), Some(99));
    assert_eq!(judged("0", "99", "false"), Some(0));
    assert_eq!(judged("0", "99", "true"), Some(99));
}

#[test]
fn a_damaged_release_is_refused() {
    let service = Service::new(|_| Answer::Silence);
    let sums = service.folder.at("releases").join(format!("v{VERSION}/SHA256SUMS"));
    let text = fs::read_to_string(&sums).expect("the checksums");
    let (digest, name) = text.split_once(' ').expect("a digest and a name");
    fs::write(&sums, format!("{} {name}", digest.chars().rev().collect::<String>())).expect("can be written");
    github(&service, "install").run().exits(1);
    let gitlab = yaml_scripts(&recipe("gitlab-ci.yml"));
    service.script(&gitlab[0]).run().exits(1);
}

/// All scripts of GitLab's job run in one shell.
fn gitlab(service: &Service, rules: Option<&str>) -> Call {
    let mut text = yaml_scripts(&recipe("gitlab-ci.yml")).concat();
    assert!(text.contains("'p(95)<500ms'"), "{text}");
    text = text.replace("'p(95)<500ms'", rules.unwrap_or("'p(95)<30s'"));
    service
        .script(&text)
        .env("CI_API_V4_URL", service.interface())
        .env("CI_PROJECT_ID", "5")
        .env("CI_DEFAULT_BRANCH", "main")
        .env("CI_JOB_TOKEN", "job")
}

#[test]
fn the_gitlab_job_runs_compares_and_comments() {
    let archive = std::sync::Arc::new(parking_lot::Mutex::new(None::<Vec<u8>>));
    let service = Service::new({
        let archive = archive.clone();
        move |request| match &*archive.lock() {
            Some(bytes)
                if request.path().contains("/jobs/artifacts/main/raw/load-results/run.tar.gz?job=load") =>
            {
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", bytes.len());
                Answer::Keep([head.as_bytes(), bytes].concat())
            }
            _ if request.path().contains("/notes") => Answer::ok("[]"),
            _ => Answer::Keep(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".into()),
        }
    });
    gitlab(&service, None).run().exits(0).prints(&["No run of main yet"]);
    for name in ["results.jtl", "summary.json", "junit.xml", "gitlab.json", "report/index.html"] {
        service.has(&format!("load-results/{name}"));
    }
    assert!(service.comments().is_empty());
    let baseline = fs::read(service.folder.at("work/load-results/run.tar.gz")).expect("the artifact");
    *archive.lock() = Some(baseline);
    let of_request =
        |rules| gitlab(&service, rules).env("CI_MERGE_REQUEST_IID", "3").env("SWELL_TOKEN", "api");
    of_request(None).run().exits(0);
    of_request(Some("'p(95)<1us'")).run().exits(99);
    let comments = service.comments();
    assert_eq!(comments.len(), 2);
    for (line, comment) in comments {
        assert_eq!(line, "POST /projects/5/merge_requests/3/notes");
        assert!(is_table(&comment["body"]), "{comment}");
    }
}

#[test]
fn the_jenkins_pipeline_runs_compares_and_comments() {
    let service = Service::new(|_| Answer::ok("{}"));
    let scripts = groovy_scripts(&recipe("Jenkinsfile"));
    let [install, load, comment] = &scripts[..] else { panic!("three scripts") };
    service.script(install).run().exits(0);
    let load = load.replace("p(95)<500ms", "p(95)<30s");
    service.script(&load).run().exits(0);
    for name in ["results.jtl", "summary.json", "junit.xml", "report/index.html"] {
        service.has(&format!("load-results/{name}"));
    }
    let work = service.folder.at("work");
    fs::create_dir_all(work.join("baseline/load-results")).expect("a new folder");
    fs::rename(work.join("load-results/run"), work.join("baseline/load-results/run")).expect("a baseline");
    service.script(&load).run().exits(0);
    let url = "https://github.com/me/shop/pull/9";
    let comment = service.script(comment).env("CHANGE_URL", url).env("TOKEN", "secret");
    comment.env("GITHUB_API_URL", service.interface()).run().exits(0);
    let [(line, comment)] = &service.comments()[..] else { panic!("one comment") };
    assert_eq!(line, "POST /repos/me/shop/issues/9/comments");
    assert!(is_table(&comment["body"]), "{comment}");
    service.script(&load.replace("p(95)<30s", "p(95)<1us")).run().exits(99);
}

#[test]
fn the_azure_pipeline_runs_compares_and_comments() {
    let service = Service::new(|_| Answer::ok("{}"));
    let scripts = yaml_scripts(&recipe("azure-pipelines.yml"));
    let [install, run, comment] = &scripts[..] else { panic!("three scripts") };
    let step = |text: &str| service.script(text).env("PIPELINE_WORKSPACE", service.folder.at("pipeline"));
    fs::create_dir_all(service.folder.at("pipeline/baseline")).expect("a new folder");
    step(install).run().exits(0);
    let run = run.replace("p(95)<500ms", "p(95)<30s");
    step(&run).run().exits(0).prints(&["##vso[task.uploadsummary]"]);
    for name in ["results.jtl", "summary.json", "junit.xml", "report/index.html"] {
        service.has(&format!("load-results/{name}"));
    }
    let results = service.folder.at("work/load-results/run");
    fs::rename(results, service.folder.at("pipeline/baseline/run")).expect("a baseline");
    step(&run).run().exits(0);
    step(comment)
        .env("SYSTEM_COLLECTIONURI", format!("{}/org/", service.interface()))
        .env("SYSTEM_TEAMPROJECTID", "p1")
        .env("BUILD_REPOSITORY_ID", "r1")
        .env("SYSTEM_PULLREQUEST_PULLREQUESTID", "12")
        .env("SYSTEM_ACCESSTOKEN", "secret")
        .run()
        .exits(0);
    let [(line, thread)] = &service.comments()[..] else { panic!("one comment") };
    assert_eq!(line, "POST /org/p1/_apis/git/repositories/r1/pullRequests/12/threads?api-version=7.1");
    assert!(is_table(&thread["comments"][0]["content"]), "{thread}");
    step(&run.replace("p(95)<30s", "p(95)<1us")).run().exits(99);
}

#[test]
fn recipes_name_this_version() {
    for name in ["github/action.yml", "gitlab-ci.yml", "Jenkinsfile", "azure-pipelines.yml"] {
        let text = recipe(name);
        assert!(
            text.contains(&format!(" {VERSION}\n")) || text.contains(&format!("'{VERSION}'\n")),
            "{name}"
        );
    }
    assert!(recipe("github/workflow.yml").contains(&format!("/dist/ci/github@v{VERSION}\n")));
}

#[test]
fn the_guide_shows_the_files() {
    let guide = fs::read_to_string(root().join("docs/guide/in-a-pipeline.md")).expect("the guide is there");
    for (language, name) in [
        ("yaml", "github/workflow.yml"),
        ("yaml", "gitlab-ci.yml"),
        ("groovy", "Jenkinsfile"),
        ("yaml", "azure-pipelines.yml"),
    ] {
        let shown = format!("```{language} dist/ci/{name}\n{}```\n", recipe(name));
        assert!(guide.contains(&shown), "in-a-pipeline.md does not show dist/ci/{name} as it is");
    }
}

#[test]
fn scripts_are_found_in_files() {
    let yaml = "a:\n  - |\n    one\n      two\n\n    three\n  - b: |\n      four\nc: 1\n";
    assert_eq!(yaml_scripts(yaml), ["one\n  two\n\nthree\n", "four\n"]);
    assert_eq!(groovy_scripts("sh '''a \\\nb\\\\(c'''\nsh '''d'''"), ["a b\\(c", "d"]);
}

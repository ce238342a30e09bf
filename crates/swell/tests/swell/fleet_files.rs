//! Files of an agent's machine, which its owner does or does not let plans touch.

use std::path::Path;

use swell_plan::{Element, Node};

use crate::support::{Answer, Broker, Ended, Folder, Server, plan};

/// A path outside of the folders of runs, with something in it.
fn outside(name: &str, content: &str) -> (Folder, String) {
    let folder = Folder::new();
    folder.write(name, content);
    let path = folder.at(name).to_string_lossy().into_owned();
    (folder, path)
}

/// The run of a plan of one user with this element and a request for this path on an agent with
/// these options, and what the agent said.
fn on_agent(server: &Server, element: Option<Node>, path: &str, options: &[&str]) -> Option<(Ended, Ended)> {
    let broker = Broker::start()?;
    let group = element.into_iter().fold(plan::group(1, 3).with(plan::get(server.addr, path)), Node::with);
    let folder = Folder::with_plan([group]);
    let url = broker.url();
    let agent = Folder::new();
    let line = [&["agent", &url, "--once", "--name", "one", "-w", "1"], options].concat();
    let agent = agent.call(&line).start();
    let ended = folder.swell(&["run", "plan.jmx", "--agents", "1", "--nats", &url]);
    Some((ended, agent.wait()))
}

fn refusal(path: &str) -> String {
    format!(
        "the plan may not use `{path}`, which is outside the run's folder: the agent's owner can allow it with `swell agent --allow-files`"
    )
}

fn says_so(ended: &Ended, path: &str) {
    assert!(ended.err.contains("agent one"), "{ended}");
    assert!(ended.err.contains(&refusal(path)), "{ended}");
}

#[test]
fn functions_touch_no_files_of_the_machine_unless_its_owner_lets_them() {
    let server = Server::start(|_| Answer::ok("hello"));
    let (folder, secret) = outside("secret.csv", "s3cret,x\n");
    let new = folder.at("new.txt").to_string_lossy().into_owned();
    let calls = [
        (format!("/${{__StringToFile({new},x,false)}}"), &new),
        (format!("/${{__CSVRead({secret},0)}}"), &secret),
        (format!("/${{__FileToString({secret})}}"), &secret),
        (format!("/${{__StringFromFile({secret})}}"), &secret),
        (format!("/${{__XPath({secret},//a)}}"), &secret),
    ];
    for (path, file) in calls {
        let Some((ended, agent)) = on_agent(&server, None, &path, &[]) else { return };
        assert_ne!(ended.code, Some(0), "{path}: {ended}");
        says_so(&ended, file);
        drop(agent);
        assert!(!Path::new(&new).exists(), "{path}: {ended}");
        let leaked = server.requests().iter().any(|request| request.path().contains("s3cret"));
        assert!(!leaked, "{path}: {ended}");
    }
    let path = format!("/${{__CSVRead({secret},0)}}-${{__StringToFile({new},x,false)}}");
    let Some((ended, _)) = on_agent(&server, None, &path, &["--allow-files"]) else { return };
    let ended = ended.exits(0);
    assert!(server.requests().iter().any(|request| request.path() == "/s3cret-true"), "{ended}");
    assert!(Path::new(&new).exists());
}

#[test]
fn elements_touch_no_files_of_the_machine_unless_its_owner_lets_them() {
    let server = Server::start(|_| Answer::ok("hello"));
    let (folder, secret) = outside("secret.csv", "s3cret\n");
    let prefix = folder.at("saved_").to_string_lossy().into_owned();
    let saver =
        Element::new("ResultSaver", "ResultSaverGui", "save").with_text("FileSaver.filename", &prefix);
    let data = Element::new("CSVDataSet", "TestBeanGUI", "rows")
        // A name that is not known before the test: files whose names are come with the plan.
        .with_text("filename", "${__escapeXml(${__P(rows)})}")
        .with_text("variableNames", "row");
    let rows = format!("-Jrows={secret}");
    let cases = [
        (saver, "/page", format!("the plan may not use `{prefix}1."), None),
        (data, "/${row}", refusal(&secret), Some(&*rows)),
    ];
    for (element, path, told, options) in cases {
        let options: Vec<&str> = options.into_iter().collect();
        let Some((ended, _)) = on_agent(&server, Some(Node::new(element)), path, &options) else { return };
        assert_ne!(ended.code, Some(0), "{ended}");
        assert!(ended.err.contains("agent one") && ended.err.contains(&told), "{ended}");
    }
    let files: Vec<_> =
        std::fs::read_dir(folder.path()).expect("a folder").flatten().map(|file| file.file_name()).collect();
    assert_eq!(files, ["secret.csv"]);
    assert!(!server.requests().iter().any(|request| request.path().contains("s3cret")));
}

#[test]
fn a_data_file_that_a_property_and_a_variable_name_comes_with_the_plan() {
    let server = Server::start(|_| Answer::ok("hello"));
    let (folder, _) = outside("users.csv", "alice\n");
    let data = Element::new("CSVDataSet", "TestBeanGUI", "rows")
        .with_text("filename", "${__P(folder)}/${file}")
        .with_text("variableNames", "user")
        .with_text("recycle", "true");
    let file = Element::new("Argument", "", "file")
        .with_text("Argument.name", "file")
        .with_text("Argument.value", "users.csv");
    let variables =
        Element::new("Arguments", "ArgumentsPanel", "v").with_elements("Arguments.arguments", [file]);
    let element = Node::new(data);
    let group = plan::group(1, 3).with(Node::new(variables)).with(element);
    let Some(broker) = Broker::start() else { return };
    let plan_folder = Folder::with_plan([group.with(plan::get(server.addr, "/${user}"))]);
    let url = broker.url();
    let agent = Folder::new();
    let agent = agent.call(&["agent", &url, "--once", "--name", "one", "-w", "1"]).start();
    let given = format!("-Jfolder={}", folder.path().display());
    let run = ["run", "plan.jmx", "--agents", "1", "--nats", &url, &given];
    plan_folder.swell(&run).exits(0);
    agent.wait().exits(0);
    assert_eq!(server.requests().iter().filter(|request| request.path() == "/alice").count(), 3);
}

#[test]
fn an_upload_and_a_local_page_are_files_too() {
    let server = Server::start(|_| Answer::ok("hello"));
    let (_folder, secret) = outside("secret.txt", "s3cret");
    let name = "${__escapeXml(${__P(file)})}";
    let file = Element::new("HTTPFileArg", "", name)
        .with_text("File.path", name)
        .with_text("File.paramname", "f")
        .with_text("File.mimetype", "text/plain");
    let files = Element::new("HTTPFileArgs", "", "").with_elements("HTTPFileArgs.files", [file]);
    let mut upload = plan::get(server.addr, "/upload");
    upload.element = upload.element.with_element("HTTPsampler.Files", files);
    upload.element.set_text("HTTPSampler.method", "POST");
    let mut local = plan::get(server.addr, "");
    local.element.set_text("HTTPSampler.protocol", "file");
    local.element.set_text("HTTPSampler.path", name);
    let given = format!("-Jfile={secret}");
    for sampler in [upload, local] {
        let Some((ended, _)) = on_agent(&server, Some(sampler), "/page", &[&*given]) else { return };
        assert_ne!(ended.code, Some(0), "{ended}");
        assert!(ended.err.contains("the plan may not use `"), "{ended}");
        assert!(
            !server
                .requests()
                .iter()
                .any(|request| String::from_utf8_lossy(&request.body).contains("s3cret"))
        );
    }
}

//! Start options of the JVM: class path, Java system properties, log levels.

use swell_plan::Node;
use swell_run::{JvmPlace, ScriptMode};

use crate::plans::{jvm, plan, run_with, sampler, script};

#[test]
fn the_class_path_of_the_plan_and_system_properties_reach_scripts() {
    let Some(_jvm) = jvm() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("extra/mark.txt", "plan"), ("own/own.txt", "user")] {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().expect("in the folder")).expect("it is ours");
        std::fs::write(file, text).expect("it is ours");
    }
    let text = "def read = { this.class.getResource(it)?.text }; \
                vars.put('seen', [read('/mark.txt'), read('/own.txt'), System.getProperty('of.java')].join(' '))";
    let mut plan = plan(1, vec![sampler("s").with(Node::new(script("JSR223PreProcessor", text)))]);
    plan.root.element =
        plan.root.element.clone().with_text("TestPlan.user_define_classpath", "extra, absent.jar");
    let ran = run_with(&plan, |settings| {
        settings.files.plan_dir = folder.path().to_owned();
        settings.props.set("user.classpath", &folder.path().join("own").display().to_string());
        settings.jvm.system_properties = vec![("of.java".to_owned(), "system".to_owned())];
        // One process has one class path, and other tests have theirs.
        settings.jvm.place = JvmPlace::Child;
    });
    assert_eq!(ran.samples[0].message, "plan user system", "{}", ran.log);
}

#[test]
fn scripts_know_the_name_and_the_folder_of_their_plan() {
    let Some(_jvm) = jvm() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let text = "def files = org.apache.jmeter.services.FileServer.fileServer; \
                vars.put('seen', files.scriptName + ' ' + files.baseDir)";
    let plan = plan(1, vec![sampler("s").with(Node::new(script("JSR223PreProcessor", text)))]);
    for name in ["first.jmx", "second.jmx"] {
        let ran = run_with(&plan, |settings| {
            settings.files.plan_dir = folder.path().to_owned();
            settings.plan_name = name.to_owned();
        });
        let wanted = format!("{name} {}", folder.path().display());
        assert_eq!(ran.samples[0].message, wanted, "{}", ran.log);
    }
}

#[test]
fn a_script_that_imports_an_absent_library_is_told_what_to_install() {
    let Some(_jvm) = jvm() else { return };
    let text = "import org.skyscreamer.jsonassert.JSONAssert\nJSONAssert.assertEquals('{}', '{}', true)";
    let plan = plan(2, vec![sampler("s").with(Node::new(script("JSR223PostProcessor", text)))]);
    let ran = run_with(&plan, |settings| settings.scripts = ScriptMode::Auto);
    let hint = "org.skyscreamer.jsonassert.JSONAssert is not on JMeter's class path: \
                `swell jvm install org.skyscreamer:jsonassert:";
    assert_eq!(ran.log.matches(hint).count(), 1, "{}", ran.log);
}

#[test]
fn scripts_see_how_many_users_their_thread_group_has() {
    let Some(_jvm) = jvm() else { return };
    let text = "vars.put('seen', '' + ctx.threadGroup.numThreads + ' ' + ctx.threadNum)";
    let mut plan = plan(1, vec![sampler("s").with(Node::new(script("JSR223PreProcessor", text)))]);
    let group = &mut plan.root.children[0];
    group.element = group.element.clone().with_text("ThreadGroup.num_threads", "3");
    let ran = run_with(&plan, |_| {});
    let mut seen: Vec<_> = ran.samples.iter().map(|sample| sample.message.as_str()).collect();
    seen.sort_unstable();
    assert_eq!(seen, ["3 0", "3 1", "3 2"], "{}", ran.log);
}

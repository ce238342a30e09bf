//! Public plans: all of them can be prepared, and every element is accounted for.

use std::path::Path;
use std::sync::Arc;

use swell_engine::{Settings, Support, prepare, survey};
use swell_expr::testing::TestHost;
use swell_expr::{ForeignFunctions, Properties, RunInfo};
use swell_plan::Severity;

#[test]
fn every_public_plan_is_prepared_and_surveyed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/plans");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("{} is not there: nothing tested", folder.display());
        return;
    };
    let registry = crate::bench::all_kinds();
    for file in
        files.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "jmx"))
    {
        let Some(plan) = swell_plan::read(&std::fs::read(&file).unwrap(), Some(&file)).plan else { continue };
        let settings = Settings {
            props: Arc::new(Properties::default()),
            host: Arc::new(TestHost::default()),
            run: Arc::new(RunInfo::default()),
            functions: ForeignFunctions::default(),
            edit: None,
            trace: None,
        };
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        match prepare(&plan, &registry, settings) {
            Err(diagnostics) => {
                assert!(diagnostics.iter().any(|found| found.severity == Severity::Error), "{name}");
            }
            Ok(prepared) => {
                let all = survey(&prepared, &registry);
                assert!(!all.is_empty(), "{name}");
                for found in all {
                    if let Support::Unsupported(why) = found.support {
                        println!("{:<60} {why}", found.class);
                    }
                }
            }
        }
    }
}

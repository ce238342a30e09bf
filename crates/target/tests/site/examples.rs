//! The plans in `examples/` fit the site.

use std::path::Path;

use super::client::{Client, site};

#[test]
fn plans_are_read_without_complaint_and_ask_for_what_exists() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let index = Client::new(&site()).get("/").text().to_owned();
    let mut plans = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jmx") {
            continue;
        }
        plans += 1;
        let bytes = std::fs::read(&path).unwrap();
        let reading = swell_plan::read(&bytes, Some(&path));
        assert!(reading.diagnostics.is_empty(), "{}: {:?}", path.display(), reading.diagnostics);
        let text = String::from_utf8(bytes).unwrap();
        for asked in text.split("name=\"HTTPSampler.path\">").skip(1) {
            let asked = asked.split('<').next().unwrap();
            let name = asked.split('/').nth(1).unwrap_or("");
            let shown = ["\"", "/", "?"].map(|end| index.contains(&format!("href=\"/{name}{end}")));
            assert!(shown.contains(&true), "{}: the site has no {asked}", path.display());
        }
    }
    assert!(plans >= 3, "{plans}");
}

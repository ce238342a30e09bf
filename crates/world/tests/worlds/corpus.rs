//! Worlds that once failed.

use serde::Deserialize;
use swell_world::WorldOptions;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    world: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// What failed.
    was: String,
    options: WorldOptions,
}

#[test]
fn worlds_that_once_failed_hold() {
    let corpus: Corpus = toml::from_str(include_str!("../../seeds.toml")).expect("the corpus is TOML");
    assert!(!corpus.world.is_empty());
    for Entry { was, options } in corpus.world {
        assert!(!was.is_empty());
        let result = options.run();
        assert!(result.wrong.is_empty(), "{was}\n{}", result.wrong.join("\n"));
    }
}

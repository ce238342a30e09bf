//! The elements of all protocols and listeners.

use swell_api::{ListenerFactory, Registry};
use swell_results::{
    COLLECTORS, ResultFiles, backend_factory, flexible_writer_factory, prometheus_factory,
    result_collector_factory, result_saver_factory, summariser_factory,
};

/// The elements of all protocols and listeners, and listeners of the caller by their classes. What listeners write goes to `files`.
pub fn registry(files: &ResultFiles, listeners: &[(&'static str, ListenerFactory)]) -> Registry {
    let mut registry = Registry::default();
    swell_http::register(&mut registry);
    swell_samplers::register(&mut registry);
    let collectors = result_collector_factory(files);
    registry.listeners.insert("kg.apc.jmeter.reporters.FlexibleFileWriter", flexible_writer_factory(files));
    registry.listeners.insert("BackendListener", backend_factory(files));
    registry.listeners.insert("com.github.johrstrom.listener.PrometheusListener", prometheus_factory(files));
    registry.listeners.insert("Summariser", summariser_factory(files));
    registry.listeners.insert("ResultSaver", result_saver_factory(&files.options().plan_dir));
    registry.listeners.extend(COLLECTORS.map(|class| (class, collectors.clone())));
    registry.listeners.extend(listeners.iter().cloned());
    registry
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_elements::reference::{self, Treatment};
    use swell_plan::{Element, Node};
    use swell_results::FileOptions;

    #[test]
    fn the_table_of_elements_says_what_there_is_code_for() {
        let folder = std::env::temp_dir();
        let registry =
            registry(&ResultFiles::new(FileOptions { dry_run: true, ..FileOptions::new(&folder) }), &[]);
        // What of them is native depends on a property.
        let by_settings = ["JavaSampler"];
        for entry in reference::entries().filter(|entry| !by_settings.contains(&entry.class)) {
            for class in entry.classes() {
                let gui = entry.guis.first().copied().unwrap_or_default();
                let node = Node::new(Element::new(class, gui, "x"));
                let native = entry.treatment == Treatment::Native;
                assert!(
                    !native || swell_engine::is_made(&node, &registry),
                    "{class}: there is no code for it"
                );
            }
        }
        let brought = registry.samplers.keys().chain(registry.listeners.keys());
        let steps = registry.pre_processors.keys().chain(registry.post_processors.keys());
        let configs = registry.sampler_configs.iter().chain(registry.assertions.keys());
        for class in brought.chain(steps).chain(configs) {
            let known = reference::entries().any(|entry| entry.classes().any(|known| known == *class));
            assert!(known, "{class} has no entry in crates/elements/src/reference");
        }
    }
}

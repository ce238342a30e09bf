//! Elements of a plan. The only place that knows their properties; [`swell hit`](crate) builds its
//! plans with the same functions.
//!
//! All texts are texts of a plan already: data has passed [`literal`] or [`crate::Text::to_plan`].

mod configs;
mod controllers;
mod http;
mod responses;
mod timers;

pub use configs::{
    auth_manager, authorization, cookie_manager, data_set, header, header_manager, http_defaults,
    user_parameters, variables,
};
pub(crate) use controllers::with_comment;
pub use controllers::{
    GroupLoad, group_controller, if_controller, loop_controller, once_controller, open_model_group,
    switch_controller, test_plan, thread_group, transaction, while_controller,
};
pub use http::{Content, ContentPart, ContentValue, FormField, http_request, with_content};
pub use responses::{
    Field, Match, Scope, boundary_extractor, constant_extractor, css_extractor, duration_assertion,
    groovy_assertion, html_xpath_assertion, jmespath_assertion, jmespath_extractor, json_assertion,
    json_extractor, md5_assertion, regex_extractor, response_assertion, script_after, script_before,
    size_assertion, xpath_assertion, xpath_extractor,
};
pub use timers::{constant_timer, random_timer, throughput_timer};

/// Data as a text of a plan, which gives it back as it is.
pub fn literal(text: &str) -> String {
    crate::Text::literal(text).to_plan()
}

//! The HTTP Request sampler with its cookies, cache, redirects and compression.

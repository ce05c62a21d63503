//! The TOML schema: plain data, its defaults, loading and validation (floor 0).

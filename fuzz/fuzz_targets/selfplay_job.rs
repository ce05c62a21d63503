#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kyomi_fuzz::run("selfplay_job", data));

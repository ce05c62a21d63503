//! The `kyomi-lab` program: see [`kyomi_lab::cli`].

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(code) = kyomi::players::run_as_engine_guard(std::env::args_os()) {
        return code;
    }
    kyomi_lab::cli::main(std::env::args_os())
}

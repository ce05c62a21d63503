//! The `kyomi` program: see [`kyomi::cli`].

fn main() -> std::process::ExitCode {
    kyomi::cli::main(std::env::args_os())
}

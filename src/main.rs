//! The `kyomi` program: see [`kyomi::cli`].

fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}

//! One file per subcommand: parse arguments, call one function below, print (floor 6).

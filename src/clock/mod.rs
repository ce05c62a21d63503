//! Time controls, the ledger of both sides, and the budget for one move (floor 2).

//! The CSA record format.

mod error;
mod read;
mod write;

pub use error::{RecordError, RecordFault};
pub use read::{ReadRecord, Warning, read, read_each};
pub use write::{write, write_end, write_header, write_move};

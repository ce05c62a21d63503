//! Text that people and other programs write.

mod line;
mod nearest;
mod random;
mod secret;

pub use line::{Line, LineCodec, MAX_LINE, printable};
pub use nearest::nearest_word;
pub use random::{unguessable, unguessable_word};
pub use secret::Secret;

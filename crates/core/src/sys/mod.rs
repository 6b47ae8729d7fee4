//! The machine: CPU instruction sets, memory limits, threads and bounded input.

pub mod cpu;
pub mod lines;
pub mod memory;
pub mod pool;

pub use cpu::{Cpu, CpuError};
pub use memory::available_memory;
pub use pool::CancelToken;

//! Long work: run beside the server, its events streamed as lines of JSON.
//!
//! Each kind of work has a lane with a number of jobs at a time and a bounded queue. A job is
//! cancelled when its page closes the stream.

use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame};
use perft_core::CancelToken;
use serde::Serialize;
use serde_json::json;
use serde_json::ser::Formatter;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// Events that wait for a slow reader. Progress beyond that is dropped.
const MAX_WAITING_EVENTS: usize = 64;

/// Jobs of a lane that wait.
const MAX_WAITING_JOBS: usize = 16;

/// A queue of jobs.
pub struct Lane {
    permits: Arc<Semaphore>,
    /// Running and waiting jobs.
    jobs: Arc<AtomicUsize>,
    max_jobs: usize,
}

impl Lane {
    /// A lane with so many jobs at a time.
    pub fn new(at_a_time: usize) -> Self {
        let permits = Arc::new(Semaphore::new(at_a_time));
        Self { permits, jobs: Arc::default(), max_jobs: at_a_time + MAX_WAITING_JOBS }
    }

    /// Runs a job when its turn comes. Returns its events; `None` if the queue is full.
    pub fn run(
        &self,
        parent: &CancelToken,
        work: impl FnOnce(&Events) -> Result<(), String> + Send + 'static,
    ) -> Option<ResponseBody> {
        let place = Place::take(&self.jobs, self.max_jobs)?;
        let (sender, receiver) = mpsc::channel(MAX_WAITING_EVENTS);
        let cancel = JobCancel { token: parent.child(), engine: Arc::default() };
        let events = Events { sender, cancel: cancel.clone() };
        let permits = Arc::clone(&self.permits);
        tokio::spawn(async move {
            let Some(permit) = turn(permits, &events).await else { return };
            tokio::task::spawn_blocking(move || {
                if let Err(error) = work(&events) {
                    events.send(&json!({ "event": "error", "message": error }));
                }
                drop((permit, place));
            });
        });
        Some(ResponseBody::Events(receiver, cancel))
    }
}

/// Waits for a permit; `None` if the reader is gone before.
async fn turn(permits: Arc<Semaphore>, events: &Events) -> Option<OwnedSemaphorePermit> {
    let (mut permit, mut gone) = (pin!(permits.acquire_owned()), pin!(events.sender.closed()));
    poll_fn(|context| match gone.as_mut().poll(context) {
        Poll::Ready(()) => Poll::Ready(None),
        Poll::Pending => permit.as_mut().poll(context).map(Result::ok),
    })
    .await
}

/// A place in a queue.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(jobs: &Arc<AtomicUsize>, max: usize) -> Option<Self> {
        let more = |jobs| (jobs < max).then_some(jobs + 1);
        let taken = jobs.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        taken.ok().map(|_| Self(Arc::clone(jobs)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Cancels a job, and the engine while that works for the job.
#[derive(Clone)]
pub struct JobCancel {
    token: CancelToken,
    engine: Arc<Mutex<Option<CancelToken>>>,
}

impl JobCancel {
    fn cancel(&self) {
        self.token.cancel();
        if let Some(engine) = &*self.engine.lock().unwrap_or_else(PoisonError::into_inner) {
            engine.cancel();
        }
    }
}

/// The events of a job.
#[derive(Clone)]
pub struct Events {
    sender: mpsc::Sender<Bytes>,
    cancel: JobCancel,
}

impl Events {
    /// Sends an event that must arrive. If its reader is gone, the job is cancelled.
    pub fn send(&self, event: &impl Serialize) {
        if self.sender.blocking_send(line(event)).is_err() {
            self.cancel.cancel();
        }
    }

    /// Sends an event that may be dropped if the reader is slow.
    pub fn send_progress(&self, event: &impl Serialize) {
        if let Err(mpsc::error::TrySendError::Closed(_)) = self.sender.try_send(line(event)) {
            self.cancel.cancel();
        }
    }

    /// The token of the job.
    pub fn cancel_token(&self) -> &CancelToken {
        &self.cancel.token
    }

    /// Names the engine that works for the job, to be cancelled with it.
    pub fn set_engine(&self, engine: Option<CancelToken>) {
        *self.cancel.engine.lock().unwrap_or_else(PoisonError::into_inner) = engine;
        if self.cancel.token.is_cancelled() {
            self.cancel.cancel();
        }
    }
}

/// An event as a line of JSON. A number that JavaScript would round is text.
fn line(event: &impl Serialize) -> Bytes {
    let mut line = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut line, ExactNumbers);
    // Writing to memory does not fail.
    _ = event.serialize(&mut serializer);
    line.push(b'\n');
    Bytes::from(line)
}

struct ExactNumbers;

impl Formatter for ExactNumbers {
    fn write_u64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: u64) -> io::Result<()> {
        self.write_u128(writer, value.into())
    }

    fn write_u128<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: u128) -> io::Result<()> {
        /// The numbers up to here are exact in JavaScript.
        const MAX_EXACT: u128 = (1 << 53) - 1;
        match value {
            0..=MAX_EXACT => write!(writer, "{value}"),
            _ => write!(writer, "\"{value}\""),
        }
    }
}

/// The body of a response: whole, or the events of a job.
pub enum ResponseBody {
    Whole(Bytes),
    Events(mpsc::Receiver<Bytes>, JobCancel),
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.get_mut() {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Events(receiver, _) => {
                receiver.poll_recv(context).map(|event| event.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }
}

/// The end of the response, or of its connection.
impl Drop for ResponseBody {
    fn drop(&mut self) {
        if let Self::Events(_, cancel) = self {
            cancel.cancel();
        }
    }
}

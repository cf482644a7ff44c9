/// The loop's own objects, carried inside the `Sendable` loop.
///
/// Unchecked, because the compiler can't see the rule that makes it safe: `EventLoop.core` is the
/// way in and stops the process on any thread but the loop's. The three other uses are `init`
/// (nobody else has the loop yet), the loop's own thread function, and `wake()`, which only reads a
/// constant pointer and calls the one libuv function that any thread may call.
struct LoopConfined: @unchecked Sendable {
    let unchecked: LoopCore

    init(_ core: LoopCore) { unchecked = core }
}

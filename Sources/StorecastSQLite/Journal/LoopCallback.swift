import StorecastRoom

/// A closure of a loop's, carried by other threads, that is called once, on the loop.
///
/// Unchecked, because the compiler can't see the rule that makes it safe: it is made on the loop,
/// and what it was made of is touched, and let go, in work that runs on the loop only.
final class LoopCallback<Value: Sendable>: @unchecked Sendable {
    private let loop: JournalLoop
    private var body: ((Value) -> Void)?

    init(_ loop: @escaping JournalLoop, _ body: @escaping (Value) -> Void) {
        self.loop = loop
        self.body = body
    }

    /// Hands the value over; from any thread, once.
    func call(_ value: Value) {
        loop {
            let body = self.body
            self.body = nil
            body?(value)
        }
    }
}

import Synchronization

/// A value that several threads of a test change.
final class Shared<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: Value) { content = Mutex(value) }

    var value: Value { content.withLock { $0 } }

    func change(_ body: @Sendable (inout Value) -> Void) { content.withLock { body(&$0) } }
}

import GRDB

extension Database {
    /// A transaction that returns something; rolled back if `body` throws.
    func inTransactionReturning<Value>(_ body: () throws -> Value) throws -> Value {
        var value: Value?
        try inTransaction(.immediate) {
            value = try body()
            return .commit
        }
        guard let value else { preconditionFailure("A transaction that ended ran its body.") }
        return value
    }
}

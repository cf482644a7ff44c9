import StorecastSQLite
import StorecastRoom

extension CommandFailure {
    /// Runs `body`; what a journal's file says it can't do is what the command says.
    static func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as JournalError {
            throw CommandFailure(error)
        }
    }
}

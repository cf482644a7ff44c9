import StorecastRoom
@testable import StorecastSQLite

/// The texts of a journal: a line of an export, and the columns of a row.
func fuzzJournal(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    if let line = try? JournalLine(bytes[...]) {
        guard let written = try? line.bytes(),
            let again = try? JournalLine(written.dropLast())
        else { preconditionFailure("what was read can be written, and read again") }
        // Space between the tokens of a payload isn't kept.
        precondition((try? again.bytes()) == written, "as it was")
    }
    if let roles = try? EntryRow.roles(bytes) {
        precondition((try? EntryRow.roles(EntryRow.text(roles: roles))) == roles, "roles")
    }
    if let actions = try? EntryRow.actions(bytes) {
        let again = try? EntryRow.actions(EntryRow.text(actions: actions))
        precondition(again == actions, "actions")
    }
}

/// Why a snapshot can't be written or used, as a sentence.
struct SnapshotError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

package import StorecastWire

/// A ``RoomReplay`` of any state, for tools.
package protocol AnyRoomReplay: AnyObject {
    var version: UInt64 { get }
    var offset: UInt64 { get }

    @discardableResult
    func reduce(
        _ record: JournalRecord, at offset: UInt64
    ) throws(JournalError) -> ReplayedEntry
    func restore(_ kept: JournalSnapshot) throws
    func agrees(with kept: JournalSnapshot) throws -> Bool
    func keptSnapshot() throws -> JournalSnapshot
    func tree() throws -> JSON
    func value(of selection: String, _ parameters: JSON?, viewer: Identity) throws -> JSON
}

extension RoomReplay: AnyRoomReplay {}

/// A ``JournalVerification`` of any state, for tools.
package protocol AnyJournalVerification: AnyObject {
    var divergence: Divergence? { get }
    var verified: (entries: Int, snapshots: Int) { get }

    func add(_ record: JournalRecord, at offset: UInt64) throws
    func check(_ kept: JournalSnapshot) throws
    func finish() throws
}

extension JournalVerification: AnyJournalVerification {}

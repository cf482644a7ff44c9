package import StorecastSync

/// Where the text of a ``MirrorCache`` is kept across restarts of its process.
///
/// Every function may block for as long as its disk takes. Belongs to one session.
package protocol MirrorStorage: AnyObject {
    /// All that is there; nil if there is nothing, more than `most` bytes, or it can't be read.
    func read(atMost most: Int) -> [UInt8]?
    /// Puts `text` in the place of everything. A crash leaves the old text, the new one, or one that
    /// is torn.
    func replace(with text: [UInt8]) throws(Rejection)
    /// Takes everything away, for good.
    func remove() throws(Rejection)
}

/// What encrypts a ``MirrorCache``; nil functions leave it as it is.
package struct MirrorSealing: Sendable {
    var seal: (@Sendable ([UInt8]) throws -> [UInt8])?
    var open: (@Sendable ([UInt8]) throws -> [UInt8])?

    package init(
        seal: (@Sendable ([UInt8]) throws -> [UInt8])? = nil,
        open: (@Sendable ([UInt8]) throws -> [UInt8])? = nil
    ) {
        self.seal = seal
        self.open = open
    }
}

/// A cache's storage in memory, which can fail: for tests and simulations.
package final class MemoryMirrorStorage: MirrorStorage {
    package var text: [UInt8]?
    /// What every write fails with; nil if they work.
    package var failure: Rejection?
    /// How often it was written.
    package private(set) var writes = 0

    package init(_ text: [UInt8]? = nil) {
        self.text = text
    }

    package func read(atMost most: Int) -> [UInt8]? { (text?.count ?? 0) > most ? nil : text }

    package func replace(with text: [UInt8]) throws(Rejection) {
        if let failure { throw failure }
        writes += 1
        self.text = text
    }

    package func remove() throws(Rejection) {
        if let failure { throw failure }
        text = nil
    }
}

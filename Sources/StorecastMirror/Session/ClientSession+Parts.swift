import StorecastSync
import StorecastWire

/// A value that comes in parts, until the message that goes on from it.
struct PartedValue {
    var parts: IncomingParts
    /// The value, when all of it has come.
    var value: JSON?
    /// Whether the server may have ended it, so that another may begin.
    var mayBeOver = false
}

/// Large values come in parts. A whole one is what a resumed subscription has: the client's copy as
/// of its version, which counts when `current`, or a patch, goes on from there.
extension ClientSession {
    /// Takes a part; false if the connection can't go on.
    func takePart(_ message: UnsafeRawBufferPointer) -> Bool {
        do throws(FrameError) {
            guard phase == .live, takesParts else {
                throw .part("The server hasn't said that it sends parts.")
            }
            let (part, text) = try SnapshotPart.read(message)
            guard transaction == nil else { throw .part("It is in a transaction.") }
            if part.offset == 0 { try begin(part) }
            guard parted?.value == nil else { throw .part("Its value is there already.") }
            try parted?.parts.append(part, text)
            guard parted != nil else { throw .part("Those before it are missing.") }
            try finish()
            return true
        } catch {
            delegate?.trouble("\(error.title) \(error.detail ?? "")")
            return false
        }
    }

    private func begin(_ first: SnapshotPart) throws(FrameError) {
        guard parted?.mayBeOver != false else {
            throw .part("It begins a value before the last one is there.")
        }
        let mirrors = mirrors[sub: first.sub]
        let fits = first.bytes <= UInt64(clamping: largestValue)
        parted = PartedValue(
            parts: IncomingParts(first, isWanted: fits && !mirrors.isEmpty),
            mayBeOver: !fits || mirrors.isEmpty)
        if !fits { refuse(mirrors, first.bytes) }
    }

    /// Reads the value when its last part has come.
    private func finish() throws(FrameError) {
        guard let parts = parted?.parts, parts.isComplete else { return }
        guard let text = parts.text else {
            parted = nil
            return
        }
        do {
            parted?.value = try JSONDocument(text, limits: Self.incoming).root.json
            parted?.parts.discard()
        } catch {
            throw .part("The whole is no JSON: \(error.message)")
        }
    }

    private func refuse(_ mirrors: [Mirror], _ bytes: UInt64) {
        let rejection = Rejection(
            .tooLarge, "The selection's value is larger than this client takes.",
            detail: "It has \(bytes) bytes; \(largestValue) are taken.")
        for mirror in mirrors {
            unsubscribe(mirror)
            self.mirrors.end(mirror)
            mirror.fail(rejection)
        }
        announce(mirrors, settled: takeSettled())
    }

    /// The value that came in parts, if `message` goes on from it; either way it has served.
    func takeParted(for message: MirrorPart) -> (JSON, version: UInt64)? {
        guard let parted, parted.parts.sub == message.sub, let value = parted.value
        else { return nil }
        self.parted = nil
        let base =
            switch message.content {
            case .current(_, let version): version
            case .patch(_, let from, _, _): from
            default: UInt64?.none
            }
        let version = parted.parts.version
        return base == version ? (value, version) : nil
    }

    /// Whether a message of `sub` comes while its value is still coming.
    func interruptsParts(_ sub: UInt64) -> Bool {
        guard let parted, parted.parts.sub == sub else { return false }
        return parted.value == nil && !parted.mayBeOver
    }

    /// The subscription has ended, or the client has said that it ends: its parts may be over.
    func endParts(of sub: UInt64?) {
        guard let sub, parted?.parts.sub == sub else { return }
        parted?.mayBeOver = true
        // A mirror that is about to be told its number may share the value.
        let isWanted = mirrors.all.contains {
            $0.sub == sub || $0.sub == nil && !$0.isRefused
        }
        if !isWanted {
            parted?.parts.discard()
            parted?.value = nil
        }
    }
}

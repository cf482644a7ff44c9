@testable import StorecastMirror
import StorecastWire

/// What a client has kept of its mirrors: as it is, and with its first line behind a checksum.
func fuzzCache(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    let index = Array(bytes[..<end])
    let client = "ada-0123456789abcdef"
    let home = MirrorCache.Home(room: "/", viewer: "ada", client: client)
    for text in [bytes, ChecksummedLine.text(of: index) + bytes.dropFirst(end + 1)] {
        let storage = MemoryMirrorStorage(text)
        let cache = MirrorCache(home, limits: CacheLimits(), in: storage)
        guard let start = cache.start else { continue }
        let session = ClientSession(outbox: SharedOutbox(client: client), cache: cache)
        for key in cache.entries.keys {
            _ = session.mirror(key.selection.string, key.parameters).value
        }
        cache.noteChange()
        cache.save([], at: start.position, in: start.term)
        let again = MirrorCache(home, limits: CacheLimits(), in: storage)
        precondition(again.start?.position == start.position, "what was read can be read again")
        precondition(again.entries.count == cache.entries.count, "with all that was in it")
    }
}

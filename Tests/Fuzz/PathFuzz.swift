@testable import StorecastServer
import StorecastSync
@testable import StorecastWebSocket

/// Paths of URLs, names of hosts, and the first line of a request.
func fuzzPath(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    _ = UpgradeRules.problem(head: bytes)
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    checkRoom(text)
    for name in [HostName(authority: text), HostName(origin: text), HostName(address: text)] {
        _ = name.isLocal
        _ = name.network
    }
    _ = ServedHosts(listeningOn: "127.0.0.1", allowed: [text]).admits(text)
}

private func checkRoom(_ path: String) {
    precondition(RoomPath.areOneRoom(path, path), "a path names what it names")
    guard let name = RoomPath.name(of: path) else { return }
    precondition(RoomPath.isName(name), "what is named is a name")
    let escaped = name.utf8.map { byte in
        byte == UInt8(ascii: "/")
            ? "/" : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    precondition(RoomPath.areOneRoom(path, escaped.joined()), "escaped or not")
}

import Glibc

// Feeds arbitrary bytes, which libFuzzer makes up from what the code does with them, to everything
// that reads what others have written. `Tests/Fuzz/run` builds and runs it.
//
// A crash is a trap, an access out of bounds, or one of the promises that a target checks and that
// doesn't hold.

/// What is given the bytes, by the name in the environment variable `FUZZ_TARGET`.
private let targets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
    "json": fuzzJSON, "patch": fuzzPatch, "pointer": fuzzPointer, "path": fuzzPath,
    "websocket": fuzzWebSocket, "messages": fuzzMessages, "journal": fuzzJournal,
    "request": fuzzRequest, "jwt": fuzzJWT, "cache": fuzzCache,
]

private let target: @Sendable (UnsafeRawBufferPointer) -> Void = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = targets[name] else {
        fatalError("FUZZ_TARGET is none of \(targets.keys.sorted().joined(separator: ", ")).")
    }
    return target
}()

/// libFuzzer's entry: one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}

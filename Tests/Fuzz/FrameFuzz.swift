// Feeds arbitrary bytes to the reader of clients' frames. Not a target of the package; build and
// run it from the package's folder:
//
//   swiftc -parse-as-library -O -wmo -sanitize=fuzzer,address -swift-version 6 \ -package-name
//     storecast -module-name FrameFuzz -o /tmp/frame-fuzz \
//     Sources/StorecastWebSocket/Frames/*.swift \ Sources/StorecastWebSocket/EventLoop/Inbox.swift
//     Tests/Fuzz/FrameFuzz.swift mkdir -p /tmp/frame-corpus && /tmp/frame-fuzz -max_total_time=60
//     -max_len=1024 /tmp/frame-corpus
//
// A crash is a trap, an access out of bounds, or one of the promises below that doesn't hold.

private let limit = 200

/// libFuzzer's entry: one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let whole = steps(of: [bytes])
    precondition(steps(of: bytes.map { [$0] }) == whole, "one byte at a time")
    guard let first = bytes.first else { return 0 }
    let cut = Int(first) % (count + 1)
    precondition(steps(of: [Array(bytes[..<cut]), Array(bytes[cut...])]) == whole, "in two pieces")
    return 0
}

private func steps(of pieces: [[UInt8]]) -> [String] {
    var reader = FrameReader(limit: limit)
    var steps: [String] = []
    for piece in pieces {
        var piece = piece
        piece.withUnsafeMutableBytes { buffer in
            var bytes = buffer
            while let step = describe(reader.next(&bytes)) {
                precondition(!isLast(steps.last), "nothing follows the end")
                steps.append(step)
            }
            precondition(bytes.isEmpty, "all is taken")
        }
    }
    return steps
}

private func isLast(_ step: String?) -> Bool {
    guard let step else { return false }
    return step.hasPrefix("close") || step.hasPrefix("violation")
}

private func describe(_ step: FrameReader.Step) -> String? {
    switch step {
    case .more: return nil
    case .text(let text): return describe(text: Array(text))
    case .assembled(let text): return describe(text: text)
    case .ping(let payload):
        precondition(payload.count <= 125, "a control frame's length")
        return "ping \(payload)"
    case .pong: return "pong"
    case .close(let frame, let isValid):
        precondition(frame.code == 1005 || CloseFrame.mayTravel(frame.code), "a code that travels")
        return "close \(frame) \(isValid)"
    case .violation(let frame): return "violation \(frame)"
    }
}

private func describe(text: [UInt8]) -> String {
    precondition(text.count <= limit, "the limit of a message")
    precondition(String(validating: text, as: UTF8.self) != nil, "a message is UTF-8")
    return "text \(text)"
}

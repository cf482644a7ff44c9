@testable import StorecastWebSocket

private let limit = 200

/// The reader of clients' WebSocket frames: in whatever pieces they come, it takes the same.
func fuzzWebSocket(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    let whole = steps(of: [bytes])
    precondition(steps(of: bytes.map { [$0] }) == whole, "one byte at a time")
    guard let first = bytes.first else { return }
    let cut = Int(first) % (bytes.count + 1)
    precondition(steps(of: [Array(bytes[..<cut]), Array(bytes[cut...])]) == whole, "in two pieces")
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

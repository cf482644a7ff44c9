import StorecastWire

/// The readers of messages, from clients and from servers.
func fuzzMessages(_ input: UnsafeRawBufferPointer) {
    var limits = JSONLimits()
    limits.depth = 64
    var number = 0
    for frame in ClientFrames(reading: input, limits: limits) {
        if case .failure(let error) = frame {
            precondition(!error.title.isEmpty, "an error has a sentence")
            if let index = error.index { precondition(index == number, "and says where") }
        }
        number += 1
    }
    precondition(number > 0, "every message has an answer")
    _ = try? ServerFrame(reading: input, limits: limits)
}

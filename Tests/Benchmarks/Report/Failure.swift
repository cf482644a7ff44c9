import Glibc

/// A sentence for whoever runs the benchmarks.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ sentence: String) {
        description = sentence
    }

    init(_ what: String, code: Int32) {
        description = "Can't \(what): \(String(cString: strerror(code)))"
    }
}

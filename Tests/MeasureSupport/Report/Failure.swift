import Glibc

/// A sentence for whoever runs the benchmarks.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ sentence: String) {
        description = sentence
    }

    package init(_ what: String, code: Int32) {
        description = "Can't \(what): \(String(cString: strerror(code)))"
    }
}

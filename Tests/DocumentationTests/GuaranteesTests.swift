import Foundation
import Testing

/// `Guarantees.md` leaves out no outcome that a client gives a dispatch itself.
struct GuaranteesTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test func `every outcome of a client's own is told`() throws {
        let page = try String(
            contentsOf: Self.root.appending(path: "Docs/Guarantees.md"), encoding: .utf8)
        let section = try #require(
            page.split(separator: "\n### ").first { $0.hasPrefix("1. Every dispatch") })
        let outbox = try String(
            contentsOf: Self.root.appending(
                path: "Sources/StorecastMirror/Outbox/Rejection+Outbox.swift"), encoding: .utf8)
        let codes = outbox.matches(of: /Self\("([a-z-]+)"\)/).map { String($0.1) }
        #expect(codes.count >= 4)
        for code in codes + ["invalid", "closed", "outcome-unknown"] {
            let isTold = section.contains("| `\(code)` |")
            #expect(isTold, "Guarantees.md leaves out \(code).")
        }
    }
}

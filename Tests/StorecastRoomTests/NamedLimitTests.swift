import Foundation
import StorecastRoom
import Testing

struct NamedLimitTests {
    @Test func `every bound has a name, and every name is a bound's`() {
        var properties: Set<String> = []
        func add(_ value: Any, _ prefix: String) {
            for child in Mirror(reflecting: value).children {
                let name = prefix + Self.hyphenated(child.label ?? "")
                if child.value is SyncRate || child.value is SnapshotPolicy {
                    add(child.value, name + "-")
                } else {
                    properties.insert(name)
                }
            }
        }
        add(SyncLimits(), "")
        // It may be that all are kept.
        properties.remove("snapshots-kept")
        #expect(properties == Set(NamedLimit.all.map(\.name)))
        #expect(NamedLimit.all.count == properties.count)
    }

    private static func hyphenated(_ name: String) -> String {
        name.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
    }

    @Test func `the document has each with its default`() throws {
        let document = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../Docs/Limits.md"), encoding: .utf8)
        let rows = document.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .map { $0.split(separator: "|").map { $0.trimmingPrefix(" ") } }
        let limits = SyncLimits()
        #expect(rows.count == NamedLimit.all.count)
        for limit in NamedLimit.all {
            #expect(
                document.contains("\n| `\(limit.name)` | \(limit.text(in: limits)) | "),
                "\(limit.name)")
        }
        let fixed = document.split(separator: "\n## ").first { $0.hasPrefix("While it runs") } ?? ""
        for limit in NamedLimit.all {
            #expect(fixed.contains("`\(limit.name)`") == limit.isFixed, "\(limit.name)")
        }
    }

    @Test func `what is fixed is taken from the running server's`() {
        var (running, limits) = (SyncLimits(), SyncLimits())
        limits.window = 3
        limits.silence = .seconds(3)
        limits.clients = 3
        running.memory = 5
        #expect(limits.keep(fixedOf: running) == ["window", "silence", "memory"])
        running.clients = 3
        for limit in NamedLimit.all { #expect(limit.text(in: limits) == limit.text(in: running)) }
    }

    @Test(
        arguments: [
            ("message-bytes", "65536", "64 KiB"), ("message-bytes", "1.5 MiB", "1536 KiB"),
            ("message-bytes", "2GiB", "2 GiB"), ("depth", "7", "7"),
            ("stall-timeout", "90", "90 s"),
            ("stall-timeout", "5 min", "300 s"), ("stall-timeout", "250ms", "250 ms"),
            ("unload-after", "1 h", "3600 s"),
            ("connection-rate-actions", "unlimited", "unlimited"),
            ("connection-rate-bytes", "1 MiB", "1 MiB"), ("address-rate-burst", "2 s", "2 s"),
            ("announcements-per-second", "2.5", "2.5"), ("history-bytes", "0", "0"),
        ])
    func `a bound is set in its unit`(name: String, text: String, shown: String) throws {
        var limits = SyncLimits()
        try limits.set(name, to: text)
        let limit = try #require(NamedLimit.all.first { $0.name == name })
        #expect(limit.text(in: limits) == shown)
    }

    @Test func `what is set is the property`() throws {
        var limits = SyncLimits()
        try limits.set("connections-per-address", to: "7")
        try limits.set("hello-timeout", to: "1.5 s")
        try limits.set("identity-rate-messages", to: "12")
        try limits.set("snapshots-bytes", to: "4 MiB")
        #expect(limits.connectionsPerAddress == 7)
        #expect(limits.helloTimeout == .milliseconds(1500))
        #expect(limits.identityRate.messages == 12)
        #expect(limits.snapshots.bytes == 4 << 20)
    }

    @Test(
        arguments: [
            ("message-bytes", "", "It takes whole bytes, such as 65536 or 64 KiB."),
            ("message-bytes", "-5", "It takes whole bytes"),
            ("message-bytes", "1023", "is at least 1024 and at most"),
            ("message-bytes", "99999999 GiB", "is at least 1024 and at most"),
            ("message-bytes", "unlimited", "It takes whole bytes"),
            ("message-bytes", "1.5", "It takes whole bytes"),
            ("depth", "0", "is at least 1 and at most"),
            ("depth", "1 KiB", "It takes a whole number."),
            ("depth", "nan", "It takes a whole number."),
            ("depth", "1e3", "It takes a whole number."),
            ("stall-timeout", "0", "is at least"), ("stall-timeout", "1 day", "It takes a time"),
            ("connection-rate-actions", "0", "is at least 1"),
            ("connection-rate-actions", "many", "how many a second, or 'unlimited'."),
            ("message-byte", "1", "Is one of these meant: 'message-bytes'"),
            ("conections", "1", "'connections'"),
            ("quite-another-thing-altogether-and-long", "1", "There is no limit 'quite"),
        ])
    func `what can't be set is said`(name: String, text: String, words: String) throws {
        var limits = SyncLimits()
        let error = #expect(throws: LimitError.self) { try limits.set(name, to: text) }
        #expect(try #require(error).description.contains(words), "\(error?.description ?? "")")
    }
}

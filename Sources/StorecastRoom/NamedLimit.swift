/// A bound of ``SyncLimits`` by the name under which options set it. `Docs/Limits.md` says what each
/// is for.
public struct NamedLimit: Sendable {
    /// What its numbers count.
    public enum Unit: Sendable {
        /// Set by a whole number, also one of `KiB`, `MiB` or `GiB`: `64 KiB`.
        case bytes
        /// Set by a whole number.
        case count
        /// Set in `ms`, `s`, `min` or `h`; a number alone is seconds.
        case time
    }

    /// As the property of ``SyncLimits``, in small letters with hyphens: `message-bytes`; or as that
    /// and a property of its value: `connection-rate-actions`.
    public let name: String
    /// What its numbers count.
    public let unit: Unit
    /// The least value that it takes, in bytes, seconds or how many.
    public let least: Double
    /// Whether it is how many a second, and may be `unlimited`.
    public let isRate: Bool
    /// Whether another value takes effect with the server's next start only.
    public var isFixed: Bool { Self.fixed.contains(name) }
    private let read: @Sendable (SyncLimits) -> Double
    private let write: @Sendable (inout SyncLimits, Double) -> Void

    private init(
        _ name: String, _ unit: Unit, _ least: Double, isRate: Bool = false,
        read: @escaping @Sendable (SyncLimits) -> Double,
        write: @escaping @Sendable (inout SyncLimits, Double) -> Void
    ) {
        (self.name, self.unit, self.least, self.isRate) = (name, unit, least, isRate)
        (self.read, self.write) = (read, write)
    }

    private typealias Path<Value> = any WritableKeyPath<SyncLimits, Value> & Sendable

    private static func bytes(_ name: String, _ path: Path<Int>, from least: Double = 1) -> Self {
        whole(name, .bytes, path, least)
    }

    private static func count(_ name: String, _ path: Path<Int>, from least: Double = 1) -> Self {
        whole(name, .count, path, least)
    }

    private static func whole(
        _ name: String, _ unit: Unit, _ path: Path<Int>, _ least: Double
    ) -> Self {
        Self(
            name, unit, least, read: { Double($0[keyPath: path]) },
            write: { $0[keyPath: path] = Int($1) })
    }

    private static func time(_ name: String, _ path: Path<Duration>) -> Self {
        Self(
            name, .time, 0.001, read: { $0[keyPath: path] / .seconds(1) },
            write: { $0[keyPath: path] = .milliseconds(Int64($1 * 1000)) })
    }

    private static func rate(
        _ name: String, _ path: Path<Double>, in unit: Unit = .count
    ) -> Self {
        Self(
            name, unit, 1, isRate: true, read: { $0[keyPath: path] },
            write: { $0[keyPath: path] = $1 })
    }

    private static func burst(_ name: String, _ path: Path<Double>) -> Self {
        Self(
            name, .time, 0.001, read: { $0[keyPath: path] }, write: { $0[keyPath: path] = $1 })
    }

    /// Those that clients and rooms have agreed on, that sockets were made with, or that what is held
    /// already was shared out by.
    private static let fixed: Set = [
        "message-bytes", "depth", "window", "turn-work", "requests-per-connection",
        "kept-connections", "handshake-timeout", "answer-timeout", "ping-interval", "silence",
        "stall-timeout", "message-timeout", "unfinished-bytes", "pending-bytes", "close-timeout",
        "memory", "snapshots-entries", "snapshots-bytes",
    ]

    /// Whether that changes it.
    fileprivate func copy(from source: SyncLimits, to limits: inout SyncLimits) -> Bool {
        defer { write(&limits, read(source)) }
        return read(source) != read(limits)
    }

    /// All bounds, in the order of ``SyncLimits``.
    public static let all: [NamedLimit] = [
        bytes("message-bytes", \.messageBytes, from: 1024),
        count("depth", \.depth),
        bytes("value-bytes", \.valueBytes),
        bytes("part-bytes", \.partBytes, from: 4),
        bytes("write-bytes", \.writeBytes),
        bytes("transaction-bytes", \.transactionBytes),
        count("window", \.window),
        count("subscriptions", \.subscriptions),
        bytes("parameter-bytes", \.parameterBytes),
        bytes("parameter-bytes-per-connection", \.parameterBytesPerConnection),
        bytes("control-bytes", \.controlBytes),
        bytes("relayed-bytes", \.relayedBytes),
        bytes("waiting-bytes", \.waitingBytes),
        bytes("history-bytes", \.historyBytes, from: 0),
        time("linger-time", \.lingerTime),
        count("lingering-groups", \.lingeringGroups, from: 0),
        bytes("lingering-bytes", \.lingeringBytes, from: 0),
        count("clients", \.clients),
        count("rejections", \.rejections),
        bytes("turn-work", \.turnWork),
        bytes("turn-work-per-connection", \.turnWorkPerConnection),
        count("turn-actions", \.turnActions),
        count("heartbeat", \.heartbeat),
        time("unload-after", \.unloadAfter),
        count("rooms", \.rooms),
        count("connections", \.connections),
        count("connections-per-address", \.connectionsPerAddress),
        count("connections-per-identity", \.connectionsPerIdentity),
        rate("connection-rate-messages", \.connectionRate.messages),
        rate("connection-rate-bytes", \.connectionRate.bytes, in: .bytes),
        rate("connection-rate-actions", \.connectionRate.actions),
        burst("connection-rate-burst", \.connectionRate.burst),
        rate("identity-rate-messages", \.identityRate.messages),
        rate("identity-rate-bytes", \.identityRate.bytes, in: .bytes),
        rate("identity-rate-actions", \.identityRate.actions),
        burst("identity-rate-burst", \.identityRate.burst),
        rate("address-rate-messages", \.addressRate.messages),
        rate("address-rate-bytes", \.addressRate.bytes, in: .bytes),
        rate("address-rate-actions", \.addressRate.actions),
        burst("address-rate-burst", \.addressRate.burst),
        count("overruns", \.overruns, from: 0),
        count("announcements", \.announcements),
        rate("announcements-per-second", \.announcementsPerSecond),
        count("requests-per-connection", \.requestsPerConnection),
        count("kept-connections", \.keptConnections, from: 0),
        time("handshake-timeout", \.handshakeTimeout),
        time("hello-timeout", \.helloTimeout),
        time("renewal-margin", \.renewalMargin),
        bytes("token-bytes", \.tokenBytes),
        count("token-checks", \.tokenChecks),
        time("token-check-timeout", \.tokenCheckTimeout),
        time("answer-timeout", \.answerTimeout),
        time("ping-interval", \.pingInterval),
        time("silence", \.silence),
        time("stall-timeout", \.stallTimeout),
        time("message-timeout", \.messageTimeout),
        bytes("unfinished-bytes", \.unfinishedBytes),
        bytes("pending-bytes", \.pendingBytes),
        time("close-timeout", \.closeTimeout),
        time("drain-timeout", \.drainTimeout),
        bytes("disk-reserve", \.diskReserve, from: 0),
        bytes("memory", \.memory, from: 0),
        count("snapshots-entries", \.snapshots.entries),
        bytes("snapshots-bytes", \.snapshots.bytes),
    ]

    /// The value in `limits`, as it may be set: `64 KiB`, `1000`, `10 s`, `unlimited`.
    public func text(in limits: SyncLimits) -> String {
        let value = read(limits)
        guard value.isFinite else { return "unlimited" }
        switch unit {
        case .bytes:
            for (name, size) in Self.sizes.reversed()
            where value >= size && value.truncatingRemainder(dividingBy: size) == 0 {
                return Self.plain(value / size) + " " + name
            }
            return Self.plain(value)
        case .count: return Self.plain(value)
        case .time: return value < 1 ? Self.plain(value * 1000) + " ms" : Self.plain(value) + " s"
        }
    }

    private static let sizes = [("KiB", 1024.0), ("MiB", 1_048_576), ("GiB", 1_073_741_824)]
    private static let times = [("", 1.0), ("s", 1), ("ms", 0.001), ("min", 60), ("h", 3600)]

    private static func plain(_ value: Double) -> String {
        value == value.rounded() ? "\(Int64(value))" : "\(value)"
    }

    fileprivate func set(_ limits: inout SyncLimits, to text: String) throws(LimitError) {
        guard let value = number(text) else {
            throw LimitError(
                description: "'\(text)' is no value of the limit '\(name)'. It takes \(form).")
        }
        guard value >= least, value <= Self.most || value.isInfinite else {
            throw LimitError(
                description: "The limit '\(name)' is at least \(Self.plain(least)) and at most "
                    + "\(Self.plain(Self.most)); '\(text)' isn't.")
        }
        write(&limits, value)
    }

    /// No sum of such numbers overflows.
    private static let most = 1e12

    private func number(_ text: String) -> Double? {
        if text == "unlimited" { return isRate ? .infinity : nil }
        let digits = text.prefix { "0123456789.".contains($0) }
        let suffix = text[digits.endIndex...].drop { $0 == " " }
        guard let value = Double(digits) else { return nil }
        switch unit {
        case .bytes:
            let size = suffix.isEmpty ? 1 : Self.sizes.first { $0.0 == suffix }?.1
            return size.map { value * $0 }.flatMap { $0 == $0.rounded() ? $0 : nil }
        case .count: return suffix.isEmpty && (isRate || value == value.rounded()) ? value : nil
        case .time: return Self.times.first { $0.0 == suffix }.map { value * $0.1 }
        }
    }

    private var form: String {
        let form =
            switch unit {
            case .bytes: "whole bytes, such as 65536 or 64 KiB"
            case .count: isRate ? "a number" : "a whole number"
            case .time: "a time, such as 500 ms, 10 s, 5 min or 1 h"
            }
        return isRate ? form + ", how many a second, or 'unlimited'" : form
    }
}

/// Names that may have been meant by one that there isn't.
package enum NearNames {
    /// Those that differ the least from it, at most three, in quotes; empty if none is near.
    package static func list(_ names: [String], to name: String) -> String {
        let wanted = Array(name.utf8.prefix(64))
        return names.map { ($0, distance($0.utf8, wanted)) }
            .filter { $0.1 <= max(2, wanted.count / 3) || $0.0.hasPrefix(name) }
            .sorted { $0.1 < $1.1 }.prefix(3).map { "'\($0.0)'" }.joined(separator: ", ")
    }

    /// How many letters have to be put in, left out or replaced.
    private static func distance(_ first: String.UTF8View, _ second: [UInt8]) -> Int {
        var row = Array(0...second.count)
        for (line, letter) in first.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, other) in second.enumerated() {
                let cost = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(cost, diagonal + 1, row[column] + 1)
            }
        }
        return row[second.count]
    }
}

/// Why a bound can't be set: a sentence or two.
public struct LimitError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, and what it takes.
    public let description: String

    /// An error that says so.
    public init(description: String) { self.description = description }
}

extension SyncLimits {
    /// Takes what is fixed from `running`; returns the names of those that were others.
    package mutating func keep(fixedOf running: SyncLimits) -> [String] {
        snapshots.kept = running.snapshots.kept
        return NamedLimit.all.filter(\.isFixed).filter { $0.copy(from: running, to: &self) }.map(
            \.name)
    }
}

extension SyncLimits {
    /// Sets a bound by its name, such as `message-bytes` to `2 MiB`; see ``NamedLimit``.
    public mutating func set(_ name: String, to text: String) throws(LimitError) {
        guard let limit = NamedLimit.all.first(where: { $0.name.isSameText(as: name) }) else {
            let near = NearNames.list(NamedLimit.all.map(\.name), to: name)
            throw LimitError(
                description: "There is no limit '\(name)'."
                    + (near.isEmpty ? "" : " Is one of these meant: \(near)?"))
        }
        try limit.set(&self, to: text)
    }
}

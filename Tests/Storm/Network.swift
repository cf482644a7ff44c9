import Foundation
import Glibc
import MeasureSupport

/// A network on this machine: a namespace for each machine and one for all clients, joined by a
/// bridge in a namespace of its own. Nothing of it is in the machine's own network.
enum Network {
    /// All namespaces have names that begin so, by which those of a run that was killed are found.
    private static let prefix = "storecast-storm-"
    private static let bridge = space("bridge")
    private static let clients = "clients"
    static let machines = ["m1", "m2", "m3"]

    static func space(_ machine: String) -> String { prefix + machine }

    /// Of the network that is for tests (RFC 2544).
    static func address(_ machine: String) -> String {
        let number = machines.firstIndex(of: machine).map { $0 + 1 } ?? 0
        return "198.18.0.\(10 + number)"
    }

    /// The words that run a program on a machine; its process id is that of `ip`, which becomes it.
    static func words(on machine: String, _ words: [String]) -> [String] {
        ["ip", "netns", "exec", space(machine)] + words
    }

    /// The same, where clients are.
    static func words(atClients words: [String]) -> [String] { Self.words(on: clients, words) }

    static func make() async throws {
        try await Command.ip("netns add \(bridge)")
        try await Command.ip("-n \(bridge) link add bridge type bridge")
        try await Command.ip("-n \(bridge) link set bridge up")
        for machine in [clients] + machines {
            let own = space(machine)
            try await Command.ip("netns add \(own)")
            try await Command.ip(
                "-n \(bridge) link add \(machine) type veth peer name eth0 netns \(own)")
            try await Command.ip("-n \(bridge) link set \(machine) master bridge up")
            try await Command.ip("-n \(own) address add \(address(machine))/24 dev eth0")
            try await Command.ip("-n \(own) link set lo up")
            try await Command.ip("-n \(own) link set eth0 up")
        }
    }

    /// Ends what runs in the namespaces, and removes them, also those of an earlier run.
    static func remove() async throws {
        let files = FileManager.default
        let all = (try? files.contentsOfDirectory(atPath: "/run/netns")) ?? []
        for space in all where space.hasPrefix(prefix) {
            let processes = (try? await Command.ip("netns pids \(space)")) ?? ""
            for process in processes.split(whereSeparator: \.isWhitespace) {
                if let id = pid_t(process), id > 1 { kill(id, SIGKILL) }
            }
            try await Command.ip("netns delete \(space)")
        }
    }

    // MARK: Faults

    /// Pulls out a machine's cable: nothing reaches it, and nobody is told.
    static func unplug(_ machine: String) async throws {
        try await Command.ip("-n \(bridge) link set \(machine) down")
    }

    /// Drops what matches, on a machine.
    ///
    /// - Parameter rules: as `iptables -A` takes them, without `-j DROP`.
    static func drop(_ rules: [String], on machine: String) async throws {
        for rule in rules {
            let words = rule.split(separator: " ").map(String.init)
            try await Command.run(
                self.words(on: machine, ["iptables", "-w", "-A"] + words + ["-j", "DROP"]))
        }
    }

    /// Gives a machine a narrow line, on which packets wait for one another.
    static func narrow(_ machine: String) async throws {
        let shape = "tbf rate 1mbit burst 4kb latency 400ms".split(separator: " ").map(String.init)
        try await Command.run(
            words(on: machine, ["tc", "qdisc", "add", "dev", "eth0", "root"] + shape))
    }

    /// Undoes all of that.
    static func mend(_ machine: String) async throws {
        try await Command.run(words(on: machine, ["iptables", "-w", "-F"]))
        // There is none on most.
        _ = try? await Command.run(
            words(on: machine, ["tc", "qdisc", "del", "dev", "eth0", "root"]))
        try await Command.ip("-n \(bridge) link set \(machine) up")
    }
}

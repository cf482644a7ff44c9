import Glibc

/// What the figures were taken on.
package enum Machine {
    package static func describe() {
        print("\(processor), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores, Linux \(kernel)")
        var load = [Double](repeating: 0, count: 1)
        if getloadavg(&load, 1) == 1 {
            print("load average when this began: \(Figure.text(load[0]))\n")
        }
    }

    private static var kernel: String {
        File.text("/proc/sys/kernel/osrelease").split(separator: "\n").first.map(String.init) ?? "?"
    }

    /// What the kernel has in small objects, sockets among them, of all processes, in bytes.
    package static var kernelBytes: Int {
        for line in File.text("/proc/meminfo").split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count > 1, words[0] == "Slab:" { return (Int(words[1]) ?? 0) << 10 }
        }
        return 0
    }

    /// How many connections there may be from one address to one port of another: each takes a port
    /// of the system's range.
    package static var portsToOneServer: Int {
        let text = File.text("/proc/sys/net/ipv4/ip_local_port_range")
        let ends = text.split { $0.isWhitespace }.compactMap { Int($0) }
        return ends.count == 2 ? ends[1] - ends[0] + 1 : 28_232
    }

    private static var processor: String {
        let lines = File.text("/proc/cpuinfo").split(separator: "\n")
        let line = lines.first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { String($0.dropFirst()) } ?? "?"
    }
}

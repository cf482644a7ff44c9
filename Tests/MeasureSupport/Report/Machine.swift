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

    private static var processor: String {
        let lines = File.text("/proc/cpuinfo").split(separator: "\n")
        let line = lines.first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { String($0.dropFirst()) } ?? "?"
    }
}

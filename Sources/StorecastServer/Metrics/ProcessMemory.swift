import StorecastPlatform

/// What the process has of the machine's memory, where the system tells it in files (Linux).
enum ProcessMemory {
    /// Bytes that are in use, those of mapped files left out; 0 if it isn't known.
    static var used: Int {
        // In pages: all, resident, of these shared (proc(5)).
        let fields = text(of: "/proc/self/statm").split(separator: " ").compactMap { Int($0) }
        return fields.count > 2 ? (fields[1] - fields[2]) * sysconf(Int32(_SC_PAGESIZE)) : 0
    }

    /// Three quarters of what the machine has, or of what the process's control group may use.
    static var mark: Int {
        var total = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        let files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        for file in files {
            if let limit = Int(text(of: file).prefix { $0 != "\n" }) { total = min(total, limit) }
        }
        return total / 4 * 3
    }

    /// The beginning of a small file; empty if there is none.
    private static func text(of path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
    }
}

/// The files and sockets of the process.
enum ProcessDescriptors {
    /// How many are open; 0 if it isn't known.
    static var open: Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        // Not those of the folder and its parent, nor the folder's own.
        var count = -3
        while readdir(folder) != nil { count += 1 }
        return max(0, count)
    }

    /// How many may be; 0 if it isn't known.
    static var limit: Int { descriptorLimit() ?? 0 }
}

import StorecastPlatform

/// Reads the files of a folder and of those in it, within bounds.
///
/// Neither hidden files nor symbolic links are read: what is served lies in the folder.
struct WebFolder {
    static let maxDepth = 16
    static let maxFiles = 10_000
    static let maxBytes = 256 << 20

    private(set) var pages = WebPages()
    private var bytesLeft = Self.maxBytes

    init(_ folder: String) throws(ServerError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(folder) }
        try readFolder(descriptor, path: "", depth: 0)
    }

    /// Owns the descriptor.
    private mutating func readFolder(
        _ descriptor: Int32, path: String, depth: Int
    ) throws(ServerError) {
        guard depth <= Self.maxDepth else {
            close(descriptor)
            throw Self.excess("\(path)/ is more than \(Self.maxDepth) folders deep")
        }
        guard let folder = fdopendir(descriptor) else {
            let error = Self.failure(path)
            close(descriptor)
            throw error
        }
        defer { closedir(folder) }
        for name in Self.names(in: folder) where !name.hasPrefix(".") {
            try read(name, in: descriptor, path: "\(path)/\(name)", depth: depth)
        }
    }

    private mutating func read(
        _ name: String, in folder: Int32, path: String, depth: Int
    ) throws(ServerError) {
        // Opening a pipe would wait for somebody who writes to it.
        let descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            // A symbolic link, a socket, or gone by now.
            if [ELOOP, ENXIO, ENOENT].contains(errno) { return }
            throw Self.failure(path)
        }
        var status = stat()
        fstat(descriptor, &status)
        switch status.st_mode & S_IFMT {
        case S_IFDIR: try readFolder(descriptor, path: path, depth: depth + 1)
        case S_IFREG: try readFile(descriptor, path: path)
        default: close(descriptor)
        }
    }

    /// Owns the descriptor.
    private mutating func readFile(_ descriptor: Int32, path: String) throws(ServerError) {
        defer { close(descriptor) }
        guard pages.files.count < Self.maxFiles else {
            throw Self.excess("there are more than \(Self.maxFiles) files")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = systemRead(descriptor, &chunk)
            guard count >= 0 else { throw Self.failure(path) }
            if count == 0 { break }
            bytesLeft -= count
            guard bytesLeft >= 0 else {
                throw Self.excess("its files have more than \(Self.maxBytes >> 20) MiB together")
            }
            bytes += chunk[..<count]
        }
        pages[path] = bytes
    }

    private static func names(in folder: OpaquePointer) -> [String] {
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }

    private static func failure(_ path: String) -> ServerError {
        let reason = String(cString: strerror(errno))
        return ServerError(.pagesUnreadable, "The pages in '\(path)' can't be read: \(reason).")
    }

    private static func excess(_ what: String) -> ServerError {
        ServerError(.pagesUnreadable, "The folder of the pages can't be served: \(what).")
    }
}

/// A member of the same name hides the system's from the type.
private func systemRead(_ descriptor: Int32, _ bytes: inout [UInt8]) -> Int {
    read(descriptor, &bytes, bytes.count)
}

extension WebPages {
    /// The files of a folder and of the folders in it, as they are now.
    ///
    /// Hidden files and symbolic links are left out. All of them are held in memory.
    ///
    /// - Throws: `ServerError.Code.pagesUnreadable` for what can't be read, and for more than
    ///   10,000 files or 256 MiB.
    public static func folder(_ path: String) throws(ServerError) -> WebPages {
        try WebFolder(path).pages
    }
}

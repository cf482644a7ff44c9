import StorecastSync

extension WebPages {
    /// The same, with a service worker at `/service-worker.js`, which is told what these pages are
    /// and which hashes they and their policies have: `worker`, behind a line that begins with
    /// `self.pages = `.
    ///
    /// A file that is there by a name with its hash is told of by that name alone.
    package func kept(by worker: [UInt8]) -> WebPages {
        let hashed = Set(files.values.filter(\.isImmutable).map(\.hash))
        let told = files.filter { _, file in file.isImmutable || !hashed.contains(file.hash) }
        let list = told.sorted { $0.key < $1.key }.map { entry($0.key.string, $0.value) }
        var pages = self
        pages["/service-worker.js"] =
            Array("self.pages = \(JSON.array(list));\n".utf8) + worker
        return pages
    }

    private func entry(_ path: String, _ file: WebFile) -> JSON {
        let page = "index.html"
        let isPage = path.hasSuffix("/" + page)
        var entry: JSONObject = [
            "path": .string(Self.encoded(isPage ? String(path.dropLast(page.count)) : path)),
            "hash": .string(SHA256.hexadecimalDigest(of: file.bytes)),
        ]
        // It comes with the page, and is kept with it.
        if file.isHTML {
            let its = file.policy ?? policy
            entry["policy"] = .string(SHA256.hexadecimalDigest(of: its.utf8))
        }
        let under = patterns.filter { $0.file.hash == file.hash }
            .map { JSON.string($0.pattern.beginning) }
        if !under.isEmpty { entry["under"] = JSON.array(under) }
        return .object(entry)
    }

    /// A path as browsers have it in a URL (URL Standard, "path percent-encode set").
    static func encoded(_ path: String) -> String {
        path.utf8.reduce(into: "") { text, byte in
            let isPlain = (0x21...0x7E).contains(byte) && !"\"#%<>?`{}".utf8.contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            text += isPlain ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
        }
    }
}

import Glibc
import StorecastClient
import TestSupport
import Testing

@testable import StorecastServer

@Suite(.timeLimit(.minutes(10)), .fewAtATime)
struct WebPagesTests {
    static let site = WebPages([
        "/index.html": Array("<!doctype html>\n".utf8), "/app/index.html": Array("app".utf8),
        "/app/main.js": Array("export {}".utf8), "/large.txt": Array(repeating: 65, count: 300_000),
    ])

    @Test func `a page has its type, a tag and rules for the browser`() async throws {
        let answer = try await Self.get("/")
        #expect(
            answer.matches(
                of: /HTTP\/1\.1 200 OK\r\nContent-Type: text\/html; charset=utf-8\r\n/
            ).count == 1)
        #expect(answer.hasSuffix("\r\n\r\n<!doctype html>\n"))
        for header in [
            "Cache-Control: no-cache", "X-Content-Type-Options: nosniff",
            "Referrer-Policy: no-referrer", "Content-Length: 16",
        ] {
            #expect(answer.contains("\r\n\(header)\r\n"))
        }
        #expect(answer.contains("\r\nContent-Security-Policy: default-src 'self'; object-src"))
        #expect(try await Self.get("/app/main.js").contains("\r\nContent-Type: text/javascript;"))
        #expect(try await Self.get("/large.txt").utf8.count > 300_000)
        #expect(try await Self.get("/?a=b").hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `a folder's page is behind its slash`() async throws {
        #expect(try await Self.get("/app/").hasSuffix("\r\n\r\napp"))
        let redirection = try await Self.get("/app")
        #expect(redirection.hasPrefix("HTTP/1.1 308 "))
        #expect(redirection.contains("\r\nLocation: /app/\r\n"))
    }

    @Test func `what the browser has isn't sent again`() async throws {
        let first = try await Self.get("/app/main.js")
        let tag = try #require(first.firstMatch(of: /\r\nETag: ("[^"]+")\r\n/)?.1)
        for condition in ["\(tag)", "\"x\", W/\(tag)", "*"] {
            let second = try await Self.get("/app/main.js", "If-None-Match: \(condition)\r\n")
            #expect(second.hasPrefix("HTTP/1.1 304 Not Modified\r\n"))
            #expect(second.contains("\r\nETag: \(tag)\r\n"))
            #expect(second.hasSuffix("\r\n\r\n"))
        }
        let other = try await Self.get("/app/index.html", "If-None-Match: \(tag)\r\n")
        #expect(other.hasPrefix("HTTP/1.1 200 "))
        // The tag is that of the content, wherever it is; so a newer version of it has another.
        var newer = Self.site
        newer["/app/main.js"] = Array("export { }".utf8)
        newer["/moved.js"] = Array("export {}".utf8)
        let condition = "If-None-Match: \(tag)\r\n"
        let changed = try await Self.get("/app/main.js", condition, of: newer)
        #expect(changed.hasPrefix("HTTP/1.1 200 ") && changed.hasSuffix("export { }"))
        #expect(try await Self.get("/moved.js", condition, of: newer).hasPrefix("HTTP/1.1 304 "))
    }

    /// RFC 9110, section 9.3.2: the same fields as for GET, and no content.
    @Test(arguments: ["/", "/app/main.js", "/large.txt", "/app", "/nothing"])
    func `HEAD is answered as GET, without the content`(path: String) async throws {
        // They are of two moments.
        let date = #/Date: .{29}\r\n/#
        let page = try await Self.get(path).replacing(date, with: "")
        let head = try await Self.ask("HEAD", path).replacing(date, with: "")
        #expect(head.hasSuffix("\r\n\r\n"))
        #expect(page.hasPrefix(head))
        #expect(page.utf8.count > head.utf8.count)
        #expect(head.contains("\r\nContent-Length: \(page.utf8.count - head.utf8.count)\r\n"))
    }

    @Test func `HEAD says too that the browser has it`() async throws {
        let tag = try #require(try await Self.get("/").firstMatch(of: /\r\nETag: ("[^"]+")\r\n/)?.1)
        let head = try await Self.ask("HEAD", "/", "If-None-Match: \(tag)\r\n")
        #expect(head.hasPrefix("HTTP/1.1 304 "))
        #expect(head.hasSuffix("\r\n\r\n"))
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    func `other methods are refused`(method: String) async throws {
        for path in ["/", "/app/main.js", "/app"] {
            let answer = try await Self.ask(method, path, "Content-Length: 2\r\n", "{}")
            #expect(answer.hasPrefix("HTTP/1.1 405 "), "\(method) \(path): \(answer)")
            #expect(answer.contains("\r\nAllow: GET, HEAD\r\n"))
        }
        let answer = try await Self.ask(method, "/nothing", "Content-Length: 2\r\n", "{}")
        #expect(answer.hasPrefix("HTTP/1.1 404 "), "\(method): \(answer)")
    }

    @Test func `other paths are refused`() async throws {
        for path in ["/nothing", "/index.html/", "/app/main.js/", "/APP/"] {
            let answer = try await Self.get(path)
            #expect(answer.hasPrefix("HTTP/1.1 404 "), "\(path): \(answer)")
        }
        #expect(try await Self.get("//app/main.js%00").hasPrefix("HTTP/1.1 400 "))
    }

    @Test(arguments: [
        "/../secret", "/%2e%2e/secret", "/a/../../secret", "/..%2fsecret", "/%2e%2e%2fsecret",
        "/..%5csecret", "/..\\secret", "/%252e%252e/secret", "/a/%2e%2e/%2e%2e/secret",
        "//secret", "/./../secret", "/secret%00.html", "/a/page.html%00", "/link", "/out/secret",
        "/.hidden", "/.well/page.html", "/%c0%ae%c0%ae/secret", "/a/..;/secret", "/pipe",
        "http://127.0.0.1/../secret", "../secret", "/?/../secret",
    ])
    func `nothing outside of the folder is served`(path: String) async throws {
        let folder = try SiteFolder()
        let answer = try await Self.get(path, of: .folder(folder.path + "/site"))
        #expect(!answer.contains("secret words"))
        // The library turns what it can't read away by itself.
        #expect(!answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
    }

    @Test func `a folder's files are served as they were`() async throws {
        let folder = try SiteFolder()
        let pages = try WebPages.folder(folder.path + "/site")
        #expect(try await Self.get("/a/page.html", of: pages).hasSuffix("\r\n\r\npublic"))
        #expect(pages["/a/page.html"] == Array("public".utf8))
        #expect(pages["/link"] == nil)
        #expect(throws: ServerError.self) { try WebPages.folder(folder.path + "/nothing") }
    }

    @Test func `files whose names look alike are two, and may begin with what combines`()
        async throws
    {
        var pages = WebPages(["/\u{e9}.txt": [1], "/\u{301}x.txt": [2]])
        pages["/e\u{301}.txt"] = [3]
        #expect(pages["/\u{e9}.txt"] == [1] && pages["/\u{301}x.txt"] == [2])
        #expect(pages["/e\u{301}.txt"] == [3])
    }

    @Test(
        arguments: [
            ("/a.html", "text/html; charset=utf-8"), ("/a.HTML", "text/html; charset=utf-8"),
            ("/a.js", "text/javascript; charset=utf-8"),
            ("/a.mjs", "text/javascript; charset=utf-8"), ("/a.css", "text/css; charset=utf-8"),
            ("/a.json", "application/json"), ("/a.js.map", "application/json"),
            ("/a.webmanifest", "application/manifest+json"),
            ("/a.txt", "text/plain; charset=utf-8"), ("/a.svg", "image/svg+xml"),
            ("/a.png", "image/png"), ("/a.jpg", "image/jpeg"), ("/a.jpeg", "image/jpeg"),
            ("/a.ico", "image/x-icon"), ("/a.woff2", "font/woff2"), ("/a.wasm", "application/wasm"),
            ("/a", "application/octet-stream"), ("/a.", "application/octet-stream"),
            ("/a.html/b", "application/octet-stream"), ("/a.html.exe", "application/octet-stream"),
            ("/b.txt/a.css", "text/css; charset=utf-8"), ("/html", "application/octet-stream"),
        ])
    func `the end of a file's name says of what type it is`(name: String, type: String) {
        #expect(WebFile([1], name: name).contentType == type)
    }

    @Test func `a browser has what a tag of its list names, weak or not`() {
        let file = WebFile(Array("x".utf8), name: "/x")
        // FNV-1a of "x", 64 bits.
        #expect(file.entityTag == #""af63f54c86021707""#)
        let tag = file.entityTag
        for has in [tag, "W/\(tag)", "*", " * ", "\"a\",\t\(tag)\t", "W/\"a\" , W/\(tag) ,"] {
            #expect(file.matches(has), "\(has)")
        }
        for hasNot in [
            nil, "", ",", "\"a\"", String(tag.dropFirst()), "w/\(tag)", "W/W/\(tag)", "\(tag)x",
            "**", "\"*\"",
        ] { #expect(!file.matches(hasNot), "\(hasNot ?? "nothing")") }
    }

    @Test func `pages have the policy that they are given`() async throws {
        var pages = Self.site
        pages.policy = "default-src 'none'"
        let answer = try await Self.get("/", of: pages)
        #expect(answer.contains("\r\nContent-Security-Policy: default-src 'none'\r\n"))
        pages["/index.html"] = nil
        #expect(pages["/index.html"] == nil && !pages.paths.contains("/index.html"))
    }

    @Test func `refusals have the rules for the browser too`() async throws {
        for path in ["/nothing", "/app"] {
            let answer = try await Self.get(path)
            #expect(answer.contains("\r\nX-Content-Type-Options: nosniff\r\n"))
            #expect(answer.contains("\r\nReferrer-Policy: no-referrer\r\n"))
        }
    }

    @Test func `without pages everybody is told that here are WebSockets only`() async throws {
        #expect(try await Self.get("/", of: WebPages()).hasPrefix("HTTP/1.1 426 "))
    }

    @Test func `folders are read 16 deep, and what is deeper is said`() throws {
        let directory = try TemporaryDirectory()
        func make(depth: Int) throws {
            var path = directory.path
            for _ in 0..<depth {
                path += "/d"
                mkdir(path, 0o700)
            }
            guard let file = fopen(path + "/page.txt", "w") else {
                throw PlainRequest.Failure(code: errno)
            }
            fclose(file)
        }
        try make(depth: 16)
        let pages = try WebPages.folder(directory.path)
        #expect(pages.paths == [String(repeating: "/d", count: 16) + "/page.txt"])
        try make(depth: 17)
        let error = #expect(throws: ServerError.self) { try WebPages.folder(directory.path) }
        #expect(error?.code == .pagesUnreadable)
        #expect(error?.description.contains("more than 16 folders deep") == true)
        let missing = #expect(throws: ServerError.self) {
            try WebPages.folder(directory.file("none"))
        }
        #expect(missing?.description.contains("No such file or directory") == true)
    }

    @Test func `a room and a page share a path`() async throws {
        let server = SyncServer(port: 0, room: Tallies.room, pages: Self.site)
        let url = try await server.start()
        let connection = RemoteConnection(url)
        #expect(try await connection.dispatch(Add(number: 1)).outcome.version == 1)
        let page = try await PlainRequest.answer(
            to: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", at: url)
        #expect(page.hasSuffix("<!doctype html>\n"))
        connection.close()
        await server.stop()
    }

    private static func get(
        _ path: String, _ headers: String = "", of pages: WebPages = site
    ) async throws -> String {
        try await answer("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n", pages)
    }

    private static func ask(
        _ method: String, _ path: String, _ headers: String = "", _ content: String = ""
    ) async throws -> String {
        try await answer(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n\(content)", site)
    }

    private static func answer(_ request: String, _ pages: WebPages) async throws -> String {
        let server = SyncServer(port: 0, room: Tallies.room, pages: pages)
        let url = try await server.start()
        let answer = try await PlainRequest.answer(to: request, at: url)
        await server.stop()
        return answer
    }
}

/// Which requests are answered, for a WebSocket or a page.
@Suite(.timeLimit(.minutes(10)), .fewAtATime)
struct RequestTests {
    private func answer(
        to text: String, host: String = "127.0.0.1", allowed: [String] = []
    ) async throws -> String {
        var limits = SyncLimits()
        limits.helloTimeout = .milliseconds(1)
        limits.closeTimeout = .milliseconds(1)
        let server = SyncServer(
            host: host, port: 0, allowedHosts: allowed, limits: limits, pages: WebPagesTests.site,
            rooms: { _ in Tallies.room })
        let answer = try await PlainRequest.answer(to: text, at: try await server.start())
        await server.stop()
        return answer
    }

    /// The status of the answer to a request.
    private func status(
        of text: String, host: String = "127.0.0.1", allowed: [String] = []
    ) async throws -> Substring {
        try await answer(to: text, host: host, allowed: allowed).dropFirst(9).prefix(3)
    }

    private func expect(
        _ isAnswered: Bool, host: String, on address: String, allowed: [String] = []
    ) async throws {
        let page = "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n"
        #expect(
            try await status(of: page, host: address, allowed: allowed)
                == (isAnswered ? "200" : "421"), "a page of '\(host)'")
        #expect(
            try await status(of: PlainRequest.upgrade(host: host), host: address, allowed: allowed)
                == (isAnswered ? "101" : "421"), "a connection to '\(host)'")
    }

    /// A page of another site may have a name that was made to lead to this machine (DNS
    /// rebinding).
    @Test(
        arguments: [
            ("localhost", true), ("127.0.0.1:9090", true), ("[::1]:80", true),
            ("app.localhost", true), ("evil.test", false), ("localhost.evil.test", false),
            ("192.0.2.1", false), ("board.example", false),
        ])
    func `a server on this machine answers for this machine's names`(
        host: String, isAnswered: Bool
    ) async throws {
        try await expect(isAnswered, host: host, on: "127.0.0.1")
    }

    @Test(arguments: ["127.0.0.1", "0.0.0.0"])
    func `and for those that it is told, wherever it listens`(address: String) async throws {
        for (host, isAnswered) in [
            ("board.example", true), ("Board.Example:443", true), ("localhost", true),
            ("other.example", false), ("board.example.evil.test", false),
        ] {
            try await expect(isAnswered, host: host, on: address, allowed: ["board.example"])
        }
    }

    @Test func `one that others reach answers for every name if it is told none`() async throws {
        for host in ["board.example", "localhost", "192.0.2.1"] {
            try await expect(true, host: host, on: "0.0.0.0")
        }
    }

    @Test func `a request without a host isn't answered`() async throws {
        #expect(try await status(of: PlainRequest.upgrade(host: nil)) != "101")
        #expect(try await status(of: "GET / HTTP/1.1\r\n\r\n") != "200")
    }

    @Test(
        arguments: [
            ([], "101"), (["storecast.v1"], "101"), (["other", "storecast.v1"], "101"),
            (["storecast.v1", "storecast.v2"], "101"), (["storecast.v2"], "400"),
            (["other", "another"], "400"), (["Storecast.v1"], "400"), (["storecast"], "400"),
        ] as [([String], String)])
    func `a connection speaks this protocol, or doesn't say what it speaks`(
        protocols: [String], status: String
    ) async throws {
        let header = "Sec-WebSocket-Protocol: \(protocols.joined(separator: ", "))\r\n"
        let answer = try await answer(to: PlainRequest.upgrade(protocols.isEmpty ? "" : header))
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        let speaks = answer.contains("Sec-WebSocket-Protocol: storecast.v1\r\n")
        #expect(speaks == (status == "101" && !protocols.isEmpty))
        let sentence = "This server speaks the subprotocol storecast.v1."
        #expect(answer.contains(sentence) == (status == "400"), "\(answer)")
    }
}

/// `site/a/page.html`, and around it what nobody may see.
private final class SiteFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/storecast-XXXXXX".utf8CString)
        path = String(cString: mkdtemp(&template))
        for folder in ["site", "site/a", "site/.well", "outside"] {
            mkdir("\(path)/\(folder)", 0o700)
        }
        try write("public", to: "site/a/page.html")
        for file in ["secret", "site/.hidden", "site/.well/page.html", "outside/secret"] {
            try write("secret words", to: file)
        }
        symlink("../secret", "\(path)/site/link")
        symlink("../outside", "\(path)/site/out")
        mkfifo("\(path)/site/pipe", 0o600)
    }

    deinit {
        for name in [
            "site/link", "site/out", "site/pipe", "site/.hidden", "site/a/page.html",
            "site/.well/page.html", "outside/secret", "secret",
        ] {
            unlink("\(path)/\(name)")
        }
        for folder in ["site/a", "site/.well", "site", "outside"] { rmdir("\(path)/\(folder)") }
        rmdir(path)
    }

    private func write(_ text: String, to name: String) throws {
        guard let file = fopen("\(path)/\(name)", "w") else {
            throw PlainRequest.Failure(code: errno)
        }
        fputs(text, file)
        fclose(file)
    }
}

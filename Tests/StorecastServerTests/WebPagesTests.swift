import Glibc
import StorecastClient
import TestSupport
import Testing

@testable import StorecastServer

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
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
        // Another site may be here next year.
        #expect(redirection.contains("\r\nCache-Control: no-cache\r\n"))
        let pages = WebPages(["/index.html": [1], "/is it?/index.html": [2]])
        let other = try await Self.get("/is%20it%3F", of: pages)
        #expect(other.contains("\r\nLocation: /is%20it%3F/\r\n"), "\(other)")
        #expect(try await Self.get("/%ff", of: pages).hasPrefix("HTTP/1.1 404 "))
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

    // MARK: Compression

    /// A script that is worth compressing, and what doesn't get shorter.
    private static let texts = WebPages([
        "/main.js": Array(String(repeating: "export const a = 1;\n", count: 100).utf8),
        "/short.js": Array("export {}".utf8), "/image.png": Array(repeating: 0, count: 2000),
    ])

    private static func head(
        _ path: String, _ headers: String = "", of pages: WebPages = texts
    ) async throws -> String {
        let last = headers + "Connection: close\r\n"
        return try await answer(
            "HEAD \(path) HTTP/1.1\r\nHost: localhost\r\n\(last)\r\n", pages)
    }

    /// RFC 9110, section 12.5.3.
    @Test(arguments: [
        ("gzip, deflate, br, zstd", true), ("gzip", true), ("x-gzip", true), ("GZIP;q=0.5", true),
        ("br;q=1.0, gzip;q=0.8, *;q=0.1", true), ("*", true), ("", false), ("br", false),
        ("identity", false), ("gzip;q=0", false), ("gzip; q=0.000, *", false), ("*;q=0", false),
        ("br, *;q=0", false), ("gzip;q=much", false), ("gzipped", false),
    ])
    func `who takes gzip gets it`(accepted: String, isCompressed: Bool) async throws {
        let head = try await Self.head("/main.js", "Accept-Encoding: \(accepted)\r\n")
        #expect(head.contains("\r\nContent-Encoding: gzip\r\n") == isCompressed, "\(head)")
        let length = head.firstMatch(of: /Content-Length: ([0-9]+)/).flatMap { Int($0.output.1) }
        #expect((try #require(length) < 200) == isCompressed, "\(head)")
        // Caches on the way have to know, whichever of the two they see.
        #expect(head.contains("\r\nVary: Accept-Encoding\r\n"))
    }

    @Test(arguments: ["/short.js", "/image.png"])
    func `what doesn't get shorter, or is of another type, stays as it is`(path: String)
        async throws
    {
        let head = try await Self.head(path, "Accept-Encoding: gzip\r\n")
        #expect(!head.contains("Content-Encoding") && !head.contains("Vary"), "\(head)")
    }

    /// RFC 9110, section 8.8.3.3: two texts have two tags. A cache that has one would pass it on as
    /// the other.
    @Test func `the compressed text has a tag of its own`() async throws {
        func tag(_ head: String) throws -> Substring {
            try #require(head.firstMatch(of: /\r\nETag: ("[^"]+")\r\n/)?.output.1)
        }
        let gzip = "Accept-Encoding: gzip\r\n"
        let plain = try tag(try await Self.head("/main.js"))
        let compressed = try tag(try await Self.head("/main.js", gzip))
        #expect(plain != compressed)
        for (accepts, known, status) in [
            (gzip, compressed, 304), (gzip, plain, 200), ("", plain, 304), ("", compressed, 200),
        ] {
            let head = try await Self.head("/main.js", accepts + "If-None-Match: \(known)\r\n")
            #expect(head.hasPrefix("HTTP/1.1 \(status) "), "\(accepts)\(known): \(head)")
            #expect(try tag(head) == (accepts == gzip ? compressed : plain))
            #expect(head.contains("\r\nVary: Accept-Encoding\r\n"))
        }
        // What isn't compressed has no such tag.
        let short = try tag(try await Self.head("/short.js")).dropLast()
        let other = try await Self.head("/short.js", "If-None-Match: \(short)-gzip\"\r\n")
        #expect(other.hasPrefix("HTTP/1.1 200 "))
    }

    // MARK: What never changes

    @Test func `browsers keep what never changes without asking`() async throws {
        let pages = WebPages([
            "/index.html": [1], "/assets/main.js": [2], "/assets.js": [3], "/a/assets/b.js": [4],
        ]).unchanging(under: "/assets/")
        let forever = "\r\nCache-Control: public, max-age=31536000, immutable\r\n"
        for (path, isForever) in [
            ("/", false), ("/assets/main.js", true), ("/assets.js", false),
            ("/a/assets/b.js", false),
        ] {
            let head = try await Self.head(path, of: pages)
            #expect(head.contains(forever) == isForever, "\(path)")
            #expect(head.contains("\r\nCache-Control: no-cache\r\n") != isForever, "\(path)")
        }
    }

    @Test func `a page refers to its files by names that are theirs alone`() async throws {
        let html = """
            <link rel="icon" href="/icon.svg"><script src="main.js"></script>
            <a href="/other/">x</a><a href="https://a.example/main.js"><img src="none.png">
            """
        func pages(_ script: String) -> WebPages {
            WebPages([
                "/app/index.html": Array(html.utf8), "/app/main.js": Array(script.utf8),
                "/icon.svg": [1], "/other/index.html": [2],
            ]).withHashedNames()
        }
        let made = pages("export {}")
        let page = String(decoding: try #require(made["/app/index.html"]), as: UTF8.self)
        let script = try #require(page.firstMatch(of: /src="(main\.[0-9a-f]+\.js)"/)?.output.1)
        let icon = try #require(page.firstMatch(of: /href="(\/icon\.[0-9a-f]+\.svg)"/)?.output.1)
        #expect(page.contains(#"href="/other/""#) && page.contains(#"src="none.png""#))
        #expect(page.contains("https://a.example/main.js"))
        for path in ["/app/" + script, String(icon)] {
            let answer = try await Self.get(path, of: made)
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("immutable"), "\(answer)")
        }
        // Their own names stay, and the page itself is asked for again.
        for path in ["/app/main.js", "/app/", "/icon.svg"] {
            #expect(try await Self.get(path, of: made).contains("\r\nCache-Control: no-cache\r\n"))
        }
        // Another content has another name.
        let newer = pages("export { }")
        #expect(newer["/app/" + script] == nil && newer[String(icon)] == [1])
    }

    // MARK: Pages together

    @Test func `pages that are put together keep their policies, and the first have their files`()
        async throws
    {
        var (site, tools) = (WebPages(["/index.html": [1]]), WebPages())
        site.policy = "default-src *"
        tools.policy = "default-src 'none'"
        for path in ["/index.html", "/tools/index.html"] { tools[path] = [2] }
        tools = tools.serving("/tools/index.html", at: try RoomPattern("/t/*"))
        let all = site.and(tools).and(WebPages(["/third.js": [3], "/tools/index.html": [3]]))
        #expect(all["/index.html"] == [1] && all["/tools/index.html"] == [2])
        #expect(Set(all.paths) == ["/index.html", "/tools/index.html", "/third.js"])
        for (path, policy) in [
            ("/", "default-src *"), ("/tools/", "default-src 'none'"),
            ("/t/any", "default-src 'none'"), ("/third.js", WebPages().policy),
        ] {
            let head = try await Self.head(path, of: all)
            #expect(head.contains("\r\nContent-Security-Policy: \(policy)\r\n"), "\(path)")
        }
    }

    @Test func `a page can be at all paths of a pattern`() async throws {
        let board = WebPages(["/index.html": Array("board".utf8), "/b/mine": Array("mine".utf8)])
            .serving("/index.html", at: try RoomPattern("/b/*"))
        let pages = WebPages(["/index.html": Array("site".utf8)]).and(board)
        for (path, text) in [
            ("/b/team", "board"), ("/b/a-b.c?x=y", "board"), ("/b/mine", "mine"), ("/", "site"),
        ] {
            let answer = try await Self.get(path, of: pages)
            #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(path): \(answer)")
            #expect(answer.hasSuffix("\r\n\r\n\(text)"), "\(path): \(answer)")
        }
        for path in ["/b/", "/b", "/b/a/b", "/c/a", "/b/a%20b"] {
            #expect(try await Self.get(path, of: pages).hasPrefix("HTTP/1.1 404 "), "\(path)")
        }
    }

    /// The hash is that of FIPS 180-4's example.
    @Test func `a service worker is told what there is to keep`() throws {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        let html = Array(#"<script src="/a.js"></script>"#.utf8)
        let pages = WebPages([
            "/index.html": [], "/app/index.html": html, "/a.js": Array("abc".utf8),
        ]).withHashedNames().serving("/index.html", at: try RoomPattern("/b/*"))
        let kept = pages.kept(by: Array("// the worker".utf8))
        let text = String(decoding: try #require(kept["/service-worker.js"]), as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 2 && lines[1] == "// the worker")
        #expect(lines[0].hasPrefix("self.pages = [") && lines[0].hasSuffix("];"))
        let list = try JSON(parsing: String(lines[0].dropFirst("self.pages = ".count).dropLast()))
        func file(_ path: String) -> JSON? { list.array?.first { $0["path"]?.string == path } }
        #expect(file("/")?["hash"]?.string == nothing && file("/")?["under"] == ["/b/"])
        #expect(file("/app/")?["under"] == nil && file("/app/")?["hash"] != nil)
        // By the name that pages have for it.
        let script = try #require(pages.paths.first { $0.hasPrefix("/a.") && $0 != "/a.js" })
        #expect(file(script) == ["path": .string(script), "hash": .string(abc)])
        #expect(file("/a.js") == nil)
        #expect(list.array?.count == 3 && kept.paths.count == pages.paths.count + 1)
        // One that has got another policy is another page.
        let line = lines[0]
        func isSame(_ change: (inout WebPages) -> Void) throws -> Bool {
            var others = pages
            change(&others)
            let worker = try #require(others.kept(by: [])["/service-worker.js"])
            return String(decoding: worker, as: UTF8.self) == "\(line)\n"
        }
        #expect(try isSame { _ in })
        #expect(try !isSame { $0.policy += "; script-src 'none'" })
    }

    @Test func `a worker is told of paths as they are in URLs`() throws {
        let kept = WebPages(["/caf\u{e9} %.txt": [1]]).kept(by: [])
        let text = String(decoding: try #require(kept["/service-worker.js"]), as: UTF8.self)
        #expect(text.contains(#""path":"/caf%C3%A9%20%25.txt""#), "\(text)")
    }

    @Test func `a browser gets many files on one connection`() async throws {
        let requests = (1...5).map { _ in
            "GET /app/main.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
        }
        let last = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        let answers = try await Self.answer(requests.joined() + last, Self.site)
        #expect(answers.matches(of: /HTTP\/1\.1 200 OK\r\n/).count == 6)
        #expect(answers.matches(of: /Connection: close\r\n/).count == 1)
        #expect(answers.hasSuffix("<!doctype html>\n"))
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
        let tag = WebFile(Array("x".utf8), name: "/x").entityTag
        for has in [tag, "W/\(tag)", "*", " * ", "\"a\",\t\(tag)\t", "W/\"a\" , W/\(tag) ,"] {
            #expect(WebFile.names(tag, has), "\(has)")
        }
        for hasNot in [
            nil, "", ",", "\"a\"", String(tag.dropFirst()), "w/\(tag)", "W/W/\(tag)", "\(tag)x",
            "**", "\"*\"",
        ] { #expect(!WebFile.names(tag, hasNot), "\(hasNot ?? "nothing")") }
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
            to: "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", at: url)
        #expect(page.hasSuffix("<!doctype html>\n"))
        connection.close()
        await server.stop()
    }

    private static func get(
        _ path: String, _ headers: String = "", of pages: WebPages = site
    ) async throws -> String {
        let last = headers + "Connection: close\r\n"
        return try await answer("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(last)\r\n", pages)
    }

    private static func ask(
        _ method: String, _ path: String, _ headers: String = "", _ content: String = ""
    ) async throws -> String {
        let last = headers + "Connection: close\r\n"
        return try await answer(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(last)\r\n\(content)", site)
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
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
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
        let page = "GET / HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
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

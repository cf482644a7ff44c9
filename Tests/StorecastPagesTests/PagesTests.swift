import StorecastPages
import StorecastServer
import Testing

struct PagesTests {
    private static let all: [(name: String, page: String, pages: WebPages)] = [
        ("board", "/index.html", .board), ("document", "/index.html", .document),
        ("devtools", "/devtools/index.html", .devtools),
    ]

    private func text(_ path: String, of pages: WebPages) throws -> String {
        String(decoding: try #require(pages[path], "\(path)"), as: UTF8.self)
    }

    /// What a page refers to, as paths.
    private func references(_ page: String, of pages: WebPages) throws -> [String] {
        let folder = page.dropLast("index.html".count)
        return try text(page, of: pages).matches(of: /(?:src|href)="([^"]+)"/).map { match in
            match.output.1.hasPrefix("/") ? "\(match.output.1)" : "\(folder)\(match.output.1)"
        }
    }

    @Test(arguments: 0..<3)
    func `a page has all that it loads, by names that are forever`(number: Int) throws {
        let (name, page, pages) = Self.all[number]
        let files = try references(page, of: pages)
        #expect(files.contains { $0.hasSuffix(".js") } && files.contains { $0.hasSuffix(".css") })
        for file in files {
            #expect(pages[file] != nil, "\(name): \(file)")
            #expect(file.contains(/\.[0-9a-f]{1,16}\.[a-z]+$/), "\(name): \(file)")
        }
        #expect(pages.policy.hasPrefix("default-src 'self'"))
        #expect(pages.policy.contains("require-trusted-types-for 'script'"))
    }

    /// The page, its socket, and perhaps a service worker: eight in all is what people wait for.
    @Test(arguments: 0..<3)
    func `the first load is few files, each whole`(number: Int) throws {
        let (name, page, pages) = Self.all[number]
        let files = Set(try references(page, of: pages))
        #expect(files.count <= 5, "\(name): \(files.sorted())")
        for file in files where file.hasSuffix(".js") {
            let script = try text(file, of: pages)
            // Another module would be another request, and a map is for those who have the sources.
            #expect(!script.contains(/(from|import) ?"[.\/]/), "\(file)")
            #expect(!script.contains("sourceMappingURL"), "\(file)")
        }
    }

    @Test func `a page has its own scripts only`() {
        #expect(WebPages.board["/devtools/index.html"] == nil)
        #expect(WebPages.devtools["/index.html"] == nil)
        #expect(!WebPages.devtools.paths.contains { $0.hasPrefix("/board/") })
        #expect(WebPages.client["/index.html"] == nil)
    }

    @Test func `a board's page is kept for when there is no server, and only that`() throws {
        let worker = try text("/service-worker.js", of: .board)
        let list = try #require(worker.firstMatch(of: /self\.pages = \[.*\];\n/)).output
        for path in try references("/index.html", of: .board) + ["/"] {
            #expect(list.contains(#""path":"\#(path)""#), "\(path)")
        }
        #expect(list.contains(#""under":["/b/"]"#))
        #expect(!list.contains("service-worker") && !list.contains("/board/main.js"))
        #expect(WebPages.devtools["/service-worker.js"] == nil)
        #expect(WebPages.client["/service-worker.js"] == nil)
        let site = WebPages(["/index.html": [1]]).and(.client).keptOffline()
        #expect(try text("/service-worker.js", of: site).contains("/storecast/index.js"))
    }

    @Test func `the client is where one wants it`() throws {
        let script = try text("/storecast/index.js", of: .client)
        #expect(script.contains(/export ?\{.*as connect\b/))
        let elsewhere = WebPages.client(at: "/scripts/")
        #expect(elsewhere["/scripts/index.js"] == WebPages.client["/storecast/index.js"])
        #expect(elsewhere["/storecast/index.js"] == nil)
    }

    @Test func `a path of the client has a slash at both ends`() async {
        await #expect(processExitsWith: .failure) { _ = WebPages.client(at: "/scripts") }
        await #expect(processExitsWith: .failure) { _ = WebPages.client(at: "scripts/") }
    }

    @Test func `pages are put together`() {
        let site = WebPages(["/index.html": Array("mine".utf8)])
        let all = site.and(.client).and(.devtools)
        #expect(all["/index.html"] == Array("mine".utf8))
        #expect(all["/storecast/index.js"] != nil && all["/devtools/index.html"] != nil)
        #expect(all.policy == WebPages().policy)
    }
}

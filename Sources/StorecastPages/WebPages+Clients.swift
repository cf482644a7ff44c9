public import StorecastServer
import WebClients

extension WebPages {
    /// The JavaScript client: one module, at `/storecast/index.js`.
    ///
    /// ```swift
    /// SyncServer(room: counter, pages: try .folder("Site").and(.client))
    /// ```
    /// ```js
    /// import { connect } from "/storecast/index.js";
    /// ```
    public static var client: WebPages { client(at: "/storecast/") }

    /// The JavaScript client: one module, the `index.js` at a path.
    ///
    /// - Parameter path: with a slash at both ends, as `/scripts/storecast/`.
    public static func client(at path: String) -> WebPages {
        precondition(
            path.hasPrefix("/") && path.hasSuffix("/"),
            "The client is at a path with a slash at both ends: '\(path)'.")
        var pages = WebPages()
        pages[path + "index.js"] = webClients["bundles/storecast.min.js"]
        return pages
    }

    /// The page of the devtools at `/devtools/`, for a server with the extension of
    /// StorecastDevtools.
    ///
    /// ```swift
    /// SyncServer(room: counter, extensions: [.devtools(.token(token))], pages: .devtools)
    /// ```
    public static var devtools: WebPages { page("devtools") }

    /// The page of the example board, which shows the room at `/`, and at `/b/NAME` the room of
    /// that path: as `storecast serve` has it. Browsers keep it for when there is no server.
    public static var board: WebPages {
        guard let pattern = try? RoomPattern("/b/*") else { preconditionFailure("It is one.") }
        return page("board").withRoot("board").serving("/index.html", at: pattern).keptOffline()
    }

    /// The page that shows the JSON document of the room at `/`, as `storecast serve --json` has
    /// it.
    public static var document: WebPages { page("document").withRoot("document") }

    /// The same, with a service worker at `/service-worker.js` that keeps them all in the browsers
    /// of those who were there, for when there is no server: if the pages ask for it, by the
    /// JavaScript client's `keepPages()`.
    ///
    /// Those that are put together with them later aren't kept. They are kept with the policy that
    /// they have by now.
    public func keptOffline() -> WebPages {
        guard let worker = webClients["worker/serviceWorker.js"] else {
            preconditionFailure("The service worker isn't among the files.")
        }
        return kept(by: worker)
    }

    /// What a page in `Clients/Web` needs, with all its modules in one.
    private static func page(_ folder: String) -> WebPages {
        var pages = WebPages()
        for (path, text) in webClients
        where path.hasPrefix(folder + "/") || path.hasPrefix("style/") {
            pages["/" + path] = text
        }
        pages["/\(folder)/main.js"] = webClients["bundles/\(folder).js"]
        // What people write can't become a script, even if the page's code has errors.
        pages.policy += "; require-trusted-types-for 'script'"
        return pages.withHashedNames()
    }

    /// The same, with the page of a folder at `/` rather than there.
    private func withRoot(_ folder: String) -> WebPages {
        var pages = self
        pages["/index.html"] = pages["/\(folder)/index.html"]
        pages["/\(folder)/index.html"] = nil
        return pages
    }
}

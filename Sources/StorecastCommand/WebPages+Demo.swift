import StorecastServer
import WebClients

extension WebPages {
    /// Everything in `Clients/Web`, with the page of one of its folders at `/`.
    static func demo(_ folder: String) -> WebPages {
        var pages = WebPages()
        for (path, text) in webClients { pages["/" + path] = text }
        pages["/index.html"] = pages["/\(folder)/index.html"]
        // Nothing that people write on a board becomes a script, whatever the page's code does.
        pages.policy += "; require-trusted-types-for 'script'"
        return pages
    }
}

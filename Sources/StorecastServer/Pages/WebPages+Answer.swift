import StorecastWebSocket

extension WebPages {
    /// The answer to a plain request; nil if there are no pages at all.
    func answer(to request: UpgradeRequest) -> HTTPAnswer? {
        if files.isEmpty { return nil }
        let path = request.path.hasSuffix("/") ? request.path + "index.html" : request.path
        let isFolder = files[path] == nil && files[path + "/index.html"] != nil
        guard isFolder || files[path] != nil else {
            return refusal(404, "There is no such page.")
        }
        guard request.method == "GET" || request.method == "HEAD" else {
            return refusal(405, "A page is asked for with GET.", [("Allow", "GET, HEAD")])
        }
        guard let file = files[path] else {
            // What the page names relatively is meant to be beside it.
            return refusal(308, "The page is at \(path)/.", [("Location", path + "/")])
        }
        return answer(file, unless: request.headers["if-none-match"])
    }

    private func refusal(
        _ status: Int, _ sentence: String, _ headers: [(String, String)] = []
    ) -> HTTPAnswer {
        HTTPAnswer(status: status, sentence, headers: headers + Self.always)
    }

    private func answer(_ file: WebFile, unless condition: String?) -> HTTPAnswer {
        var answer = HTTPAnswer(
            status: 200,
            headers: [
                ("ETag", file.entityTag), ("Cache-Control", "no-cache"),
                ("Content-Security-Policy", policy),
            ] + Self.always,
            contentType: file.contentType, body: file.bytes)
        if file.matches(condition) {
            answer.status = 304
            answer.sendsBody = false
        }
        return answer
    }

    private static let always = [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ]
}

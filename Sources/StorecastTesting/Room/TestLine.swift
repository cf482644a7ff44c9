import StorecastMirror
import StorecastRoom

/// The way of one client to the server of a ``TestRoom``: connects in memory, unless the test has
/// broken it.
@MainActor final class TestLine {
    /// What the server answers when it is asked who the client is.
    var answer: Result<Identity, Rejection>
    var isOnline: Bool
    let begin: (TestLink) -> ServerSession?
    let end: (TestLink) -> Void
    private weak var link: TestLink?

    init(
        _ identity: Identity, isOnline: Bool, begin: @escaping (TestLink) -> ServerSession?,
        end: @escaping (TestLink) -> Void
    ) {
        answer = .success(identity)
        self.isOnline = isOnline
        self.begin = begin
        self.end = end
    }

    /// Lets a try to connect come through, or fail.
    func open(_ link: TestLink) {
        guard isOnline else { return link.end(because: "The test keeps the client offline.") }
        self.link = link
        link.begin()
    }

    /// The connection is lost: what is under way either way is lost with it.
    func cut() {
        link?.end(because: "The test cut the connection.")
    }

    /// The server doesn't know the client any more.
    func refuse(_ rejection: Rejection) {
        answer = .failure(rejection)
        link?.session?.authenticated(answer)
    }
}

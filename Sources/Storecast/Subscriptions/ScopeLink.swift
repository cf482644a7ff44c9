/// How the list of a scope hangs in that of the state around it.
///
/// It hangs there only while it has subscribers, so a scope that nobody listens to costs nothing.
struct ScopeLink {
    /// The first subscriber has come.
    let attach: () -> Void
    /// The last one has left.
    let detach: () -> Void
    /// Goes on with the store's round of notifications.
    let deliver: () -> Void
    /// Nobody holds the list any more.
    let forget: () -> Void
}

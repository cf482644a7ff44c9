/// Has to be called once when what a ``Routable`` was asked for is done; from any thread.
///
/// Further calls do nothing.
public typealias RoutingCompletion = @Sendable () -> Void

/// Shows, hides and replaces what is inside one element of a route: often a view controller, or an
/// object that knows one.
///
/// Implement what the element needs, each method in one of its two forms: the asynchronous one,
/// which returns when the transition is over, or the one of ReSwift-Router with a completion
/// handler. A router calls the asynchronous ones, on the actor that owns it; what is not
/// implemented gives a ``RoutingError`` of the kind ``RoutingError/Kind/unsupported``.
///
/// A routable may be bound to an actor, such as a view controller to the main actor, if its router
/// belongs to it as well. Its asynchronous methods then have to say so themselves, because they
/// take their isolation from this protocol and not from the class:
///
/// ```swift
/// @MainActor final class Tabs: @MainActor Routable {
///     @MainActor func push(_ element: RouteElement, animated: Bool) async throws -> any Routable
/// }
/// ```
public protocol Routable {
    /// Shows an element and returns who is responsible for what is shown inside it.
    ///
    /// The calling task is cancelled if the router gives up waiting.
    func push(_ element: RouteElement, animated: Bool) async throws -> any Routable

    /// Hides an element.
    func pop(_ element: RouteElement, animated: Bool) async throws

    /// Replaces an element by another and returns who is responsible for what is inside that.
    func change(
        _ from: RouteElement, to: RouteElement, animated: Bool
    ) async throws -> any Routable

    /// Begins to show an element, returns at once who is responsible for what is shown inside it,
    /// and calls `completion` when the element is there.
    func push(
        _ element: RouteElement, animated: Bool, completion: @escaping RoutingCompletion
    ) throws -> any Routable

    /// Begins to hide an element and calls `completion` when it has gone.
    func pop(
        _ element: RouteElement, animated: Bool, completion: @escaping RoutingCompletion
    ) throws

    /// Begins to replace an element, returns at once who is responsible for what is inside the new
    /// one, and calls `completion` when that is there.
    func change(
        _ from: RouteElement, to: RouteElement, animated: Bool,
        completion: @escaping RoutingCompletion
    ) throws -> any Routable
}

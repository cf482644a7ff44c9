/// To be called once, from any thread, when a ``Routable`` has done what it was asked to do.
///
/// Further calls have no effect.
public typealias RoutingCompletion = @Sendable () -> Void

/// Shows, hides and replaces what is inside one element of a route: often a view controller, or an
/// object that knows one.
///
/// Implement what the element needs, each method in one of its two forms: the asynchronous one,
/// which returns when the transition is over, or the one of ReSwift-Router with a completion
/// handler. A router calls the asynchronous ones, on the actor that owns it. A method that isn't
/// implemented causes a ``RoutingError`` of the kind ``RoutingError/Kind/unsupported``.
///
/// A routable may be bound to an actor, such as a view controller to the main actor, if its router
/// belongs to the same actor. Its asynchronous methods must then be marked too, because they take
/// their isolation from this protocol and not from the class:
///
/// ```swift
/// @MainActor final class Tabs: @MainActor Routable {
///     @MainActor func push(_ element: RouteElement, animated: Bool) async throws -> any Routable
/// }
/// ```
public protocol Routable {
    /// Shows an element and returns the routable for what is inside it.
    ///
    /// The calling task is cancelled if the router gives up waiting.
    func push(_ element: RouteElement, animated: Bool) async throws -> any Routable

    /// Hides an element.
    func pop(_ element: RouteElement, animated: Bool) async throws

    /// Replaces an element and returns the routable for what is inside the new one.
    func change(
        _ from: RouteElement, to: RouteElement, animated: Bool
    ) async throws -> any Routable

    /// Begins to show an element, returns the routable for what is inside it at once, and calls
    /// `completion` when the element is there.
    func push(
        _ element: RouteElement, animated: Bool, completion: @escaping RoutingCompletion
    ) throws -> any Routable

    /// Begins to hide an element and calls `completion` when it has gone.
    func pop(
        _ element: RouteElement, animated: Bool, completion: @escaping RoutingCompletion
    ) throws

    /// Begins to replace an element, returns the routable for what is inside the new one at once,
    /// and calls `completion` when the new element is there.
    func change(
        _ from: RouteElement, to: RouteElement, animated: Bool,
        completion: @escaping RoutingCompletion
    ) throws -> any Routable
}

extension Routable {
    /// Calls the form with a completion handler and waits until that is called.
    public func push(_ element: RouteElement, animated: Bool) async throws -> any Routable {
        let (done, completion) = AsyncStream.makeStream(of: Never.self)
        let child = try push(element, animated: animated) { completion.finish() }
        await end(of: done)
        return child
    }

    /// Calls the form with a completion handler and waits until that is called.
    public func pop(_ element: RouteElement, animated: Bool) async throws {
        let (done, completion) = AsyncStream.makeStream(of: Never.self)
        try pop(element, animated: animated) { completion.finish() }
        await end(of: done)
    }

    /// Calls the form with a completion handler and waits until that is called.
    public func change(
        _ from: RouteElement, to: RouteElement, animated: Bool
    ) async throws -> any Routable {
        let (done, completion) = AsyncStream.makeStream(of: Never.self)
        let child = try change(from, to: to, animated: animated) { completion.finish() }
        await end(of: done)
        return child
    }

    /// Throws: there is no implementation.
    public func push(
        _ element: RouteElement, animated: Bool, completion: @escaping RoutingCompletion
    ) throws -> any Routable {
        throw UnsupportedByRoutable()
    }

    /// Throws: there is no implementation.
    public func pop(
        _ element: RouteElement, animated: Bool, completion: @escaping RoutingCompletion
    ) throws {
        throw UnsupportedByRoutable()
    }

    /// Throws: there is no implementation.
    public func change(
        _ from: RouteElement, to: RouteElement, animated: Bool,
        completion: @escaping RoutingCompletion
    ) throws -> any Routable {
        throw UnsupportedByRoutable()
    }

    /// Returns when the stream has ended, or at once when the task is cancelled: a completion
    /// handler that is never called isn't waited for any longer.
    private func end(of stream: AsyncStream<Never>) async {
        for await _ in stream {}
    }
}

/// Thrown in the place of a method of ``Routable`` that isn't implemented.
struct UnsupportedByRoutable: Error {}

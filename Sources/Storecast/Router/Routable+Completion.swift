extension Routable {
    /// Calls the form with a completion handler and waits for that.
    public func push(_ element: RouteElement, animated: Bool) async throws -> any Routable {
        let (done, completion) = AsyncStream.makeStream(of: Never.self)
        let child = try push(element, animated: animated) { completion.finish() }
        await end(of: done)
        return child
    }

    /// Calls the form with a completion handler and waits for that.
    public func pop(_ element: RouteElement, animated: Bool) async throws {
        let (done, completion) = AsyncStream.makeStream(of: Never.self)
        try pop(element, animated: animated) { completion.finish() }
        await end(of: done)
    }

    /// Calls the form with a completion handler and waits for that.
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

    /// Returns when the stream has ended, or at once when the task is cancelled: whoever has
    /// forgotten to call the completion handler is not waited for any longer.
    private func end(of stream: AsyncStream<Never>) async {
        for await _ in stream {}
    }
}

/// What a method of ``Routable`` throws that nobody has implemented.
struct UnsupportedByRoutable: Error {}

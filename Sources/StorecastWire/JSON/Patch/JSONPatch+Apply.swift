extension JSONPatch {
    /// Carries out the operations in order, in place while nobody else holds the value.
    ///
    /// All or nothing: after a throw the value is what it was before.
    ///
    /// Complexity: linear in the patch, not in the value; a change inside an array moves the
    /// elements behind it.
    ///
    /// - Parameter limits: how deep the result may be nested, and how many bytes of text `copy` may
    ///   add in all, so that a short patch can't make an enormous value.
    /// - Throws: ``JSONPatchError``, which names the operation.
    public func apply(
        to value: inout JSON, limits: JSONLimits = JSONLimits()
    ) throws(JSONPatchError) {
        var application = JSONPatchApplication(limits: limits)
        for (index, operation) in operations.enumerated() {
            do {
                try application.perform(operation, on: &value)
            } catch {
                application.undo(on: &value)
                throw JSONPatchError(error.reason, at: index)
            }
        }
    }
}

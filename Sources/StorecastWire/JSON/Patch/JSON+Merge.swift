extension JSON {
    /// Applies a JSON Merge Patch (RFC 7396): members of objects are merged, those that are null in
    /// the patch removed, anything else replaced.
    ///
    /// Complexity: linear in the patch, and in place while nobody else holds the value.
    public mutating func merge(_ patch: JSON) {
        guard case .object(let members) = patch else { return self = patch }
        if object == nil { self = .object(JSONObject()) }
        _ = withObject { object in
            for (key, change) in members {
                if change.isNull {
                    object.removeValue(forKey: key)
                } else if object.withValue(forKey: key, { $0.merge(change) }) == nil {
                    // Nulls inside a new member are left out too.
                    var value = JSON.null
                    value.merge(change)
                    object.append(key, value)
                }
            }
        }
    }
}

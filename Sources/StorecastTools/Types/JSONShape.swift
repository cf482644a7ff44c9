import StorecastSync

/// Which JSON values a Swift type is written as and read from.
indirect enum JSONShape: Equatable {
    /// Any value at all.
    case any
    case boolean
    case number
    case string
    /// These strings and numbers only.
    case constants([JSON])
    case array(JSONShape)
    /// An object with any names.
    case dictionary(JSONShape)
    case object([Member], isComplete: Bool)
    case union([JSONShape])
    /// That, or null.
    case nullable(JSONShape)
    /// A type with a declaration of its own, by its name.
    case named(String)
    /// The reason why it isn't known.
    case unknown(String)

    struct Member: Equatable {
        var name: String
        var shape: JSONShape
        /// It may be left out.
        var isOptional: Bool
    }
}

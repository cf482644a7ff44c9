/// A description of something that happened, from which a reducer works out the next state.
///
/// An action carries data and no behaviour. Any value type can be one:
///
/// ```swift
/// struct Increase: Action { var by = 1 }
/// ```
public protocol Action {}

/// A mark for state types that older ReSwift code puts on its states.
///
/// Nothing in the library asks for it: any type can be a state.
public protocol StateType {}

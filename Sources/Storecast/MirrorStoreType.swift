/// A store whose state comes from elsewhere and isn't there at first.
///
/// A conforming class declares its own `public var state: State?` for its users, who then meet an
/// honest optional, and answers ``mirroredState`` with the same value. Code that is generic over
/// ``StoreType`` sees ReSwift's implicitly unwrapped `state`.
public protocol MirrorStoreType: StoreType {
    /// The current state, nil until the first one has come.
    var mirroredState: State? { get }
}

extension MirrorStoreType {
    /// The current state, as ``StoreType`` asks for it.
    public var state: State! { mirroredState }
}

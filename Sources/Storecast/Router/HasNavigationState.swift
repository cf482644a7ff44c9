/// A state that has a navigation state in it.
public protocol HasNavigationState {
    /// Where in the app the user is.
    var navigationState: NavigationState { get set }
}

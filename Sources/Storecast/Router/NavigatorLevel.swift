/// One element that a router has shown.
struct NavigatorLevel {
    let element: RouteElement
    /// Who is responsible for what is inside it; nil if that never became known.
    let routable: (any Routable)?
}

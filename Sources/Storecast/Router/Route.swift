/// One step of the way to a place in an app, such as `"users"`.
public typealias RouteElement = String

/// The way to a place in an app, from the outermost element to the innermost, like the path of a
/// URL. The empty route is what there is before anything was shown.
public typealias Route = [RouteElement]

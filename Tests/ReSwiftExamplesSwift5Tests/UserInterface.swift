/// Stands in for UIKit, with its names and its isolation, so that the programs here can be what
/// they are in an app.
@MainActor class UIViewController {
    init() {}
    func viewWillAppear(_ animated: Bool) {}
    func viewWillDisappear(_ animated: Bool) {}
}

/// A label, as ``UIViewController``'s comment says.
@MainActor class UILabel {
    var text: String?
}

/// A button, as ``UIViewController``'s comment says.
@MainActor class UIButton {}

/// What app delegates inherit from, as ``UIViewController``'s comment says.
@MainActor class UIResponder {
    init() {}
}

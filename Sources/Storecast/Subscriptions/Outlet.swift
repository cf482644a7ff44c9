/// The beginning of an operator of the user's own: passes values on to the operator's observer.
///
/// What comes before it holds it, and it holds what comes behind, like every stage of a
/// subscription. The ``Subscription`` that the user sees is no stage, as it knows what is before it.
final class Outlet<Value> {
    var observer: ((Value?, Value) -> Void)?
    private var last: Value?

    func receive(_ new: Value) {
        let old = last
        // Remembered first: the observer may lead to a dispatch and so back to here.
        last = new
        observer?(old, new)
    }
}

package import Synchronization

/// How many jobs are on their way to actors with what has become of their mirrors.
///
/// Of the whole process, as an outcome doesn't know who will wait for it: whoever finds none under way
/// needn't let any go first.
package enum DeliveriesUnderway {
    package static let count = Atomic<Int>(0)
}

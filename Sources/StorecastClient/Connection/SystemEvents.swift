#if canImport(Network)
    import Dispatch
    import Foundation
    import Network
#endif

/// What the system tells a program that concerns its connections.
enum SystemEvent {
    /// There is a network again, or another one.
    case networkChanged
    /// The program is about to be stopped until it is shown again.
    case willSuspend
    /// It is shown again.
    case resumed
}

#if canImport(Network)
    /// Tells of the system's events as long as it is there.
    ///
    /// Unchecked: nothing of it changes after `init`, and the notification centre may be used from
    /// any thread.
    final class SystemEvents: @unchecked Sendable {
        private let monitor = NWPathMonitor()
        private let observers: [any NSObjectProtocol]

        /// By name, as UIKit and WatchKit aren't there on every system, and apps' extensions have
        /// the first without an application.
        private static let notifications: [(String, SystemEvent)] = [
            ("UIApplicationDidEnterBackgroundNotification", .willSuspend),
            ("UIApplicationWillEnterForegroundNotification", .resumed),
            ("NSExtensionHostDidEnterBackgroundNotification", .willSuspend),
            ("NSExtensionHostWillEnterForegroundNotification", .resumed),
            ("WKApplicationDidEnterBackgroundNotification", .willSuspend),
            ("WKApplicationWillEnterForegroundNotification", .resumed),
        ]

        init(_ tell: @escaping @Sendable (SystemEvent) -> Void) {
            observers = Self.notifications.map { name, event in
                NotificationCenter.default.addObserver(
                    forName: Notification.Name(name), object: nil, queue: nil
                ) { _ in tell(event) }
            }
            monitor.pathUpdateHandler = { path in
                if path.status == .satisfied { tell(.networkChanged) }
            }
            monitor.start(queue: DispatchQueue(label: "storecast-network"))
        }

        deinit {
            monitor.cancel()
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
        }
    }
#else
    /// Here the system tells nothing.
    struct SystemEvents {
        init(_ tell: @escaping @Sendable (SystemEvent) -> Void) {}
    }
#endif

public import StorecastMirror
public import StorecastSync

extension RemoteConnection {
    /// Where a connection keeps the values of its stores for the next start of the program.
    ///
    /// ```swift
    /// let connection = RemoteConnection(url, cache: .file(path, viewer: user.id))
    /// ```
    /// Stores then show the last value that is known at once, before there is a connection, with
    /// its ``RemoteStore/position``; ``RemoteStore/isLive`` is false until the server has confirmed
    /// or replaced it. What didn't change isn't sent again. What was dispatched, and isn't in the
    /// server's values yet, is no part of it: an ``Outbox`` keeps that.
    public struct Cache: Sendable {
        /// Encrypts what is written.
        public struct Encryption: Sendable {
            let sealing: MirrorSealing

            /// Two functions of your own, such as `AES.GCM.seal` and `open` of CryptoKit with a key
            /// from the keychain. They should authenticate: what `open` throws at is as if it
            /// weren't there. `open` is called by the connection's initializer, `seal` on the
            /// connection's thread.
            ///
            /// - Parameters:
            ///   - seal: makes of all that is kept, some MiB at most, what is written.
            ///   - open: makes of what was written what it was; throws if it isn't that.
            public init(
                seal: @escaping @Sendable ([UInt8]) throws -> [UInt8],
                open: @escaping @Sendable ([UInt8]) throws -> [UInt8]
            ) {
                sealing = MirrorSealing(seal: seal, open: open)
            }
        }

        private let storage: (@Sendable () -> any MirrorStorage)?
        private let viewer: String
        private let limits: CacheLimits
        private let encryption: Encryption?

        /// Nothing is kept.
        public static var none: Cache {
            Cache(storage: nil, viewer: "", limits: CacheLimits(), encryption: nil)
        }

        /// In a file, which is read before the connection's initializer returns.
        ///
        /// It is written some seconds after a change, with all that has changed by then; by
        /// ``RemoteConnection/saveCache()``; and when the connection is closed. That blocks the
        /// connection's thread for some milliseconds for each MiB. A file that is damaged, can't be
        /// opened, or is of another viewer or room is as if it weren't there, and replaced. One that
        /// can't be written is tried again with the next change.
        ///
        /// What the server forbids the viewer to see is taken out at once; all of it if the viewer
        /// may not enter the room any more.
        ///
        /// - Parameters:
        ///   - path: the file, which is made if it isn't there; its folder must be. Readable for its
        ///     owner alone. Use one for each connection that is open at once.
        ///   - viewer: tells the person who is logged in from all others who may use the device, as
        ///     their id does; compared byte by byte. Nobody is shown what another one has seen. `""`
        ///     where nobody logs in.
        ///   - limits: how much is kept, and how often it is written.
        ///   - encryption: nil to write plain JSON.
        public static func file(
            _ path: String, viewer: String, limits: CacheLimits = CacheLimits(),
            encryption: Encryption? = nil
        ) -> Cache {
            stored(viewer: viewer, limits: limits, encryption: encryption) {
                FileMirrorStorage(path)
            }
        }

        /// In a storage of any kind.
        package static func stored(
            viewer: String, limits: CacheLimits = CacheLimits(), encryption: Encryption? = nil,
            in storage: @escaping @Sendable () -> any MirrorStorage
        ) -> Cache {
            Cache(storage: storage, viewer: viewer, limits: limits, encryption: encryption)
        }

        /// Reads what was kept for a client of a room; nil if nothing is to be kept.
        func open(room: String, client: String) -> MirrorCache? {
            guard let storage else { return nil }
            return MirrorCache(
                MirrorCache.Home(room: room, viewer: viewer, client: client), limits: limits,
                in: storage(), sealing: encryption?.sealing ?? MirrorSealing())
        }
    }

    /// Writes what has changed to the ``Cache`` now: for when the system is about to suspend the
    /// app. Returns when that is done, or can't be.
    public func saveCache() async {
        await withCheckedContinuation { continuation in
            perform { core in
                core.session.saveCache()
                continuation.resume()
            }
        }
    }

    /// Takes the ``Cache`` away, and keeps nothing from now on: for when somebody logs out. Works
    /// on a closed connection too. Stores go on showing what they show.
    ///
    /// - Throws: `cache-unwritable` if the file is there and can't be removed.
    public func wipeCache() async throws(Rejection) {
        let result = await withCheckedContinuation { continuation in
            perform { core in
                let result = Result { () throws(Rejection) in try core.session.wipeCache() }
                continuation.resume(returning: result)
            }
        }
        try result.get()
    }
}

// All of this library that there is on other systems than Linux: Package.swift says why.

#if !os(Linux)
    /// A server of rooms, on Linux.
    @available(*, unavailable, message: "The server runs on Linux: build this target there.")
    public enum SyncServer {}
#endif

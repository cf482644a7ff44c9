import StorecastPlatform

/// The clock of `EventLoop.now()`, in nanoseconds: `Duration` would be converted for each frame.
enum Clock {
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

package import Glibc

/// The processor time of this process.
package enum ProcessorTime {
    package static var own: Double { seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

    package static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

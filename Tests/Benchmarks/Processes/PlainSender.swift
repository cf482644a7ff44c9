import Glibc
import MeasureSupport

/// Takes connections, and sends what the first of them sends to all the others.
///
/// Nothing of Storecast is in it: what it costs, the kernel costs.
enum PlainSender {
    static func run() throws {
        let listener = try PlainSocket.listen()
        print(try PlainSocket.port(of: listener))
        fflush(nil)
        let trigger = accept(listener, nil, nil)
        var receivers: [Int32] = []
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        var waiting = [
            pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
            pollfd(fd: trigger, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&waiting, 2, -1) > 0 {
            if waiting[0].revents != 0 {
                let receiver = accept(listener, nil, nil)
                PlainSocket.disableDelay(receiver)
                receivers.append(receiver)
                // All who have connected are taken before anything is sent.
                continue
            }
            let count = recv(trigger, &bytes, bytes.count, 0)
            guard count > 0 else { return }
            for receiver in receivers {
                _ = send(receiver, bytes, count, Int32(MSG_NOSIGNAL))
            }
        }
    }
}

import Counter
import Foundation
import StorecastClient

let connection = RemoteConnection("ws://127.0.0.1:9090/", room: Counter.room)
let total = RemoteStore(Counter.total, on: connection, optimistic: Counter.room)
do {
    print("counted at version", try await total.dispatch(Increase(by: 2)).outcome.version)
} catch {
    print("rejected:", error)
}
for await count in total.states {
    // Unbuffered: `print` is buffered when standard output isn't a terminal.
    FileHandle.standardOutput.write(Data("\(count)\n".utf8))
}

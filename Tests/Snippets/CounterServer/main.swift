import Counter
import StorecastServer

let room = Counter.room.validate(Increase.self) { _, increase, _ in
    guard (1...10).contains(increase.by) else { throw Rejection(.invalid, "Only 1 to 10.") }
}
await SyncServer(port: 9090, room: room).main()

import Counter
import StorecastServer

await SyncServer(port: 9090, room: Counter.serverRoom).main()

import Counter
import StorecastTools

await RoomTools.main { path in path == "/" ? Counter.serverRoom : nil }

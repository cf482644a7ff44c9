print("storecast-board")

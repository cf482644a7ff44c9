print("storecast")

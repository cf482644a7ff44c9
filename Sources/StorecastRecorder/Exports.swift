@_exported public import Storecast
@_exported public import StorecastWire

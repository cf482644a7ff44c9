@_exported public import Storecast
@_exported public import StorecastTables
@_exported public import StorecastWire

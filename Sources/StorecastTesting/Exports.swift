@_exported public import StorecastClient
@_exported public import StorecastSimulation

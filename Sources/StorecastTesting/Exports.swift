@_exported public import StorecastClient

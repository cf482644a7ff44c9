@_exported public import StorecastSync

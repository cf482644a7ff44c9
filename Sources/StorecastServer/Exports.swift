@_exported public import StorecastRoom

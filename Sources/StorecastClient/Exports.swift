@_exported public import StorecastMirror
@_exported public import StorecastSync

@_exported public import Storecast

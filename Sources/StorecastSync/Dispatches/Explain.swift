import StorecastWire

/// One sentence on why a value couldn't be decoded, naming the member; safe to show to a client.
func explain(_ error: any Error) -> String {
    error is DecodingError ? JSONCoding.message(for: error) : "It can't be read."
}

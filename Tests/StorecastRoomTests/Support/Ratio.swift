import StorecastRoom

/// A value that fails to encode at 13.
struct Ratio: Codable, Equatable {
    static let selection = Selection("ratio") { (shop: Shop) in Ratio(tea: shop.tea) }

    var tea: Int

    func encode(to encoder: any Encoder) throws {
        guard tea != 13 else { throw CancellationError() }
        var container = encoder.singleValueContainer()
        try container.encode(tea)
    }

    init(tea: Int) { self.tea = tea }

    init(from decoder: any Decoder) throws {
        tea = try decoder.singleValueContainer().decode(Int.self)
    }
}

import StorecastSQLite
import StorecastRoom

extension TravelledEntry {
    /// The entry as `export` writes it, and what became of it: `version` and `outcome`, and the
    /// `reason` of a rejection.
    var json: JSON {
        get throws {
            var json = try exported() ?? ["offset": .uint(entry.offset)]
            if !entry.isIntact { json["isIntact"] = false }
            guard let replayed else { return json }
            json["version"] = .uint(replayed.version)
            switch replayed.outcome {
            case .reduced: json["outcome"] = "reduced"
            case .duplicate: json["outcome"] = "duplicate"
            case .rejected(let rejection):
                json["outcome"] = "rejected"
                json["reason"] = rejection.json
            }
            return json
        }
    }

    /// Nil if what it holds isn't JSON, as may be after damage.
    private func exported() throws -> JSON? {
        guard let record = entry.record,
            let line = try? JournalLine.entry(offset: entry.offset, record).bytes()
        else { return nil }
        return try JSONDocument(line, limits: .trusted).root.json
    }
}

extension Rejection {
    fileprivate var json: JSON {
        var json: JSON = ["code": .string(code.description), "title": .string(title)]
        json["detail"] = detail.map { .string($0) }
        return json
    }
}

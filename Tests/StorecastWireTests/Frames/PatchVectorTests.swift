import StorecastWire
import Testing

struct PatchVectorTests {
    static func patches(failing: Bool) throws -> [Vector] {
        try Vectors.all(in: "patches").filter { ($0["fails"]?.bool == true) == failing }
    }

    @Test(arguments: try patches(failing: false))
    func `a mirror gets from value to value`(_ vector: Vector) throws {
        var value = try #require(vector["before"])
        var version: UInt64 = 1
        for json in try #require(vector["frames"]?.array) {
            let frame = try ServerFrame(reading: JSONDocument(json.description).root)
            guard case .patch(_, let from, let to, let operations) = frame else {
                Issue.record("\(json) is no patch")
                return
            }
            #expect(from == version)
            try JSONPatch(reading: operations).apply(to: &value)
            version = to
        }
        #expect(try value == #require(vector["after"]))
    }

    @Test(arguments: try patches(failing: true))
    func `a patch that fails leaves the value as it was`(_ vector: Vector) throws {
        let before = try #require(vector["before"])
        let json = try #require(vector["frames"]?.array?.first)
        let operations = try #require(JSONDocument(json.description).root["ops"])
        var value = before
        #expect(throws: JSONPatchError.self) {
            try JSONPatch(reading: operations).apply(to: &value)
        }
        #expect(value == before)
    }
}

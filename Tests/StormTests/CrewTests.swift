import StorecastClient
import Testing

@testable import Storm

@MainActor struct CrewTests {
    @Test func `documents begin with an empty list for each client, and schema 1`() throws {
        let document = try JSON(parsing: Crew.document(clients: 3))
        #expect(document == ["0": [], "1": [], "2": []])
        #expect(Crew.schema(of: document) == 1)
    }

    @Test func `a document of a later schema says which`() {
        #expect(Crew.schema(of: ["0": [], "schema": 4]) == 4)
    }
}

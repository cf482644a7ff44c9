import StorecastRecorder
import Testing

struct StandardActionTests {
    private struct Move: StandardActionConvertible, Codable, Equatable {
        var card: String
        var to: Int
        var reason: String?
    }

    private struct Renamed: StandardActionConvertible, Codable {
        static let type = "OldName"
    }

    private enum Vote: StandardActionConvertible, Codable, Equatable {
        case up
        case points(Int)
    }

    private struct Answer: StandardActionConvertible, Codable, Equatable {
        var text: String?

        init(text: String?) { self.text = text }

        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String?.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    /// As guides of ReSwift's recorder show it: nothing throws, the type has a name of its own.
    private struct SetUser: StandardActionConvertible {
        static let type = "SET_USER"
        let name: String

        init(name: String) { self.name = name }

        init(_ standardAction: StandardAction) {
            name = standardAction.payload?["name"]?.string ?? ""
        }

        func toStandardAction() -> StandardAction {
            StandardAction(type: Self.type, payload: ["name": .string(name)], isTypedAction: true)
        }
    }

    @Test func `a Codable action becomes a standard action and is made from it again`() throws {
        let move = Move(card: "a", to: 3, reason: nil)
        let standard = try move.toStandardAction()
        #expect(standard.type == "Move")
        #expect(standard.payload == ["card": "a", "to": 3])
        #expect(standard.isTypedAction)
        #expect(try Move(standard) == move)
    }

    @Test func `an action without members has no payload`() throws {
        #expect(
            try Clear().toStandardAction()
                == StandardAction(type: "Clear", payload: nil, isTypedAction: true))
        #expect(try Clear(StandardAction(type: "Clear", payload: [:])) == Clear())
        #expect(try Clear(StandardAction(type: "Clear")) == Clear())
    }

    @Test(arguments: [Vote.up, .points(-5)])
    private func `an enumeration is an action like any other`(vote: Vote) throws {
        #expect(try Vote(vote.toStandardAction()) == vote)
    }

    @Test func `a payload of null isn't no payload`() throws {
        let standard = try Answer(text: nil).toStandardAction()
        #expect(standard.payload == .null)
        let bytes = try JSONCoding.encode(standard)
        let again = try JSONCoding.decode(
            StandardAction.self, from: JSONDocument(bytes).root)
        #expect(again == standard)
        #expect(try Answer(again) == Answer(text: nil))
    }

    @Test func `a type can keep its former name`() throws {
        #expect(try Renamed().toStandardAction().type == "OldName")
        #expect(TypeMap(Renamed.self, Add.self).keys.sorted() == ["Add", "OldName"])
    }

    @Test func `hand-written conversions needn't throw`() {
        let standard = SetUser(name: "Ada").toStandardAction()
        #expect(standard.payload?["name"] == "Ada")
        #expect(SetUser(standard).name == "Ada")
    }

    @Test func `a payload that doesn't fit is an error`() {
        #expect(throws: DecodingError.self) {
            try Move(StandardAction(type: "Move", payload: ["card": 7, "to": 3]))
        }
    }

    @Test func `as JSON it has ReSwift's members`() throws {
        let action = StandardAction(type: "Rain", payload: ["mm": 4.5])
        #expect(
            try JSONCoding.encodeTree(action)
                == ["type": "Rain", "payload": ["mm": 4.5], "isTypedAction": false])
        #expect(
            try JSONCoding.encodeTree(StandardAction(type: "Sun", isTypedAction: true))
                == ["type": "Sun", "isTypedAction": true])
        #expect(
            try JSONCoding.decode(StandardAction.self, from: ["type": "Sun"])
                == StandardAction(type: "Sun"))
    }
}

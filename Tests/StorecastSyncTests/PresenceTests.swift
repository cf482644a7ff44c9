import StorecastSync
import Testing

struct PresenceTests {
    private var presence = Presence()

    private mutating func join(_ user: String, at time: Double = 0) {
        var joined = ClientJoined(participant: "p", user: user)
        joined.stamp.time = Timestamp(secondsSince1970: time)
        presence.reduce(joined)
    }

    private mutating func leave(_ user: String) {
        presence.reduce(ClientLeft(participant: "p", user: user))
    }

    private mutating func set(_ status: String?, _ user: String) {
        var action = SetStatus(status)
        action.stamp.sender = Identity(user, roles: ["any"])
        presence.reduce(action)
    }

    private func since(_ time: Double) -> Timestamp { Timestamp(secondsSince1970: time) }

    @Test mutating func `people are there once, from their first client to their last`() {
        join("ada", at: 1)
        join("bob", at: 2)
        join("ada", at: 3)
        #expect(
            presence.participants == [
                .init(id: "ada", clients: 2, since: since(1)),
                .init(id: "bob", clients: 1, since: since(2)),
            ])
        leave("ada")
        #expect(presence.participants.map(\.clients) == [1, 1])
        leave("ada")
        #expect(presence.participants.map(\.id) == ["bob"])
        join("ada", at: 9)
        #expect(presence.participants.map(\.since) == [since(2), since(9)])
    }

    @Test mutating func `anonymous clients are one participant`() {
        join("")
        join("")
        #expect(presence.participants == [.init(id: "", clients: 2, since: since(0))])
    }

    @Test mutating func `who only looks like somebody is somebody else`() {
        join("\u{e9}")
        join("e\u{301}")
        set("away", "e\u{301}")
        #expect(presence.participants.map(\.status) == [nil, "away"])
        leave("\u{e9}")
        #expect(presence.participants.map { Array($0.id.utf8) } == [Array("e\u{301}".utf8)])
    }

    @Test mutating func `who was never there can't leave`() {
        leave("ada")
        #expect(presence == Presence())
    }

    @Test mutating func `of more than fit only the clients are counted`() {
        for number in 0..<Presence.limit { join("user\(number)") }
        join("ada")
        join("ada")
        join("user0")
        #expect(presence.participants.count == Presence.limit)
        #expect(presence.unlisted == 2)
        leave("user1")
        join("ada")
        #expect(presence.participants.last?.clients == 1)
        for _ in 0..<3 { leave("ada") }
        #expect(presence.unlisted == 0)
        #expect(presence.participants.count == Presence.limit - 1)
    }

    @Test mutating func `people say what they are about, as long as they are there`() {
        join("ada")
        set("typing", "ada")
        set("typing", "bob")
        #expect(presence.participants.map(\.status) == ["typing"])
        set(nil, "ada")
        #expect(presence.participants.map(\.status) == [nil])
        set("typing", "ada")
        leave("ada")
        join("ada")
        #expect(presence.participants.map(\.status) == [nil])
    }

    @Test mutating func `nobody speaks for all who are anonymous`() {
        join("")
        presence.reduce(SetStatus("typing"))
        #expect(presence.participants.map(\.status) == [nil])
    }

    @Test mutating func `of a long status the beginning is kept`() {
        join("ada")
        set(String(repeating: "x", count: 100_000), "ada")
        #expect(presence.participants[0].status == String(repeating: "x", count: 100) + "…")
    }
}

import StorecastRoom
import Testing

struct ServerSessionResumeTests {
    let loop = TestLoop()
    let room: Room<Shop>
    /// Keeps the groups, and their histories, alive.
    let keeper: Wire
    let tag: String

    init() {
        room = loop.open(
            Shop.room(from: Shop(log: Array(repeating: "tea", count: 50))),
            journal: TestJournal(isImmediate: true))
        keeper = Wire.greeted(room, on: loop, client: .bob)
        keeper.say(#"{"op":"subscribe","ref":1,"select":"log"}"#)
        tag = keeper.hear().first("subscribed")?["tag"]?.string ?? ""
    }

    private func write(_ text: String) {
        room.dispatch(Write(text: text), DispatchOutcome())
        loop.endTurn()
    }

    private func resume(at v: Int, epoch: String = "test-epoch", tag: String? = nil) -> JSON? {
        let wire = Wire.greeted(room, on: loop)
        let at = #"{"epoch":"\#(epoch)","v":\#(v),"tag":"\#(tag ?? self.tag)"}"#
        wire.say(#"{"op":"subscribe","ref":1,"select":"log","at":\#(at)}"#)
        let heard = wire.hear()
        #expect(heard.ops.first == "subscribed")
        #expect(heard.count == 2)
        return heard.last
    }

    @Test func `nothing missed: current`() {
        write("one")
        #expect(resume(at: 1) == parsed(#"{"op":"current","sub":1,"v":1}"#))
    }

    @Test func `a quiet selection is current, however much else happened`() {
        write("one")
        for _ in 0..<5 { room.dispatch(AddTea(by: 1), DispatchOutcome()) }
        loop.endTurn()
        #expect(resume(at: 1)?.op == "current")
        // As of a version in between the value was the same.
        #expect(resume(at: 4) == parsed(#"{"op":"current","sub":1,"v":1}"#))
    }

    @Test func `what was missed comes as one patch`() {
        write("one")
        write("two")
        #expect(
            resume(at: 0)
                == parsed(
                    #"""
                    {"op":"patch","sub":1,"from":0,"v":2,"ops":[
                    {"op":"add","path":"/50","value":"one"},
                    {"op":"add","path":"/51","value":"two"}]}
                    """#))
    }

    @Test func `any version that has the value will do, and is answered from its last change`() {
        write("one")
        for _ in 0..<3 {
            room.dispatch(AddTea(by: 1), DispatchOutcome())
            loop.endTurn()
        }
        write("five")
        for v in 1...4 {
            #expect(
                resume(at: v)
                    == parsed(
                        #"""
                        {"op":"patch","sub":1,"from":1,"v":5,"ops":[
                        {"op":"add","path":"/51","value":"five"}]}
                        """#))
        }
        #expect(resume(at: 0)?["ops"]?.array?.count == 2)
    }

    @Test func `a version that the room hasn't reached is answered by a snapshot`() {
        write("one")
        #expect(resume(at: 2)?.op == "snapshot")
    }

    @Test func `another epoch, tag or a forgotten history is answered by a snapshot`() {
        write("one")
        #expect(resume(at: 1, epoch: "another")?.op == "snapshot")
        #expect(resume(at: 1, tag: "another")?.op == "snapshot")
        for number in 0..<60 { write("something longer, number \(number)") }
        #expect(resume(at: 0)?.op == "snapshot")
    }

    @Test func `the tag is the same in every process`() {
        let other = TestLoop()
        let wire = Wire.greeted(other.open(Shop.room, seed: 99), on: other)
        wire.say(#"{"op":"subscribe","ref":1,"select":"log"}"#)
        #expect(wire.hear().first("subscribed")?["tag"]?.string == tag)
    }

    @Test(arguments: [Shop.room.revision("2"), Shop.room.schema(2)])
    func `the tag is another one for another revision or schema`(_ changed: RoomDefinition<Shop>) {
        let wire = Wire.greeted(loop.open(changed), on: loop)
        wire.say(#"{"op":"subscribe","ref":1,"select":"log"}"#)
        #expect(wire.hear().first("subscribed")?["tag"]?.string != tag)
    }
}

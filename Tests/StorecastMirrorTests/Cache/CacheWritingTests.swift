import StorecastSync
import TestSupport
import Testing

@testable import StorecastMirror

/// When a cache is written, how much it holds, and what it is when it was damaged.
struct CacheWritingTests {
    private let device = CacheBench()

    // MARK: When

    @Test func `changes wait to be written together`() {
        let program = device.start()
        let tea = program.mirror("tea")
        program.live()
        for version in 3...50 { program.say(snapshot: "\(version)", version: version, to: tea) }
        program.bench.advance(by: .milliseconds(999))
        #expect(device.storage.writes == 0)
        program.bench.advance(by: .milliseconds(1))
        #expect(device.storage.writes == 1, "The next start would show nothing.")
        for version in 51...90 { program.say(snapshot: "\(version)", version: version, to: tea) }
        program.bench.advance(by: .milliseconds(9999))
        #expect(device.storage.writes == 1)
        program.bench.advance(by: .milliseconds(1))
        #expect(device.storage.writes == 2)
        program.bench.advance(by: .seconds(600))
        #expect(device.storage.writes == 2, "Nothing was new.")
        #expect(device.shown() == 90)
    }

    @Test func `what is larger is written more seldom`() {
        let program = device.start()
        let tea = program.mirror("tea")
        let text = String(repeating: "x", count: 3 << 18)
        program.live()
        program.say(snapshot: #""\#(text)""#, version: 3, to: tea)
        program.bench.advance(by: .seconds(10))
        #expect(device.storage.writes == 1)
        program.say(snapshot: "4", version: 4, to: tea)
        program.bench.advance(by: .seconds(12))
        #expect(device.storage.writes == 1)
        program.bench.advance(by: .seconds(1))
        #expect(device.storage.writes == 2)
    }

    @Test func `the end writes at once, also if only the position is new`() {
        let program = device.start()
        let tea = program.mirror("tea")
        program.live()
        program.say(snapshot: "1", version: 3, to: tea)
        program.bench.advance(by: .seconds(10))
        program.bench.say(#"{"op":"transaction","v":9,"count":0}"#)
        program.bench.advance(by: .seconds(600))
        #expect(device.storage.writes == 1, "A position alone isn't worth it.")
        program.end()
        #expect(device.storage.writes == 2)
        #expect(device.start().mirror("tea").position?.version == 9)
    }

    @Test func `before the app is suspended it is written when asked for`() {
        let program = device.start()
        let tea = program.mirror("tea")
        program.live()
        program.say(snapshot: "1", version: 3, to: tea)
        program.session.saveCache()
        #expect(device.shown() == 1)
        program.session.saveCache()
        #expect(device.storage.writes == 1)
    }

    @Test func `a connection that is lost has it written soon, with the position`() {
        let program = device.start()
        let tea = program.mirror("tea")
        program.live()
        program.say(snapshot: "1", version: 3, to: tea)
        program.bench.advance(by: .seconds(10))
        program.bench.say(#"{"op":"transaction","v":9,"count":0}"#)
        program.bench.lose()
        program.bench.advance(by: .seconds(10))
        #expect(device.start().mirror("tea").position?.version == 9)
    }

    @Test func `a program that heard nothing writes nothing`() {
        device.runOnce()
        let writes = device.storage.writes
        let program = device.start()
        _ = program.mirror("tea")
        program.bench.advance(by: .seconds(60))
        program.end()
        #expect(device.storage.writes == writes)
    }

    @Test func `what can't be written is tried again with the next change`() {
        let program = device.start()
        let tea = program.mirror("tea")
        program.live()
        device.storage.failure = Rejection(.cacheUnwritable, "The disk is full.")
        program.say(snapshot: "1", version: 3, to: tea)
        program.bench.advance(by: .seconds(60))
        #expect(device.storage.text == nil)
        device.storage.failure = nil
        program.say(snapshot: "2", version: 4, to: tea)
        program.bench.advance(by: .seconds(10))
        #expect(device.shown() == 2)
    }

    @Test func `a mirror that was released is kept as it was last`() {
        let program = device.start()
        let (tea, milk) = (program.mirror("tea"), program.mirror("milk"))
        program.live()
        program.say(snapshot: "1", version: 3, to: tea)
        program.say(snapshot: "2", version: 3, to: milk)
        program.release(tea)
        program.say(snapshot: "3", version: 4, to: milk)
        program.end()
        let next = device.start()
        #expect(next.mirror("tea").value == 1)
        #expect(next.mirror("tea").position?.version == 3)
        #expect(next.mirror("milk").position?.version == 4)
    }

    // MARK: How much

    /// Of five selections, two were looked at again.
    @Test func `of what is too much, that goes first which wasn't mirrored for the longest time`() {
        device.limits.bytes = 4000
        for number in 0...4 {
            let program = device.start()
            let mirror = program.mirror("s\(number)")
            program.live()
            let text = String(repeating: "x", count: 500)
            program.say(snapshot: #""\#(number)\#(text)""#, version: 3, to: mirror)
            program.end()
        }
        let again = device.start()
        for number in [0, 2] {
            let mirror = again.mirror("s\(number)")
            if number == 0 { again.live() }
            again.say(currentAt: 3, to: mirror)
        }
        again.end()
        device.limits.bytes = 2500
        let last = device.start()
        let left = (0...4).filter { last.mirror("s\($0)").value != nil }
        #expect(left == [0, 2, 4])
    }

    @Test func `a text is never longer than it may be`() {
        device.limits.bytes = 3000
        let program = device.start()
        program.live()
        for number in 0..<100 {
            let mirror = program.mirror("s\(number)", ["number": .int(Int64(number))])
            program.say(snapshot: #""\#(number)""#, version: 3, to: mirror)
        }
        program.end()
        let size = device.storage.text?.count ?? 0
        #expect(size > 1000 && size <= 3000)
    }

    @Test func `a value that is too large isn't kept, nor the one before`() {
        device.limits.selectionBytes = 10
        device.runOnce(value: #""12345678""#)
        #expect(device.shown() == "12345678")
        device.runOnce(value: #""123456789""#, version: 4)
        #expect(device.shown() == nil)
    }

    @Test func `a file that is larger than may be isn't read`() {
        device.runOnce()
        device.storage.text! += [UInt8](repeating: 0, count: 17 << 20)
        #expect(device.shown() == nil)
    }

    // MARK: Damage

    @Test func `a file that was torn anywhere is as if it weren't there`() throws {
        device.runOnce(value: #"{"cups":[1,2,3]}"#)
        let whole = try #require(device.storage.text)
        for length in 0..<whole.count {
            device.storage.text = Array(whole.prefix(length))
            #expect(device.shown() == nil, "\(length) bytes")
        }
        device.storage.text = whole + [0]
        #expect(device.shown() == nil)
    }

    @Test func `a file of which any byte is another shows nothing of it`() throws {
        device.runOnce(value: #"{"cups":[1,2,3]}"#)
        let whole = try #require(device.storage.text)
        for place in whole.indices {
            device.storage.text = whole
            device.storage.text![place] ^= 1
            #expect(device.shown() == nil, "byte \(place)")
        }
        device.storage.text = whole
        #expect(device.shown() == ["cups": [1, 2, 3]])
    }

    @Test func `what is damaged takes nothing else with it, and is sent anew`() throws {
        let first = device.start()
        let (tea, milk) = (first.mirror("tea"), first.mirror("milk"))
        first.live()
        first.say(snapshot: #""black""#, version: 3, to: tea)
        first.say(snapshot: #""white""#, version: 3, to: milk)
        first.end()
        let text = String(decoding: try #require(device.storage.text), as: UTF8.self)
        device.storage.text = Array(text.replacing("black", with: "blank").utf8)
        let second = device.start()
        #expect(second.mirror("tea").value == nil)
        #expect(second.mirror("milk").value == "white")
        second.live()
        #expect(second.resumptions == [nil, ["epoch": "e", "v": 3, "tag": "t"]])
    }

    /// Whoever can write the file can also make its checksums.
    @Test(
        arguments: [
            #"{}"#, #"[]"#, #"{"version":2}"#, #""mirrors""#,
            #"{"v":-1}"#, #"{"v":9007199254740992}"#, #"{"v":2}"#, #"{"epoch":7}"#,
            #"{"epoch":"\#(String(repeating: "e", count: 1025))"}"#,
            #"{"term":"\#(String(repeating: "t", count: 1025))"}"#,
            #"{"mirrors":{}}"#, #"{"mirrors":[7]}"#, #"{"mirrors":[]}"#,
            #"{"mirrors":[{"select":"tea","v":3,"since":4,"tag":"t","included":0,"bytes":1,"sum":0}]}"#,
            #"{"mirrors":[{"select":"tea","v":3,"since":3,"tag":"t","included":0,"bytes":2,"sum":0}]}"#,
            #"{"mirrors":[{"select":"tea","v":3,"since":3,"tag":"t","included":0,"bytes":0,"sum":0}]}"#,
            #"{"mirrors":[{"select":"tea","v":3,"since":3,"tag":"t","included":0,"bytes":-1,"sum":0}]}"#,
            #"{"mirrors":[{"select":"tea","v":3,"since":3,"tag":"t","included":0,"bytes":1,"sum":4294967296}]}"#,
        ])
    func `an index that says what can't be is as if it weren't there`(_ change: String) throws {
        device.runOnce()
        let text = try #require(device.storage.text)
        let end = try #require(text.firstIndex(of: UInt8(ascii: "\n")))
        var index = parsed(String(decoding: text[9..<end], as: UTF8.self))
        if let members = parsed(change).object, !members.isEmpty {
            for (name, value) in members { index[name] = value }
        } else {
            index = parsed(change)
        }
        device.storage.text = ChecksummedLine.text(of: Array("\(index)".utf8)) + text[(end + 1)...]
        #expect(device.shown() == nil)
    }

    // MARK: Encryption

    /// Each byte, and one in front that says that it is sealed.
    private func seal(with key: UInt8) -> MirrorSealing {
        MirrorSealing(
            seal: { [0xff] + $0.map { $0 ^ key } },
            open: { text in
                guard text.first == 0xff else { throw Rejection(.invalid, "It isn't sealed.") }
                return text.dropFirst().map { $0 ^ key }
            })
    }

    @Test func `what is written is what the app's function makes of it`() {
        device.sealing = seal(with: 0x80)
        device.runOnce(value: #""secret""#)
        #expect(!device.kept.contains("secret"))
        #expect(device.storage.text?.first == 0xff)
        #expect(device.shown() == "secret")
    }

    @Test func `what can't be opened is as if it weren't there`() {
        device.runOnce(value: "1")
        device.sealing = seal(with: 0x80)
        #expect(device.shown() == nil, "It isn't sealed.")
        device.runOnce(value: "2")
        #expect(device.shown() == 2)
        device.sealing = seal(with: 0x81)
        #expect(device.shown() == nil, "It was sealed with another key.")
        device.sealing = MirrorSealing()
        #expect(device.shown() == nil, "It is sealed.")
    }

    @Test func `what can't be sealed isn't written`() {
        device.sealing = MirrorSealing(seal: { _ in throw Rejection(.invalid, "There is no key.") })
        device.runOnce()
        #expect(device.storage.text == nil)
    }
}

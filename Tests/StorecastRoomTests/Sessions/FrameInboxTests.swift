import StorecastWire
import Testing

@testable import StorecastRoom

/// What waits of a connection's messages, and what that is taken for.
struct FrameInboxTests {
    private func unread(_ text: String) -> ClientFrames { ClientFrames(unread: Array(text.utf8)) }

    private func take(from inbox: inout FrameInbox) -> Bool {
        inbox.next { text in
            text.withUnsafeBytes { ClientFrames(reading: $0, limits: JSONLimits()) }
        } != nil
    }

    @Test func `a message counts until all of its frames are taken, though more have come`() {
        var inbox = FrameInbox()
        inbox.append(unread(#"[{"op":"ping"},{"op":"ping"}]"#), bytes: 100)
        inbox.append(unread(#"{"op":"ping"}"#), bytes: 10)
        #expect(inbox.bytes == 110 && inbox.unreadBytes == 29 + 13)
        #expect(take(from: &inbox) && take(from: &inbox))
        #expect(inbox.bytes == 110 && inbox.unreadBytes == 13)
        #expect(take(from: &inbox))
        #expect(inbox.bytes == 10 && inbox.unreadBytes == 0)
        #expect(!take(from: &inbox))
        #expect(inbox.bytes == 0 && inbox.isEmpty)
    }

    @Test func `one in which there is always something keeps only that`() {
        var inbox = FrameInbox()
        inbox.append(unread(#"{"op":"ping"}"#), bytes: 13)
        for _ in 0..<1000 {
            inbox.append(unread(#"{"op":"ping"}"#), bytes: 13)
            #expect(take(from: &inbox))
            #expect(inbox.bytes <= 26)
            #expect(inbox.heldCount < 200)
        }
    }

    @Test func `what was taken before its time counts until it is taken`() {
        var inbox = FrameInbox()
        inbox.append(unread(#"{"op":"ping"}"#), bytes: 13)
        inbox.putBack([.ping, .ping], bytes: 50)
        #expect(inbox.bytes == 50)
        #expect(take(from: &inbox) && !inbox.isEmpty)
        #expect(inbox.bytes == 50)
        #expect(take(from: &inbox))
        #expect(inbox.bytes == 13)
    }
}

import Foundation
import StorecastClient
@testable import StorecastServer
import Synchronization
import TestSupport
import Testing

/// Rooms and members whose names look alike, on a server that runs.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct LookAlikeTests {
    @Test(arguments: [1, 4])
    func `rooms that look alike are two rooms, however their path is written`(
        loops: Int
    ) async throws {
        let server = SyncServer(port: 0, loops: loops, rooms: { _ in Tallies.room })
        let url = try await server.start()
        for (path, version) in [
            ("/b/%C3%A9", 1), ("/b/e%CC%81", 1), ("/b/%c3%a9", 2), ("/%62/e%CC%81", 2),
            ("/b//%C3%A9", 3), ("/a/../b/./%C3%A9", 4), ("/%4B", 1), ("/%E2%84%AA", 1),
        ] as [(String, UInt64)] {
            let connection = RemoteConnection(url.at(path))
            #expect(
                try await connection.dispatch(Add(number: 1)).outcome.version == version, "\(path)")
            connection.close()
        }
        let room = try await server.room("/b/\u{e9}", of: Tallies.self)
        #expect(try await room.position.version == 4)
        let other = try await server.room("/b/e\u{301}", of: Tallies.self)
        #expect(try await other.position.version == 2)
        await server.stop()
    }

    @Test func `servers and clients read one path alike`() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Vectors/paths.json")
        let vectors = try JSONDocument([UInt8](Data(contentsOf: file))).root.json.array ?? []
        #expect(vectors.count > 30)
        let opened = Mutex<[ExactString]>([])
        let server = SyncServer(
            port: 0, rooms: { _ in Tallies.room },
            authenticate: { credentials in
                opened.withLock { $0.append(ExactString(credentials.path)) }
                return .anonymous
            })
        let url = try await server.start()
        for vector in vectors {
            let path = try #require(vector["path"]?.string)
            let room = vector["room"]?.string.map { ExactString($0) }
            #expect(RoomPath.name(of: path).map { ExactString($0) } == room, "\(path)")
            opened.withLock { $0 = [] }
            let connection = RemoteConnection(url.at(path))
            let status = await connection.status { $0 != .connecting }
            #expect((status == .live) == (room != nil), "\(path)")
            #expect(opened.withLock { $0 } == (room.map { [$0] } ?? []), "\(path)")
            connection.close()
        }
        await server.stop()
    }

    @MainActor @Test func `members that look alike are selected each for itself, by everybody`()
        async throws
    {
        let server = SyncServer(
            port: 0, room: JSONRoom.definition(initial: ["\u{e9}": 1, "e\u{301}": 2]))
        let url = try await server.start()
        for _ in 0..<2 {
            let connection = RemoteConnection(url)
            for (member, value) in [("\u{e9}", 1), ("e\u{301}", 2)] as [(String, JSON)] {
                let place = JSONPlace(path: JSONPath(JSONPointer([member])))
                let store = RemoteStore(JSONRoom.value, place, on: connection)
                var states = store.states.makeAsyncIterator()
                #expect(await states.next(isolation: #isolation) == value)
            }
            connection.close()
        }
        await server.stop()
    }
}

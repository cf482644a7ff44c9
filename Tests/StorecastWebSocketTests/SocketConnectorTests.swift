import Glibc
import TestSupport
import Testing

@testable import StorecastWebSocket

extension SocketTests {
    /// Of the addresses of a name the first that answers is taken.
    @Suite(.timeLimit(.minutes(30))) struct SocketConnectorTests {
        /// What becomes of an address.
        enum Kind: CaseIterable { case listening, refusing, unreachable, unknown }

        private static let lists = [[]] + longer([[]], 3)

        private static func longer(_ lists: [[Kind]], _ count: Int) -> [[Kind]] {
            guard count > 0 else { return [] }
            let longer = lists.flatMap { list in Kind.allCases.map { list + [$0] } }
            return longer + Self.longer(longer, count - 1)
        }

        @Test func `one after the other is tried, whatever became of those in front of it`()
            async throws
        {
            let loop = try EventLoop()
            for kinds in Self.lists {
                let places = try kinds.map { try Place($0) }
                let result = try await connect(to: places.map(\.address), on: loop)
                let first = kinds.firstIndex(of: .listening)
                #expect(result.port == first.map { places[$0].port }, "\(kinds)")
                #expect((result.problem == nil) == (first != nil), "\(kinds)")
                guard first == nil else { continue }
                let text: String =
                    switch kinds.last {
                    case .refusing: "Connection refused by there."
                    case .unreachable: "There is no route to there."
                    case .unknown: "Could not connect to there: "
                    default: "there has no address."
                    }
                #expect(result.problem?.hasPrefix(text) == true, "\(kinds)")
            }
            await loop.shutDown()
        }

        @Test func `who gives up hears nothing more`() async throws {
            let loop = try EventLoop()
            let results = Mailbox<String>()
            for kinds in [[Kind.listening], [.refusing, .listening], [.refusing]] {
                let places = try kinds.map { try Place($0) }
                let addresses = places.map(\.address)
                try await loop.perform {
                    let connector = SocketConnector(on: loop.core, to: addresses, target: "") { _ in
                        results.post("called")
                    }
                    connector.start()
                    connector.cancel()
                }
                withExtendedLifetime(places) {}
            }
            await loop.shutDown()
            #expect(results.pending == [])
        }

        /// In a process in which nobody else opens a socket.
        @Test func `of an attempt that is given up, or of which nothing comes, nothing stays open`()
            async
        {
            await #expect(processExitsWith: .success) {
                let loop = try EventLoop()
                // A wait that naps opens descriptors for its timer, which stay.
                let sockets = { openDescriptors(onlySockets: true) }
                let before = sockets()
                for _ in 0..<10 {
                    let all = SocketTests.SocketConnectorTests.Kind.allCases
                    for kinds in all.flatMap({ [[$0], [$0, .listening], [$0, .refusing]] }) {
                        let places = try kinds.map { try Place($0) }
                        let addresses = places.map(\.address)
                        try await loop.perform {
                            let connector = SocketConnector(
                                on: loop.core, to: addresses, target: ""
                            ) { _ in }
                            connector.start()
                            connector.cancel()
                        }
                        // Of these none takes a connection.
                        let results = Mailbox<Bool>()
                        let problems = try kinds.filter { $0 != .listening }.map { try Place($0) }
                        let others = problems.map(\.address)
                        try await loop.perform {
                            var connector: SocketConnector?
                            connector = SocketConnector(on: loop.core, to: others, target: "") {
                                results.post((try? $0.get()) != nil)
                                connector = nil
                            }
                            connector?.start()
                        }
                        #expect(try await !results.next())
                        withExtendedLifetime((places, problems)) {}
                    }
                }
                // The loop closes the last of them after it has said how it went.
                #expect(await eventually { sockets() == before })
                await loop.shutDown()
            }
        }

        private struct Outcome: Sendable {
            var port: UInt16?
            var problem: String?
        }

        private func connect(to addresses: [[UInt8]], on loop: EventLoop) async throws -> Outcome {
            let outcomes = Mailbox<Outcome>()
            try await loop.perform {
                // Alive until it has answered.
                var connector: SocketConnector?
                connector = SocketConnector(on: loop.core, to: addresses, target: "there") {
                    switch $0 {
                    case .success(let descriptor):
                        outcomes.post(Outcome(port: Place.port(of: descriptor, getpeername)))
                        close(descriptor)
                    case .failure(let problem):
                        outcomes.post(Outcome(problem: problem.description))
                    }
                    connector = nil
                }
                connector?.start()
            }
            return try await outcomes.next()
        }
    }
}

/// An address at which a connection has one fate, as long as it is there.
private final class Place {
    let address: [UInt8]
    let port: UInt16
    private let descriptor: Int32

    init(_ kind: SocketTests.SocketConnectorTests.Kind) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
        // Where a socket is bound and doesn't listen nobody else can.
        guard isBound, kind != .listening || listen(descriptor, 8) == 0 else {
            throw RawPeer.Failure(what: "bind", code: errno)
        }
        port = try #require(Self.port(of: descriptor, getsockname))
        address.sin_port = port.bigEndian
        switch kind {
        case .listening, .refusing: break
        // Nobody connects to all.
        case .unreachable: address.sin_addr.s_addr = .max
        case .unknown: address.sin_family = 9999
        }
        self.address = withUnsafeBytes(of: &address) { Array($0) }
    }

    deinit { close(descriptor) }

    typealias Naming = (
        Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?
    ) -> Int32

    /// The port of a descriptor's own address, or of its peer's.
    static func port(of descriptor: Int32, _ name: Naming) -> UInt16? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &size) }
        }
        return code == 0 ? UInt16(bigEndian: address.sin_port) : nil
    }
}

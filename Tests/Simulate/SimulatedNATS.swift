import StorecastNATS
import StorecastRoom
import StorecastSimulation
import StorecastSync
import StorecastWire

/// A NATS server with JetStream as a simulated cluster has it: what it is asked arrives late, after
/// the one who asked has given up, or not at all, and so do its answers; it shows older ends of its
/// streams than it had; messages that nothing keeps are lost. What it has kept it keeps, unless all its
/// servers lose their power at once: then the newest of it may be gone.
final class SimulatedNATS: SimulatedCluster {
    private struct Stream {
        var last: UInt64 = 0
        var keepsNewestOnly = false
        /// In the order of their numbers.
        var messages: [JetStream.Kept] = []
    }

    private struct Listener {
        let subject: String
        weak var connection: SimulatedJetStream?
        let receive: @Sendable (NATSMessage) -> Void
    }

    let surroundings: any ClusterSurroundings
    private var random: SeededGenerator
    private var streams: [String: Stream] = [:]
    private var listeners: [Listener] = []
    private var members: [SimulatedMember] = []
    let mostBytes: Int
    /// Of what is asked, each so many fail in some way; 0 for none.
    private let failures: Int
    /// Each so many reads show an older end; 0 for none.
    private let oldReads: Int
    private let longestDelay: Duration
    /// How often all its servers lost their power.
    private(set) var losses = 0
    /// How many records the log had with each of its messages.
    private var records: [UInt64: Int] = [:]
    private var terms: [(id: String, sequence: UInt64, records: Int)] = []
    private var isHealing = false
    private let created: String
    private let seed: UInt64

    static let layout = JetStreamLayout(name: "s", streams: 1, replicas: 1)
    static let timeout = Duration.seconds(5)

    init(seed: UInt64, losesEnds: Bool, in surroundings: any ClusterSurroundings) {
        self.surroundings = surroundings
        random = SeededGenerator(seed: seed &* 31 &+ 7)
        failures = [0, 60, 12][random.below(3)]
        oldReads = [0, 20, 4][random.below(3)]
        longestDelay = .milliseconds([0, 20, 400][random.below(3)])
        mostBytes = random.below(4) == 0 ? 2600 + random.below(2000) : 1 << 20
        created = "\(seed)"
        self.seed = seed
        var fate = SeededGenerator(seed: seed &* 31 &+ 11)
        guard losesEnds, fate.below(5) > 0 else { return }
        for _ in 0...fate.below(3) {
            let (most, kept) = (1 + fate.below(12), fate.below(3))
            surroundings.after(.milliseconds(500 + fate.below(40_000))) { [unowned self] in
                loseEnd(of: "s-rooms-0", most, keeping: kept)
            }
        }
    }

    /// As Docs/Decisions/43 says.
    var epoch: String {
        String(SHA256.hexadecimalDigest(of: "\(created)/\(SimulatedMember.room)".utf8).prefix(32))
    }

    func join(_ server: any SimulatedServer) -> any ClusterMember {
        let member = SimulatedMember(server, at: self)
        members.append(member)
        return member
    }

    /// Where the ids come from that a server makes.
    func ids(of server: Int) -> SeededGenerator {
        SeededGenerator(seed: seed &* 31 &+ UInt64(server) &* 1_000_003 &+ 13)
    }

    func cutOff(_ server: any SimulatedServer, for time: Duration) {
        surroundings.note("server \(server.number) is cut off from the log for \(time)")
        members.first { $0.server === server }?.connection.cutOff(for: time)
    }

    func heal() {
        isHealing = true
        for member in members { member.connection.heal() }
    }

    /// All servers lose their power, and with it the newest messages of a stream; none that what was
    /// purged needs. Nothing that was under way arrives.
    private func loseEnd(of name: String, _ most: Int, keeping least: Int) {
        guard !isHealing, var stream = streams[name] else { return }
        losses += 1
        for member in members { member.connection.breakUp() }
        let floor = stream.messages.last { $0.headers["Storecast-Kind"] == "floor" }?.sequence ?? 0
        let lost = stream.messages.dropFirst(least).suffix(most).filter { $0.sequence > floor }
        guard let first = lost.first?.sequence else { return }
        surroundings.note("all of NATS loses its power, and \(name) from \(first) on")
        stream.messages.removeAll { $0.sequence >= first }
        stream.last = first - 1
        streams[name] = stream
        records = records.filter { $0.key < first }
        terms.removeAll { $0.sequence >= first }
        surroundings.lostEnd(
            keeping: records.values.max() ?? 0, terms.map { ($0.id, $0.records) })
    }

    // MARK: What happens to requests

    func delay() -> Duration {
        isHealing ? .zero : .microseconds(random.below(Int(longestDelay / .microseconds(1)) + 1))
    }

    func isLost() -> Bool { !isHealing && failures > 0 && random.below(failures) == 0 }

    func below(_ count: Int) -> Int { random.below(count) }

    /// Up to which number a reader sees a stream.
    private func visible(_ stream: Stream) -> UInt64 {
        guard !isHealing, oldReads > 0, random.below(oldReads) == 0 else { return stream.last }
        return stream.last - min(stream.last, UInt64(1 + random.below(3)))
    }

    // MARK: Streams

    func stream(_ name: String, keepsNewestOnly: Bool) -> String {
        streams[name, default: Stream()].keepsNewestOnly = keepsNewestOnly
        return created
    }

    func subjects(_ filter: String, of stream: String) -> [String] {
        var found: [String] = []
        for message in streams[stream]?.messages ?? []
        where Self.matches(message.subject, filter) && !found.contains(message.subject) {
            found.append(message.subject)
        }
        return found
    }

    func write(
        _ payload: [UInt8], to subject: String, headers: NATSHeaders, behind expected: UInt64?,
        by server: Int
    ) -> JetStream.Written {
        publish(payload, to: subject)
        if !isHealing, failures > 0, random.below(failures * 2) == 0 { return .busy("simulated") }
        let name = Self.stream(of: subject)
        guard var stream = streams[name] else { return .refused("There is no stream \(name).") }
        let last = stream.messages.last { $0.subject == subject }?.sequence ?? 0
        if let expected, expected != last { return .notAtEnd }
        stream.last += 1
        if stream.keepsNewestOnly { stream.messages.removeAll { $0.subject == subject } }
        let message = JetStream.Kept(
            sequence: stream.last, subject: subject, headers: headers, payload: payload)
        stream.messages.append(message)
        streams[name] = stream
        noteEntries(of: message, in: stream, by: server)
        return .kept(message.sequence)
    }

    func last(of subject: String, in stream: String) -> JetStream.Kept? {
        guard let stream = streams[stream] else { return nil }
        let end = visible(stream)
        return stream.messages.last { $0.subject == subject && $0.sequence <= end }
    }

    func page(
        of subject: String, in stream: String, from sequence: UInt64, count: Int
    ) -> (messages: [JetStream.Kept], hasMore: Bool) {
        guard let stream = streams[stream] else { return ([], false) }
        let end = visible(stream)
        let count = min(count, isHealing ? count : 1 + random.below(40))
        let found = stream.messages.filter {
            Self.matches($0.subject, subject) && $0.sequence >= sequence && $0.sequence <= end
        }
        return (Array(found.prefix(count)), found.count > count)
    }

    func count(of subject: String, in stream: String) -> Int {
        streams[stream]?.messages.count { $0.subject == subject } ?? 0
    }

    func purge(_ subject: String, of stream: String, below sequence: UInt64?) {
        streams[stream]?.messages.removeAll {
            $0.subject == subject && $0.sequence < sequence ?? .max
        }
    }

    private static func stream(of subject: String) -> String {
        let parts = subject.split(separator: ".")
        return parts[1] == "rooms" ? "s-rooms-\(parts[2])" : "s-\(parts[1])"
    }

    /// What the room's log says now, told to the run, as Docs/Decisions/43 describes it.
    private func noteEntries(of message: JetStream.Kept, in stream: Stream, by server: Int) {
        guard let kind = message.headers["Storecast-Kind"],
            let term = message.headers["Storecast-Term"]
        else { return }
        let before = stream.messages.dropLast().last { $0.subject == message.subject }
        if let before, kind != "term",
            before.headers["Storecast-Term"] != term
        {
            surroundings.broken("Somebody writes the log whom another has taken it over from.")
        }
        if kind == "term" {
            surroundings.note("server \(server) takes the log over, in term \(term)")
        }
        let past = records.values.max() ?? 0
        self.records[message.sequence] = past
        if terms.last?.id != term {
            terms.removeAll { $0.id == term }
            terms.append((term, message.sequence, past))
            surroundings.began(term)
        }
        guard kind == "entries" else { return }
        let count = message.headers["Storecast-Parts"].flatMap { Int($0) } ?? 0
        let parts = stream.messages.dropLast().filter { $0.subject == message.subject }
            .suffix(count)
        let text = Array(parts.map(\.payload).joined()) + message.payload
        var records: [JournalRecord] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard case .entry(_, let record)? = try? JournalLine(line) else {
                preconditionFailure(
                    "An entry can't be read: \(String(decoding: line, as: UTF8.self))")
            }
            records.append(record)
        }
        self.records[message.sequence] = past + records.count
        surroundings.kept(records, by: server)
    }

    // MARK: Messages that nothing keeps

    func listen(
        to subject: String, _ connection: SimulatedJetStream,
        _ receive: @escaping @Sendable (NATSMessage) -> Void
    ) {
        listeners.append(Listener(subject: subject, connection: connection, receive: receive))
    }

    func publish(_ payload: [UInt8], to subject: String) {
        listeners.removeAll { $0.connection?.isEnded != false }
        let message = NATSMessage(subject: subject, payload: payload)
        for listener in listeners where Self.matches(subject, listener.subject) {
            listener.connection?.deliver { listener.receive(message) }
        }
    }

    private static func matches(_ subject: String, _ filter: String) -> Bool {
        // Most have no wildcard, and all that is said is compared with all of them.
        if !filter.utf8.contains(where: { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: ">") }) {
            return subject.utf8.elementsEqual(filter.utf8)
        }
        let (subject, filter) = (subject.split(separator: "."), filter.split(separator: "."))
        if filter.last == ">" { return subject.starts(with: filter.dropLast()) }
        return subject.count == filter.count
            && zip(subject, filter).allSatisfy { $1 == "*" || $0 == $1 }
    }
}

/// A simulated server's connection to ``SimulatedNATS``.
final class SimulatedJetStream: LogService {
    let server: Int
    private nonisolated(unsafe) let nats: SimulatedNATS
    private let runner: SimulatedExecutor
    /// How fast its clock is.
    private let drift: Double
    private nonisolated(unsafe) var cutUntil = Duration.zero
    private nonisolated(unsafe) var lastDelivery = Duration.zero
    private(set) nonisolated(unsafe) var isEnded = false
    /// What is waited for, by number, and how that ends if the process does.
    private nonisolated(unsafe) var waiting: [Int: () -> Void] = [:]
    private nonisolated(unsafe) var count = 0
    private nonisolated(unsafe) var reconnected: (@Sendable () -> Void)?
    private nonisolated(unsafe) var reconnects = 0

    init(_ server: Int, at nats: SimulatedNATS, on runner: SimulatedExecutor) {
        self.server = server
        self.nats = nats
        self.runner = runner
        drift = [1, 1, 0.7, 1.5][nats.below(4)]
    }

    var executor: any SerialExecutor { runner }
    var tasks: (any TaskExecutor)? { runner }
    var mostBytes: Int { nats.mostBytes }

    var now: Duration { nats.surroundings.now }
    var connections: (isConnected: Bool, reconnects: Int) { (!isCut, reconnects) }
    private var isCut: Bool { cutUntil > now }

    func cutOff(for time: Duration) {
        cutUntil = now + time
        nats.surroundings.after(time) { [self] in if !isCut { isBack() } }
    }

    func heal() {
        guard isCut else { return }
        cutUntil = .zero
        isBack()
    }

    /// The connection ends, and there is another at once. What is under way arrives nowhere.
    func breakUp() { if !isCut { isBack() } }

    private func isBack() {
        reconnects += 1
        if !isEnded, let reconnected { runner.perform(reconnected) }
    }

    func end() {
        isEnded = true
        // Whatever waits may ask again.
        while let (number, end) = waiting.first {
            waiting[number] = nil
            end()
        }
    }

    /// Waits until `answer` is called, or the process ends.
    private func wait<Value>(
        else failure: Value, _ body: (_ answer: @escaping (Value) -> Void) -> Void
    ) async -> Value {
        if isEnded { return failure }
        return await withCheckedContinuation { (continuation: CheckedContinuation<Value, Never>) in
            count += 1
            let number = count
            nonisolated(unsafe) let failure = failure
            waiting[number] = { continuation.resume(returning: failure) }
            body { [self] value in
                guard waiting.removeValue(forKey: number) != nil else { return }
                nonisolated(unsafe) let value = value
                continuation.resume(returning: value)
            }
        }
    }

    /// Has NATS do something, which answers, or doesn't; and it may be done after all was given up.
    private func ask<Value>(
        silence: Value, refusal: Value, _ work: @escaping () -> Value
    ) async -> Value {
        await wait(else: refusal) { answer in
            let nats = nats
            if isCut, nats.below(2) == 0 { return answer(refusal) }
            after(SimulatedNATS.timeout) { answer(silence) }
            if isCut { return }
            let isLate = nats.isLost() && nats.below(2) == 0
            if nats.isLost(), !isLate { return }
            let late: Duration = isLate ? .milliseconds(5000 + nats.below(5000)) : .zero
            let losses = nats.losses
            nats.surroundings.after(nats.delay() + late) { [self] in
                guard nats.losses == losses else { return }
                let value = work()
                if nats.isLost() { return }
                nats.surroundings.after(nats.delay()) { [self] in
                    if !isCut, nats.losses == losses { answer(value) }
                }
            }
        }
    }

    private func after(_ time: Duration, _ body: @escaping () -> Void) {
        nats.surroundings.after(time * drift, body)
    }

    func deliver(_ body: @escaping () -> Void) {
        if isCut || nats.isLost() { return }
        lastDelivery = max(lastDelivery, now + nats.delay())
        nats.surroundings.after(lastDelivery - now) { [self] in
            if !isEnded { runner.perform(body) }
        }
    }

    // MARK: LogService

    func pause(_ time: Duration) async {
        await wait(else: ()) { answer in after(time) { answer(()) } }
    }

    func stream(
        _ name: String, subjects: [String], replicas: Int, keepsNewestOnly: Bool
    ) async throws(NATSError) -> String {
        nats.stream(name, keepsNewestOnly: keepsNewestOnly)
    }

    private func asked<Value>(_ work: @escaping () -> Value) async throws(NATSError) -> Value {
        let result: Result<Value, NATSError> = await ask(
            silence: .failure(.unanswered("simulated")),
            refusal: .failure(.unavailable("simulated"))
        ) { .success(work()) }
        return try result.get()
    }

    func subjects(_ filter: String, of stream: String) async throws(NATSError) -> [String] {
        let nats = Held(nats)
        return try await asked { nats.value.subjects(filter, of: stream) }
    }

    func write(
        _ payload: [UInt8], to subject: String, headers: NATSHeaders, behind expected: UInt64?,
        on connection: Int?
    ) async -> JetStream.Written {
        if let connection, connection != reconnects { return .busy(JetStream.reconnected) }
        return await ask(silence: .unknown("simulated"), refusal: .refused("simulated")) { [self] in
            nats.write(payload, to: subject, headers: headers, behind: expected, by: server)
        }
    }

    func last(of subject: String, in stream: String) async throws(NATSError) -> JetStream.Kept? {
        try await asked { [self] in nats.last(of: subject, in: stream) }
    }

    func count(of subject: String, in stream: String) async throws(NATSError) -> Int {
        try await asked { [self] in nats.count(of: subject, in: stream) }
    }

    func page(
        of subject: String, in stream: String, from sequence: UInt64, count: Int, bytes: Int
    ) async throws(NATSError) -> (messages: [JetStream.Kept], hasMore: Bool) {
        try await asked { [self] in
            nats.page(of: subject, in: stream, from: sequence, count: count)
        }
    }

    func purge(
        _ subject: String, of stream: String, below sequence: UInt64?
    ) async throws(NATSError) {
        try await asked { [self] in nats.purge(subject, of: stream, below: sequence) }
    }

    func publish(_ payload: [UInt8], to subject: String) async throws(NATSError) {
        if !isCut, !isEnded { nats.publish(payload, to: subject) }
    }

    func onReconnection(_ body: @escaping @Sendable () -> Void) async { reconnected = body }

    func listen(to subject: String, receive: @escaping @Sendable (NATSMessage) -> Void) async {
        nats.listen(to: subject, self, receive)
    }

    func ask(
        _ subject: String, _ payload: [UInt8], timeout: Duration
    ) async throws(NATSError) -> NATSMessage {
        throw .noResponders
    }
}

/// A simulated server's part of the cluster: what ships, at a simulated NATS.
final class SimulatedMember: ClusterMember {
    static let room = "/"

    let server: any SimulatedServer
    let connection: SimulatedJetStream
    private let runner: SimulatedExecutor
    private let rooms: JetStreamRooms
    let journal: any Journal
    private let own: ClusterServer

    init(_ server: any SimulatedServer, at nats: SimulatedNATS) {
        self.server = server
        runner = SimulatedExecutor(of: server)
        connection = SimulatedJetStream(server.number, at: nats, on: runner)
        own = ClusterServer(id: "s\(server.number)", address: "ws://\(server.place):1")
        rooms = JetStreamRooms(
            connection, SimulatedNATS.layout, own: own.id, pulseInterval: .milliseconds(500),
            random: nats.ids(of: server.number))
        let after = Held(server)
        journal = rooms.journal(on: { work in after.value.after(.zero, work) })
        start { member in
            try await member.rooms.prepare()
            await member.rooms.places?.begin(as: member.own) { [held = Held(member)] event in
                held.value.take(event)
            }
        }
    }

    /// Begins a task in the run.
    private func start(
        _ work: @escaping @Sendable (SimulatedMember) async throws -> Void
    ) {
        let held = Held(self)
        // What fails is asked for again, or the run doesn't come to rest.
        Task(executorPreference: runner) { try? await work(held.value) }
    }

    /// Tells the server something, but not within a task, where no other may run.
    private func tell(_ body: @escaping () -> Void) { server.after(.zero, body) }

    private var places: RoomPlaces {
        guard let places = rooms.places else { preconditionFailure("It was made with an id.") }
        return places
    }

    func end() {
        start { member in await member.rooms.close() }
        connection.end()
        runner.end()
    }

    func find(_ completion: @escaping (_ place: Int?) -> Void) {
        let completion = Held(completion)
        start { member in
            let found = try? await member.places.server(of: Self.room)
            let place = found.flatMap { Self.place(of: $0) }
            member.tell { completion.value(place) }
        }
    }

    func giveRoom(_ completion: @escaping () -> Void) {
        let completion = Held(completion)
        server.prepareToLeave { [self] in
            start { member in
                try? await member.places.leave()
                let now = try? await member.places.give(Self.room)
                member.tell {
                    if let now, now != member.own {
                        member.server.leaveRoom("It goes to \(now.id).")
                    }
                    completion.value()
                }
            }
        }
    }

    private func take(_ event: RoomPlaces.Event) {
        switch event {
        case .gone(let other): if let place = Self.place(of: other) { server.lost(place) }
        case .placed:
            guard server.hasRoom else { return }
            start { member in
                for _ in 0..<20 {
                    if await member.leaveIfLost() { return }
                    await member.connection.pause(.milliseconds(250))
                }
            }
        case .check: start { member in _ = await member.leaveIfLost() }
        case .double, .stranger, .move, .drain: break
        }
    }

    private func leaveIfLost() async -> Bool {
        guard let reason = try? await rooms.reasonToLeave(Self.room) else { return false }
        tell { [server] in server.leaveRoom(reason.description) }
        return true
    }

    private static func place(of server: ClusterServer) -> Int? {
        Int(server.address.dropFirst("ws://".count).dropLast(":1".count))
    }
}

/// A value of a run, all of which is in one thread, for closures that must be sendable.
struct Held<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

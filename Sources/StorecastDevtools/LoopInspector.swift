import StorecastServer
import StorecastRoom
import StorecastSync
import StorecastWire

/// What the ``Inspector`` asks a loop about its rooms.
struct InspectionRequest: Sendable {
    var questions: [DevtoolsQuestion]
    /// Those about the past that have no answer yet.
    var past: [DevtoolsQuestion]
    /// Whether it is time for reports.
    var isSample: Bool
    /// The version of each room whose state was answered last.
    var versions: [ExactString: UInt64]

    /// Whether some question is about all rooms.
    var areAboutAll: Bool { questions.contains { $0.room == nil } }
}

/// What a loop answers.
struct InspectionResponse: Sendable {
    /// The loop's rooms, those with the most connections first; nil if it wasn't time for them.
    var reports: [RoomReport]?
    /// How many rooms the loop has.
    var rooms = 0
    var answers: [DevtoolsQuestion: JSON] = [:]
    /// The loop's connections, if it was time for reports.
    var connections: [DevtoolsQuestion: ConnectionList] = [:]
}

/// The devtools' part on one event loop: answers questions about the rooms there.
final class LoopInspector: LoopExtension {
    private static let maxReports = 200
    private static let maxClients = 200
    private static let maxStateBytes = 4 << 20
    /// How many rooms are kept open that nobody is in.
    private static let maxOpened = 16

    /// On the loop of the devtools' room, while that is open.
    private(set) weak var inspector: Inspector?
    private unowned let host: any ExtensionHost
    private let access: DevtoolsAccess
    private var history = HistoryQueue()
    private(set) var traffic = TrafficTable()
    /// The rooms that developers have opened, the newest at the end.
    private var opened: [ExactString] = []

    init(_ host: any ExtensionHost, _ access: DevtoolsAccess) {
        self.host = host
        self.access = access
    }

    // What the journal answers later finds no host.
    deinit { history.cancel() }

    // MARK: What the server asks and tells

    func makeRoom(_ context: RoomContext) -> any AnyRoom {
        let room = Room(DevtoolsState.room, context)
        let inspector = Inspector(of: room, on: host)
        room.observer = inspector
        self.inspector = inspector
        return room
    }

    func identity(token: String?) -> Result<Identity, Rejection> { access.identity(token: token) }

    func opened(
        _ connection: UInt64, _ credentials: Credentials
    ) -> (any ConnectionObserver)? {
        traffic.open(connection, to: credentials.path, from: credentials.address)
    }

    func closed(_ connection: UInt64) {
        traffic.close(connection) { host.rooms.rooms[$0] != nil }
    }

    func unloaded(_ room: any AnyRoom) { traffic.forget(ExactString(room.name)) }

    // MARK: What the inspector asks

    /// Answers what can be answered now; begins and ends to monitor rooms as that needs it.
    func respond(to request: InspectionRequest) -> InspectionResponse {
        keepOpen(request)
        monitorRooms(for: request)
        measureTurns(for: request)
        read(history.replace(with: request.past))
        var response = InspectionResponse(rooms: shownRooms.count)
        if request.isSample { response.reports = reports(for: request) }
        for question in request.questions {
            if request.isSample, case .connections(let parameters) = question {
                response.connections[question] = connections(parameters)
            }
            response.answers[question] = answer(to: question, request)
        }
        return response
    }

    /// Every room but that of the devtools.
    private var shownRooms: [any AnyRoom] {
        host.rooms.rooms.values.filter { !$0.name.isSameText(as: DevtoolsState.path) }
    }

    private func shownRoom(_ name: ExactString?) -> (any AnyRoom)? {
        name.flatMap { $0 == ExactString(DevtoolsState.path) ? nil : host.rooms.rooms[$0] }
    }

    private func monitorRooms(for request: InspectionRequest) {
        let wanted = Set(request.questions.compactMap(\.room))
        let logs = request.questions.compactMap { question in
            if case .log(let parameters) = question { parameters } else { nil }
        }
        for room in shownRooms {
            guard request.areAboutAll || wanted.contains(ExactString(room.name)) else {
                room.observer = nil
                continue
            }
            let monitor = room.observer as? RoomMonitor ?? RoomMonitor()
            monitor.follow(logs.filter { $0.room == ExactString(room.name) })
            if room.observer == nil { room.observer = monitor }
        }
    }

    private func measureTurns(for request: InspectionRequest) {
        let isWanted = request.questions.contains { question in
            if case .turns = question { true } else { false }
        }
        if !isWanted {
            host.rooms.turns = nil
        } else if host.rooms.turns == nil {
            host.rooms.turns = TurnMeter(
                except: host.rooms.rooms[ExactString(DevtoolsState.path)])
        }
    }

    // MARK: Rooms that nobody is in

    /// Opens a room from its journal; `completion` is called when it is read, or can't be.
    func open(
        _ path: String, completion: @escaping @Sendable (Result<Position, Rejection>) -> Void
    ) {
        guard !path.isSameText(as: DevtoolsState.path), RoomPath.isName(path),
            path.utf8.count <= RoomPath.longestName, !host.rooms.isStopping,
            let room = host.rooms.usedRoom(path)
        else {
            return completion(.failure(Rejection(.invalid, host.lack(ofRoom: path))))
        }
        guard !(room is MirroredRoom) else {
            host.rooms.forgetUntouched(path)
            return completion(
                .failure(Rejection(.invalid, "Another server has this room: open it there.")))
        }
        let name = ExactString(path)
        opened.removeAll { $0 == name }
        opened.append(name)
        if opened.count > Self.maxOpened { opened.removeFirst() }
        room.whenLoaded { [weak self, weak room] phase in
            guard let self, let room else { return }
            if case .failed = phase {
                forget(name)
                return completion(
                    .failure(Rejection(.unavailable, "The room's journal can't be read.")))
            }
            guard !host.rooms.forgetUntouched(path) else {
                forget(name)
                return completion(
                    .failure(Rejection(.invalid, "Nothing ever happened in this room.")))
            }
            completion(.success(room.position))
        }
    }

    private func forget(_ name: ExactString) { opened.removeAll { $0 == name } }

    /// As long as somebody looks at them, opened rooms don't leave memory.
    private func keepOpen(_ request: InspectionRequest) {
        guard !opened.isEmpty, !host.rooms.isStopping else { return }
        let wanted = Set(request.questions.compactMap(\.room))
        for name in opened
        where wanted.contains(name) && host.rooms.rooms[name]?.hasFailed != true {
            _ = host.rooms.usedRoom(name.string)
        }
    }

    // MARK: The present

    private func reports(for request: InspectionRequest) -> [RoomReport] {
        let traffic = traffic.byRoom
        let clients = host.rooms.visitors
        let wanted = Set(request.questions.compactMap(\.room))
        let shown = shownRooms.map { (name: ExactString($0.name), room: $0) }
            .filter { request.areAboutAll || wanted.contains($0.name) }
            .sorted {
                (clients[$0.name, default: 0], $1.name) > (clients[$1.name, default: 0], $0.name)
            }
        return shown.prefix(Self.maxReports).map { name, room in
            var report = RoomReport(
                room.name, room.inspection, clients: clients[name, default: 0],
                traffic[name] ?? ConnectionTraffic())
            if let monitor = room.observer as? RoomMonitor {
                (report.append, report.commit) = monitor.takeLatencies()
            }
            return report
        }
    }

    /// Nil if nothing is new.
    private func answer(to question: DevtoolsQuestion, _ request: InspectionRequest) -> JSON? {
        guard let name = question.room, !question.isOfThePast else { return nil }
        guard let room = shownRoom(name) else {
            if case .graphs = question { return nil }
            return DevtoolsState.problem("This room isn't open: nobody is in it.")
        }
        switch question {
        case .room: return request.isSample ? detail(of: room) : nil
        case .turns:
            guard request.isSample, let turns = host.rooms.turns else { return nil }
            return try? JSONCoding.encodeTree(TurnReport(turns))
        case .log(let parameters): return (room.observer as? RoomMonitor)?.log(parameters)
        case .entry(let parameters):
            return (room.observer as? RoomMonitor)?.entry(parameters.number)
                ?? DevtoolsState.problem("The log no longer has this dispatch.")
        case .state:
            let known = request.versions[name]
            return known == room.position.version
                ? nil : (room.observer as? RoomMonitor)?.encodeState { state(of: room) }
        default: return nil
        }
    }

    private func state(of room: any AnyRoom) -> JSON {
        guard let tree = try? room.tree() else {
            return DevtoolsState.problem("The state can't be encoded.")
        }
        guard tree.encodedSize(upTo: Self.maxStateBytes) <= Self.maxStateBytes else {
            return DevtoolsState.problem("The state is too large to be shown.")
        }
        return ["version": .uint(room.position.version), "state": tree]
    }

    private func detail(of room: any AnyRoom) -> JSON? {
        let inspection = room.inspection
        let sessions = room.sessionsInOrder
        let monitor = room.observer as? RoomMonitor
        let detail = RoomDetail(
            room: room.name, version: inspection.position.version,
            epoch: inspection.position.epoch, phase: inspection.phase,
            actions: inspection.actions,
            selections: room.selectionCosts.map { RoomDetail.Selection($0) },
            dispatches: monitor?.actions.costs ?? [],
            count: sessions.count,
            clients: sessions.prefix(Self.maxClients).map { session in
                RoomDetail.Client(
                    session, session.link.flatMap { traffic.counter(of: $0.id) },
                    monitor?.clocks.reading(of: session.client))
            })
        return try? JSONCoding.encodeTree(detail)
    }

    /// The sessions of rooms that are shown, in the order of their connections' numbers.
    private var shownSessions: [(connection: UInt64, session: ServerSession)] {
        host.rooms.sessions.filter { !$0.value.room.name.isSameText(as: DevtoolsState.path) }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private func connections(_ parameters: ConnectionsParameters) -> ConnectionList {
        var list = ConnectionList()
        for (connection, session) in shownSessions {
            let (room, identity) = (session.room.name, session.identity.id)
            guard parameters.room.map({ $0 == ExactString(room) }) ?? true,
                parameters.identity.map({ $0 == ExactString(identity) }) ?? true
            else { continue }
            list.total += 1
            guard list.connections.count < ConnectionList.most else { continue }
            list.connections.append(
                ConnectionReport(
                    connection: connection, room: room, identity: identity,
                    address: traffic.counter(of: connection)?.address ?? "",
                    participant: session.client.isEmpty ? "" : participantID(of: session.client)))
        }
        return list
    }

    // MARK: The past

    private func read(_ question: DevtoolsQuestion?) {
        guard let question else { return }
        let completion = { [weak self] (answer: JSON) in
            guard let self else { return }
            send(answer, to: question)
            read(history.next())
        }
        let reader: any PastReader
        if question.isOfImport {
            let imported = inspector?.reader(of: question, completion: completion)
            guard let imported else {
                return completion(DevtoolsState.problem("The server no longer has this log."))
            }
            reader = imported
        } else {
            guard let room = shownRoom(question.room) else {
                return completion(
                    DevtoolsState.problem("This room isn't open: nobody is in it."))
            }
            reader = HistoryReader(question, room, on: host, completion: completion)
        }
        history.began(reader)
        reader.begin()
    }

    private func send(_ answer: JSON, to question: DevtoolsQuestion) {
        let loops = host.parts(LoopInspector.self)
        let home = host.homeIndex(of: DevtoolsState.path)
        guard loops.indices.contains(home) else { return }
        loops[home].perform { $0.inspector?.take([question: answer]) }
    }

    // MARK: Dispatching

    /// Dispatches an action as somebody asked for it in the devtools; `completion` is called on any
    /// thread.
    func forward(
        _ action: ForwardAction,
        completion: @escaping @Sendable (Result<Position, Rejection>) -> Void
    ) {
        guard !action.room.isSameText(as: DevtoolsState.path), !host.rooms.isStopping,
            let room = host.rooms.usedRoom(action.room)
        else {
            return completion(.failure(Rejection(.invalid, "There is no such room.")))
        }
        let outcome = DispatchOutcome()
        room.dispatch(
            action.type, action.payload ?? .object([:]), as: DevtoolsAccess.developer, outcome)
        Task {
            do throws(Rejection) {
                completion(.success(try await outcome.value().get()))
            } catch {
                completion(.failure(error))
            }
        }
    }

    // MARK: Administration

    /// Ends the connections that are meant, with a code after which clients don't come back.
    func kick(_ action: KickAction) -> KickedConnections {
        var kicked = KickedConnections()
        let identity = action.identity.map { ExactString($0) }
        for (connection, session) in shownSessions {
            let own = ExactString(session.identity.id)
            guard connection == action.connection || own == identity else {
                if kicked.known.count < KickedConnections.mostKnown, identity == nil || own != "" {
                    kicked.known.insert(identity == nil ? ExactString("\(connection)") : own)
                }
                continue
            }
            session.close(.kicked, action.reason ?? "The connection was ended by an operator.")
            kicked.ended += 1
        }
        return kicked
    }

    /// Ends the connections of an identity; returns how many.
    func revoke(_ id: ExactString) -> Int { host.revoke { ExactString($0.id) == id } }
}

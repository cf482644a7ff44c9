import StorecastRoom
import StorecastWire

/// What a loop tells the devtools, which may live on another, of its rooms.
struct LoopAnswer: Sendable {
    /// The loop's rooms, those with the most connections first; nil if it wasn't time for them.
    var reports: [RoomReport]?
    /// How many rooms the loop has.
    var rooms = 0
    var answers: [DevtoolsQuestion: JSON] = [:]
}

/// What the devtools want to know of a loop's rooms.
struct LoopQuestions: Sendable {
    var questions: [DevtoolsQuestion]
    /// Those about the past that have no answer yet.
    var past: [DevtoolsQuestion]
    /// Whether it is time for reports.
    var isSample: Bool
    /// The states that were shown last.
    var versions: [ExactString: UInt64]

    /// Whether every room is to be watched.
    var areAboutAll: Bool { questions.contains { $0.room == nil } }
}

extension ServerLoopCore {
    static let mostReports = 200
    static let mostClients = 200
    static let largestState = 4 << 20

    /// The room of the devtools, if they are enabled and this is their path.
    func devtoolsRoom(_ path: String) -> (any AnyRoom)? {
        guard path.isSameText(as: DevtoolsState.path), configuration.devtools != nil else {
            return nil
        }
        var context = RoomContext(
            name: path, journal: MemoryJournal(), limits: configuration.limits, loop: rooms,
            now: Timestamp.now, random: BufferedSystemGenerator())
        context.isTransient = true
        let room = Room(DevtoolsState.room, context)
        let desk = DevtoolsDesk(of: room, on: self)
        room.observer = desk
        self.desk = desk
        return room
    }

    /// What there is to say now; begins and ends to watch rooms as it is needed for that.
    func answer(_ asked: LoopQuestions) -> LoopAnswer {
        watchRooms(for: asked)
        lookUp(asked.past)
        var answer = LoopAnswer(rooms: shownRooms.count)
        if asked.isSample { answer.reports = reports(for: asked) }
        for question in asked.questions {
            answer.answers[question] = self.answer(to: question, asked)
        }
        return answer
    }

    /// Every room but that of the devtools.
    private var shownRooms: [any AnyRoom] {
        rooms.rooms.values.filter { !$0.name.isSameText(as: DevtoolsState.path) }
    }

    private func shownRoom(_ name: ExactString?) -> (any AnyRoom)? {
        name.flatMap { $0 == ExactString(DevtoolsState.path) ? nil : rooms.rooms[$0] }
    }

    private func watchRooms(for asked: LoopQuestions) {
        let wanted = Set(asked.questions.compactMap(\.room))
        let logs = asked.questions.compactMap { question in
            if case .log(let place) = question { place } else { nil }
        }
        for room in shownRooms {
            guard asked.areAboutAll || wanted.contains(ExactString(room.name)) else {
                room.observer = nil
                continue
            }
            let watch = room.observer as? RoomWatch ?? RoomWatch()
            watch.follow(logs.filter { $0.room == ExactString(room.name) })
            if room.observer == nil { room.observer = watch }
        }
    }

    // MARK: The present

    private func reports(for asked: LoopQuestions) -> [RoomReport] {
        var traffic = endedTraffic
        for link in links.values {
            guard let name = link.session?.room.name else { continue }
            traffic[ExactString(name), default: LinkTraffic()] += link.traffic
        }
        let wanted = Set(asked.questions.compactMap(\.room))
        let shown = shownRooms.map { (name: ExactString($0.name), room: $0) }
            .filter { asked.areAboutAll || wanted.contains($0.name) }
            .sorted {
                (rooms.visitors[$0.name, default: 0], $1.name) > (
                    rooms.visitors[$1.name, default: 0], $0.name
                )
            }
        return shown.prefix(Self.mostReports).map { name, room in
            var report = RoomReport(
                room.name, room.inspection, clients: rooms.visitors[name, default: 0],
                traffic[name] ?? LinkTraffic())
            if let watch = room.observer as? RoomWatch {
                (report.append, report.commit) = watch.takeLatencies()
            }
            return report
        }
    }

    /// Nil if there is nothing new to say.
    private func answer(to question: DevtoolsQuestion, _ asked: LoopQuestions) -> JSON? {
        guard let name = question.room, !question.isOfThePast else { return nil }
        guard let room = shownRoom(name) else {
            if case .graphs = question { return nil }
            return JournalPlayer.problem("This room isn't open: nobody is in it.")
        }
        switch question {
        case .room: return asked.isSample ? detail(of: room) : nil
        case .log(let place): return (room.observer as? RoomWatch)?.log(place)
        case .entry(let place):
            return (room.observer as? RoomWatch)?.entry(place.number)
                ?? JournalPlayer.problem("The log no longer has this dispatch.")
        case .state:
            let known = asked.versions[name]
            return known == room.position.version
                ? nil : (room.observer as? RoomWatch)?.encodeState { state(of: room) }
        default: return nil
        }
    }

    private func state(of room: any AnyRoom) -> JSON {
        guard let tree = try? room.tree() else {
            return JournalPlayer.problem("The state can't be encoded.")
        }
        guard tree.encodedSize(upTo: Self.largestState) <= Self.largestState else {
            return JournalPlayer.problem("The state is too large to be shown.")
        }
        return ["version": .uint(room.position.version), "state": tree]
    }

    private func detail(of room: any AnyRoom) -> JSON? {
        let inspection = room.inspection
        let sessions = room.sessionsInOrder
        let detail = RoomDetail(
            room: room.name, version: inspection.position.version,
            epoch: inspection.position.epoch, phase: inspection.phase,
            actions: inspection.actions, count: sessions.count,
            clients: sessions.prefix(Self.mostClients).map(RoomDetail.Client.init))
        return try? JSONCoding.encodeTree(detail)
    }

    // MARK: The past

    private func lookUp(_ questions: [DevtoolsQuestion]) {
        begin(looks.want(questions))
    }

    private func begin(_ question: DevtoolsQuestion?) {
        guard let question else { return }
        guard let room = shownRoom(question.room) else {
            tellDesk(question, JournalPlayer.problem("This room isn't open: nobody is in it."))
            return begin(looks.next())
        }
        let look = JournalLook(question, room, in: self) { [weak self] answer in
            guard let self else { return }
            tellDesk(question, answer)
            begin(looks.next())
        }
        looks.began(look)
        look.begin()
    }

    private func tellDesk(_ question: DevtoolsQuestion, _ answer: JSON) {
        let home = homeIndex(of: DevtoolsState.path)
        guard peers.indices.contains(home) else { return }
        peers[home].perform { $0.desk?.take([question: answer]) }
    }

    // MARK: Dispatching

    /// Dispatches what somebody asked for in the devtools; `completion` is called on any thread.
    func forward(
        _ action: ForwardAction,
        completion: @escaping @Sendable (Result<Position, Rejection>) -> Void
    ) {
        guard !action.room.isSameText(as: DevtoolsState.path), !rooms.isStopping,
            let room = rooms.usedRoom(action.room)
        else {
            return completion(.failure(Rejection(.invalid, "There is no such room.")))
        }
        let outcome = DispatchOutcome()
        room.dispatch(
            action.type, action.payload ?? .object([:]), as: DevtoolsAccess.viewer, outcome)
        Task {
            do throws(Rejection) {
                completion(.success(try await outcome.value().get()))
            } catch {
                completion(.failure(error))
            }
        }
    }
}

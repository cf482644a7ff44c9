import StorecastServer
import StorecastRoom
import StorecastSync
import StorecastWire

/// Answers the selections of the devtools' room, as long as somebody is subscribed to them.
///
/// Four times a second it asks the ``LoopInspector`` of every loop for what is selected, and
/// dispatches the answers into the room as actions of the server. Belongs to the room's loop.
final class Inspector: RoomObserver {
    /// How many questions are answered at a time; others have no answer until one of these ends.
    private static let maxQuestions = 64
    /// How many answers about the past are kept when nobody is subscribed to them any more.
    private static let maxKeptAnswers = 8
    private static let interval = Duration.milliseconds(250)
    private static let sampleInterval = Duration.seconds(1)

    private unowned let host: any ExtensionHost
    private unowned let room: Room<DevtoolsState>
    private var questions: [DevtoolsQuestion] = []
    /// Those about the past that were answered, the newest at the end.
    private var answered: [DevtoolsQuestion] = []
    private var isUpdateScheduled = false
    private var isTicking = false
    private var nextSample = Duration.zero
    /// When the journal is asked again for the servers that share it; nil while it looks.
    private var nextPlacement: Duration? = .zero
    /// The last reports of each loop.
    private var reports: [Int: [RoomReport]] = [:]
    private var roomCounts: [Int: Int] = [:]
    private var connections: [Int: [DevtoolsQuestion: ConnectionList]] = [:]
    /// What loops did so far for actions that all of them have a part in, by the actions' ids.
    private var errands: [String: (awaited: Int, done: KickedConnections)] = [:]
    /// How many loops have yet to send their reports.
    private var awaited = 0
    private var meter = RateMeter()
    /// The logs that developers have brought.
    private(set) var imports = ImportShelf()

    init(of room: Room<DevtoolsState>, on host: any ExtensionHost) {
        self.room = room
        self.host = host
    }

    private var loops: [LoopPart<LoopInspector>] { host.parts(LoopInspector.self) }

    // MARK: The room

    func selectionsChanged() {
        guard !isUpdateScheduled else { return }
        isUpdateScheduled = true
        // Not within the room's own turn.
        host.schedule(after: .zero) { [weak self] in
            guard let self else { return }
            isUpdateScheduled = false
            askLoops()
            keepTicking()
        }
    }

    func settled(_ entry: JournalEntry, _ rejection: Rejection?, at version: UInt64) {
        guard rejection == nil else { return }
        for action in entry.actions {
            switch action {
            case let action as ForwardAction: forward(action)
            case let action as KickAction:
                askLoops(for: action.stamp.id) { loop in
                    loop.kick(action)
                } end: { kicked in
                    kicked.outcome(of: action)
                }
            case let action as RevokeAction: revoke(action)
            case let action as ReloadAction: reload(action)
            case let action as OpenAction: open(action)
            case let action as ImportAction: take(action)
            default: break
            }
        }
    }

    private func forward(_ action: ForwardAction) {
        let loops = loops
        guard loops.indices.contains(host.index) else { return }
        let (home, id) = (loops[host.index], action.stamp.id)
        loops[host.homeIndex(of: action.room)].perform { part in
            part.forward(action) { result in
                home.perform { $0.inspector?.forwarded(id, result) }
            }
        }
    }

    private func forwarded(_ id: String, _ result: Result<Position, Rejection>) {
        switch result {
        case .success(let position):
            dispatch(DevtoolsActionEnded(id: id, version: position.version))
        case .failure(let rejection):
            dispatch(DevtoolsActionEnded(id: id, problem: "\(rejection.code): \(rejection)"))
        }
    }

    private func open(_ action: OpenAction) {
        let loops = loops
        guard loops.indices.contains(host.index) else { return }
        let (home, id) = (loops[host.index], action.stamp.id)
        loops[host.homeIndex(of: action.room)].perform { part in
            part.open(action.room) { result in
                home.perform { $0.inspector?.forwarded(id, result) }
            }
        }
    }

    private func take(_ action: ImportAction) {
        let (id, name) = (action.stamp.id, ExactString(action.id))
        do throws(Rejection) {
            guard let text = try imports.take(action) else {
                return dispatch(DevtoolsActionEnded(id: id))
            }
            host.offload({ Result { () throws(JournalLineError) in try ImportedLog(text) } }) {
                [weak self] log in self?.read(log, of: action)
            }
        } catch {
            imports.forget(name)
            dispatch(DevtoolsActionEnded(id: id, problem: error.title))
        }
    }

    private func read(_ log: Result<ImportedLog, JournalLineError>, of action: ImportAction) {
        var end = DevtoolsActionEnded(id: action.stamp.id)
        let name = ExactString(action.id)
        switch log {
        case .success(let log):
            if let definition = definition(for: log, action) {
                imports.read(log, as: definition, name)
            } else {
                imports.forget(name)
                let room = log.room.excerpt().shown
                end.problem = "It is the log of '\(room)': this server has no such room."
            }
        case .failure(let error):
            imports.forget(name)
            end.problem = "\(error)"
        }
        dispatch(end)
    }

    private func definition(
        for log: ImportedLog, _ action: ImportAction
    ) -> (any RoomDefinitionProtocol)? {
        let names = [log.room, action.room].compactMap { $0 }
        return names.lazy.filter { !$0.isSameText(as: DevtoolsState.path) }
            .compactMap { self.host.definition(of: $0) }.first
    }

    /// What answers a question about an imported log; nil if there is no such log.
    func reader(
        of question: DevtoolsQuestion, completion: @escaping (JSON) -> Void
    ) -> (any PastReader)? {
        guard let id = question.importID, let (log, definition) = imports.log(id)
        else { return nil }
        return ImportReader(
            question, log, definition, room.limits, on: host, completion: completion)
    }

    private func revoke(_ action: RevokeAction) {
        let (id, identity) = (action.stamp.id, action.identity)
        if action.isUndone == true {
            let isRevoked = host.revocations.remove(identity)
            let known = host.revocations.all.prefix(KickedConnections.mostKnown)
                .map { $0.excerpt().shown }.joined(separator: ", ")
            let others = known.isEmpty ? "nobody is." : "these are: \(known)."
            let problem = "'\(identity.excerpt().shown)' isn't revoked; \(others)"
            return dispatch(
                DevtoolsActionEnded(
                    id: id, target: identity, ended: 0, problem: isRevoked ? nil : problem))
        }
        // First, so that nobody comes back.
        guard host.revocations.add(identity) else {
            let problem = "\(Revocations.most) identities are revoked, and no more can be."
            return dispatch(DevtoolsActionEnded(id: id, target: identity, problem: problem))
        }
        askLoops(for: id) { loop in
            KickedConnections(ended: loop.revoke(ExactString(identity)))
        } end: { revoked in
            DevtoolsActionEnded(id: id, target: identity, ended: revoked.ended)
        }
    }

    private func reload(_ action: ReloadAction) {
        let (loops, id) = (loops, action.stamp.id)
        guard loops.indices.contains(host.index) else { return }
        let home = loops[host.index]
        host.reload { result in
            var problem: String?
            if case .failure(let error) = result { problem = "\(error)" }
            let end = DevtoolsActionEnded(id: id, problem: problem)
            home.perform { $0.inspector?.dispatch(end) }
        }
    }

    /// Has every loop do its part of an action, and dispatches its end when all have.
    private func askLoops(
        for id: String, _ work: @escaping @Sendable (LoopInspector) -> KickedConnections,
        end: @escaping @Sendable (KickedConnections) -> DevtoolsActionEnded
    ) {
        let loops = loops
        guard loops.indices.contains(host.index) else { return }
        let home = loops[host.index]
        errands[id] = (loops.count, KickedConnections())
        for loop in loops {
            loop.perform { part in
                let done = work(part)
                home.perform { $0.inspector?.did(done, for: id, end) }
            }
        }
    }

    private func did(
        _ part: KickedConnections, for id: String,
        _ end: (KickedConnections) -> DevtoolsActionEnded
    ) {
        guard var errand = errands[id] else { return }
        errand.awaited -= 1
        errand.done.ended += part.ended
        errand.done.known.formUnion(part.known)
        errands[id] = errand.awaited > 0 ? errand : nil
        if errand.awaited == 0 { dispatch(end(errand.done)) }
    }

    private func dispatch(_ action: any ServerAction) {
        room.dispatch(action, DispatchOutcome())
    }

    // MARK: Questions

    private func keepTicking() {
        guard !isTicking, !questions.isEmpty else { return }
        isTicking = true
        host.schedule(after: Self.interval) { [weak self] in
            guard let self, !host.rooms.isStopping else { return }
            isTicking = false
            askLoops()
            keepTicking()
        }
    }

    private func askLoops() {
        questions = Array(
            room.selectionsInUse.compactMap { DevtoolsQuestion($0) }.prefix(Self.maxQuestions))
        forgetAnswers()
        askJournal()
        let loops = loops
        let now = host.now
        let isSample = now >= nextSample && questions.contains { $0.isAboutRates }
        if isSample {
            nextSample = now + Self.sampleInterval
            awaited = loops.count
        }
        guard loops.indices.contains(host.index) else { return }
        let home = loops[host.index]
        for (index, loop) in loops.enumerated() {
            let request = request(to: index, isSample)
            loop.perform { part in
                let response = part.respond(to: request)
                home.perform { $0.inspector?.take(response, from: index) }
            }
        }
    }

    /// Asks which servers share the rooms, unless that would take more than a thirtieth of the
    /// time.
    private func askJournal() {
        let start = host.now
        guard questions.contains(.cluster), let due = nextPlacement, start >= due else { return }
        nextPlacement = nil
        host.journal.placement { [weak self] result in
            guard let self else { return }
            let now = host.now
            nextPlacement = now + max(Self.sampleInterval, (now - start) * 30)
            take([.cluster: Self.answer(to: result)])
        }
    }

    private static func answer(to result: Result<JournalPlacement?, JournalError>) -> JSON {
        switch result {
        case .success(let placement?):
            (try? JSONCoding.encodeTree(ClusterReport(placement)))
                ?? DevtoolsState.problem("The answer can't be encoded.")
        case .success(nil): DevtoolsState.problem("This server is no part of a cluster.")
        case .failure: DevtoolsState.problem("Who has which room can't be found out now.")
        }
    }

    private func request(to loop: Int, _ isSample: Bool) -> InspectionRequest {
        let questions = questions.filter { question in
            if question.isOfImport { return loop == host.index }
            return question.room.map { host.homeIndex(of: $0.string) == loop } ?? true
        }
        let known = room.store.state.answers
        var versions: [ExactString: UInt64] = [:]
        for case .state(let parameters) in questions {
            versions[parameters.room] = known[.state(parameters)]?["version"]?.uint64
        }
        return InspectionRequest(
            questions: questions, past: questions.filter { $0.isOfThePast && known[$0] == nil },
            isSample: isSample, versions: versions)
    }

    /// Forgets the answers that nobody is subscribed to, except the newest ones about the past:
    /// somebody who steps back and forth between versions finds them again.
    private func forgetAnswers() {
        let answers = room.store.state.answers
        answered.removeAll { questions.contains($0) || answers[$0]?["problem"] != nil }
        answered.removeFirst(max(0, answered.count - Self.maxKeptAnswers))
        // Those that are looked at don't count.
        answered += questions.filter { $0.hasFinalAnswer && answers[$0] != nil }
        let wanted = Set(questions).union(answered)
        let unwanted = answers.keys.filter { !wanted.contains($0) }
        guard !unwanted.isEmpty else { return }
        dispatch(
            AnswerQuestions(answers: Dictionary(uniqueKeysWithValues: unwanted.map { ($0, .null) }))
        )
    }

    // MARK: Answers

    private func take(_ response: InspectionResponse, from loop: Int) {
        roomCounts[loop] = response.rooms
        if response.reports != nil { connections[loop] = response.connections }
        if let reports = response.reports {
            self.reports[loop] = reports
            awaited -= 1
            if awaited == 0 { publishReports() }
        }
        take(response.answers)
    }

    /// Dispatches those answers that are new and still asked for.
    func take(_ answers: [DevtoolsQuestion: JSON]) {
        let known = room.store.state.answers
        let news = answers.filter { questions.contains($0.key) && known[$0.key] != $0.value }
        if !news.isEmpty { dispatch(AnswerQuestions(answers: news)) }
    }

    private func publishReports() {
        let now = Timestamp.now().secondsSince1970
        let measured = meter.measure(reports.values.flatMap { $0 }, at: now)
        var answers: [DevtoolsQuestion: JSON] = [:]
        for question in questions {
            switch question {
            case .rooms:
                let list = try? JSONCoding.encodeTree(measured)
                let total = roomCounts.values.reduce(0, +)
                answers[question] = ["rooms": list ?? [], "total": .int(Int64(total))]
            case .revocations:
                answers[question] = .array(host.revocations.all.map { .string($0) })
            case .connections:
                let lists = connections.values.compactMap { $0[question] }
                answers[question] = try? JSONCoding.encodeTree(lists.reduce(ConnectionList(), +))
            case .graphs(let parameters):
                let samples = meter.samples(of: parameters.room)
                answers[question] = try? JSONCoding.encodeTree(samples)
            default: break
            }
        }
        meter.keep(questions)
        take(answers)
    }
}

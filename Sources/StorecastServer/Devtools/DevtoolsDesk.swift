import StorecastRoom
import StorecastWebSocket
import StorecastWire

/// Answers what the clients of the devtools' room look at, as long as somebody looks.
///
/// It asks every loop for what is selected, four times a second, and dispatches the answers into
/// the room as actions of the server's. Belongs to the room's loop.
final class DevtoolsDesk: RoomObserver {
    /// How many questions are answered at a time; others have no answer until one of these ends.
    private static let mostQuestions = 64
    /// How many answers about the past are kept when nobody looks at them.
    private static let mostSettled = 8
    private static let interval = Duration.milliseconds(250)
    private static let sampleInterval = Duration.seconds(1)

    private unowned let core: ServerLoopCore
    private unowned let room: Room<DevtoolsState>
    private var questions: [DevtoolsQuestion] = []
    /// Past states that were looked at, the newest at the end.
    private var settled: [DevtoolsQuestion] = []
    private var isSoon = false
    private var isTicking = false
    private var nextSample = Duration.zero
    /// What the loops said last, and how many haven't answered yet.
    private var reports: [Int: [RoomReport]] = [:]
    private var roomCounts: [Int: Int] = [:]
    private var awaited = 0
    private var meter = RoomMeter()

    init(of room: Room<DevtoolsState>, on core: ServerLoopCore) {
        self.room = room
        self.core = core
    }

    // MARK: The room

    func selectionsChanged() {
        guard !isSoon else { return }
        isSoon = true
        // Not within the room's own turn.
        core.loop.schedule(after: .zero) { [weak self] in
            guard let self else { return }
            isSoon = false
            askLoops()
            keepTicking()
        }
    }

    func settled(_ entry: JournalEntry, _ rejection: Rejection?, at version: UInt64) {
        guard rejection == nil else { return }
        for case let action as ForwardAction in entry.actions { forward(action) }
    }

    private func forward(_ action: ForwardAction) {
        guard core.peers.indices.contains(core.index) else { return }
        let (desk, id) = (core.peers[core.index], action.stamp.id)
        let home = core.peers[core.homeIndex(of: action.room)]
        home.perform { core in
            core.forward(action) { result in
                desk.perform { $0.desk?.ended(id, result) }
            }
        }
    }

    private func ended(_ id: String, _ result: Result<Position, Rejection>) {
        switch result {
        case .success(let position): tell(ForwardEnded(id: id, version: position.version))
        case .failure(let rejection):
            tell(ForwardEnded(id: id, problem: "\(rejection.code): \(rejection)"))
        }
    }

    private func tell(_ action: any ServerAction) {
        room.dispatch(action, DispatchOutcome())
    }

    // MARK: Asking

    private func keepTicking() {
        guard !isTicking, !questions.isEmpty else { return }
        isTicking = true
        core.loop.schedule(after: Self.interval) { [weak self] in
            guard let self, !core.rooms.isStopping else { return }
            isTicking = false
            askLoops()
            keepTicking()
        }
    }

    private func askLoops() {
        questions = Array(
            room.selectionsInUse.compactMap { DevtoolsQuestion($0) }.prefix(Self.mostQuestions))
        forgetAnswers()
        let now = core.loop.now()
        let isSample = now >= nextSample && questions.contains { $0.isAboutRates }
        if isSample {
            nextSample = now + Self.sampleInterval
            awaited = core.peers.count
        }
        guard core.peers.indices.contains(core.index) else { return }
        let desk = core.peers[core.index]
        for (index, peer) in core.peers.enumerated() {
            let asked = asked(of: index, isSample)
            peer.perform { core in
                let answer = core.answer(asked)
                desk.perform { $0.desk?.take(answer, from: index) }
            }
        }
    }

    private func asked(of loop: Int, _ isSample: Bool) -> LoopQuestions {
        let asked = questions.filter { question in
            question.room.map { core.homeIndex(of: $0.string) == loop } ?? true
        }
        let known = room.store.state.answers
        var versions: [ExactString: UInt64] = [:]
        for case .state(let place) in asked {
            versions[place.room] = known[.state(place)]?["version"]?.uint64
        }
        return LoopQuestions(
            questions: asked, past: asked.filter { $0.isOfThePast && known[$0] == nil },
            isSample: isSample, versions: versions)
    }

    /// Nothing is kept that nobody looks at, but for what was looked up last: whoever goes to and
    /// fro between versions has each of them once.
    private func forgetAnswers() {
        let answers = room.store.state.answers
        settled.removeAll { questions.contains($0) || answers[$0]?["problem"] != nil }
        settled += questions.filter { $0.isSettled && answers[$0] != nil }
        settled.removeFirst(max(0, settled.count - Self.mostSettled))
        let wanted = Set(questions).union(settled)
        let unwanted = answers.keys.filter { !wanted.contains($0) }
        guard !unwanted.isEmpty else { return }
        tell(
            AnswerQuestions(answers: Dictionary(uniqueKeysWithValues: unwanted.map { ($0, .null) }))
        )
    }

    // MARK: Answers

    private func take(_ answer: LoopAnswer, from loop: Int) {
        roomCounts[loop] = answer.rooms
        if let reports = answer.reports {
            self.reports[loop] = reports
            awaited -= 1
            if awaited == 0 { publishReports() }
        }
        take(answer.answers)
    }

    /// What is known now of what somebody asks.
    func take(_ answers: [DevtoolsQuestion: JSON]) {
        let known = room.store.state.answers
        let news = answers.filter { questions.contains($0.key) && known[$0.key] != $0.value }
        if !news.isEmpty { tell(AnswerQuestions(answers: news)) }
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
            case .graphs(let place):
                answers[question] = try? JSONCoding.encodeTree(meter.samples(of: place.room))
            default: break
            }
        }
        meter.keep(questions)
        take(answers)
    }
}

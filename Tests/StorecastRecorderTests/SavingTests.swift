import StorecastRecorder
import StorecastTesting
import Testing

struct SavingTests {
    private let clock = ManualClock()
    private let types = TypeMap(Add.self, Clear.self)

    private func recorded() throws -> Recording {
        let store = makeTallyStore()
        let recorder = Recorder(store, clock: clock)
        store.dispatch(Add(by: 2))
        clock.advance(by: .seconds(1))
        store.dispatch(StandardAction(type: "Rain", payload: ["mm": 4]))
        clock.advance(by: .seconds(1))
        store.dispatch(Clear())
        recorder.travel(to: 1)
        return try recorder.recording()
    }

    @Test func `a recording is saved with its future and replayed by another store`() throws {
        let recording = try Recording(bytes: try recorded().bytes)
        let store = makeTallyStore()
        let listener = Listener<[String]>()
        store.subscribe(listener) { $0.select(\.steps) }
        let recorder = Recorder(store, typeMaps: [types])
        #expect(recorder.load(recording).isEmpty)
        #expect(store.state.steps == ["+2", "Rain", "clear"])
        #expect(listener.received == [[], ["+2", "Rain", "clear"]])
        #expect(recorder.actions.map(\.time) == [.zero, .seconds(1), .seconds(2)])
        recorder.travel(to: 2)
        #expect(store.state == Tally(sum: 2, steps: ["+2", "Rain"]))
    }

    @Test func `what is dispatched after loading is added to the recording`() throws {
        let clock = ManualClock()
        let store = makeTallyStore()
        let recorder = Recorder(store, typeMaps: [types], clock: clock)
        store.dispatch(Add(by: 100))
        clock.advance(by: .seconds(50))
        _ = recorder.load(try recorded())
        clock.advance(by: .seconds(3))
        store.dispatch(Add(by: 7))
        #expect(store.state.steps == ["+2", "Rain", "clear", "+7"])
        #expect(recorder.time == .seconds(5))
        #expect(try recorder.recording().entries.count == 4)
    }

    @Test func `actions of unknown types are reported, replayed as data and saved again`() throws {
        let recording = try recorded()
        let store = makeTallyStore()
        let recorder = Recorder(store, typeMaps: [TypeMap(Clear.self)])
        let problems = recorder.load(recording)
        #expect(problems.map(\.index) == [0])
        #expect(problems.map(\.reason) == [.unknownType])
        #expect(problems.map(\.description) == ["Action 0 is of the unknown type 'Add'."])
        #expect(store.state.steps == ["Add", "Rain", "clear"])
        #expect(try recorder.recording() == recording)
    }

    @Test func `actions whose payload can't be read are reported`() {
        let store = makeTallyStore()
        let recorder = Recorder(store, typeMaps: [types])
        let payload: JSON = ["by": "two"]
        let problems = recorder.load(
            Recording(entries: [
                .init(
                    time: .zero,
                    action: StandardAction(type: "Add", payload: payload, isTypedAction: true))
            ]))
        guard case .unreadable(let message)? = problems.first?.reason else {
            Issue.record("\(problems)")
            return
        }
        #expect(message.hasPrefix("At /by: "))
        #expect((recorder.actions[0].action as? StandardAction)?.payload == payload)
    }

    @Test func `an action that can't be saved is an error that names it`() throws {
        let store = makeTallyStore()
        let recorder = Recorder(store)
        store.dispatch(Add())
        store.dispatch(Unsaved())
        let error = try #require(throws: RecordingError.self) { try recorder.recording() }
        #expect(error.message.hasPrefix("Action 1, a 'Unsaved', can't be saved"))
        // It can be travelled over all the same.
        recorder.travel(to: 1)
        recorder.travel(to: 2)
        #expect(store.state.sum == 1)
    }

    @Test func `of two type maps the last counts`() {
        let other: TypeMap = ["Add": Clear.self]
        let recorder = Recorder(makeTallyStore(), typeMaps: [types, other])
        #expect(recorder.typeMap["Add"] == Clear.self)
        #expect(recorder.typeMap["Clear"] == Clear.self)
    }
}

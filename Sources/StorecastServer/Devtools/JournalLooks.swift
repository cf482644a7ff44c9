import StorecastSync
import StorecastWire

/// What is to be looked up in the journals of one loop's rooms, one at a time.
struct JournalLooks {
    private var waiting: [DevtoolsQuestion] = []
    private var current: JournalLook?

    /// Looks these up, and nothing else that was wanted before.
    mutating func want(_ questions: [DevtoolsQuestion]) -> DevtoolsQuestion? {
        if let current, !questions.contains(current.question) {
            current.cancel()
            self.current = nil
        }
        waiting = questions.filter { $0 != current?.question }
        return next()
    }

    /// The question to begin with now, if there is none under way.
    mutating func next() -> DevtoolsQuestion? {
        if let current, !current.isOver { return nil }
        current = nil
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    mutating func began(_ look: JournalLook) { current = look }
}

import Example
import StorecastClient
import StorecastPlatform

/// The program: takes keys and mirrors' states to the model, and what the model wants to the server
/// and the screen.
@MainActor
final class BoardClient {
    private let connection: RemoteConnection
    private let device = TerminalDevice()
    private let events = TerminalEvents()
    private var mirrors: BoardMirrors?
    private var model: BoardModel
    private var parser = KeyParser()
    private var lastDrawn = ContinuousClock.now - .seconds(1)
    private var isDrawing = false
    /// The terminal has been given back: nothing may be drawn any more.
    private var isOver = false
    private let (ends, end) = AsyncStream<Void>.makeStream()

    /// The least time between two drawings: what others do in between is seen at once.
    private static let frame = Duration.milliseconds(16)

    init(url: String, user: String?) {
        connection = RemoteConnection(
            url, room: Board.room, token: user.map { user in { @Sendable in user } })
        model = BoardModel(address: url, user: user)
        model.secondsFromGMT = Self.secondsFromGMT()
    }

    /// Runs until the person quits, or a signal says so.
    func run() async {
        mirrors = BoardMirrors(on: connection) { [unowned self] in take($0) }
        device.enter()
        listenToTerminal()
        let following = Task { await followStatus() }
        draw()
        for await _ in ends { break }
        events.stop()
        isOver = true
        device.leave()
        following.cancel()
        connection.close()
    }

    // MARK: The terminal

    private func listenToTerminal() {
        events.onInput { [unowned self] in takeInput() }
        events.on(SIGWINCH) { [unowned self] in needsDrawing() }
        events.on(SIGCONT) { [unowned self] in
            // Whoever stopped the program may have changed the terminal.
            device.enter()
            needsDrawing()
        }
        for ending in [SIGINT, SIGTERM, SIGHUP] {
            events.on(ending) { [unowned self] in end.finish() }
        }
    }

    private func takeInput() {
        let bytes = device.read()
        guard !bytes.isEmpty else { return end.finish() }
        press(parser.parse(bytes))
        guard parser.isWaiting else { return }
        Task {
            try? await Task.sleep(for: .milliseconds(40))
            press(parser.flush())
        }
    }

    private func press(_ keys: [Key]) {
        for key in keys {
            for effect in model.press(key) { perform(effect) }
        }
        if !keys.isEmpty { needsDrawing() }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .dispatch(let action, let typed): dispatch(action, typed)
        case .turn(let column, let turn): mirrors?.turn(column, turn)
        case .reconnect: connection.reconnect()
        case .redraw: device.forget()
        case .quit: end.finish()
        }
    }

    // MARK: The server

    private func dispatch(_ action: any BoardAction, _ typed: String?) {
        let dispatch = connection.dispatch(action)
        Task {
            do throws(Rejection) {
                _ = try await dispatch.outcome
            } catch {
                model.refuse(action, typed, because: error)
            }
            needsDrawing()
        }
        needsDrawing()
    }

    private func take(_ change: BoardMirrors.Change) {
        switch change {
        case .columns(let columns):
            model.columns = columns
            let ids = Set(columns.map(\.id))
            model.pages = model.pages.filter { ids.contains($0.key) }
        case .page(let column, let page, let turned):
            model.show(page, of: column, turned: turned)
        case .chat(let chat): model.chat = chat
        case .present(let present): model.present = present
        }
        model.settleCursor()
        needsDrawing()
    }

    private func followStatus() async {
        for await status in connection.statuses {
            needsDrawing()
            if case .offline(let outage) = status { countDown(to: outage) }
        }
    }

    /// Draws every second of an outage anew.
    private func countDown(to outage: Outage) {
        Task {
            while connection.status == .offline(outage), .now() < outage.retryAt {
                try? await Task.sleep(for: .seconds(1))
                needsDrawing()
            }
        }
    }

    // MARK: The screen

    /// Draws soon: once for everything that comes at the same time.
    private func needsDrawing() {
        guard !isDrawing else { return }
        isDrawing = true
        Task {
            let wait = Self.frame - (ContinuousClock.now - lastDrawn)
            if wait > .zero { try? await Task.sleep(for: wait) }
            draw()
        }
    }

    private func draw() {
        isDrawing = false
        guard !isOver else { return }
        lastDrawn = .now
        model.link = BoardModel.Link(connection.status, at: .now())
        model.unsent = connection.pendingCount
        model.participant = connection.participant
        if let problem = mirrors?.problem { model.notice = problem.description }
        let size = device.size
        device.show(BoardScreen.draw(model, width: size.width, height: size.height))
    }

    private static func secondsFromGMT() -> Int {
        var now = time(nil)
        var local = tm()
        localtime_r(&now, &local)
        return local.tm_gmtoff
    }
}

import StorecastSync
import StorecastWire

/// What comes from the connection: read and taken as far as there are time and room for it.
extension ServerSession {
    /// Takes one message.
    package func receive(_ message: UnsafeRawBufferPointer) {
        guard phase != .closed else { return }
        if let clients, let first = message.first, (0x30...0x39).contains(first) {
            // What it makes its client makes, whose session notes it: the others aren't to wait for it.
            if !clients.receive(message) { violate("No client of the edge can have this number.") }
            return
        }
        if phase != .live { heldBytes += message.count }
        pay(for: message.count)
        let cost = message.count + (isPassedOn ? Self.waitingCost : 0)
        if isTaking || isWaiting || mustWait(with: message.count) {
            inbox.append(ClientFrames(unread: Array(message)), bytes: cost)
        } else {
            inbox.append(read(message), bytes: cost)
        }
        takeFrames()
    }

    func noteBacklog() {
        let (old, new) = (backlog, max(inbox.bytes, heldBytes))
        guard old != new else { return }
        backlog = new
        flushes.noteBacklog(of: self, from: old, to: new)
    }

    private func read(_ message: UnsafeRawBufferPointer) -> ClientFrames {
        spend(message.count)
        return ClientFrames(reading: message, limits: limits.json)
    }

    /// Takes frames while their answers have room and the turn has time, then stops reading;
    /// ``wrote()`` and ``goOn()`` go on from there.
    func takeFrames() {
        guard !isTaking, !isWaiting else { return noteBacklog() }
        isTaking = true
        while mayTake, !inbox.isEmpty {
            if mustWait {
                isWaiting = true
                flushes.wait(self)
                break
            }
            guard let frame = inbox.next(reading: { $0.withUnsafeBytes(read) }) else { break }
            spend(Self.frameWork)
            switch frame {
            case .success(let frame): take(frame)
            case .failure(let error) where phase == .awaitingHello:
                violate("The first frame must be a readable hello. \(error.detail ?? error.title)")
            case .failure(let error): reply(.error(error))
            }
        }
        isTaking = false
        noteBacklog()
        if isLight { flushes.noteLight() }
        let reads = mayTake && !isWaiting && !isThrottled
        guard reads != isReading, phase != .closed else { return }
        isReading = reads
        link?.setReading(reads)
    }

    /// Takes note of frames that are no messages; each counts as one.
    package func receive(oddments count: Int) {
        guard phase != .closed else { return }
        pay(for: 0, messages: count)
        takeFrames()
    }

    private var mayTake: Bool {
        switch phase {
        case .closed: false
        case .authenticating:
            held.count < limits.subscriptions && heldBytes <= limits.controlBytes
        case .awaitingHello, .live: replyBytes <= limits.controlBytes
        }
    }

    /// It is its turn again.
    func goOn() {
        isWaiting = false
        takeFrames()
    }

    /// What was pulled is written: takes what had to wait for that.
    ///
    /// Not as a part of ``pull(into:)``: what comes next may be the end, which goes behind.
    package func wrote() {
        if !isReading { takeFrames() }
    }

    private func take(_ frame: ClientFrame) {
        // What comes most; the pair below is made for every frame.
        if phase == .live, case .dispatch(let dispatch) = frame {
            guard clients == nil else { return violate("An edge has nothing to dispatch.") }
            spend(Self.actionWork)
            return receive(dispatch)
        }
        switch (phase, frame) {
        case (.closed, _): break
        case (.awaitingHello, .hello(let hello)): begin(hello)
        case (.awaitingHello, _): violate("The first frame must be hello.")
        case (_, .hello): violate("hello may be said once.")
        case (.authenticating, .dispatch): violate("dispatch may not come before welcome.")
        case (.authenticating, _): held.append(frame)
        case (.live, .dispatch): break
        case (.live, .subscribe) where clients != nil: violate("An edge has its clients subscribe.")
        case (.live, .mirror(let mirror)) where clients != nil: self.mirror(mirror)
        case (.live, .vouch(let identity)) where isPassedOn:
            renew(Identity(vouched: identity))
        case (.live, .mirror(let mirror)):
            reply(.error(ClientFrame.unknown("mirror", ref: mirror.ref)))
        case (.live, .vouch): reply(.error(ClientFrame.unknown("vouch")))
        case (.live, .subscribe(let subscribe)): self.subscribe(subscribe)
        case (.live, .unsubscribe(let ref)): unsubscribe(ref)
        case (.live, .authenticate(let token)):
            guard !isTooLong(token) else { return }
            if let token = renewal.begin(token) { loop.authenticate(self, token: token) }
        case (.live, .ping): reply(.pong(version: room.position.version))
        }
    }
}

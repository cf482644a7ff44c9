package import StorecastWire

/// What goes to the connection: replies, what its selections have become, values in parts.
extension ServerSession {
    // These are inlined: each is asked of each connection in each turn that sends it something.

    /// Whether one of its selections isn't at the room's version yet; it is sent nothing then.
    @inline(__always) var isBehind: Bool {
        room.isBehind && !isPassedOn && subscriptions.values.contains { $0.group.isBehind }
    }

    package func caughtUp() { flushes.add(self) }

    package func skipped(to version: UInt64) { skippedTo = version }

    /// Whether what it has to send is to be encoded first, and large.
    var needsEncoding: Bool {
        queued.contains { $0.isLive && $0.group.needsEncoding(from: $0.position) }
    }

    /// Whether there is an answer to what its client sent.
    @inline(__always) var hasAnswers: Bool {
        !replies.isEmpty || dispatches.hasAcknowledgement || clients?.hasMessages == true
    }

    /// Whether there is something to pull.
    @inline(__always) package var hasMessages: Bool {
        guard phase != .closed else { return false }
        return hasAnswers || !queued.isEmpty
    }

    /// Appends what the connection should be sent now, replies first, then all that brings its
    /// selections to the room's version, as one transaction.
    ///
    /// First values are left for later turns when they are many bytes, or the turn has made much
    /// work already.
    package func pull(into messages: inout [ServerMessage]) {
        guard phase != .closed else { return }
        // Those to an edge's clients: behind the values that they may be about, and taking effect
        // with them.
        let following = clients?.takeMessages()
        defer { if let following { messages += following } }
        if !replies.isEmpty {
            messages += replies
            replies.clear()
            replyBytes = 0
        }
        var start = messages.count
        var hasGap = false
        var unwritable: [(ServerSubscription, any Error)] = []
        var later: [ServerSubscription] = []
        var surplus: [ServerSubscription] = []
        var wholeBytes = 0
        if firstTurn != flushes.turn { (firstBytes, firstTurn) = (0, flushes.turn) }
        for index in queued.indices {
            let subscription = queued[index]
            let isFirst = !subscription.isLive
            if isFirst, firstBytes >= limits.writeBytes || !mayWrite(firstOf: subscription.group) {
                later.append(subscription)
                continue
            }
            subscription.isQueued = false
            if !isFirst, subscription.group.isLarge, subscription.needsSnapshot {
                let size = subscription.group.size
                // An edge would ask for it anew for each of its clients.
                if clients == nil, wholeBytes > 0, wholeBytes + size > limits.transactionBytes {
                    surplus.append(subscription)
                    continue
                }
                wholeBytes += size
                flushes.spend(size)
            }
            do {
                if isFirst, takesParts, try subscription.beginParts(above: limits.partBytes) {
                    inParts.append(subscription)
                    continue
                }
                let beginsWithGap = isFirst && subscription.beginsWithGap
                if !isFirst, subscription.isConflated { flushes.counts.conflations += 1 }
                guard let message = try subscription.nextMessage() else { continue }
                messages.append(message)
                hasGap = hasGap || beginsWithGap || subscription.group.version < skippedTo
                if isFirst {
                    firstBytes += message.frameSize
                    flushes.spend(message.frameSize)
                }
            } catch {
                unwritable.append((subscription, error))
            }
        }
        queued.clear()
        if !later.isEmpty { queued = later }
        let count = messages.count - start
        // They aren't live any more at the version of the transaction.
        for (subscription, error) in unwritable { lapse(subscription, error) }
        for subscription in surplus { lapse(subscription, "renewed") }
        if !replies.isEmpty {
            messages.insert(contentsOf: replies, at: start)
            start += replies.count
            replies.clear()
            replyBytes = 0
        }
        let acked = dispatches.takeAcknowledgement()
        let isFollowed = count > 0 && following?.isEmpty == false
        guard acked != nil || count > 1 || hasGap || isFollowed else { return }
        messages.insert(
            .transaction(
                version: room.position.version, count: count, acked: acked,
                following: isFollowed ? following?.count : nil), at: start)
    }

    /// Whether something is to be sent in later turns: in parts, behind all messages that there
    /// are, or first values that the last pull left.
    package var hasParts: Bool { !inParts.isEmpty || !queued.isEmpty }

    /// The next part of what is sent in parts; nil if messages come first, or nothing is.
    ///
    /// The subscription's first message follows the last part, before those of another value.
    package func nextPart() -> ServerMessage? {
        guard !hasMessages, let subscription = inParts.first,
            let part = subscription.nextPart(limits.partBytes)
        else { return nil }
        if subscription.parts == nil {
            inParts.removeFirst()
            queue(subscription)
        }
        return part
    }

    /// Nothing of the subscription's value is sent in parts any more.
    func endParts(of subscription: ServerSubscription) {
        guard subscription.parts != nil else { return }
        subscription.endParts()
        inParts.removeAll { $0 === subscription }
    }

    package func queue(_ subscription: ServerSubscription) {
        if queued.isEmpty { flushes.add(self) }
        guard !subscription.isQueued else { return }
        subscription.isQueued = true
        queued.append(subscription)
    }

    func unqueue(_ subscription: ServerSubscription) {
        guard subscription.isQueued else { return }
        queued.removeAll { $0 === subscription }
    }

    func reply(_ message: ServerMessage) {
        guard phase != .closed else { return }
        if replies.isEmpty { flushes.add(self) }
        replies.append(message)
        replyBytes += message.frameSize
    }
}

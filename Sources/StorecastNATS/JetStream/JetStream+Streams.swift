import StorecastWire

/// Streams, and the messages that they keep.
extension JetStream {
    /// Finds or makes a stream, and checks that it keeps what it takes as well as is asked.
    ///
    /// - Parameters:
    ///   - replicas: on how many servers each message is before it is acknowledged.
    ///   - keepsNewestOnly: whether of each subject only the newest message is kept.
    /// - Returns: when it was made, as a text that is always the same.
    /// - Throws: a sentence if there is one of this name that is less.
    package func stream(
        _ name: String, subjects: [String], replicas: Int, keepsNewestOnly: Bool
    ) async throws(NATSError) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("name", name)
        writer.write(key: "subjects")
        writer.beginArray()
        for subject in subjects { writer.write(subject) }
        writer.endArray()
        writer.member("retention", "limits")
        writer.member("storage", "file")
        writer.member("discard", "new")
        writer.member("num_replicas", replicas)
        writer.member("allow_direct", true)
        writer.member("max_msgs", -1)
        writer.member("max_bytes", -1)
        writer.member("max_age", 0)
        writer.member("max_msgs_per_subject", keepsNewestOnly ? 1 : -1)
        writer.member("duplicate_window", 1_000_000_000)
        writer.endObject()
        var answer = try await call("STREAM.CREATE.\(name)", writer.bytes)
        if answer["error"]?["err_code"]?.int == ErrorCode.streamInUse {
            answer = try await call("STREAM.INFO.\(name)")
        }
        try Self.check(answer)
        guard let found = answer["config"], let created = answer["created"]?.string else {
            throw .violation("JetStream answers in a way that can't be read.")
        }
        try Self.check(found, name, replicas: replicas, mostOfSubject: keepsNewestOnly ? 1 : -1)
        return created
    }

    private static func check(
        _ found: JSON, _ name: String, replicas: Int, mostOfSubject: Int
    ) throws(NATSError) {
        let count = found["num_replicas"]?.int ?? 0
        let problem: String? =
            if count < replicas {
                "is on \(count) \(count == 1 ? "server" : "servers"), not on \(replicas)"
            } else if found["storage"]?.string != "file" {
                "is in memory, not in files"
            } else if found["retention"]?.string != "limits" || found["max_age"]?.int ?? 0 != 0
                || found["max_msgs"]?.int ?? -1 != -1 || found["max_bytes"]?.int ?? -1 != -1
                || max(found["max_msgs_per_subject"]?.int ?? -1, -1) != mostOfSubject
            {
                "forgets messages by itself"
            } else if found["allow_direct"]?.bool != true {
                "doesn't let them be read directly"
            } else {
                nil
            }
        guard let problem else { return }
        throw .unavailable("The stream '\(name)' of NATS \(problem): it can't be used.")
    }

    // MARK: Messages

    /// Keeps a message behind the one that is expected to be the last of its subject.
    ///
    /// - Parameters:
    ///   - expected: the number of that one; 0 if there is to be none, nil for whatever there is.
    ///   - connection: nothing is sent if NATS was connected again since it was, more often than
    ///     this; nil for whatever connection there is.
    package func write(
        _ payload: [UInt8], to subject: String, headers: NATSHeaders, behind expected: UInt64?,
        on connection: Int?
    ) async -> Written {
        if let connection, connection != connections.reconnects { return .busy(Self.reconnected) }
        var headers = headers
        if let expected { headers.add("Nats-Expected-Last-Subject-Sequence", "\(expected)") }
        let answer: JSON
        do throws(NATSError) {
            answer = try Self.json(try await request(subject, payload, headers: headers))
        } catch {
            switch error {
            case .unanswered(let text), .forbidden(let text), .violation(let text):
                return .unknown(text)
            case .unavailable(let text), .missing(let text), .refused(let text):
                return .refused(text)
            // The stream has no leader now.
            case .noResponders: return .refused("NATS keeps nothing now: no stream answers.")
            }
        }
        if let sequence = answer["seq"]?.uint64, answer["error"] == nil { return .kept(sequence) }
        switch answer["error"]?["err_code"]?.int {
        case ErrorCode.wrongLastSequence: return .notAtEnd
        case ErrorCode.otherUnderWay, ErrorCode.noQuorumYet:
            return .busy(Self.problem(answer) ?? "")
        default: break
        }
        // What a stream that changes its leader answers doesn't say what became of the message.
        return .unknown(Self.problem(answer) ?? "JetStream answers in a way that can't be read.")
    }

    /// The newest message of a subject, which may have wildcards, as the stream's leader has it;
    /// nil if there is none.
    package func last(of subject: String, in stream: String) async throws(NATSError) -> Kept? {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("last_by_subj", subject)
        writer.endObject()
        let answer = try await call("STREAM.MSG.GET.\(stream)", writer.bytes)
        if answer["error"]?["err_code"]?.int == ErrorCode.noMessage { return nil }
        try Self.check(answer)
        guard let message = answer["message"], let sequence = message["seq"]?.uint64,
            let subject = message["subject"]?.string,
            let payload = Base64.bytes(of: message["data"]?.string ?? ""),
            let head = Base64.bytes(of: message["hdrs"]?.string ?? "")
        else { throw .violation("JetStream answers in a way that can't be read.") }
        return Kept(
            sequence: sequence, subject: subject, headers: try NATSHeaders(head), payload: payload)
    }

    /// The next messages of a subject from a number on, in order, as one of the stream's servers
    /// has them, which may be a little behind; and whether it has more.
    ///
    /// The others may not know for a minute that the server which is asked is dead; so it is asked
    /// again soon, and then probably of another one.
    ///
    /// - Parameters:
    ///   - count: how many at most.
    ///   - bytes: of their payloads, about, at most; one message comes in any case.
    package func page(
        of subject: String, in stream: String, from sequence: UInt64, count: Int,
        bytes: Int
    ) async throws(NATSError) -> (messages: [Kept], hasMore: Bool) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("seq", sequence)
        writer.member("next_by_subj", subject)
        writer.member("batch", count)
        writer.member("max_bytes", bytes)
        writer.endObject()
        var (patience, left) = (Duration.seconds(1), timeout)
        while true {
            do throws(NATSError) {
                return try await page(writer.bytes, of: stream, patience: min(patience, left))
            } catch {
                left -= patience
                guard case .unanswered = error, left > .zero else { throw error }
                patience *= 2
            }
        }
    }

    private func page(
        _ request: [UInt8], of stream: String, patience: Duration
    ) async throws(NATSError) -> (messages: [Kept], hasMore: Bool) {
        guard let connection else { throw Self.closed }
        let result: Result<([Kept], Bool), NATSError> = await withCheckedContinuation {
            continuation in
            var messages: [Kept] = []
            connection.requestMany(
                "$JS.API.DIRECT.GET.\(stream)", request, patience: patience, timeout: timeout
            ) { answer in
                do throws(NATSError) {
                    let message = try answer.get()
                    switch message.headers.status {
                    // The end of the page; nothing was found.
                    case 204, 404: break
                    case nil:
                        messages.append(try Self.kept(message))
                        return true
                    case let status?:
                        throw .unavailable(
                            "JetStream answers with status \(status): \(message.headers.reason).")
                    }
                    let rest = message.headers["Nats-Num-Pending"].flatMap { Int($0) } ?? 0
                    continuation.resume(returning: .success((messages, rest > 0)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
                return false
            }
        }
        return try result.get()
    }

    /// How many messages a subject of a stream has, as the stream's leader knows.
    package func count(of subject: String, in stream: String) async throws(NATSError) -> Int {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("subjects_filter", subject)
        writer.endObject()
        let answer = try await call("STREAM.INFO.\(stream)", writer.bytes)
        try Self.check(answer)
        return answer["state"]?["subjects"]?[subject]?.int ?? 0
    }

    /// Forgets the messages of a subject below a number, or all of them.
    package func purge(
        _ subject: String, of stream: String, below sequence: UInt64?
    ) async throws(NATSError) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("filter", subject)
        if let sequence { writer.member("seq", sequence) }
        writer.endObject()
        try Self.check(try await call("STREAM.PURGE.\(stream)", writer.bytes))
    }

    /// The subjects of a stream that match and have messages.
    package func subjects(
        _ filter: String, of stream: String
    ) async throws(NATSError) -> [String] {
        var found: [String] = []
        while true {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("subjects_filter", filter)
            writer.member("offset", found.count)
            writer.endObject()
            let answer = try await call("STREAM.INFO.\(stream)", writer.bytes)
            try Self.check(answer)
            guard case .object(let subjects)? = answer["state"]?["subjects"] else { return found }
            found += subjects.map(\.key)
            guard let total = answer["total"]?.int, total > found.count, !subjects.isEmpty else {
                return found
            }
        }
    }

    private static func kept(_ message: NATSMessage) throws(NATSError) -> Kept {
        guard let sequence = message.headers["Nats-Sequence"].flatMap({ UInt64($0) }),
            let subject = message.headers["Nats-Subject"]
        else { throw .violation("JetStream answers in a way that can't be read.") }
        return Kept(
            sequence: sequence, subject: subject, headers: message.headers,
            payload: message.payload)
    }
}

extension ServerFrame {
    /// The frame of one message.
    package init(
        reading message: UnsafeRawBufferPointer, limits: JSONLimits
    ) throws(FrameError) {
        let document: JSONDocument
        do {
            document = try JSONDocument(scanning: message, limits: limits)
        } catch {
            throw FrameError(
                .malformed, "The message is not valid JSON within the limits.",
                detail: error.message)
        }
        try self.init(reading: document.root)
    }

    package init(reading view: JSONView) throws(FrameError) {
        let fields = try FrameFields(view)
        switch fields.op {
        case "patch", "snapshot", "current", "transaction", "lapse":
            self = try Self.mirrorFrame(fields)
        case "subscribed": self = .subscribed(try Subscribed(reading: fields))
        case "reject": self = .reject(try Reject(reading: fields))
        case "welcome": self = .welcome(try Welcome(reading: fields))
        case "pong": self = .pong(version: try fields.integer("v"))
        case "term": self = .term(try fields.string("term"))
        case "renew": self = .renew(within: try fields.number("within"))
        case "bye": self = .bye(try Bye(reading: fields))
        case "error": self = .error(try FrameError(reading: fields))
        default:
            throw fields.error(
                "'\(fields.op.excerpt())' is no op of a server.", code: .unknownOp,
                title: "There is no such op.")
        }
    }

    private static func mirrorFrame(_ fields: FrameFields) throws(FrameError) -> ServerFrame {
        if fields.op == "transaction" {
            return .transaction(
                version: try fields.integer("v"), count: try fields.integer("count"),
                acked: try fields.optionalInteger("acked"))
        }
        let sub = try fields.integer("sub")
        if fields.op == "lapse" { return .lapse(sub: sub, code: try fields.string("code")) }
        let version = try fields.integer("v")
        switch fields.op {
        case "snapshot":
            return .snapshot(sub: sub, version: version, value: try fields.value("value"))
        case "current": return .current(sub: sub, version: version)
        default:
            return .patch(
                sub: sub, from: try fields.integer("from"), version: version,
                operations: try fields.value("ops"))
        }
    }
}

extension ServerFrame.Subscribed {
    init(reading fields: FrameFields) throws(FrameError) {
        ref = try fields.integer("ref")
        sub = try fields.integer("sub")
        tag = try fields.string("tag")
        bytes = try fields.optionalInteger("bytes") ?? 0
    }
}

extension ServerFrame.Reject {
    init(reading fields: FrameFields) throws(FrameError) {
        seq = try fields.integer("seq")
        code = try fields.string("code")
        title = try fields.string("title")
        detail = try fields.optionalString("detail")
        retryable = try fields.bool("retryable")
        retryAfter = try fields.optionalNumber("retryAfter")
    }

    /// One of `welcome.rejected`, which has no `op`.
    init(recorded view: JSONView) throws(FrameError) {
        guard let seq = view["seq"].flatMap(FrameFields.integer), let code = view["code"]?.string,
            let title = view["title"]?.string
        else {
            throw FrameError(
                .invalidFrame, "A member of the frame is missing or of the wrong type.",
                detail: "'rejected' of 'welcome' must hold objects with seq, code and title.")
        }
        self.init(seq: seq, code: code, title: title, detail: view["detail"]?.string)
    }
}

extension ServerFrame.Welcome {
    init(reading fields: FrameFields) throws(FrameError) {
        proto = try fields.integer("proto")
        position = Position(
            epoch: try fields.string("epoch"), version: try fields.integer("v"))
        term = try fields.optionalString("term")
        lastSeq = try fields.integer("lastSeq")
        rejected = []
        if let list = fields.optional("rejected") {
            guard list.isArray else { throw fields.wrong("rejected", "an array") }
            for view in list.elements { rejected.append(try .init(recorded: view)) }
        }
        heartbeat = try fields.integer("heartbeat")
        let limits = try fields.value("limits")
        func limit(_ name: String) throws(FrameError) -> UInt64 {
            guard let limit = limits[name].flatMap(FrameFields.integer) else {
                throw fields.error("'limits' of 'welcome' must hold an integer '\(name)'.")
            }
            return limit
        }
        self.limits = ServerFrame.Limits(
            message: try limit("message"), window: try limit("window"),
            subscriptions: try limit("subscriptions"), depth: try limit("depth"))
        server = try fields.string("server")
        if fields.optional("identity") != nil { identity = try VouchedIdentity(reading: fields) }
        parts = try fields.optionalInteger("parts")
    }
}

extension ServerFrame.Bye {
    init(reading fields: FrameFields) throws(FrameError) {
        code = try fields.string("code")
        title = try fields.optionalString("title") ?? code
        reconnect = try fields.bool("reconnect")
        after = try fields.optionalNumber("after") ?? 0
        jitter = try fields.optionalNumber("jitter") ?? 0
    }
}

extension FrameError {
    init(reading fields: FrameFields) throws(FrameError) {
        code = Code(try fields.string("code"))
        title = try fields.string("title")
        detail = try fields.optionalString("detail")
        ref = try fields.optionalInteger("ref")
        seq = try fields.optionalInteger("seq")
        index = try fields.optionalInteger("index").map { Int($0) }
    }
}

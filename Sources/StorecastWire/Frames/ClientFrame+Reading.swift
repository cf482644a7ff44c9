extension ClientFrame {
    package init(reading view: JSONView) throws(FrameError) {
        // What comes most, before its `op` is made a String.
        if let op = view.index(of: "op"), view.tape.isText("dispatch", at: op) {
            self = .dispatch(try Dispatch(reading: FrameFields(view, op: "dispatch")))
            return
        }
        let fields = try FrameFields(view)
        switch fields.op {
        case "ping": self = .ping
        case "subscribe": self = .subscribe(try Subscribe(reading: fields))
        case "unsubscribe": self = .unsubscribe(ref: try fields.integer("ref"))
        case "hello": self = .hello(try Hello(reading: fields))
        case "authenticate": self = .authenticate(token: try fields.string("token"))
        case "mirror": self = .mirror(try Mirror(reading: fields))
        case "vouch": self = .vouch(try VouchedIdentity(reading: fields))
        default: throw Self.unknown(fields.op, fields)
        }
    }
}

extension ClientFrame {
    private static func unknown(_ op: String, _ fields: FrameFields) -> FrameError {
        fields.error(unknown(op).detail ?? "", code: .unknownOp, title: unknown(op).title)
    }

    /// What somebody is told who sends what has no meaning, or not from there.
    package static func unknown(_ op: String, ref: UInt64? = nil) -> FrameError {
        FrameError(
            .unknownOp, "There is no such op.",
            detail: "There is no '\(op.excerpt())', only hello, subscribe, unsubscribe, dispatch, "
                + "authenticate, ping.", ref: ref)
    }
}

extension VouchedIdentity {
    /// From the member `identity`.
    init(reading fields: FrameFields) throws(FrameError) {
        let view = try fields.value("identity")
        guard let id = view["id"]?.string, let list = view["roles"], list.isArray else {
            throw fields.wrong("identity", "an object with a string 'id' and an array 'roles'")
        }
        self.init(id: id, roles: [])
        for role in list.elements {
            guard let role = role.string else {
                throw fields.wrong("identity", "an object whose 'roles' are strings")
            }
            roles.append(role)
        }
    }
}

extension ClientFrame.Mirror {
    init(reading fields: FrameFields) throws(FrameError) {
        ref = try fields.integer("ref")
        sub = try fields.integer("sub")
        at = try fields.optionalResumePoint("at")
    }
}

extension ClientFrame.Hello {
    init(reading fields: FrameFields) throws(FrameError) {
        proto = try fields.integer("proto")
        client = try fields.string("client")
        guard Self.isClientID(client) else {
            throw fields.wrong(
                "client", "16 to 64 letters, digits, '-' or '_' that hold 128 random bits")
        }
        connection = try fields.optionalInteger("connection")
        settled = try fields.optionalInteger("settled")
        seen = try fields.optionalPosition("seen")
        term = try fields.optionalString("term")
        token = try fields.optionalString("token")
        parts = try fields.optionalInteger("parts")
        edge = try fields.optionalInteger("edge")
        if fields.optional("identity") != nil { identity = try VouchedIdentity(reading: fields) }
    }

    private static func isClientID(_ text: String) -> Bool {
        (16...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension ClientFrame.Subscribe {
    init(reading fields: FrameFields) throws(FrameError) {
        ref = try fields.integer("ref")
        select = try fields.string("select")
        params = fields.optional("params")
        at = try fields.optionalResumePoint("at")
    }
}

extension FrameFields {
    func optionalResumePoint(_ name: StaticString) throws(FrameError) -> ResumePoint? {
        guard let position = try optionalPosition(name) else { return nil }
        guard let tag = optional(name)?["tag"]?.string else {
            throw wrong(name, "an object with a string 'tag'")
        }
        return ResumePoint(position: position, tag: tag)
    }
}

extension ClientFrame.Dispatch {
    init(reading fields: FrameFields) throws(FrameError) {
        seq = try fields.integer("seq")
        base = try fields.integer("base")
        settled = try fields.optionalInteger("settled")
        let action = try fields.value("action")
        guard let type = action.index(of: "type"), action.tape.entries[type].isString else {
            throw fields.wrong("action", "an object with a string 'type'")
        }
        self.type = action.tape.string(type)
        payload = action["payload"]
        traceparent = try fields.optionalString("traceparent")
        guard seq > 0 else { throw fields.wrong("seq", "an integer from 1") }
    }
}

/// The frames of one message from a client, read one at a time on demand: a message of one megabyte
/// may hold half a million.
///
/// A frame that can't be used is an error in its place and doesn't stop the others.
package struct ClientFrames: Sequence, IteratorProtocol, Sendable {
    /// The message, if it is still to be read.
    package let unread: [UInt8]?
    private var single: Result<ClientFrame, FrameError>?
    private var rest: JSONView.Elements?
    private var index = 0

    /// A message that is read later.
    package init(unread message: [UInt8]) { unread = message }

    /// The frames of a message: a frame, or a non-empty, flat array of frames.
    package init(reading message: UnsafeRawBufferPointer, limits: JSONLimits) {
        unread = nil
        let root: JSONView
        do {
            root = try JSONDocument(scanning: message, limits: limits).root
        } catch {
            single = .failure(
                FrameError(
                    .malformed, "The message is not valid JSON within the limits.",
                    detail: error.message))
            return
        }
        if !root.isArray {
            single = Self.frame(root, index: nil)
        } else if root.count == 0 {
            single = .failure(
                FrameError(.invalidFrame, "A batch must hold at least one frame."))
        } else {
            rest = root.elements
        }
    }

    /// The next frame, or what is wrong with it.
    package mutating func next() -> Result<ClientFrame, FrameError>? {
        if let frame = single {
            single = nil
            return frame
        }
        guard let view = rest?.next() else { return nil }
        defer { index += 1 }
        return Self.frame(view, index: index)
    }

    private static func frame(
        _ view: JSONView, index: Int?
    ) -> Result<ClientFrame, FrameError> {
        do throws(FrameError) {
            return .success(try ClientFrame(reading: view))
        } catch {
            var error = error
            error.index = index
            return .failure(error)
        }
    }
}

/// The frames of one message from a client, read one by one as they are asked for: a message of a
/// megabyte may hold half a million.
///
/// A frame that can't be used is an error in its place and doesn't stop the others.
package struct ClientFrames: Sequence, IteratorProtocol, Sendable {
    private var single: Result<ClientFrame, FrameError>?
    private var rest: JSONView.Elements?
    private var index = 0

    /// The frames of a message: a frame, or a non-empty, flat array of frames.
    package init(reading message: UnsafeRawBufferPointer, limits: JSONLimits) {
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

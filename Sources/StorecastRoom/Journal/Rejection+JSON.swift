import StorecastWire

extension Rejection {
    /// Writes the members of a final rejection into an object that is open.
    func writeMembers(to writer: inout JSONWriter) {
        writer.writeProblem(code.description, title, detail: detail)
    }

    /// Reads a final rejection; nil if code or title are missing.
    init?(_ view: JSONView) {
        guard let code = view["code"]?.string, let title = view["title"]?.string else { return nil }
        self.init(Code(code), title, detail: view["detail"]?.string)
    }
}

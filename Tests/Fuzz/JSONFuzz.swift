import StorecastWire

/// A type with every kind of container, to be decoded from whatever comes.
private struct Sample: Codable {
    var id: Int?
    var text: String?
    var small: UInt8?
    var number: Double?
    var list: [Sample]?
    var names: [String: JSON]?
    var numbers: [Int: Float]?
}

/// The JSON scanner, the writer and the decoder.
func fuzzJSON(_ input: UnsafeRawBufferPointer) {
    guard let document = try? JSONDocument(scanning: input) else { return }
    checkText(of: document.root.json)
    checkCoding(of: document)
}

private func checkText(of tree: JSON) {
    let text = tree.bytes
    precondition(text.count == tree.encodedSize, "the size foretold")
    guard let again = try? JSONDocument(text, limits: JSONLimits(numberBytes: 1 << 20)) else {
        preconditionFailure("what was written can be read")
    }
    precondition(again.root.json == tree, "and is the same")
    precondition(again.root.json.hashValue == tree.hashValue, "equal values hash alike")
    precondition(again.root.json.canonicalBytes == tree.canonicalBytes, "and have one text")
}

private func checkCoding(of document: JSONDocument) {
    guard let sample = try? JSONCoding.decode(Sample.self, from: document.root) else { return }
    guard let bytes = try? JSONCoding.encode(sample), let tree = try? JSONCoding.encodeTree(sample),
        let again = try? JSONDocument(bytes)
    else { preconditionFailure("what was decoded can be encoded") }
    precondition(again.root.json == tree, "as text and as a tree alike")
    // Not the values themselves, as "NaN" isn't equal to itself.
    guard let copy = try? JSONCoding.decode(Sample.self, from: tree) else {
        preconditionFailure("there")
    }
    precondition((try? JSONCoding.encodeTree(copy)) == tree, "and back")
}

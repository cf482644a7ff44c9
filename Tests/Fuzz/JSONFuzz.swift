// Feeds arbitrary bytes to the JSON scanner, the decoder, the patch reader and the diff. Not a
// target of the package; build and run it from the package's folder:
//
//   swiftc -parse-as-library -O -wmo -sanitize=fuzzer,address -swift-version 6 \
//     -package-name storecast -module-name JSONFuzz -o /tmp/json-fuzz \
//     $(find Sources/StorecastWire -name '*.swift' -not -path '*/Frames/*') \
//     Tests/Fuzz/JSONFuzz.swift
//   mkdir -p /tmp/json-corpus && /tmp/json-fuzz -max_total_time=60 -max_len=4096 /tmp/json-corpus
//
// A crash is a trap, a read out of bounds, or one of the promises below that doesn't hold.

/// A type with every kind of container, to be decoded from whatever comes.
private struct Sample: Codable, Equatable {
    var id: Int?
    var text: String?
    var small: UInt8?
    var number: Double?
    var list: [Sample]?
    var names: [String: JSON]?
    var numbers: [Int: Float]?
}

/// libFuzzer's entry: one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    guard let document = try? JSONDocument(scanning: bytes) else { return 0 }
    let tree = document.root.json
    checkText(of: tree)
    checkCoding(of: document)
    checkPatch(from: document, tree)
    return 0
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
    precondition((try? JSONCoding.decode(Sample.self, from: tree)) == sample, "there and back")
}

private func checkPatch(from document: JSONDocument, _ tree: JSON) {
    // An array of two is taken for an old and a new value.
    if let pair = tree.array, pair.count == 2 {
        var value = pair[0]
        let patch = JSONPatch.diff(from: value, to: pair[1])
        precondition((try? patch.apply(to: &value)) != nil, "a diff applies")
        precondition(value == pair[1], "and gives the new value")
    }
    // An object's members "value" and "patch" are what they say.
    guard let patchView = document.root["patch"], let before = document.root["value"]?.json,
        let patch = try? JSONPatch(reading: patchView)
    else { return }
    var value = before
    guard (try? patch.apply(to: &value)) == nil else { return }
    precondition(value.bytes == before.bytes, "a patch that fails changes nothing")
}

@testable import StorecastWire

/// Patches: read and applied, and made. The input is a vector of patches: a value `before`, and
/// `frames` with their `ops`; or an array of two, an old and a new value.
func fuzzPatch(_ input: UnsafeRawBufferPointer) {
    guard let document = try? JSONDocument(scanning: input) else { return }
    if let pair = document.root.json.array, pair.count == 2 {
        return checkDifference(from: pair[0], to: pair[1])
    }
    guard var value = document.root["before"]?.json, let frames = document.root["frames"] else {
        return
    }
    for frame in frames.elements {
        guard let operations = frame["ops"], let patch = try? JSONPatch(reading: operations) else {
            continue
        }
        let before = value
        if (try? patch.apply(to: &value)) == nil {
            precondition(value.bytes == before.bytes, "a patch that fails changes nothing")
        } else if value.depth <= JSONLimits.deepestNesting {
            checkDifference(from: before, to: value)
        }
    }
}

private func checkDifference(from old: JSON, to new: JSON) {
    var value = old
    let patch = JSONPatch.diff(from: old, to: new)
    precondition((try? patch.apply(to: &value)) != nil, "a diff applies")
    precondition(value == new, "and gives the new value")
}

/// The reader of JSON pointers.
func fuzzPointer(_ input: UnsafeRawBufferPointer) {
    guard let text = String(validating: input, as: UTF8.self),
        let pointer = try? JSONPointer(parsing: text)
    else { return }
    precondition(Array(pointer.description.utf8) == Array(text.utf8), "written as it was read")
    // To something and to nothing, alike.
    var value: JSON = [["a": [0, 1]], ["": "b"]]
    let found = try? pointer.resolve(in: value)
    let patch = JSONPatch([.replace(path: pointer, value: 7)])
    precondition((found != nil) == ((try? patch.apply(to: &value)) != nil), "what is there")
    if found != nil { precondition((try? pointer.resolve(in: value)) == 7, "is another then") }
}

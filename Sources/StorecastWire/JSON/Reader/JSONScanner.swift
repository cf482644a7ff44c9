/// Checks a JSON text (RFC 8259, strictly) and writes its tape, in one pass without recursion.
///
/// The open containers are a list linked through their entries' payloads, so nesting needs no
/// stack. Functions don't throw: they store the fault and return false.
struct JSONScanner {
    let text: UnsafePointer<UInt8>
    let end: Int
    let limits: JSONLimits
    let tape: UnsafeMutablePointer<TapeEntry>
    let capacity: Int
    var used = 0
    var at = 0
    var depth = 0
    /// The innermost open container; -1 at the top.
    var parent = -1
    var fault: JSONError?
    /// Whether a string has a character that isn't ASCII, or an escape, which may stand for one.
    var isBeyondASCII = false

    /// The most entries that a text can need before it ends or fails: an entry costs two bytes (a
    /// scalar and its comma, two brackets), but for the brackets that are still open.
    static func capacity(forBytes count: Int, depth: Int) -> Int {
        count / 2 + min(depth, count) + 2
    }

    mutating func fail(_ reason: JSONError.Reason, at offset: Int) -> Bool {
        if fault == nil { fault = JSONError(reason, at: offset) }
        return false
    }

    @inline(__always)
    mutating func append(_ entry: TapeEntry) -> Bool {
        guard used < capacity else { return fail(.size, at: at) }
        (tape + used).initialize(to: entry)
        used += 1
        return true
    }

    @inline(__always)
    mutating func skipSpace() {
        while at < end {
            switch text[at] {
            case 0x20, 0x0a, 0x0d, 0x09: at += 1
            default: return
            }
        }
    }

    /// Scans the whole text; false if there is a fault.
    mutating func scan() -> Bool {
        if end >= 3, text[0] == 0xef, text[1] == 0xbb, text[2] == 0xbf { return fail(.utf8, at: 0) }
        while true {
            skipSpace()
            guard at < end else { return fail(.syntax, at: at) }
            switch text[at] {
            case UInt8(ascii: "{"):
                guard open(.object) else { return false }
                if at < end, text[at] == UInt8(ascii: "}") { break }
                guard scanName() else { return false }
                continue
            case UInt8(ascii: "["):
                guard open(.array) else { return false }
                if at < end, text[at] == UInt8(ascii: "]") { break }
                continue
            default:
                guard scanScalar() else { return false }
                countOne()
            }
            guard finishContainers() else { return false }
            if parent < 0 { break }
        }
        skipSpace()
        return at == end || fail(.syntax, at: at)
    }

    @inline(__always)
    private mutating func countOne() {
        if parent >= 0 { tape[parent].countOne() }
    }

    @inline(__always)
    private mutating func open(_ kind: TapeEntry.Kind) -> Bool {
        depth += 1
        guard depth <= limits.depth else { return fail(.depth, at: at) }
        countOne()
        let around = UInt64(UInt32(truncatingIfNeeded: parent))
        guard append(TapeEntry(kind, from: at, payload: around)) else { return false }
        parent = used - 1
        at += 1
        skipSpace()
        return true
    }

    /// Behind a value: closes the containers that end here, and moves to where the next value
    /// starts.
    @inline(__always)
    private mutating func finishContainers() -> Bool {
        while parent >= 0 {
            skipSpace()
            guard at < end else { return fail(.syntax, at: at) }
            let isObject = tape[parent].kind == .object
            switch text[at] {
            case UInt8(ascii: ","):
                at += 1
                guard isObject else { return true }
                skipSpace()
                return scanName()
            case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject:
                if isObject, tape[parent].count > 1, !checkNames(of: parent) { return false }
                at += 1
                depth -= 1
                let around = Int32(truncatingIfNeeded: tape[parent].link)
                tape[parent].close(at: at, next: used)
                parent = Int(around)
            default:
                return fail(.syntax, at: at)
            }
        }
        return true
    }

    /// A member's name and colon.
    @inline(__always)
    private mutating func scanName() -> Bool {
        guard at < end, text[at] == UInt8(ascii: "\"") else { return fail(.syntax, at: at) }
        guard scanString() else { return false }
        skipSpace()
        guard at < end, text[at] == UInt8(ascii: ":") else { return fail(.syntax, at: at) }
        at += 1
        return true
    }

    @inline(__always)
    private mutating func scanScalar() -> Bool {
        switch text[at] {
        case UInt8(ascii: "\""): scanString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): scanNumber()
        case UInt8(ascii: "t"): scanLiteral("true", .true)
        case UInt8(ascii: "f"): scanLiteral("false", .false)
        case UInt8(ascii: "n"): scanLiteral("null", .null)
        default: fail(.syntax, at: at)
        }
    }

    @inline(__always)
    private mutating func scanLiteral(_ word: StaticString, _ kind: TapeEntry.Kind) -> Bool {
        let start = at
        for index in 0..<word.utf8CodeUnitCount {
            guard at < end, text[at] == word.utf8Start[index] else { return fail(.syntax, at: at) }
            at += 1
        }
        return append(TapeEntry(kind, from: start, length: at - start))
    }
}

/// The place of a row in an order of one's own: between any two ranks there are others.
///
/// The text has ASCII letters, digits, `-` and `_`, and ranks are in the order of its bytes. It is
/// a path of whole numbers: a row before or after all others gets the next number, a row between
/// two neighbours a longer path. So ranks stay short where rows are added one after another, in
/// either direction and at any place: n rows take O(log n) characters.
///
/// A number is a character for itself if it is small. A large one begins with a character for the
/// number of its digits, of 64 values each; those of negative numbers come before all others.
public struct Rank: Sendable {
    /// The text.
    public let text: String

    /// The rank with a text; nil if no rank has it. O(length).
    public init?(text: String) {
        guard Path(text) != nil else { return nil }
        self.text = text
    }

    init(path: Path) { text = path.text }

    /// A rank longer than this is not given to a row: its neighbourhood is ranked anew.
    static let longest = 32
}

extension Rank: Comparable {
    /// Whether both have the same text.
    @inlinable public static func == (left: Rank, right: Rank) -> Bool {
        // All are ASCII, where `==` and `<` of strings are those of their bytes.
        left.text == right.text
    }

    /// Whether a row with one rank comes before a row with another.
    @inlinable public static func < (left: Rank, right: Rank) -> Bool { left.text < right.text }
}

extension Rank: Hashable {
    /// Hashes the text.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension Rank: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

/// The order of ranks.
@usableFromInline package enum RankOrder: TreeOrder {
    @inlinable package static func isOrdered(_ a: Rank, before b: Rank) -> Bool { a < b }
}

// MARK: - New ranks

extension Rank {
    /// The rank of a row between two others, or at an end. Nil if there is none that isn't longer
    /// than ``longest``.
    ///
    /// The same neighbours give the same rank, everywhere.
    static func between(_ lower: Rank?, _ upper: Rank?) -> Rank? {
        let path = Path.between(lower.flatMap { Path($0.text) }, upper.flatMap { Path($0.text) })
        guard let path else { return nil }
        let rank = Rank(path: path)
        return rank.text.utf8.count <= longest ? rank : nil
    }

    /// Ranks for rows one after another between two others. Nil if one would be longer than
    /// `longest`.
    static func several(
        _ count: Int, between lower: Rank?, _ upper: Rank?, longest: Int
    ) -> [Rank]? {
        var (ranks, last): ([Rank], Rank?) = ([], lower)
        ranks.reserveCapacity(count)
        for _ in 0..<count {
            guard let next = between(last, upper), next.text.utf8.count <= longest else {
                return nil
            }
            ranks.append(next)
            last = next
        }
        return ranks
    }

    /// The rank of the row at a position of a list that was ranked at once.
    static func first(_ position: Int) -> Rank { Rank(path: Path(numbers: [position])) }
}

/// The numbers of a rank.
struct Path {
    var numbers: [Int]

    /// The digits, in the order of ASCII.
    private static let digits = Array(
        "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)
    /// Of a number, the most digits after its first character, 6 bits each; as many characters at
    /// either end of ``digits`` say how many there are.
    private static let mostDigits = 9
    /// Numbers that are one character: those below this, and as many negative ones.
    private static let small = 32 - mostDigits

    init(numbers: [Int]) { self.numbers = numbers }

    /// A path between two; nil if there is none, as a number would be too large.
    static func between(_ lower: Path?, _ upper: Path?) -> Path? {
        let (low, high) = (lower?.numbers ?? [], upper?.numbers ?? [])
        guard upper != nil else {
            return low.isEmpty ? Path(numbers: [0]) : following([], low[0])
        }
        let shared = zip(low, high).prefix { $0 == $1 }.count
        let start = Array(high[..<shared])
        // `lower` is the beginning of `upper`, or there is none.
        if shared == low.count {
            if high.count > shared + 1 { return Path(numbers: start + [high[shared]]) }
            return preceding(start, high[shared])
        }
        if high[shared] - low[shared] > 1 { return following(start, low[shared]) }
        // The next number is taken: `upper` itself, or what it begins with.
        if high.count > shared + 1 { return Path(numbers: start + [high[shared]]) }
        let rest = low[(shared + 1)...]
        guard let next = rest.first else { return Path(numbers: low + [0]) }
        return following(start + [low[shared]], next)
    }

    private static func following(_ start: [Int], _ number: Int) -> Path? {
        number < Int.max >> 10 ? Path(numbers: start + [number + 1]) : nil
    }

    private static func preceding(_ start: [Int], _ number: Int) -> Path? {
        number > Int.min >> 10 ? Path(numbers: start + [number - 1]) : nil
    }
}

extension Path {
    var text: String {
        var bytes: [UInt8] = []
        for number in numbers { Self.append(number, to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        guard number < -small || number >= small else {
            return bytes.append(digits[32 + number])
        }
        // Of all numbers with as many digits, which one; and how many have fewer.
        var rest = number < 0 ? -small - 1 - number : number - small
        var count = 1
        while rest >= 1 << (6 * count) {
            rest -= 1 << (6 * count)
            count += 1
        }
        if number < 0 { rest = (1 << (6 * count)) - 1 - rest }
        bytes.append(digits[number < 0 ? mostDigits - count : 63 - mostDigits + count])
        for place in (0..<count).reversed() { bytes.append(digits[(rest >> (6 * place)) & 63]) }
    }

    /// The path with a text; nil if it isn't one.
    init?(_ text: String) {
        numbers = []
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            guard let digit = Self.value(of: byte) else { return nil }
            let isNegative = digit < Self.mostDigits
            guard isNegative || digit > 63 - Self.mostDigits else {
                numbers.append(digit - 32)
                continue
            }
            let count = isNegative ? Self.mostDigits - digit : digit - 63 + Self.mostDigits
            var (rest, fewer) = (0, 0)
            for place in 0..<count {
                guard let next = bytes.next().flatMap(Self.value) else { return nil }
                rest = rest << 6 | next
                if place > 0 { fewer += 1 << (6 * place) }
            }
            if isNegative { rest = (1 << (6 * count)) - 1 - rest }
            numbers.append(isNegative ? -Self.small - 1 - fewer - rest : Self.small + fewer + rest)
        }
        if numbers.isEmpty { return nil }
    }

    /// The place of a character in ``digits``.
    private static func value(of byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "-"): 0
        case UInt8(ascii: "0")...UInt8(ascii: "9"): 1 + Int(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): 11 + Int(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "_"): 37
        case UInt8(ascii: "a")...UInt8(ascii: "z"): 38 + Int(byte - UInt8(ascii: "a"))
        default: nil
        }
    }
}

import Foundation
import StorecastRoom
import StorecastSync
import Testing

@testable import StorecastTools

/// What TypeScript is told of Swift types, by how they are read: with the compiler's `Codable`
/// where nothing else is said.
struct TypeScriptTests {
    private func text<T: Decodable>(_ type: T.Type) -> String {
        let finder = ShapeFinder()
        _ = finder.shape(of: type)
        return TypeScript.text(finder)
    }

    @Test func `scalars, arrays, dictionaries and what may be missing`() {
        struct Everything: Codable {
            var flag: Bool
            var count: UInt8
            var ratio: Double?
            var names: [String]
            var unique: Set<Int>
            var scores: [String: [Double]]
            var holes: [Int?]
            var anything: JSON
        }
        #expect(
            text(Everything.self) == """
                export interface Everything {
                  flag: boolean;
                  count: number;
                  ratio?: number;
                  names: string[];
                  unique: number[];
                  scores: { [name: string]: number[] };
                  holes: (number | null)[];
                  anything: Json;
                }

                """)
    }

    @Test func `what is written as text is a string, and a date a number`() throws {
        struct Parcel: Codable {
            var content: Data
            var price: Decimal?
            var links: [URL]
            var id: UUID
            var weights: [String: Int128]
            var sent: Date
        }
        #expect(
            text(Parcel.self) == """
                export interface Parcel {
                  content: string;
                  price?: string;
                  links: string[];
                  id: string;
                  weights: { [name: string]: string };
                  sent: number;
                }

                """)
        let link = try #require(URL(string: "https://example.org/"))
        let written = try JSONCoding.encodeTree(
            Parcel(
                content: Data([1]), price: 0.5, links: [link], id: UUID(), weights: ["a": 1],
                sent: Date()))
        for name in ["content", "price", "id"] { #expect(written[name]?.string != nil) }
        #expect(written["links"]?[0]?.string != nil)
        #expect(written["weights"]?["a"]?.string != nil)
        #expect(written["sent"]?.double != nil)
    }

    @Test func `an enumeration of strings or numbers is the union of its cases`() {
        enum Color: String, Codable, CaseIterable { case red, green = "g" }
        enum Only: String, Codable, CaseIterable { case one }
        enum Level: Int, Codable, CaseIterable { case low = 1, high = 10 }
        struct Paint: Codable {
            var color: Color; var only: Only; var level: Level?; var after: Bool
        }
        #expect(
            text(Paint.self) == """
                export interface Paint {
                  color: Color;
                  only: Only;
                  level?: Level;
                  after: boolean;
                }

                export type Color = "red" | "g";

                export type Only = "one";

                export type Level = 1 | 10;

                """)
    }

    @Test func `an enumeration with associated values is a union of objects`() {
        enum Move: Codable {
            case pass, place(x: Int, y: Int?), say(String)
            enum CodingKeys: CodingKey, CaseIterable { case pass, place, say }
        }
        struct Turn: Codable { var move: Move; var by: String }
        #expect(
            text(Turn.self) == """
                export interface Turn {
                  move: Move;
                  by: string;
                }

                export type Move = { pass: {} } | { place: { x: number; y?: number } } | { say: { _0: string } };

                """)
    }

    @Test func `an enumeration that lists its cases needs no coding keys`() {
        enum Suit: Codable, CaseIterable { case hearts, spades }
        struct Card: Codable { var suit: Suit; var rank: Int }
        #expect(
            text(Card.self) == """
                export interface Card {
                  suit: Suit;
                  rank: number;
                }

                export type Suit = { hearts: {} } | { spades: {} };

                """)
    }

    @Test func `an enumeration that doesn't list its cases is said not to`() {
        enum Color: String, Codable { case red, green }
        enum Move: Codable { case pass, say(String) }
        struct Paint: Codable { var color: Color; var after: Bool }
        struct Turn: Codable { var by: String; var move: Move; var after: Bool }
        #expect(
            text(Paint.self) == """
                export interface Paint {
                  color: Color;
                  // What follows could not be found out: no value of Color is known. Enumerations have to be CaseIterable.
                }

                export type Color = string;

                """)
        #expect(
            text(Turn.self) == """
                export interface Turn {
                  by: string;
                  move: Move;
                  // What follows could not be found out: no value of Move is known. Enumerations have to be CaseIterable.
                }

                export type Move = unknown /* Its cases aren't known: declare its CodingKeys, as CaseIterable. */;

                """)
    }

    @Test func `coding keys are the names, and those that are no identifiers are quoted`() {
        struct Renamed: Codable {
            var first: Int
            var second: Int
            private enum CodingKeys: String, CodingKey { case first = "1st", second = "the second" }
        }
        #expect(
            text(Renamed.self) == """
                export interface Renamed {
                  "1st": number;
                  "the second": number;
                }

                """)
    }

    @Test func `a type may contain itself`() {
        struct Tree: Codable { var text: String; var children: [Tree]; var other: [String: Tree]? }
        #expect(
            text(Tree.self) == """
                export interface Tree {
                  text: string;
                  children: Tree[];
                  other?: { [name: string]: Tree };
                }

                """)
    }

    @Test func `a type that is one value is another name for it`() {
        struct Meters: Codable, RawRepresentable { var rawValue: Double }
        struct Link: Codable {
            var text: String
            init(from decoder: any Decoder) throws {
                text = try decoder.singleValueContainer().decode(String.self)
                struct NoLink: Error {}
                guard text.contains("://") else { throw NoLink() }
            }
        }
        struct Way: Codable { var length: Meters; var link: Link; var end: Bool }
        #expect(
            text(Way.self) == """
                export interface Way {
                  length: Meters;
                  link: Link;
                  end: boolean;
                }

                export type Meters = number;

                export type Link = string;

                """)
    }

    @Test func `what can't be found out is said to be so`() {
        struct Even: Codable {
            var number: Int
            init(from decoder: any Decoder) throws {
                number = try decoder.singleValueContainer().decode(Int.self)
                struct Odd: Error {}
                guard number > 7 else { throw Odd() }
            }
        }
        struct Pair: Codable { var first: Even; var second: Int }
        #expect(
            text(Pair.self) == """
                export interface Pair {
                  first: Even;
                  // What follows could not be found out: no value of Even is known. Enumerations have to be CaseIterable.
                }

                export type Even = number;

                """)
    }

    @Test func `types of one name are told apart by what they are in`() {
        enum One { struct Item: Codable { var a: Int } }
        enum Two { struct Item: Codable { var b: Int } }
        struct Both: Codable { var one: One.Item; var two: Two.Item }
        let text = text(Both.self)
        #expect(text.contains("  one: Item;\n  two: TwoItem;\n"))
        #expect(text.contains("export interface TwoItem {\n  b: number;\n}"))
    }

    @Test func `a room has its state, selections and actions`() {
        struct Add: Stamped { var by: Int; var stamp = Stamp() }
        struct Reset: SyncAction {}
        struct Count: Codable, Equatable, Sendable { var total = 0 }
        let room = RoomDefinition(
            state: Count(), actions: [Reset.self, Add.self],
            selections: [
                Selection("total") { (count: Count) in count.total },
                Selection("over") { (count: Count, limit: Int) -> Int? in
                    count.total > limit ? count.total : nil
                },
            ]
        ) { _, _ in }
        #expect(
            TypeScript(room, name: "Counter").text.contains(
                """
                export interface Counter {
                  /** The whole state, of which clients see the selections. */
                  state: Count;
                  selections: {
                    over: { params: number; value: number | null };
                    total: { value: number };
                  };
                  actions: {
                    Add: Add;
                    Reset: undefined;
                  };
                }

                export interface Add {
                  by: number;
                }
                """))
    }
}

import Foundation
import StorecastSync
import StorecastTables

/// A type whose shape is known without reading it.
protocol ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?)
}

extension Bool: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) { (.boolean, false) }
}

extension String: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) { (.string, "") }
}

extension JSON: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) { (.any, JSON.null) }
}

extension ShapedType where Self: Numeric {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) { (.number, Self.zero) }
}

extension Double: ShapedType {}
extension Float: ShapedType {}
extension Int: ShapedType {}
extension Int8: ShapedType {}
extension Int16: ShapedType {}
extension Int32: ShapedType {}
extension Int64: ShapedType {}
extension UInt: ShapedType {}
extension UInt8: ShapedType {}
extension UInt16: ShapedType {}
extension UInt32: ShapedType {}
extension UInt64: ShapedType {}

extension Optional: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) {
        let none: Wrapped? = nil
        guard let type = Wrapped.self as? any Decodable.Type else { return (.any, none as Any) }
        return (.nullable(finder.shape(of: type)), none as Any)
    }
}

extension Array: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) {
        (.array(finder.shape(ofElement: Element.self)), [Element]())
    }
}

extension ContiguousArray: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) {
        (.array(finder.shape(ofElement: Element.self)), ContiguousArray<Element>())
    }
}

extension Set: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) {
        (.array(finder.shape(ofElement: Element.self)), Set<Element>())
    }
}

extension Dictionary: ShapedType {
    /// As the standard library has it: an object for keys that are strings or integers, else an
    /// array of keys and values in turn.
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) {
        let sample = [Key: Value]()
        let value = finder.shape(ofElement: Value.self)
        if Key.self is String.Type || Key.self is Int.Type
            || Key.self is any CodingKeyRepresentable.Type
        {
            return (.dictionary(value), sample)
        }
        return (.array(.union([finder.shape(ofElement: Key.self), value])), sample)
    }
}

extension Table: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) {
        (.dictionary(finder.shape(ofElement: Row.self)), Table())
    }
}

extension OrderedTable: ShapedType {
    /// Each row behind its rank.
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) {
        let ranked = JSONShape.array(.union([.string, finder.shape(ofElement: Row.self)]))
        return (.dictionary(ranked), OrderedTable())
    }
}

extension RowCursor: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) {
        (.array(.nullable(.union([.boolean, .number, .string]))), RowCursor([]))
    }
}

extension ShapeFinder {
    /// The shape of what a collection has, which is `Decodable` as the collection is.
    fileprivate func shape(ofElement type: Any.Type) -> JSONShape {
        (type as? any Decodable.Type).map { shape(of: $0) } ?? .any
    }
}

// What `JSONCoding` writes otherwise than the type's own `Codable`, and what has a name in
// JavaScript already that a declaration of its own would hide.

extension Int128: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) { (.string, Int128()) }
}

extension UInt128: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) { (.string, UInt128()) }
}

extension Data: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) { (.string, Data()) }
}

extension Decimal: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) { (.string, Decimal()) }
}

extension URL: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) {
        (.string, URL(string: "https://example.org/"))
    }
}

extension UUID: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) { (.string, UUID()) }
}

extension Date: ShapedType {
    static func shape(by finder: ShapeFinder) -> (JSONShape, sample: Any?) { (.number, Date()) }
}

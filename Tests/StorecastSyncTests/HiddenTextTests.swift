import Foundation
import StorecastSync
import Testing

struct HiddenTextTests {
    /// The vectors that the JavaScript pages are held to as well.
    private static let vectors: [JSON] = {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        guard let text = try? Data(contentsOf: tests.appending(path: "Vectors/names.json")),
            let document = try? JSONDocument([UInt8](text))
        else { return [] }
        return document.root.json.array ?? []
    }()

    @Test func `people are shown what the vectors say`() throws {
        #expect(Self.vectors.count > 40)
        for vector in Self.vectors {
            let text = try #require(vector["text"]?.string)
            let shown = try #require(vector["shown"]?.string)
            #expect(text.shown.isSameText(as: shown), "\(shown)")
            #expect(text.isShowable == vector["isName"]?.bool, "\(shown)")
            // What is shown hides nothing more.
            #expect(text.shown.shown.isSameText(as: shown))
        }
    }

    /// All that Unicode, as this system knows it, calls a control character, a separator of lines,
    /// a mark of direction or ignorable by default, which is what has no glyph.
    @Test func `no character that can't be seen is left as it is`() {
        let unseen = (0...0x10FFFF).compactMap { Unicode.Scalar($0) }.filter { scalar in
            let properties = scalar.properties
            return [.control, .format, .lineSeparator, .paragraphSeparator]
                .contains(properties.generalCategory) && !scalar.isPrepended
                || properties.isDefaultIgnorableCodePoint || properties.isBidiControl
        }
        #expect(unseen.count > 4000)
        let left = unseen.filter { "a\($0)b".shown.unicodeScalars.contains($0) }
        #expect(left.map { String($0.value, radix: 16) } == [])
    }
}

extension Unicode.Scalar {
    /// Signs of Arabic, Syriac, Kaithi and Egyptian script that are of the category of formats, and
    /// are seen.
    fileprivate var isPrepended: Bool {
        switch value {
        case 0x0600...0x0605, 0x06DD, 0x070F, 0x0890...0x0891, 0x08E2, 0x110BD, 0x110CD: true
        case 0x13430...0x1343F: true
        default: false
        }
    }
}

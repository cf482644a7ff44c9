import Foundation
import StorecastSync
import Testing

struct RoomPathTests {
    /// The vectors that servers and the JavaScript client are held to as well.
    private static let vectors: [JSON] = {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        guard let text = try? Data(contentsOf: tests.appending(path: "Vectors/paths.json")),
            let document = try? JSONDocument([UInt8](text))
        else { return [] }
        return document.root.json.array ?? []
    }()

    @Test func `a path names the room that the vectors say`() throws {
        #expect(Self.vectors.count > 30)
        for vector in Self.vectors {
            let path = try #require(vector["path"]?.string)
            let room = vector["room"]?.string.map { ExactString($0) }
            #expect(RoomPath.name(of: path).map { ExactString($0) } == room, "\(path)")
        }
    }

    /// Each line is one room, and no two lines are.
    private static let rooms = [
        [
            "/", "//", "/.", "/./", "/././", "/..", "/../..", "/a/..", "/a/../", "/%2e", "/.?x",
            "/?x",
        ],
        [
            "/a", "//a", "/./a", "/././/a", "/../a", "/b/../a", "/./b/./.././a", "/%2E/%61",
            "/a?b=/",
        ],
        ["/a/", "/a//", "/a/.", "/a/./", "/a//.", "/a/././", "/a/b/../", "/a/b/../.", "/a%2F%2e"],
        ["/a/b", "/a/./b", "/a//b", "/a/c/../b", "/./a/./b", "/a%2Fb", "/a/b?."],
        ["/a/b/", "/a/./b/.", "/a//b//", "/a/b/./"],
        ["/A"], ["/...", "/./..."], ["/.a", "/./.a"], ["/a.", "/a./../a."], ["/a/.b", "/a/./.b"],
        ["/é", "/%C3%A9", "/%c3%a9", "/./%c3%a9"], ["/e\u{301}", "/e%CC%81"],
        ["/a b", "/a+b", "/a%20b"], ["/a%2Bb", "/%61%2bb"], ["/a%3Fb"],
    ]

    @Test func `paths that are written otherwise name one room, and no other paths do`() {
        let paths = Self.rooms.enumerated().flatMap { room, paths in paths.map { (room, $0) } }
        for (room, path) in paths {
            for (other, otherPath) in paths {
                #expect(
                    RoomPath.areOneRoom(path, otherPath) == (room == other),
                    "\(path) and \(otherPath)")
            }
        }
    }

    @Test(arguments: Self.rooms.joined())
    func `a room's name names the room again`(_ path: String) throws {
        let name = try #require(RoomPath.name(of: path))
        #expect(RoomPath.isName(name))
        // What a name has of the signs of a URL would be read once more.
        guard name.utf8.allSatisfy({ !"%+;&?".utf8.contains($0) }) else { return }
        #expect(RoomPath.name(of: name).map { ExactString($0) } == ExactString(name))
    }

    @Test(arguments: ["", "a", "a/b", ".", "?", "?/a", "/%00", "/a%00b", "/%", "/%a", "/%FF/a"])
    func `a path that names no room is one with itself alone`(_ path: String) {
        #expect(RoomPath.name(of: path) == nil)
        #expect(RoomPath.areOneRoom(path, path))
        #expect(!RoomPath.areOneRoom(path, "/"))
        #expect(!RoomPath.areOneRoom("/a", path))
    }

    @Test func `a name begins with a slash and has no NUL`() {
        for name in ["/", "/a", "/a/", "/./..", "/\u{1}", "/\u{e9}"] {
            #expect(RoomPath.isName(name), "\(name)")
        }
        for text in ["", "a", " /", "/\0", "/a\0b", "\0/"] {
            #expect(!RoomPath.isName(text), "\(text)")
        }
    }
}

import StorecastRoom
import StorecastSync

/// Reads a file of rules, within bounds, and says where something is wrong.
struct RuleFile {
    static let largest = 1 << 20
    static let mostPaths = 1000
    static let mostOpenPaths = 64

    private let path: String
    private let bytes: [UInt8]
    private var count = 0

    static func read(_ path: String) throws(ServerError) -> RuleTable {
        let bytes: [UInt8]
        do { bytes = try ServerFile.contents(of: path, atMost: largest) } catch {
            throw ServerError(.rulesUnusable, "The rules in '\(path)' can't be read: \(error).")
        }
        return try read(bytes, of: path)
    }

    /// - Parameter path: how errors call it.
    static func read(_ bytes: [UInt8], of path: String) throws(ServerError) -> RuleTable {
        var file = RuleFile(path: path, bytes: bytes)
        return RuleTable(try file.rules())
    }

    private mutating func rules() throws(ServerError) -> [DocumentRule] {
        let root: JSONView
        do throws(JSONError) {
            root = try JSONDocument(bytes, limits: JSONLimits(bytes: Self.largest)).root
        } catch {
            throw ServerError(
                .rulesUnusable,
                "The rules in '\(path)' can't be used: \(error.sentence(in: bytes))")
        }
        guard root.isObject, let list = root["rules"] else {
            throw problem(root, "", "expected an object with 'rules', as {\"rules\": []}")
        }
        for member in root.members where !member.key.isSameText(as: "rules") {
            throw unknown("member", member.key, ["rules"], member.value, "")
        }
        guard list.isArray else { throw problem(list, "/rules", "expected an array of rules") }
        guard list.count <= RuleSet.most else {
            throw problem(
                list, "/rules", "there are \(list.count) rules, of at most \(RuleSet.most)")
        }
        var rules: [DocumentRule] = []
        var open: [DocumentRight: RuledPaths] = [:]
        for (number, view) in list.elements.enumerated() {
            let rule = try rule(view, "/rules/\(number)")
            for (right, path) in rule.paths {
                open[right, default: RuledPaths()].add(path, of: number)
            }
            if let (right, _) = open.first(where: { $1.openPaths > Self.mostOpenPaths }) {
                throw problem(
                    view, "/rules/\(number)",
                    "there are more than \(Self.mostOpenPaths) different paths with * or "
                        + "$identity for '\(right.rawValue)'")
            }
            rules.append(rule)
        }
        return rules
    }

    private static let known =
        ["rooms", "roles", "write"] + DocumentRight.allCases.map(\.rawValue)

    private mutating func rule(
        _ view: JSONView, _ place: String
    ) throws(ServerError) -> DocumentRule {
        guard view.isObject else { throw problem(view, place, "a rule is an object") }
        var rule = DocumentRule()
        for (key, value) in view.members.map({ ($0.key, $0.value) }) {
            guard Self.known.contains(where: { $0.isSameText(as: key) }) else {
                throw unknown("member", key, Self.known, value, place)
            }
            let texts = try texts(value, "\(place)/\(key)")
            for (number, text) in texts.enumerated() {
                let place = "\(place)/\(key)/\(number)"
                switch key {
                case "roles": rule.roles.append(try role(text.string, text.view, place))
                case "rooms": rule.rooms.append(try room(text.string, text.view, place))
                default:
                    let path = try steps(text.string, text.view, place)
                    let rights = DocumentRight(rawValue: key).map { [$0] } ?? DocumentRight.writing
                    rule.paths += rights.map { ($0, path) }
                }
            }
        }
        guard !rule.roles.isEmpty else {
            throw problem(
                view, place,
                "the rule is for nobody: add 'roles', as [\"editor\"], or [\"$everybody\"]")
        }
        guard !rule.paths.isEmpty else {
            throw problem(view, place, "the rule allows nothing: add 'read', 'write' or an action")
        }
        return rule
    }

    private func texts(
        _ view: JSONView, _ place: String
    ) throws(ServerError) -> [(string: String, view: JSONView)] {
        guard view.isArray, view.count > 0 else {
            throw problem(view, place, "expected an array of texts, with one at least")
        }
        var texts: [(string: String, view: JSONView)] = []
        for (number, element) in view.elements.enumerated() {
            guard let text = element.string else {
                throw problem(element, "\(place)/\(number)", "expected a text")
            }
            texts.append((text, element))
        }
        return texts
    }

    private func role(
        _ text: String, _ view: JSONView, _ place: String
    ) throws(ServerError) -> String {
        guard !text.isEmpty else { throw problem(view, place, "a role has a name") }
        let words = RuleTable.Anyone.allCases.map(\.rawValue)
        guard
            text.utf8.first != UInt8(ascii: "$")
                || words.contains(where: { $0.isSameText(as: text) })
        else { throw unknown("role", text, words, view, place) }
        return text
    }

    private func room(
        _ text: String, _ view: JSONView, _ place: String
    ) throws(ServerError) -> RoomPattern {
        do { return try RoomPattern(text) } catch {
            throw problem(view, place, String(error.description.dropLast()))
        }
    }

    private mutating func steps(
        _ text: String, _ view: JSONView, _ place: String
    ) throws(ServerError) -> [RuledPaths.Step] {
        count += 1
        guard count <= Self.mostPaths else {
            throw problem(view, place, "there are more than \(Self.mostPaths) paths")
        }
        let pointer: JSONPointer
        do { pointer = try JSONPointer(parsing: text) } catch {
            throw problem(view, place, String(error.message.dropLast()))
        }
        guard pointer.tokens.count <= JSONRoom.deepestDocument else {
            throw problem(
                view, place, "a path has \(JSONRoom.deepestDocument) steps at most")
        }
        var steps: [RuledPaths.Step] = []
        for token in pointer.tokens {
            if token.isSameText(as: "*") {
                steps.append(.any)
            } else if token.isSameText(as: "$identity") {
                steps.append(.own)
            } else if token.utf8.starts(with: "$$".utf8) || token.isSameText(as: "$*") {
                steps.append(
                    .named(ExactString(String(decoding: token.utf8.dropFirst(), as: UTF8.self))))
            } else if token.utf8.first == UInt8(ascii: "$") {
                throw unknown("step", token, ["$identity"], view, place)
            } else {
                steps.append(.named(ExactString(token)))
            }
        }
        return steps
    }

    // MARK: Errors

    private func problem(_ view: JSONView, _ place: String, _ what: String) -> ServerError {
        ServerError(
            .rulesUnusable,
            "The rules in '\(path)' can't be used: \(JSONError.place(at: view.offset, in: bytes))"
                + (place.isEmpty ? "" : ", at '\(place)'") + ": \(what).")
    }

    private func unknown(
        _ what: String, _ name: String, _ names: [String], _ view: JSONView, _ place: String
    ) -> ServerError {
        let near = NearNames.list(names, to: name)
        let advice = near.isEmpty ? names.map { "'\($0)'" }.joined(separator: ", ") : near
        return problem(
            view, place, "there is no \(what) '\(name.excerpt())'; is one of these meant: \(advice)"
        )
    }
}

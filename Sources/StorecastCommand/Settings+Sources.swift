import ArgumentParser
import Configuration
import Foundation
import StorecastRoom
import StorecastServer
import StorecastTools
import SystemPackage

/// Where settings come from: the command's options, the arguments, the environment and a file.
extension Settings {
    /// Variables that aren't settings of `serve`.
    private static let others: Set = [
        "STORECAST_CONFIG", DevtoolsOptions.variable, TokenOptions.variable, "STORECAST_CI",
        "STORECAST_COMMIT", "STORECAST_FUZZ", "STORECAST_PACKAGED", "STORECAST_SYSTEM",
        StormSchema.variable,
    ]
    private static let notInFile: Set = ["config", "print-configuration", "help", "version"]

    /// The options of a command.
    static func table(of command: any ParsableCommand.Type) -> [Setting] {
        struct Dump: Decodable {
            struct Name: Decodable { var kind, name: String }
            struct Argument: Decodable {
                var kind: String
                var names: [Name]?
                var isRepeating: Bool
                var defaultValue: String?
            }
            struct Command: Decodable { var arguments: [Argument] }
            var command: Command
        }
        let text = Data(command._dumpHelp().utf8)
        guard let dump = try? JSONDecoder().decode(Dump.self, from: text) else {
            preconditionFailure("ArgumentParser describes its options in another way.")
        }
        let names = dump.command.arguments.map { argument in
            argument.names?.first { $0.kind == "long" }?.name ?? ""
        }
        return zip(dump.command.arguments, names).compactMap { argument, name in
            let isInversion = name.hasPrefix("no-") && names.contains(String(name.dropFirst(3)))
            guard !name.isEmpty, !isInversion, !notInFile.contains(name) else { return nil }
            return Setting(
                name: name, isFlag: argument.kind == "flag",
                hasInversion: names.contains("no-" + name), isRepeated: argument.isRepeating,
                standard: argument.defaultValue)
        }
    }

    static func variable(_ name: String) -> String {
        "STORECAST_" + name.uppercased().replacing("-", with: "_")
    }

    /// The options among the arguments; of a flag `true` or `false`.
    static func own(_ given: [String], _ table: [Setting]) -> [String: [String]] {
        var own: [String: [String]] = [:]
        let config = Setting(
            name: "config", isFlag: false, hasInversion: false, isRepeated: false, standard: nil)
        var rest = given[...]
        while let argument = rest.popFirst(), argument != "--" {
            let parts = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard
                let setting = (table + [config]).first(where: {
                    $0.forms.contains(String(parts[0]))
                })
            else { continue }
            let value: String
            if setting.isFlag {
                value = parts[0].hasPrefix("--no-") ? "false" : "true"
            } else {
                value = parts.count == 2 ? String(parts[1]) : rest.popFirst() ?? ""
            }
            own[setting.name, default: []].append(value)
        }
        return own
    }

    static func file(
        _ path: String?, _ table: [Setting]
    ) async throws(CommandFailure) -> (path: String, provider: FileProvider<JSONSnapshot>)? {
        guard let path else { return nil }
        let content: [UInt8]
        do throws(ServerFile.Problem) {
            content = try ServerFile.contents(of: path, atMost: 1 << 20)
        } catch {
            throw CommandFailure(.trouble, "The configuration '\(path)' can't be read: \(error).")
        }
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(content, limits: .trusted)
        } catch {
            throw CommandFailure(
                .trouble,
                "The configuration '\(path)' can't be used: "
                    + error.sentence(in: content))
        }
        guard document.root.isObject else {
            throw CommandFailure(.trouble, "The configuration '\(path)' has to be a JSON object.")
        }
        for member in document.root.members where member.value.json.isNull {
            throw CommandFailure(
                .trouble, "'\(member.key.excerpt(64))' in '\(path)' is null: leave it out.")
        }
        let names = table.map(\.name).filter { $0 != "limit" } + ["limits"]
        for member in document.root.members
        where !names.contains(where: { $0.isSameText(as: member.key) }) {
            throw unknown("setting", member.key, in: "'\(path)'", names)
        }
        if let limits = document.root["limits"] {
            guard limits.isObject else {
                throw CommandFailure(.trouble, "'limits' in '\(path)' has to be a JSON object.")
            }
            let names = NamedLimit.all.map(\.name)
            for member in limits.members
            where !names.contains(where: { $0.isSameText(as: member.key) }) {
                throw unknown("limit", member.key, in: "'\(path)'", names)
            }
        }
        do {
            return (path, try await FileProvider<JSONSnapshot>(filePath: FilePath(path)))
        } catch {
            throw CommandFailure(.trouble, "The configuration '\(path)' can't be used: \(error)")
        }
    }

    static func check(
        _ environment: [String: String], _ table: [Setting]
    ) throws(CommandFailure) {
        let names = table.compactMap(\.variable).filter { $0 != "STORECAST_LIMIT" }
        let limits = NamedLimit.all.map { variable("limit-" + $0.name) }
        for name in environment.keys.sorted()
        where name.hasPrefix("STORECAST_") && !others.contains(name) && !names.contains(name)
            && !limits.contains(name)
        {
            throw unknown("setting", name, in: "the environment", names + limits)
        }
    }

    private static func unknown(
        _ what: String, _ name: String, in place: String, _ names: [String]
    ) -> CommandFailure {
        let near = NearNames.list(names, to: name)
        return CommandFailure(
            .trouble,
            "There is no \(what) '\(name.excerpt(64))', which is in \(place)."
                + (near.isEmpty ? "" : " Is one of these meant: \(near)?"))
    }

    /// What a provider has under a key, whatever its type.
    static func values(
        of key: String, isFlag: Bool = false, in provider: some ConfigProvider
    ) -> [String]? {
        let key = AbsoluteConfigKey(key.split(separator: ".").map(String.init))
        // A number is taken for a flag otherwise, and a flag for a number.
        let types: [ConfigType] =
            isFlag ? [.bool, .string] : [.stringArray, .string, .int, .double]
        for type in types {
            guard let found = try? provider.value(forKey: key, type: type).value else { continue }
            switch found.content {
            case .stringArray(let texts): return texts
            case .string(let text): return [text]
            case .int(let number): return ["\(number)"]
            case .double(let number): return ["\(number)"]
            case .bool(let isSo): return ["\(isSo)"]
            default: continue
            }
        }
        return nil
    }
}

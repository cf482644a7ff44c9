import ArgumentParser
import Configuration
import Foundation
import StorecastRoom
import StorecastServer
import StorecastTools
import SystemPackage

/// The options of a command from its arguments, the environment and a file: what comes first in
/// this order holds. That is so too for settings that exclude one another: what is set later in it
/// is as if it weren't there. Two of one place exclude one another also here, and are refused; so are
/// two that say where rooms are, unless one of them is an argument: nobody is to be surprised by
/// that.
///
/// The table of what there is are the command's own options; all that is given elsewhere becomes
/// arguments in front of those that were given, and is checked as they are.
struct Settings {
    /// An option that may also be set in the environment and in the file.
    struct Setting: Equatable {
        /// Its long name, which is also its key in the file.
        let name: String
        let isFlag: Bool
        /// Whether `--no-name` turns it off.
        let hasInversion: Bool
        let isRepeated: Bool
        let standard: String?

        /// The environment variable; nil for the devtools' token, of which that has the token
        /// itself.
        var variable: String? {
            name == "devtools-token" ? nil : Settings.variable(name)
        }

        fileprivate var forms: [String] { ["--\(name)"] + (hasInversion ? ["--no-\(name)"] : []) }
    }

    enum Source: Equatable {
        case arguments, environment(String), file(String), standard

        /// What comes first has the lowest.
        fileprivate var rank: Int {
            switch self {
            case .arguments: 0
            case .environment: 1
            case .file: 2
            case .standard: 3
            }
        }

        /// Where it is set, if not by an argument.
        var place: String? {
            switch self {
            case .arguments, .standard: nil
            case .environment(let variable): "\(variable) in the environment"
            case .file(let path): "'\(path)'"
            }
        }
    }

    /// A setting as it holds.
    struct Row: Equatable {
        var name: String
        var value: String
        var source: Source
    }

    /// All arguments: those that environment and file stand for, and behind them the given ones.
    private(set) var arguments: [String] = []
    private(set) var rows: [Row] = []
    /// The file that some may be from.
    private(set) var file: String?
    /// What is set and doesn't count, as another setting goes before it: a sentence for each.
    private(set) var overruled: [String] = []

    /// Variables that aren't settings of `serve`.
    private static let others: Set = [
        "STORECAST_CONFIG", DevtoolsOptions.variable, TokenOptions.variable, "STORECAST_CI",
        "STORECAST_COMMIT", "STORECAST_FUZZ", "STORECAST_PACKAGED", "STORECAST_SYSTEM",
        StormSchema.variable,
    ]
    private static let notInFile: Set = ["config", "print-configuration", "help", "version"]
    /// Of each of these, settings of one group hold; those of the others are excluded, of some only
    /// by arguments.
    private static let choices: [(groups: [[String]], isOfArguments: Bool)] = [
        ([["data", "durability"], ["memory"], ["nats"], ["cluster"], ["upstream"]], true),
        ([["json", "rules"], ["upstream"]], true),
        ([["tokens"], ["jwt-keys"]], false),
        ([["nats-credentials"], ["nats-token"]], false),
    ]
    /// What means something only beside one of others, and doesn't count when they don't. Behind
    /// what it is beside.
    private static let companions: [(name: String, of: [String])] = [
        ("cluster-address", ["cluster"]), ("upstream-ca", ["upstream", "cluster"]),
        // By itself it lets edges in.
        ("edge-key", ["upstream", "cluster"]),
        ("nats-credentials", ["nats", "cluster"]), ("nats-token", ["nats", "cluster"]),
        ("nats-user", ["nats-token"]), ("nats-ca", ["nats", "cluster"]),
        ("jwt-issuer", ["jwt-keys"]), ("jwt-audience", ["jwt-keys"]),
    ]

    /// - Parameters:
    ///   - given: the command's arguments, without its name.
    ///   - command: whose options they are.
    init(
        _ given: [String], of command: any ParsableCommand.Type, environment: [String: String]
    ) async throws(CommandFailure) {
        let table = Self.table(of: command)
        let own = Self.own(given, table)
        let path = own["config"]?.last ?? environment["STORECAST_CONFIG"]
        let file = try await Self.file(path, table)
        self.file = path
        try Self.check(environment, table)
        let variables = EnvironmentVariablesProvider(environmentVariables: environment)
        var found: [String: Found] = [:]
        for setting in table where setting.name != "limit" {
            if let values = own[setting.name] {
                found[setting.name] = Found(values: values, source: .arguments)
            } else if let variable = setting.variable,
                let values = Self.values(of: "storecast." + setting.name, in: variables)
            {
                found[setting.name] = Found(values: values, source: .environment(variable))
            } else if let file,
                let values = Self.values(
                    of: setting.name, isFlag: setting.isFlag, in: file.provider)
            {
                found[setting.name] = Found(values: values, source: .file(file.path))
            }
        }
        overrule(&found, table)
        for setting in table where setting.name != "limit" {
            guard let found = found[setting.name] else {
                let standard = setting.isFlag ? "false" : setting.standard ?? ""
                rows.append(Row(name: setting.name, value: standard, source: .standard))
                continue
            }
            if found.source == .arguments {
                let values = found.values
                let text = setting.isFlag ? values.last ?? "true" : values.joined(separator: ", ")
                rows.append(Row(name: setting.name, value: text, source: .arguments))
            } else {
                try add(setting, found.values, found.source)
            }
        }
        addLimits(own, variables, file)
        arguments += given
    }

    /// `serve` with all arguments. An error about one that was set elsewhere says where.
    func command() throws -> ServeCommand {
        do { return try ServeCommand.parse(arguments) } catch {
            guard ServeCommand.exitCode(for: error) != .success else { throw error }
            let text = ServeCommand.message(for: error)
            let words = text.split { !($0.isLetter || $0.isNumber || $0 == "-") }
            let places = rows.compactMap { row in
                let option = row.name.split(separator: " ").last.map(String.init) ?? row.name
                let isNamed = words.contains {
                    $0 == "--\(option)" || $0 == option && option != row.name
                }
                return isNamed ? row.source.place.map { "'\(option)' is set by \($0)." } : nil
            }
            guard !places.isEmpty else { throw error }
            let end = text.hasSuffix(".") ? "" : "."
            throw CommandFailure(.trouble, ([text + end] + places).joined(separator: " "))
        }
    }

    /// A setting that is set somewhere.
    private struct Found {
        var values: [String]
        var source: Source

        /// A flag that is off is no choice.
        var isOn: Bool { values != ["false"] }
    }

    /// Takes away what others exclude that come first.
    private mutating func overrule(_ found: inout [String: Found], _ table: [Setting]) {
        /// By the choice, the settings of the groups that hold.
        var chosen: [Int: [String]] = [:]
        var gone: [String: String] = [:]
        for rank in Set(found.values.map(\.source.rank)).sorted() {
            let names = table.map(\.name).filter {
                found[$0]?.source.rank == rank && found[$0]?.isOn == true
            }
            for name in names {
                for (index, choice) in Self.choices.enumerated() where gone[name] == nil {
                    guard let holding = chosen[index], !holding.contains(name),
                        choice.groups.contains(where: { $0.contains(name) })
                    else { continue }
                    gone[name] = holding.first { found[$0] != nil && gone[$0] == nil }
                }
            }
            // Two of one source both stay, to be refused.
            let left = names.filter { gone[$0] == nil }
            for (index, choice) in Self.choices.enumerated() where chosen[index] == nil {
                if choice.isOfArguments, rank != Source.arguments.rank { continue }
                let groups = choice.groups.filter { !Set($0).isDisjoint(with: left) }
                if !groups.isEmpty { chosen[index] = groups.flatMap(\.self) }
            }
        }
        for (name, others) in Self.companions where gone[name] == nil {
            guard let lost = others.first(where: { gone[$0] != nil }), let winner = gone[lost],
                !others.contains(where: { found[$0] != nil && gone[$0] == nil }),
                found[name]?.source != .arguments
            else { continue }
            gone[name] = winner
        }
        for name in table.map(\.name) {
            guard let winner = gone[name], let lost = found.removeValue(forKey: name),
                let place = lost.source.place, let first = found[winner]?.source
            else { continue }
            overruled.append(
                "'\(name)', which is set by \(place), doesn't count beside '\(winner)', which is "
                    + (first.place.map { "set by \($0)." } ?? "an argument."))
        }
    }

    private mutating func add(
        _ setting: Setting, _ values: [String], _ source: Source
    ) throws(CommandFailure) {
        rows.append(Row(name: setting.name, value: values.joined(separator: ", "), source: source))
        guard setting.isFlag else {
            for value in values { arguments.append("--\(setting.name)=\(value)") }
            return
        }
        switch values {
        case ["true"]: arguments.append("--\(setting.name)")
        case ["false"]: if setting.hasInversion { arguments.append("--no-\(setting.name)") }
        default:
            throw CommandFailure(
                .trouble, "'\(setting.name)' is true or false, not '\(values.joined())'.")
        }
    }

    /// Limits are set one by one: `limits` in the file, `STORECAST_LIMIT_…`, `--limit`.
    private mutating func addLimits(
        _ own: [String: [String]], _ variables: EnvironmentVariablesProvider,
        _ file: (path: String, provider: FileProvider<JSONSnapshot>)?
    ) {
        let given = own["limit"] ?? []
        for limit in NamedLimit.all {
            let name = "limit \(limit.name)"
            let variable = Self.variable("limit-" + limit.name)
            var row = Row(name: name, value: "", source: .standard)
            if let file, let value = Self.values(of: "limits." + limit.name, in: file.provider) {
                row = Row(name: name, value: value.joined(), source: .file(file.path))
            }
            if let value = Self.values(of: "storecast.limit." + limit.name, in: variables) {
                row = Row(
                    name: name, value: value.joined(separator: ","), source: .environment(variable))
            }
            if row.source != .standard {
                arguments.append("--limit=\(limit.name)=\(row.value)")
            }
            if let last = given.last(where: { $0.hasPrefix(limit.name + "=") }) {
                row = Row(
                    name: name, value: String(last.dropFirst(limit.name.count + 1)),
                    source: .arguments)
            }
            rows.append(row)
        }
    }

    // MARK: Where settings come from

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

    fileprivate static func variable(_ name: String) -> String {
        "STORECAST_" + name.uppercased().replacing("-", with: "_")
    }

    /// The options among the arguments; of a flag `true` or `false`.
    private static func own(_ given: [String], _ table: [Setting]) -> [String: [String]] {
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

    private static func file(
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

    private static func check(
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
    private static func values(
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

    // MARK: Showing them

    /// A line for each setting: name, value, and where that is from.
    ///
    /// - Parameters:
    ///   - limits: those that hold.
    ///   - environment: which may have the devtools' token, of which nothing is shown.
    func table(_ limits: SyncLimits, environment: [String: String]) -> [String] {
        var rows = rows
        for limit in NamedLimit.all {
            guard let place = rows.firstIndex(where: { $0.name == "limit " + limit.name })
            else { continue }
            rows[place].value = limit.text(in: limits)
        }
        if environment[DevtoolsOptions.variable] != nil,
            let place = rows.firstIndex(where: {
                $0.name == "devtools-token" && $0.source == .standard
            })
        {
            rows[place].value = "(secret)"
            rows[place].source = .environment(DevtoolsOptions.variable)
        }
        let cells = rows.map { row in
            let source =
                switch row.source {
                case .arguments: "argument"
                case .environment(let variable): "environment, \(variable)"
                case .file(let path): "file, \(path)"
                case .standard: "default"
                }
            return [row.name, row.value.isEmpty ? "-" : row.value, source]
        }
        let widths = (0..<2).map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { cells in
            let padded = zip(cells, widths).map { cell, width in
                cell + String(repeating: " ", count: max(0, width - cell.count))
            }
            return (padded + [cells[2]]).joined(separator: "  ")
        }
    }
}

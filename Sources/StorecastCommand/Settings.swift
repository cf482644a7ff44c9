import ArgumentParser
import Configuration
import StorecastRoom
import StorecastTools

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

        var forms: [String] { ["--\(name)"] + (hasInversion ? ["--no-\(name)"] : []) }
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

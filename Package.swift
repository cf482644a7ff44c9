// swift-tools-version: 6.2
import PackageDescription

var settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]
// Not where others use the package: Xcode builds dependencies without warnings, and the compiler
// refuses the two together.
if Context.environment["STORECAST_CI"] != nil { settings.append(.treatAllWarnings(as: .error)) }
// What `storecast --version` says it was built from. Not `Context.gitInformation`, which SwiftPM
// remembers with the manifest, whatever is committed later.
let commit = (Context.environment["STORECAST_COMMIT"] ?? "").prefix(64).filter {
    $0.isASCII && ($0.isLetter || $0.isNumber || "-+.".contains($0))
}
// For the programs of packages, which are linked statically: URLSession needs libcurl and the 30
// libraries that this needs, and its WebSockets don't work on Linux.
let isPackaged = Context.environment["STORECAST_PACKAGED"] != nil
// What is built for: a manifest knows only on what it is read. A Mac that builds for Linux says
// STORECAST_SYSTEM=linux.
#if os(Linux)
    let host = "linux"
#else
    let host = "other"
#endif
let isForLinux = (Context.environment["STORECAST_SYSTEM"] ?? host) == "linux"

let package = Package(
    name: "storecast",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Storecast", targets: ["Storecast"]),
        .library(name: "StorecastObservation", targets: ["StorecastObservation"]),
        .library(name: "StorecastRecorder", targets: ["StorecastRecorder"]),
        .library(name: "StorecastRedux", targets: ["StorecastRedux"]),
        .library(name: "StorecastTables", targets: ["StorecastTables"]),
        .library(name: "StorecastTesting", targets: ["StorecastTesting"]),
        .library(name: "StorecastSync", targets: ["StorecastSync"]),
        .library(name: "StorecastServer", targets: ["StorecastServer"]),
        .library(name: "StorecastCluster", targets: ["StorecastCluster"]),
        .library(name: "StorecastJWT", targets: ["StorecastJWT"]),
        .library(name: "StorecastLifecycle", targets: ["StorecastLifecycle"]),
        .library(name: "StorecastDevtools", targets: ["StorecastDevtools"]),
        .library(name: "StorecastPages", targets: ["StorecastPages"]),
        .library(name: "StorecastSQLite", targets: ["StorecastSQLite"]),
        .library(name: "StorecastTools", targets: ["StorecastTools"]),
        .library(name: "StorecastClient", targets: ["StorecastClient"]),
        .executable(name: "storecast", targets: ["StorecastCommand"]),
        .executable(name: "storecast-board", targets: ["Terminal"]),
    ],
    // What an app that is a client leaves out by `traits: []`, with all packages that it needs.
    traits: [
        .default(enabledTraits: ["Server", "JWT", "Testing"]),
        .trait(name: "Server", description: "Servers, journals, tools and commands."),
        .trait(
            name: "JWT", description: "StorecastJWT, for servers.", enabledTraits: ["Server"]),
        .trait(name: "Testing", description: "StorecastTesting, for tests."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.3"),
        .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.1"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .target(name: "Storecast", dependencies: ["StorecastTables"], swiftSettings: settings),
        .target(
            name: "StorecastObservation", dependencies: ["Storecast", "StorecastTables"],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastObservationTests",
            dependencies: ["StorecastObservation", "StorecastTables", "StorecastTesting"],
            swiftSettings: settings),
        .target(
            name: "StorecastRecorder",
            dependencies: ["Storecast", "StorecastPlatform", "StorecastWire"],
            swiftSettings: settings),
        // Not a part of Storecast: global functions such as `compose` are for those who ask for
        // them.
        .target(name: "StorecastRedux", dependencies: ["Storecast"], swiftSettings: settings),
        .target(name: "StorecastPlatform", swiftSettings: settings),
        .target(name: "StorecastTables", swiftSettings: settings),
        .testTarget(
            name: "StorecastTablesTests", dependencies: ["StorecastTables"],
            swiftSettings: settings),
        // Apart from the test kit, as a program runs it too, without what makes tests fail.
        .target(
            name: "StorecastSimulation",
            dependencies: ["StorecastMirror", "StorecastRoom", "StorecastSync"],
            swiftSettings: settings),
        .target(
            name: "StorecastTesting",
            dependencies: [
                "Storecast", "StorecastSync", "StorecastRoom", "StorecastMirror",
                "StorecastClient", "StorecastPlatform", "StorecastSimulation",
                .product(name: "CustomDump", package: "swift-custom-dump"),
                .product(name: "IssueReporting", package: "xctest-dynamic-overlay"),
                // Without it, issues are printed on Linux and no test fails.
                .product(
                    name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay",
                    condition: .when(platforms: [.linux], traits: ["Testing"])),
            ],
            swiftSettings: settings),
        .target(
            name: "StorecastWire", dependencies: ["StorecastTables"], swiftSettings: settings),
        .target(
            name: "StorecastSync",
            dependencies: ["Storecast", "StorecastPlatform", "StorecastTables", "StorecastWire"],
            swiftSettings: settings),
        .target(
            name: "StorecastRoom",
            dependencies: [
                "Storecast", "StorecastPlatform", "StorecastSync", "StorecastTables",
                "StorecastWire",
            ],
            swiftSettings: settings),
        .target(
            name: "StorecastMirror", dependencies: ["Storecast", "StorecastSync", "StorecastWire"],
            swiftSettings: settings),
        // Without `pkgConfig`, which Xcode asks for also where nothing uses this, with warnings.
        // Debian's libraries are where the compiler and the linker look.
        .systemLibrary(name: "CLibWebSockets"),
        // On every machine that has libwebsockets' files for programs.
        .systemLibrary(name: "CZlib"),
        .target(
            name: "StorecastWebSocket", dependencies: ["CLibWebSockets", "CZlib"],
            swiftSettings: settings),
        // A client of NATS, for servers that share rooms.
        .target(
            name: "StorecastNATS",
            dependencies: [
                "StorecastRoom", "StorecastSync", "StorecastWebSocket", "StorecastWire",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastNATSTests",
            dependencies: [
                "StorecastNATS", "StorecastTesting", "StorecastWebSocket", "TestSupport",
            ],
            swiftSettings: settings),
        // Servers that share rooms, and pass on to clients those of one another.
        .target(
            name: "StorecastCluster",
            dependencies: [
                "StorecastMirror", "StorecastNATS", "StorecastRoom", "StorecastServer",
                "StorecastSync", "StorecastWebSocket", "StorecastWire",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastClusterTests",
            dependencies: [
                "StorecastClient", "StorecastCluster", "StorecastDevtools", "StorecastNATS",
                "StorecastServer", "StorecastSync", "StorecastWebSocket", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        // A load on any server, and what it measures.
        .target(
            name: "StorecastBench",
            dependencies: ["StorecastPlatform", "StorecastWebSocket", "StorecastWire"],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastBenchTests",
            dependencies: [
                "StorecastBench", "StorecastClient", "StorecastServer", "StorecastSync",
                "StorecastWebSocket", "StorecastWire", "TestSupport",
            ],
            swiftSettings: settings),
        .target(
            name: "StorecastServer",
            dependencies: [
                "StorecastMirror", "StorecastPlatform", "StorecastRoom", "StorecastSync",
                "StorecastWebSocket",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: settings),
        .target(
            name: "StorecastLifecycle",
            dependencies: [
                "StorecastServer",
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastLifecycleTests",
            dependencies: [
                "StorecastLifecycle", "StorecastServer", "StorecastClient", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        // Apart from the server, as its cryptography takes long to build.
        .target(
            name: "StorecastJWT",
            dependencies: [
                "StorecastServer", "StorecastSync", "StorecastWire",
                .product(name: "JWTKit", package: "jwt-kit"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastJWTTests",
            dependencies: [
                "StorecastJWT", "StorecastServer", "StorecastClient", "TestSupport",
            ],
            swiftSettings: settings),
        .target(
            name: "StorecastDevtools",
            dependencies: [
                "StorecastPlatform", "StorecastServer", "StorecastSync", "StorecastWire",
            ],
            swiftSettings: settings),
        .target(
            name: "StorecastSQLite",
            dependencies: [
                "StorecastRoom", "StorecastSync", "StorecastWire",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastSQLiteTests",
            dependencies: [
                "StorecastSQLite", "StorecastTesting", "StorecastServer", "StorecastClient",
                "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastToolsTests",
            dependencies: [
                "StorecastTools", "StorecastRecorder", "StorecastTesting", "Example",
                "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        .target(
            name: "StorecastClient",
            dependencies: [
                "StorecastMirror", "StorecastPlatform", "StorecastSync",
                .target(name: "StorecastWebSocket", condition: .when(platforms: [.linux])),
            ],
            exclude: isPackaged ? ["Transports/URLSessionTransport.swift"] : [],
            swiftSettings: settings),
        .target(
            name: "StorecastTools",
            dependencies: [
                "StorecastPlatform", "StorecastRoom", "StorecastSync", "StorecastSQLite",
                "StorecastRecorder",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        // The JavaScript client and its pages, as a part of programs.
        .target(
            name: "WebClients", path: "Clients/Web",
            exclude: [
                "storecast", "board", "document", "devtools", "parts", "style", "examples",
                "bundle", "bundles", "pack", "worker",
            ],
            sources: ["WebClients.swift"], swiftSettings: settings, plugins: ["EmbedFiles"]),
        .target(
            name: "StorecastPages", dependencies: ["StorecastServer", "WebClients"],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastPagesTests", dependencies: ["StorecastPages", "StorecastServer"],
            swiftSettings: settings),
        .plugin(
            name: "EmbedFiles", capability: .buildTool(), dependencies: ["EmbedFilesTool"],
            path: "Sources/EmbedFiles"),
        .executableTarget(name: "EmbedFilesTool", swiftSettings: settings),
        .target(name: "Example", dependencies: ["StorecastSync"], swiftSettings: settings),
        .executableTarget(
            name: "StorecastCommand",
            dependencies: [
                "StorecastServer", "StorecastDevtools", "StorecastTools", "StorecastSQLite",
                "StorecastBench", "StorecastClient", "StorecastCluster", "StorecastJWT",
                "StorecastNATS", "StorecastPages", "StorecastPlatform",
                "StorecastWebSocket", "BuildInformation", "Example",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        // In C, as a definition has no value in Swift. Another commit builds this file only.
        .target(
            name: "BuildInformation",
            cSettings: [.define("STORECAST_COMMIT", to: "\"\(commit)\"")]),
        .executableTarget(
            name: "Terminal",
            dependencies: [
                "StorecastClient", "StorecastPlatform", "Example",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Clients/Terminal", swiftSettings: settings),
        .testTarget(
            name: "StorecastTests",
            dependencies: ["Storecast", "StorecastTables", "StorecastTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastRecorderTests",
            dependencies: ["StorecastPlatform", "StorecastRecorder", "StorecastTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastReduxTests", dependencies: ["StorecastRedux"],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastTestingTests",
            dependencies: ["StorecastTesting", "Example", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "StorecastWireTests", dependencies: ["StorecastTables", "StorecastWire"],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastSyncTests", dependencies: ["StorecastSync", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastRoomTests",
            dependencies: ["StorecastMirror", "StorecastRoom", "StorecastSync", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastMirrorTests",
            dependencies: ["StorecastMirror", "StorecastSync", "TestSupport"],
            swiftSettings: settings),
        // What the tests of several targets share.
        .target(
            name: "TestSupport", dependencies: ["StorecastWire"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .testTarget(
            name: "StorecastWebSocketTests",
            dependencies: ["StorecastWebSocket", "StorecastWire", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastClientTests",
            dependencies: [
                "StorecastClient", "StorecastMirror", "StorecastObservation", "StorecastServer",
                "TestSupport",
            ],
            swiftSettings: settings),
        .target(
            name: "Counter", dependencies: ["StorecastSync"], path: "Tests/Snippets/Counter",
            swiftSettings: settings),
        .executableTarget(
            name: "CounterServer", dependencies: ["Counter", "StorecastServer"],
            path: "Tests/Snippets/CounterServer", swiftSettings: settings),
        .executableTarget(
            name: "CounterCluster",
            dependencies: [
                "Counter", "StorecastClient", "StorecastCluster",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Snippets/CounterCluster", swiftSettings: settings),
        .executableTarget(
            name: "CounterTools", dependencies: ["Counter", "StorecastTools"],
            path: "Tests/Snippets/CounterTools", swiftSettings: settings),
        .executableTarget(
            name: "CounterClient", dependencies: ["Counter", "StorecastClient"],
            path: "Tests/Snippets/CounterClient", swiftSettings: settings),
        .target(
            name: "ComingFromReSwift",
            dependencies: [
                "StorecastObservation", "StorecastRecorder", "StorecastRedux", "StorecastTables",
                "StorecastTesting",
            ],
            path: "Tests/Snippets/ComingFromReSwift", swiftSettings: settings),
        .target(
            name: "LargeStates", dependencies: ["StorecastClient", "StorecastObservation"],
            path: "Tests/Snippets/LargeStates", swiftSettings: settings),
        .target(
            name: "Tutorial",
            dependencies: ["StorecastServer", "StorecastSQLite", "StorecastClient"],
            path: "Tests/Snippets/Tutorial", swiftSettings: settings),
        .target(
            name: "Guides",
            dependencies: [
                "Counter", "StorecastClient", "StorecastDevtools", "StorecastJWT",
                "StorecastObservation", "StorecastPages", "StorecastSQLite", "StorecastServer",
            ],
            path: "Tests/Snippets/Guides", swiftSettings: settings),
        .testTarget(
            name: "PollTests", dependencies: ["Tutorial", "StorecastTesting"],
            path: "Tests/Snippets/PollTests", swiftSettings: settings),
        .testTarget(
            name: "PieceTests",
            dependencies: [
                "Counter", "Example", "Guides", "StorecastCluster", "StorecastServer",
                "StorecastTools", "StorecastRecorder", "StorecastTesting",
            ],
            path: "Tests/Snippets/Pieces", swiftSettings: settings),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "CounterServer", "CounterClient", "CounterCluster", "CounterTools",
                "ComingFromReSwift",
                "LargeStates", "StorecastObservation", "StorecastTesting", "Tutorial",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ReSwiftExamplesTests", dependencies: ["Storecast"], swiftSettings: settings),
        // Programs as ReSwift's guides have them: what they take for granted must do.
        .testTarget(
            name: "ReSwiftExamplesSwift5Tests", dependencies: ["Storecast"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "Swift5Tests", dependencies: ["StorecastServer", "StorecastSync"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "StorecastClient", "StorecastServer", "StorecastCommand", "TrappingServer",
                "Example", "TestSupport",
            ],
            exclude: ["Python"], swiftSettings: settings),
        .executableTarget(
            name: "TrappingServer",
            dependencies: [
                "StorecastServer", "StorecastSQLite", "StorecastTools",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/TrappingServer", swiftSettings: settings),
        .executableTarget(
            name: "EchoServer", dependencies: ["StorecastWebSocket"], path: "Tests/Autobahn",
            exclude: ["run"], swiftSettings: settings),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["StorecastTesting", "Simulate", "Example", "TestSupport"],
            swiftSettings: settings),
        // The simulator as a program, for those who work on the package.
        .executableTarget(
            name: "Simulate",
            dependencies: [
                "StorecastSimulation", "StorecastNATS", "StorecastSQLite",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Simulate", swiftSettings: settings),
        .testTarget(
            name: "StorecastServerTests",
            dependencies: [
                "StorecastServer", "StorecastClient", "StorecastTesting", "StorecastWebSocket",
                "TestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastDevtoolsTests",
            dependencies: [
                "StorecastDevtools", "StorecastServer", "StorecastClient", "StorecastTesting",
                "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TerminalTests",
            dependencies: ["Terminal", "Example", "StorecastClient", "StorecastTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "StorecastCommandTests",
            dependencies: [
                "StorecastCluster", "StorecastCommand", "StorecastNATS", "StorecastPages",
                "StorecastSQLite", "StorecastServer", "StorecastTesting", "StorecastWebSocket",
                "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ExampleTests", dependencies: ["Example", "StorecastTesting"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// What only a page shows: nobody else is to resolve or build it. `STORECAST_CI=services` does.
if Context.environment["STORECAST_CI"] == "services" {
    package.dependencies.append(
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"))
    package.targets.append(
        .testTarget(
            name: "ServicesTests",
            dependencies: [
                "Counter", "StorecastLifecycle", "TestSupport",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Tests/Snippets/Services", swiftSettings: settings))
}

// They read processor time and memory of other processes as Linux tells them.
package.targets += [
    // Servers as processes of their own, and the barest clients.
    .target(
        name: "MeasureSupport",
        dependencies: ["StorecastWebSocket", "StorecastWire", "TestSupport"],
        path: "Tests/MeasureSupport", swiftSettings: settings),
    .executableTarget(
        name: "StorecastBenchmarks",
        dependencies: [
            "MeasureSupport", "StorecastBench", "StorecastServer", "StorecastClient",
            "StorecastNATS", "StorecastSQLite", "StorecastTesting", "StorecastWebSocket",
            "TestSupport",
            .product(name: "GRDB", package: "GRDB.swift"),
            .product(name: "Logging", package: "swift-log"),
        ],
        path: "Tests/Benchmarks", exclude: ["Peer"], swiftSettings: settings),
    // It attacks the command's server, which has to be built beside it.
    .executableTarget(
        name: "Attacks",
        dependencies: ["MeasureSupport", "StorecastBench", "StorecastWire", "TestSupport"],
        path: "Tests/Attacks", swiftSettings: settings),
    // It runs the command's servers in network namespaces, and breaks what it can.
    .executableTarget(
        name: "Storm",
        dependencies: [
            "MeasureSupport", "StorecastBench", "StorecastClient", "StorecastMirror",
            "StorecastWire",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        path: "Tests/Storm", swiftSettings: settings),
    .testTarget(
        name: "StormTests", dependencies: ["Storm", "StorecastClient"],
        swiftSettings: settings),
]
// libFuzzer has its own `main`, also in the tools of plugins: so there is nothing else then.
if Context.environment["STORECAST_FUZZ"] != nil {
    let parts = [
        "MeasureSupport", "StorecastJWT", "StorecastMirror", "StorecastRoom", "StorecastServer",
        "StorecastSQLite", "StorecastSync", "StorecastWebSocket", "StorecastWire",
    ]
    let all =
        parts
        + [
            "CLibWebSockets", "CZlib", "Storecast", "StorecastPlatform", "StorecastTables",
            "TestSupport",
        ]
    package.products = []
    package.targets.removeAll { !all.contains($0.name) }
    package.targets.append(
        .executableTarget(
            name: "Fuzz",
            dependencies: parts.map { .init(stringLiteral: $0) }
                + [
                    .product(name: "JWTKit", package: "jwt-kit"),
                    .product(name: "Logging", package: "swift-log"),
                ],
            path: "Tests/Fuzz", exclude: ["run", "Corpora"], swiftSettings: settings))
}

if !isForLinux {
    // Servers need libwebsockets and what only Linux has. Elsewhere their libraries are empty, so
    // that a package with a server and an app can be opened, and the app built. Their programs and
    // tests aren't there, nor what only the command needs: SwiftPM compiles plugins' tools in vain.
    var lacking: Set = [
        "CLibWebSockets", "CZlib", "BuildInformation", "EmbedFilesTool", "WebClients",
    ]
    func isLacking(_ dependency: Target.Dependency) -> Bool {
        switch dependency {
        case .targetItem(let name, _), .byNameItem(let name, _): lacking.contains(name)
        default: false
        }
    }
    for target in package.targets {
        target.dependencies.removeAll { dependency in
            guard case .targetItem(_, .some) = dependency else { return false }
            return true
        }
    }
    while let target = package.targets.first(where: {
        !lacking.contains($0.name) && $0.dependencies.contains(where: isLacking)
    }) {
        lacking.insert(target.name)
    }
    package.products.removeAll { product in
        (product as? Product.Executable)?.targets.contains(where: lacking.contains) ?? false
    }
    let libraries = package.products.flatMap { ($0 as? Product.Library)?.targets ?? [] }
    package.targets.removeAll { lacking.contains($0.name) && !libraries.contains($0.name) }
    for target in package.targets where lacking.contains(target.name) {
        target.dependencies = []
        target.sources = ["OnlyOnLinux.swift"]
    }
}

// A package that is needed only for what is left out isn't even fetched.
let traits = [
    "jwt-kit": "JWT", "swift-custom-dump": "Testing", "xctest-dynamic-overlay": "Testing",
]
for target in package.targets {
    target.dependencies = target.dependencies.map { dependency in
        guard case .productItem(let name, let package?, let aliases, nil) = dependency else {
            return dependency
        }
        return .product(
            name: name, package: package, moduleAliases: aliases,
            condition: .when(traits: [traits[package] ?? "Server"]))
    }
}

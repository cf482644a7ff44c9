// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "poll",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "Poll", targets: ["Poll"])],
    dependencies: [.package(path: "../storecast")],
    targets: [
        .target(
            name: "Poll", dependencies: [.product(name: "StorecastSync", package: "storecast")]),
        .executableTarget(
            name: "PollServer",
            dependencies: [
                "Poll", .product(name: "StorecastServer", package: "storecast"),
                .product(name: "StorecastSQLite", package: "storecast"),
            ]),
        .executableTarget(
            name: "PollClient",
            dependencies: ["Poll", .product(name: "StorecastClient", package: "storecast")]),
        .testTarget(
            name: "PollTests",
            dependencies: [
                "Poll", "PollClient",
                .product(name: "StorecastTesting", package: "storecast"),
            ]),
    ])

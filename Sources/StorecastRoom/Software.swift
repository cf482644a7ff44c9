/// What this software calls itself.
package enum Software {
    /// The version of the package.
    package static let version = "0.1.0"
    /// What `welcome.server` says.
    package static let nameAndVersion = "storecast/\(version)"
}

import ArgumentParser

/// Seeds as one writes them: `1000` for the first thousand, or `1000..<2000`.
struct SeedRange: ExpressibleByArgument {
    let seeds: Range<UInt64>

    init?(argument: String) {
        guard let dots = argument.firstRange(of: "..<") else {
            guard let count = UInt64(argument), count > 0 else { return nil }
            seeds = 0..<count
            return
        }
        guard let first = UInt64(argument[..<dots.lowerBound]),
            let end = UInt64(argument[dots.upperBound...]), first < end
        else { return nil }
        seeds = first..<end
    }
}

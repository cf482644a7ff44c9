import StorecastSync

/// How often each deed is done.
enum Troubles {
    /// The weights of all deeds by their places in ``deed(_:client:_:)``.
    static func weights(_ random: inout SeededGenerator) -> [Int] {
        // Work, then what is there in every third seed, a little or a lot.
        let work = [40, 12, 4, 8]
        return work + (work.count..<count).map { _ in random.pick([0, 0, 2, 6]) }
    }

    private static let count = 21

    static func deed(_ place: Int, client: Int, _ random: inout SeededGenerator) -> Deed {
        switch place {
        case 0: .dispatch(client, count: random.happens(oneIn: 5) ? 1 + random.below(12) : 1)
        case 1: .follow(client)
        case 2: .unfollow(client)
        case 3: .arrive(client)
        case 4: .leave(client)
        case 5: .crash(client)
        case 6: .renew(client)
        case 7: .reconnect(client)
        case 8: .pester(client)
        case 9: .cut(client)
        case 10: .stall(client)
        case 11: .block(client)
        case 12: .crashServer
        case 13: random.happens(oneIn: 3) ? .restoreServer : .crashServer
        case 14: .stopServer
        case 15: .dispatchOnServer
        case 16: .journal(.unavailable)
        case 17: .journal(random.happens(oneIn: 2) ? .unknownKept : .unknownLost)
        case 18: .journal(.keptTwice)
        case 19: random.happens(oneIn: 2) ? .fillDisk(client) : .emptyDisk(client)
        default:
            .journal(
                random.happens(oneIn: 2)
                    ? .unfit : .stalled(random.duration(upTo: .seconds(20))))
        }
    }
}

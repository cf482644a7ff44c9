import Glibc
import MeasureSupport
import StorecastBench
import StorecastClient

extension Run {
    /// Draws to whom a fault happens.
    func strike(of fault: Fault) async throws -> Strike {
        let places = try await places()
        let all = Array(crew.rooms.indices)
        let host = draw(places)
        let own = all.filter { places.owners[$0] == host.name }
        // Those whose NATS server or machine is hit: any of the rooms may have something there.
        func strike(
            _ rooms: [Int], _ begin: @escaping @MainActor () async throws -> Void,
            until end: @escaping @MainActor () async throws -> Void
        ) -> Strike { Strike(target: host.name, rooms: rooms, begin: begin, end: end) }
        func mend() async throws { try await Network.mend(host.name) }

        switch fault {
        case .kill:
            return strike(own) {
                await host.killStorecast()
            } until: {
                try await host.startStorecast()
            }
        case .stall:
            return strike(own) {
                host.storecast?.signal(SIGSTOP)
            } until: {
                host.storecast?.signal(SIGCONT)
            }
        case .deploy: return deploy(schema: leastSchema)
        case .upgrade: return deploy(schema: leastSchema + 1)
        case .rollBack: return rollBack(host)
        case .move, .drain: return order(fault, host, places, own)
        case .killNATS:
            return strike(all) {
                await host.killNATS()
            } until: {
                try await host.startNATS()
            }
        case .stallNATS:
            return strike(all) {
                host.nats?.signal(SIGSTOP)
            } until: {
                host.nats?.signal(SIGCONT)
            }
        case .killTwoNATS: return strikeNATS(hosts.filter { $0 !== host }, all)
        case .killAllNATS: return strikeNATS(hosts, all)
        case .lose:
            return strike(all) {
                try await Network.unplug(host.name)
                await host.killStorecast()
                await host.killNATS()
            } until: {
                try await mend()
                try await host.startNATS()
                try await host.startStorecast()
            }
        case .unplug: return strike(all, { try await Network.unplug(host.name) }, until: mend)
        case .deafen: return strike(all, { try await host.drop(["INPUT -i eth0"]) }, until: mend)
        case .cutNATS:
            let rules = [
                "OUTPUT -p tcp --dport \(Host.natsPort)", "INPUT -p tcp --sport \(Host.natsPort)",
            ]
            return strike(own, { try await host.drop(rules) }, until: mend)
        case .cutServers:
            let others = hosts.filter { $0 !== host }
            let other = others[random.below(others.count)]
            let ports = "-p tcp -m multiport --ports \(Host.clusterPort)"
            let rules = [
                "INPUT -s \(other.address) \(ports)", "OUTPUT -d \(other.address) \(ports)",
            ]
            var cut = strike(all, { try await host.drop(rules) }, until: mend)
            cut.target += " \(other.name)"
            return cut
        case .drop:
            let part = "-m statistic --mode random --probability 0.2"
            let rules = ["INPUT -i eth0 \(part)", "OUTPUT -o eth0 \(part)"]
            return strike(all, { try await host.drop(rules) }, until: mend)
        case .narrow: return strike(all, { try await Network.narrow(host.name) }, until: mend)
        }
    }

    private func strikeNATS(_ victims: [Host], _ rooms: [Int]) -> Strike {
        Strike(
            target: victims.map(\.name).joined(separator: " "), rooms: rooms,
            course: .nothingIsAcked("keep them without a majority")
        ) {
            for host in victims { await host.killNATS() }
        } end: {
            for host in victims { try await host.startNATS() }
        }
    }

    // MARK: What operators do

    private func order(
        _ fault: Fault, _ host: Host, _ places: Places, _ own: [Int]
    ) -> Strike {
        if fault == .drain {
            return Strike(target: host.name, rooms: own) { [self] in
                if let id = places.ids[host.name] { try await cluster("drain", id) }
            } end: {
                try await host.restartStorecast()
            }
        }
        let all = Array(crew.rooms.indices)
        let targets = all.map { _ in hosts[random.below(hosts.count)] }
        return Strike(target: "all rooms", rooms: all, course: .isOver) { [self] in
            try await move(to: targets, places)
        }
    }

    /// - Parameter targets: where each room is to go.
    private func move(to targets: [Host], _ places: Places) async throws {
        for (room, target) in zip(crew.rooms, targets) {
            guard let id = places.ids[target.name] else { continue }
            try await cluster("move", room.path, "--to", id)
        }
    }

    /// Replaces all storecasts. Rooms go from those that end to others, and so never from a newer
    /// schema to an older one.
    private func deploy(schema: Int) -> Strike {
        Strike(
            target: "all storecasts", rooms: Array(crew.rooms.indices), course: .isOver
        ) { [self] in
            for host in hosts {
                try await host.restartStorecast(schema: schema)
                try await recover()
            }
        }
    }

    /// Begins to deploy the next schema, and goes back when rooms were written with it: no server
    /// opens those then, until the next schema is deployed after all.
    private func rollBack(_ host: Host) -> Strike {
        let (old, new) = (leastSchema, leastSchema + 1)
        return Strike(
            target: host.name, rooms: Array(crew.rooms.indices),
            course: .nothingIsAcked("read the rooms")
        ) { [self] in
            try await host.restartStorecast(schema: new)
            try await recover()
            try await move(to: crew.rooms.map { _ in host }, try await places())
            // It has written to each of them when this is over.
            try await recover()
            try await host.restartStorecast(schema: old)
        } end: { [self] in
            for host in hosts { try await host.restartStorecast(schema: new) }
        }
    }

    /// Which servers there are, and who has which room, as `storecast cluster status` says.
    struct Places {
        /// The servers' ids, by the names of their machines.
        var ids: [String: String] = [:]
        /// The name of the machine that has each room; nil if nobody is known to.
        var owners: [String?] = []
    }

    private func places() async throws -> Places {
        var places = Places()
        // It listens for little more than a second: on a busy machine it may not hear every server.
        try await wait(
            "'cluster status' shows every server",
            missing: { hosts.map(\.name).filter { places.ids[$0] == nil } }
        ) {
            places = self.places(in: try await cluster("status"))
            return places.ids.count == hosts.count
        }
        return places
    }

    private func places(in text: String) -> Places {
        var (places, rooms) = (Places(), [String: String]())
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count >= 3 else { continue }
            if words[0] == "server", let host = hosts.first(where: { $0.clusterURL == words[2] }) {
                places.ids[host.name] = words[1]
            } else if words[0] == "room" {
                rooms[words[1]] = words[2]
            }
        }
        let names = Dictionary(places.ids.map { ($1, $0) }) { first, _ in first }
        places.owners = crew.rooms.map { room in rooms[room.path].flatMap { names[$0] } }
        return places
    }

    /// Any of them; rather one that has rooms.
    private func draw(_ places: Places) -> Host {
        let owner = places.owners[random.below(places.owners.count)]
        let any = hosts[random.below(hosts.count)]
        return random.below(3) == 0 ? any : hosts.first { $0.name == owner } ?? any
    }

    @discardableResult
    private func cluster(_ words: String...) async throws -> String {
        do {
            return try await Command.run(
                [plan.setup.storecast, "cluster"] + words + ["--cluster", Host.natsAddresses],
                within: .seconds(90))
        } catch let failure as Failure {
            throw BrokenPromise(failure.description)
        }
    }
}

extension Host {
    fileprivate func drop(_ rules: [String]) async throws {
        try await Network.drop(rules, on: name)
    }
}

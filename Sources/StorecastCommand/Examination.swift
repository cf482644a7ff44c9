import Foundation
import StorecastSync
import StorecastTools
import StorecastWebSocket

/// What `doctor` says of one thing.
struct Finding: Equatable {
    enum Verdict: String {
        case ok, warning, failure
    }

    var verdict: Verdict
    var subject: String
    /// What is so; and what to do, if that isn't well.
    var sentence: String

    init(_ verdict: Verdict, _ subject: String, _ sentence: String) {
        (self.verdict, self.subject, self.sentence) = (verdict, subject, sentence)
    }

    var line: String {
        [verdict.rawValue.column(7), subject.column(12), sentence.onOneLine.shown]
            .joined(separator: "  ")
    }
}

/// What measurements mean: which of them are well, and what to do about the others.
enum Examination {
    // MARK: This machine

    /// - Parameters:
    ///   - limit: how many descriptors the server's process may have.
    ///   - connections: how many it lets in.
    static func descriptors(limit: Int, connections: Int) -> Finding {
        let needed = WebSocketLibraries.descriptors(connections: connections)
        let words = "\(limit) descriptors for \(connections) connections, which take two each"
        guard limit < needed else { return Finding(.ok, "descriptors", words + ".") }
        return Finding(
            .warning, "descriptors",
            "\(words): raise the limit (LimitNOFILE=\(needed) in the service, ulimit -Hn in a shell),"
                + " or let in fewer (--limit connections=\(WebSocketLibraries.connections(descriptors: limit)))."
        )
    }

    /// Of the server's process, as its metrics say.
    static func descriptors(open: Int, limit: Int) -> Finding {
        let words = "the server has \(open) of \(limit) descriptors open"
        return open < limit / 5 * 4
            ? Finding(.ok, "descriptors", words + ".")
            : Finding(
                .warning, "descriptors",
                words + ": raise LimitNOFILE= of its service before it can take no more.")
    }

    /// - Parameters:
    ///   - now: the time of day, in seconds since 1970.
    ///   - jump: by how much it went on more, in a fifth of a second, than time did.
    static func clock(now: Int, jump: Duration) -> Finding {
        guard now > 1_735_689_600 else {
            return Finding(
                .failure, "clock",
                "this machine takes it for \(HTTPResponse.date(now)): set its clock, best by NTP.")
        }
        let milliseconds = Int(jump / .milliseconds(1))
        guard abs(milliseconds) < 20 else {
            return Finding(
                .warning, "clock",
                "the time of day jumped by \(milliseconds) ms in a fifth of a second: see that only "
                    + "one service sets it, and lets it run faster or slower rather than jump.")
        }
        return Finding(.ok, "clock", "it runs evenly.")
    }

    /// - Parameters:
    ///   - server: what time the server has.
    ///   - asked: when it was asked, and `answered` when it answered, by our clock.
    static func clock(server: Int, asked: Int, answered: Int) -> Finding {
        let difference = server < asked ? server - asked : max(0, server - answered)
        let words = "the server's differs from ours by \(abs(difference)) s"
        // Tokens are believed for half a minute longer.
        switch abs(difference) {
        case 0...2: return Finding(.ok, "clock", words + ".")
        case ...30:
            return Finding(.warning, "clock", words + ": have both set by NTP.")
        default:
            return Finding(
                .failure, "clock",
                words + ", so that tokens end too soon or too late: have both set by NTP.")
        }
    }

    /// - Parameter syncs: how long the disk took to keep 4 KiB, each time.
    static func sync(_ syncs: [Duration]) -> Finding {
        let sorted = syncs.sorted()
        guard let most = sorted.last else { return Finding(.ok, "disk", "nothing was measured.") }
        let median = sorted[sorted.count / 2]
        func text(_ time: Duration) -> String {
            let hundredths = Int((time / .milliseconds(1) * 100).rounded())
            return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10) ms"
        }
        let words = "a sync takes \(text(median)), at most \(text(most))"
        switch median {
        case ..<(.microseconds(20)):
            return Finding(
                .warning, "disk",
                words + ", as if nothing were written: see that its cache survives a power cut.")
        case ..<(.milliseconds(20)): return Finding(.ok, "disk", words + ".")
        case ..<(.milliseconds(200)):
            return Finding(
                .warning, "disk",
                words + ", for which each action waits: use a faster disk, or --durability process."
            )
        default:
            return Finding(
                .failure, "disk",
                words + ", for which each action waits: use another disk, or --durability process.")
        }
    }

    /// - Parameters:
    ///   - free: how many bytes the disk has left.
    ///   - reserve: the limit `disk-reserve`.
    ///   - journal: the size of the journal.
    static func space(free: Int, reserve: Int, journal: Int) -> Finding {
        func mib(_ bytes: Int) -> String { "\(bytes >> 20) MiB" }
        let words = "\(mib(free)) free, with \(mib(reserve)) to be left"
        if free < reserve {
            return Finding(
                .failure, "space",
                words + " (disk-reserve): rooms refuse actions until some is made free.")
        }
        if free - reserve < max(journal, 256 << 20) {
            return Finding(
                .warning, "space",
                words
                    + " and a journal of \(mib(journal)), which a repair needs once more: make some "
                    + "free, or keep less (--keep-snapshots).")
        }
        return Finding(.ok, "space", words + ".")
    }

    /// - Parameter type: of the file system, as the system names it.
    static func fileSystem(_ type: String) -> Finding? {
        switch type {
        case "tmpfs", "ramfs":
            Finding(
                .failure, "disk",
                "the journal's folder is in memory (\(type)): name a file on a disk with --data.")
        case _
        where ["nfs", "cifs", "smb", "fuse.sshfs", "9p", "ceph"].contains { type.hasPrefix($0) }:
            Finding(
                .failure, "disk",
                "the journal's folder is on a network (\(type)), where SQLite's write-ahead log "
                    + "doesn't work: name a file on a local disk with --data.")
        default: nil
        }
    }

    /// The type of the file system that a folder is on, by the system's table (proc(5), mountinfo).
    static func fileSystemType(of folder: String, in table: String) -> String? {
        var best: (length: Int, type: String)?
        for line in table.split(separator: "\n") {
            let sides = line.components(separatedBy: " - ")
            let words = sides[0].split(separator: " ")
            guard sides.count == 2, words.count > 4,
                let type = sides[1].split(separator: " ").first
            else { continue }
            let point = String(words[4])
            let isIn = point == "/" || folder == point || folder.hasPrefix(point + "/")
            if isIn, point.utf8.count >= best?.length ?? 0 {
                best = (point.utf8.count, String(type))
            }
        }
        return best?.type
    }

    // MARK: The server

    static func health(_ answer: ServerProbe.Answer, of path: String) -> Finding {
        let subject = String(path.dropFirst())
        let said = answer.body.excerpt(120).trimmingCharacters(in: .whitespacesAndNewlines)
        switch answer.status {
        case 200 where said == "ok": return Finding(.ok, subject, "the server says ok.")
        case 502, 504:
            return Finding(
                .failure, subject,
                "a proxy says \(answer.status): start the server, or correct its address in the "
                    + "proxy's configuration.")
        case 503:
            return Finding(.failure, subject, "the server says: \(said)")
        case 421: return misdirected(subject)
        case 400 where said.contains("wss://") || said.contains("HTTPS"):
            return Finding(.failure, subject, "it takes encrypted connections only: write wss://.")
        default:
            return Finding(
                .failure, subject,
                "something else answers (status \(answer.status)): see that the URL is this "
                    + "server's, and that a proxy passes \(path) on.")
        }
    }

    /// - Parameter host: by which the server was asked for.
    static func certificate(_ facts: ServerProbe.CertificateFacts, host: String) -> Finding {
        if facts.daysLeft < 0 {
            return Finding(
                .failure, "certificate",
                "it ended \(-facts.daysLeft) days ago: get a new one, and have the server or proxy read "
                    + "it (SIGHUP).")
        }
        if let problem = facts.problem {
            return Finding(
                .failure, "certificate",
                "\(host) isn't trusted: \(problem). It is for \(facts.names.isEmpty ? "no name" : facts.names). "
                    + "Get one for this name, and give the server the whole chain (fullchain.pem).")
        }
        let words = "\(facts.version), for \(facts.names), \(facts.daysLeft) days left"
        return facts.daysLeft < 14
            ? Finding(.warning, "certificate", words + ": see why it wasn't renewed.")
            : Finding(.ok, "certificate", words + ".")
    }

    /// Of the certificate's file.
    static func certificate(daysLeft: Int) -> Finding {
        switch daysLeft {
        case ..<0:
            Finding(
                .failure, "certificate",
                "it ended \(-daysLeft) days ago: get a new one, and have the server read it (SIGHUP)."
            )
        case ..<14:
            Finding(.warning, "certificate", "\(daysLeft) days left: see why it wasn't renewed.")
        default: Finding(.ok, "certificate", "\(daysLeft) days left.")
        }
    }

    static func unencrypted(isLocal: Bool) -> Finding {
        isLocal
            ? Finding(.ok, "encryption", "none, within this machine.")
            : Finding(
                .warning, "encryption",
                "none: everybody on the way can read tokens; use --tls-certificate and --tls-key, or "
                    + "a proxy, and wss://.")
    }

    /// Of a request for a WebSocket that comes from no page.
    static func upgrade(_ answer: ServerProbe.Answer) -> Finding {
        switch answer.status {
        case 101:
            return Finding(.ok, "WebSocket", "a WebSocket upgrade gets through.")
        case 421: return misdirected("WebSocket")
        case 502, 503, 504:
            return Finding(
                .failure, "WebSocket",
                "status \(answer.status): the server doesn't run, is full, or isn't where the proxy "
                    + "looks for it.")
        case 400 where answer.body.contains("HTTPS"):
            return Finding(
                .failure, "WebSocket", "it takes encrypted connections only: write wss://.")
        case 200, 400, 404, 426:
            return Finding(
                .failure, "WebSocket",
                "status \(answer.status) instead of an upgrade: have the proxy speak HTTP/1.1 to the "
                    + "server and pass on Upgrade and Connection, as Docs/Proxies.md has it.")
        default:
            return Finding(
                .failure, "WebSocket",
                "status \(answer.status) instead of an upgrade: see the logs of the server and of the "
                    + "proxy.")
        }
    }

    /// - Parameter site: of the page that the request says it comes from.
    static func origin(_ answer: ServerProbe.Answer, of site: String, isOwn: Bool) -> Finding {
        switch (answer.status, isOwn) {
        case (101, _): return Finding(.ok, "origin", "pages of \(site) may connect.")
        case (403, true):
            return Finding(
                .failure, "origin",
                "the server takes pages of \(site) for those of another site: have the proxy set "
                    + "X-Forwarded-Host and X-Forwarded-Proto, and the server believe it "
                    + "(--trusted-proxy).")
        case (403, false):
            return Finding(
                .failure, "origin",
                "pages of \(site) may not connect: allow it with --allow-origin \(site).")
        default:
            return Finding(
                .failure, "origin",
                "status \(answer.status) for a page of \(site): see the server's log.")
        }
    }

    /// Of a request that says it comes from a page of a site that is nobody's.
    static func stranger(_ answer: ServerProbe.Answer) -> Finding {
        answer.status == 101
            ? Finding(
                .warning, "origin",
                "pages of every site may connect, in the name of whoever looks at them: name yours with "
                    + "--allow-origin in place of *, unless everybody may read everything.")
            : Finding(.ok, "origin", "pages of strangers may not connect.")
    }

    /// Of a request with a `Forwarded` that a client made up.
    static func forwarded(_ answer: ServerProbe.Answer) -> Finding? {
        switch answer.status {
        case 101:
            Finding(.ok, "proxy", "requests with a Forwarded of the client's own are answered.")
        case 400:
            Finding(
                .failure, "proxy",
                "the proxy passes on Forwarded as clients send it, and the server refuses what "
                    + "contradicts: remove it in the proxy, as Docs/Proxies.md has it.")
        default: nil
        }
    }

    private static func misdirected(_ subject: String) -> Finding {
        Finding(
            .failure, subject,
            "the server isn't known by this name (status 421): start it with --allow-host and the "
                + "name that clients use.")
    }
}

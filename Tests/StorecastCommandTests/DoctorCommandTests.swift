import ArgumentParser
import Foundation
import StorecastWebSocket
import Testing

@testable import StorecastCommand

/// What `storecast doctor` takes for well, and what it says of the rest.
struct DoctorCommandTests {
    private func answer(_ status: Int, _ body: String = "") -> ServerProbe.Answer {
        ServerProbe.Answer(status: status, headers: [:], body: body, certificate: nil)
    }

    @Test(arguments: [["http://"], ["a", "--origin", "b"], ["--origin", "https://a.example"]])
    func `what makes no sense is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try DoctorCommand.parse(arguments) }
    }

    @Test func `each connection takes two descriptors, and some are for files`() {
        #expect(Examination.descriptors(limit: 1064, connections: 500).verdict == .ok)
        let few = Examination.descriptors(limit: 1063, connections: 500)
        #expect(few.verdict == .warning)
        #expect(few.sentence.contains("LimitNOFILE=1064"))
        #expect(few.sentence.contains("--limit connections=499"))
        #expect(Examination.descriptors(open: 79, limit: 100).verdict == .ok)
        #expect(Examination.descriptors(open: 80, limit: 100).verdict == .warning)
    }

    @Test func `a clock is of this age, runs evenly, and is the server's`() {
        #expect(Examination.clock(now: 1_800_000_000, jump: .milliseconds(-3)).verdict == .ok)
        #expect(Examination.clock(now: 1_800_000_000, jump: .seconds(-1)).verdict == .warning)
        let old = Examination.clock(now: 0, jump: .zero)
        #expect(old.verdict == .failure)
        #expect(old.sentence.contains("Thu, 01 Jan 1970 00:00:00 GMT"))
        for (server, verdict, seconds) in [
            (100, .ok, 0), (105, .ok, 0), (98, .ok, 2), (108, .warning, 3), (70, .warning, 30),
            (69, .failure, 31), (136, .failure, 31),
        ] as [(Int, Finding.Verdict, Int)] {
            let finding = Examination.clock(server: server, asked: 100, answered: 105)
            #expect(finding.verdict == verdict, "\(server)")
            #expect(finding.sentence.contains("by \(seconds) s"), "\(server)")
        }
    }

    @Test(
        arguments: [
            (1, .warning), (130, .ok), (19_000, .ok), (20_000, .warning), (200_000, .failure),
        ] as [(Int, Finding.Verdict)])
    func `a disk syncs within milliseconds, but not within none`(
        microseconds: Int, verdict: Finding.Verdict
    ) {
        // One that is slow now and then isn't slow.
        let times = [Int](repeating: microseconds, count: 20) + [1_000_000]
        let finding = Examination.sync(times.map { .microseconds($0) })
        #expect(finding.verdict == verdict)
        #expect(finding.sentence.contains("at most 1000.00 ms"))
    }

    @Test func `space is left beyond the reserve for the journal once more`() {
        let (mib, gib) = (1 << 20, 1 << 30)
        #expect(Examination.space(free: 2 * gib, reserve: 64 * mib, journal: gib).verdict == .ok)
        #expect(
            Examination.space(free: gib, reserve: 64 * mib, journal: gib).verdict == .warning)
        #expect(
            Examination.space(free: 64 * mib - 1, reserve: 64 * mib, journal: 0).verdict == .failure
        )
    }

    @Test func `a folder's file system is that of the mount point nearest to it`() {
        let table = """
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            30 22 0:5 / /srv rw shared:7 master:1 - nfs4 host:/x rw
            31 30 0:6 / /srv/board rw - xfs /dev/sdb rw
            32 22 0:7 / /tmp rw - tmpfs tmpfs rw
            nonsense
            """
        func type(_ folder: String) -> String? {
            Examination.fileSystemType(of: folder, in: table)
        }
        #expect(type("/home/a") == "ext4")
        #expect(type("/srv/other") == "nfs4")
        #expect(type("/srv/board/data") == "xfs")
        #expect(type("/srvother") == "ext4")
        #expect(Examination.fileSystemType(of: "/", in: "") == nil)
        #expect(Examination.fileSystem("nfs4")?.verdict == .failure)
        #expect(Examination.fileSystem("tmpfs")?.verdict == .failure)
        #expect(Examination.fileSystem("ext4") == nil)
    }

    @Test func `a certificate is trusted, for the name, and for two weeks more`() {
        func finding(_ problem: String?, days: Int) -> Finding {
            Examination.certificate(
                .init(problem: problem, names: "DNS:a.example", daysLeft: days, version: "TLSv1.3"),
                host: "b.example")
        }
        #expect(finding(nil, days: 14).verdict == .ok)
        #expect(finding(nil, days: 13).verdict == .warning)
        let other = finding("hostname mismatch", days: 50)
        #expect(other.verdict == .failure)
        #expect(other.sentence.contains("b.example isn't trusted: hostname mismatch"))
        #expect(other.sentence.contains("DNS:a.example"))
        #expect(finding("certificate has expired", days: -3).sentence.contains("3 days ago"))
    }

    @Test func `what a proxy does to WebSockets is told by the status`() {
        #expect(Examination.upgrade(answer(101)).verdict == .ok)
        #expect(Examination.upgrade(answer(426)).sentence.contains("pass on Upgrade"))
        #expect(Examination.upgrade(answer(421)).sentence.contains("--allow-host"))
        #expect(Examination.upgrade(answer(502)).sentence.contains("where the proxy"))
        #expect(Examination.upgrade(answer(403)).verdict == .failure)
        #expect(Examination.health(answer(200, "ok\n"), of: "/healthz").verdict == .ok)
        #expect(Examination.health(answer(200, "<html>"), of: "/healthz").verdict == .failure)
        #expect(
            Examination.health(answer(503, "A room reads.\n"), of: "/readyz").sentence
                == "the server says: A room reads.")
        #expect(Examination.forwarded(answer(400))?.verdict == .failure)
    }

    @Test func `pages of one's own may connect, and those of strangers may not`() {
        let site = "https://a.example"
        #expect(Examination.origin(answer(101), of: site, isOwn: true).verdict == .ok)
        #expect(
            Examination.origin(answer(403), of: site, isOwn: true).sentence
                .contains("--trusted-proxy"))
        #expect(
            Examination.origin(answer(403), of: site, isOwn: false).sentence
                .contains("--allow-origin https://a.example"))
        #expect(Examination.stranger(answer(403)).verdict == .ok)
        #expect(Examination.stranger(answer(101)).verdict == .warning)
    }

    @Test func `a line has nothing that could control a terminal`() {
        let line = Finding(.failure, "readyz", "a\n\u{1B}[31mb\u{202E}").line
        #expect(line.hasPrefix("failure  readyz        a"))
        #expect(!line.unicodeScalars.contains("\u{1B}"))
        #expect(!line.contains("\n"))
    }
}

import StorecastWebSocket
import Testing

@testable import StorecastCommand

/// Where `storecast doctor` draws the line, and what it says on either side of it.
struct ExaminationTests {
    private func answer(_ status: Int, _ body: String = "") -> ServerProbe.Answer {
        ServerProbe.Answer(status: status, headers: [:], body: body, certificate: nil)
    }

    @Test(
        arguments: [
            (1_735_689_600, 0, .failure), (1_735_689_601, 0, .ok), (1_735_689_601, 19, .ok),
            (1_735_689_601, -19, .ok), (1_735_689_601, 20, .warning),
            (1_735_689_601, -20, .warning),
        ] as [(Int, Int, Finding.Verdict)])
    func `a clock is of 2025 at least, and jumps by less than 20 ms`(
        now: Int, milliseconds: Int, verdict: Finding.Verdict
    ) {
        let finding = Examination.clock(now: now, jump: .milliseconds(milliseconds))
        #expect(finding.verdict == verdict && finding.subject == "clock")
        #expect((verdict == .warning) == finding.sentence.contains("jumped by \(milliseconds) ms"))
    }

    @Test(
        arguments: [
            (97, .warning, 3), (107, .ok, 2), (135, .warning, 30), (136, .failure, 31),
        ] as [(Int, Finding.Verdict, Int)])
    func `a server's clock is ours, give or take what tokens bear`(
        server: Int, verdict: Finding.Verdict, seconds: Int
    ) {
        let finding = Examination.clock(server: server, asked: 100, answered: 105)
        #expect(finding.verdict == verdict)
        #expect(finding.sentence.hasPrefix("the server's differs from ours by \(seconds) s"))
    }

    @Test(
        arguments: [
            (19, .warning, "as if nothing were written"), (20, .ok, "a sync takes 0.02 ms"),
            (19_999, .ok, "a sync takes 20.00 ms"), (20_000, .warning, "use a faster disk"),
            (199_999, .warning, "--durability process"), (200_000, .failure, "use another disk"),
            (1_234, .ok, "a sync takes 1.23 ms, at most 1.23 ms."),
            (45_678, .warning, "a sync takes 45.68 ms"),
        ] as [(Int, Finding.Verdict, String)])
    func `a sync takes 20 µs to 20 ms, and 200 ms are too much`(
        microseconds: Int, verdict: Finding.Verdict, words: String
    ) {
        let finding = Examination.sync([.microseconds(microseconds)])
        #expect(finding.verdict == verdict && finding.subject == "disk")
        #expect(finding.sentence.contains(words), "\(finding.sentence)")
    }

    @Test func `of syncs the one in the middle counts, and the slowest is said`() {
        let times = [3, 1, 900, 2, 1].map { Duration.milliseconds($0) }
        let finding = Examination.sync(times)
        #expect(finding.verdict == .ok)
        #expect(finding.sentence == "a sync takes 2.00 ms, at most 900.00 ms.")
        #expect(Examination.sync([]) == Finding(.ok, "disk", "nothing was measured."))
    }

    @Test(
        arguments: [
            (100, 100, 0, .warning), (99, 100, 0, .failure), (356, 100, 0, .ok),
            (355, 100, 0, .warning), (400, 100, 300, .ok), (399, 100, 300, .warning),
            (356, 100, 256, .ok),
        ] as [(Int, Int, Int, Finding.Verdict)])
    func `beyond the reserve there is room for the journal, or 256 MiB`(
        free: Int, reserve: Int, journal: Int, verdict: Finding.Verdict
    ) {
        let finding = Examination.space(
            free: free << 20, reserve: reserve << 20, journal: journal << 20)
        #expect(finding.verdict == verdict && finding.subject == "space")
        #expect(finding.sentence.hasPrefix("\(free) MiB free, with \(reserve) MiB to be left"))
        #expect((verdict == .failure) == finding.sentence.contains("rooms refuse actions"))
        #expect((verdict == .warning) == finding.sentence.contains("--keep-snapshots"))
    }

    @Test(
        arguments: [
            ("tmpfs", "is in memory"), ("ramfs", "is in memory"), ("nfs", "is on a network"),
            ("nfs4", "is on a network"), ("cifs", "is on a network"), ("smb3", "is on a network"),
            ("fuse.sshfs", "is on a network"), ("9p", "is on a network"),
            ("ceph", "is on a network"), ("ext4", nil), ("xfs", nil), ("fuse.other", nil),
            ("overlay", nil),
        ] as [(String, String?)])
    func `a journal is on a disk of this machine`(type: String, words: String?) {
        let finding = Examination.fileSystem(type)
        #expect(finding?.verdict == words.map { _ in Finding.Verdict.failure })
        #expect(finding?.sentence.contains("\(words ?? "") (\(type))") ?? true)
    }

    @Test func `of mounts at one place the last one holds, and an odd line is passed over`() {
        let table = """
            1 0 8:1 / / rw - ext4 a rw
            2 1 8:2 / /data rw - nfs4 b rw
            3 1 8:3 / /data rw - xfs c rw
            4 1 8:4 / /data rw
            5 1 - short
            6 1 8:5 / /data/x rw -
            """
        #expect(Examination.fileSystemType(of: "/data", in: table) == "xfs")
        #expect(Examination.fileSystemType(of: "/data/x", in: table) == "xfs")
        #expect(Examination.fileSystemType(of: "/", in: table) == "ext4")
    }

    @Test(
        arguments: [
            (-1, .failure, "it ended 1 days ago"), (0, .warning, "0 days left"),
            (13, .warning, "13 days left: see why it wasn't renewed."), (14, .ok, "14 days left."),
        ] as [(Int, Finding.Verdict, String)])
    func `a certificate is renewed two weeks before its end`(
        days: Int, verdict: Finding.Verdict, words: String
    ) {
        let file = Examination.certificate(daysLeft: days)
        #expect(file.verdict == verdict && file.sentence.contains(words))
        let shown = Examination.certificate(
            .init(problem: nil, names: "DNS:a", daysLeft: days, version: "TLSv1.3"), host: "a")
        #expect(shown.verdict == verdict && shown.sentence.contains(words))
        let nameless = Examination.certificate(
            .init(problem: "no", names: "", daysLeft: 9, version: "TLSv1.3"), host: "a")
        #expect(nameless.sentence.contains("It is for no name."))
    }

    @Test(
        arguments: [
            (200, "ok", .ok, "the server says ok."), (200, " ok\n", .ok, "the server says ok."),
            (200, "okay", .failure, "something else answers (status 200)"),
            (404, "", .failure, "that a proxy passes /healthz on"),
            (502, "", .failure, "a proxy says 502"), (504, "", .failure, "a proxy says 504"),
            (503, "full", .failure, "the server says: full"), (421, "", .failure, "--allow-host"),
            (400, "use wss://", .failure, "write wss://"),
            (400, "use HTTPS", .failure, "write wss://"),
            (400, "no", .failure, "something else answers (status 400)"),
        ] as [(Int, String, Finding.Verdict, String)])
    func `a server says that it is well, and nothing else does`(
        status: Int, body: String, verdict: Finding.Verdict, words: String
    ) {
        let finding = Examination.health(answer(status, body), of: "/healthz")
        #expect(finding.verdict == verdict && finding.subject == "healthz")
        #expect(finding.sentence.contains(words), "\(finding.sentence)")
    }

    @Test(
        arguments: [
            (101, "", .ok, "a WebSocket upgrade gets through."),
            (421, "", .failure, "--allow-host"),
            (502, "", .failure, "looks for it"), (503, "", .failure, "is full"),
            (504, "", .failure, "looks for it"), (400, "HTTPS", .failure, "write wss://"),
            (400, "", .failure, "pass on Upgrade and Connection"),
            (200, "", .failure, "pass on Upgrade and Connection"),
            (404, "", .failure, "pass on Upgrade and Connection"),
            (426, "", .failure, "pass on Upgrade and Connection"),
            (403, "", .failure, "see the logs of the server"),
        ] as [(Int, String, Finding.Verdict, String)])
    func `what keeps WebSockets back is told by the status`(
        status: Int, body: String, verdict: Finding.Verdict, words: String
    ) {
        let finding = Examination.upgrade(answer(status, body))
        #expect(finding.verdict == verdict && finding.subject == "WebSocket")
        #expect(finding.sentence.contains(words), "\(finding.sentence)")
    }

    @Test func `what else a server or its proxy lets through is said`() {
        let site = "https://a.example"
        for isOwn in [true, false] {
            #expect(Examination.origin(answer(101), of: site, isOwn: isOwn).verdict == .ok)
            let other = Examination.origin(answer(500), of: site, isOwn: isOwn)
            #expect(other.verdict == .failure && other.sentence.contains("status 500 for a page"))
        }
        #expect(Examination.unencrypted(isLocal: true).verdict == .ok)
        #expect(Examination.unencrypted(isLocal: false).verdict == .warning)
        #expect(Examination.forwarded(answer(101))?.verdict == .ok)
        #expect(Examination.forwarded(answer(403)) == nil)
        #expect(Examination.stranger(answer(500)).verdict == .ok)
    }

    @Test func `a line has what is to be read first in front`() {
        let finding = Finding(.ok, "clock", "it runs evenly.")
        #expect(finding.line == "ok       clock         it runs evenly.")
    }
}

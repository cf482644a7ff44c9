import ArgumentParser
import Foundation
import GRDB
import StorecastRoom
import StorecastTools
import TestSupport
import Testing

@testable import StorecastCommand

/// What the command says of itself.
struct StorecastCommandTests {
    @Test func `the version comes with its commit, and with the libraries in use`() throws {
        let lines = Software.report(commit: "c0ffee").split(separator: "\n")
        #expect(lines.first == "storecast \(Software.version), commit c0ffee")
        #expect(lines.count == 2)
        let sqlite = try DatabaseQueue().read {
            try String.fetchOne($0, sql: "SELECT sqlite_version()")
        }
        let libraries = try #require(lines.last).wholeMatch(
            of:
                #/
            with\ libwebsockets\ \d+\.\d+\.\d+,\ libuv\ \d+\.\d+\.\d+,
            \ OpenSSL\ \d+\.\d+\.\d+\w*,\ SQLite\ ([\d.]+),\ Swift\ \d+\.\d+
            /#)
        #expect(libraries.map { String($0.1) } == sqlite, "\(lines)")
    }

    @Test func `a version without a commit says nothing of one`() {
        #expect(
            Software.report(commit: "").split(separator: "\n").first
                == "storecast \(Software.version)")
    }

    @Test func `bash completes commands with the script for it`() throws {
        let directory = try TemporaryDirectory()
        let script = StorecastCommand.completionScript(for: .bash)
        let file = directory.file("storecast")
        try script.write(toFile: file, atomically: true, encoding: .utf8)
        let bash = Foundation.Process()
        bash.executableURL = URL(filePath: "/bin/bash")
        bash.arguments = [
            "--norc", "-c",
            """
            bash -n "$0" && . "$0" && COMP_WORDS=(storecast watch --tok) COMP_CWORD=2 && cur=--tok
            COMP_LINE="storecast watch --tok" COMP_POINT=21
            _storecast storecast --tok watch && echo "${COMPREPLY[@]}"
            """, file,
        ]
        let output = Pipe()
        bash.standardOutput = output
        try bash.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        let words = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        bash.waitUntilExit()
        #expect(bash.terminationStatus == 0)
        #expect(words == ["--token", "--token-file"])
    }
}

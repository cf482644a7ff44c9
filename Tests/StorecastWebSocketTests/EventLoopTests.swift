import StorecastWebSocket
import Testing

extension SocketTests {
    @Suite(.timeLimit(.minutes(30))) struct EventLoopTests {
        @Test func `work runs in the order in which it was queued`() async throws {
            let loop = try EventLoop()
            let seen = Mailbox<Int>()
            for number in 0..<1000 { loop.execute { seen.post(number) } }
            for number in 0..<1000 { #expect(try await seen.next() == number) }
            await loop.shutDown()
        }

        @Test func `work that is queued on the loop runs before the turn ends`() async throws {
            let loop = try EventLoop()
            let seen = Mailbox<String>()
            try await loop.perform {
                loop.onTurnEnd { seen.post("end") }
                loop.execute {
                    seen.post("first")
                    loop.execute { seen.post("second") }
                }
                seen.post("now")
            }
            #expect(try await seen.next() == "now")
            #expect(try await seen.next() == "first")
            #expect(try await seen.next() == "second")
            #expect(try await seen.next() == "end")
            await loop.shutDown()
        }

        @Test func `work that a turn's end queues runs without waiting for an event`() async throws
        {
            let loop = try EventLoop()
            let seen = Mailbox<Int>()
            try await loop.perform {
                var left = 3
                loop.onTurnEnd { [loop] in
                    left -= 1
                    let number = left
                    if number >= 0 { loop.execute { seen.post(number) } }
                }
            }
            #expect(try await seen.next() == 2)
            #expect(try await seen.next() == 1)
            #expect(try await seen.next() == 0)
            await loop.shutDown()
        }

        @Test func `timers fire in the order of their times, and not when cancelled`() async throws
        {
            let loop = try EventLoop()
            let seen = Mailbox<String>()
            let started = loop.now()
            try await loop.perform {
                loop.schedule(after: .milliseconds(30)) { seen.post("late") }
                loop.schedule(after: .milliseconds(5)) { seen.post("early") }
                let never = loop.schedule(after: .milliseconds(10)) { seen.post("never") }
                never.cancel()
                never.cancel()
                #expect(!never.isPending)
            }
            #expect(try await seen.next() == "early")
            #expect(loop.now() - started >= .milliseconds(5))
            #expect(try await seen.next() == "late")
            #expect(loop.now() - started >= .milliseconds(30))
            await loop.shutDown()
        }

        @Test func `an actor on the loop runs on the loop's thread`() async throws {
            let loop = try EventLoop()
            let counter = Counter(loop)
            for _ in 0..<100 { #expect(await counter.increase()) }
            #expect(await counter.count == 100)
            await loop.shutDown()
        }

        @Test func `a callback enters an actor of the loop without a hop`() async throws {
            let loop = try EventLoop()
            let counter = Counter(loop)
            let count = try await loop.perform {
                counter.assumeIsolated { counter in
                    _ = counter.increase()
                    return counter.count
                }
            }
            #expect(count == 1)
            #expect(loop.isIsolatingCurrentContext() == false)
            await loop.shutDown()
        }

        @Test func `a second shutdown does nothing, and late work still runs`() async throws {
            let loop = try EventLoop()
            let counter = Counter(loop)
            await loop.shutDown()
            await loop.shutDown()
            #expect(await counter.increase())
            let seen = Mailbox<Bool>()
            loop.execute { seen.post(loop.isCurrent) }
            #expect(try await seen.next())
        }

        @Test func `many may shut a loop down at once, and what comes late begins nothing`()
            async throws
        {
            for _ in 0..<20 {
                let loop = try EventLoop()
                await withTaskGroup { group in
                    for _ in 0..<4 { group.addTask { await loop.shutDown() } }
                }
                let next = try EventLoop()
                await loop.shutDown()
                let isPending = try await loop.perform {
                    loop.schedule(after: .zero) {}.isPending
                }
                #expect(!isPending)
                // The next loop uses the same parts, and isn't stopped by the latecomers.
                #expect(try await next.perform { true })
                await next.shutDown()
            }
        }

        @Test func `an actor can shut its own loop down`() async throws {
            let loop = try EventLoop()
            let counter = Counter(loop)
            #expect(await counter.shutDownAndIncrease())
        }

        @Test func `work from many threads arrives complete`() async throws {
            let loop = try EventLoop()
            let sum = Shared(0)
            await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<5000 { loop.execute { sum.change { $0 += 1 } } }
                    }
                }
            }
            try await loop.perform {}
            #expect(sum.value == 40000)
            await loop.shutDown()
        }

        @Test func `a loop's parts can't be used from another thread`() async throws {
            let result = try await #require(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) {
                let loop = try EventLoop()
                loop.onTurnEnd {}
            }
            let message = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(message.contains("used on its own thread only"))
        }

        private actor Counter {
            private let loop: EventLoop
            private(set) var count = 0

            init(_ loop: EventLoop) { self.loop = loop }

            nonisolated var unownedExecutor: UnownedSerialExecutor {
                loop.asUnownedSerialExecutor()
            }

            func increase() -> Bool {
                count += 1
                return loop.isCurrent
            }

            func shutDownAndIncrease() async -> Bool {
                await loop.shutDown()
                return increase()
            }
        }
    }
}

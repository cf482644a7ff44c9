import Testing

@testable import StorecastWebSocket

extension SocketTests {
    @Suite(.timeLimit(.minutes(30))) struct LoopAlarmTests {
        /// An alarm that is set for one moment after the other.
        private final class Series {
            private var alarm: LoopAlarm?
            private var moments: ArraySlice<Duration>

            init(
                on loop: EventLoop, _ moments: [Duration],
                _ rings: AsyncStream<Duration>.Continuation
            ) throws {
                self.moments = moments[...]
                alarm = try LoopAlarm(on: loop) { [self] in
                    rings.yield(loop.now())
                    if self.moments.isEmpty {
                        alarm?.cancel()
                        alarm = nil
                        rings.finish()
                    }
                    setNext()
                }
                // Replaced at once.
                alarm?.set(at: loop.now())
                setNext()
            }

            private func setNext() {
                if let next = moments.popFirst() { alarm?.set(at: next) }
            }
        }

        @Test func `it rings once for each moment, not early, at once for one that has passed`()
            async throws
        {
            let loop = try EventLoop()
            let (rings, ring) = AsyncStream<Duration>.makeStream()
            let start = loop.now()
            let moments: [Duration] = [.milliseconds(5), .milliseconds(8), .zero]
            try await loop.perform { _ = try Series(on: loop, moments.map { start + $0 }, ring) }
            var heard: [Duration] = []
            for await moment in rings { heard.append(moment - start) }
            await loop.shutDown()
            try #require(heard.count == 3)
            #expect(heard[0] >= .milliseconds(5))
            #expect(heard[1] >= .milliseconds(8))
        }

        @Test func `a loop that shuts down doesn't wait for it, and its parts can be used again`()
            async throws
        {
            for _ in 1...3 {
                let loop = try EventLoop()
                let (_, ring) = AsyncStream<Duration>.makeStream()
                let moment = loop.now() + .seconds(3_600)
                try await loop.perform { _ = try Series(on: loop, [moment], ring) }
                await loop.shutDown()
            }
        }
    }
}

import CoreMetrics

/// Metrics of a part of a process, told apart by one more label, `part`.
struct PartMetrics: MetricsFactory {
    private let base: any MetricsFactory
    private let part: String

    init(_ base: any MetricsFactory, _ part: String) {
        self.base = base
        self.part = part
    }

    private func with(_ dimensions: [(String, String)]) -> [(String, String)] {
        dimensions + [("part", part)]
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        base.makeCounter(label: label, dimensions: with(dimensions))
    }

    func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        base.makeFloatingPointCounter(label: label, dimensions: with(dimensions))
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        base.makeMeter(label: label, dimensions: with(dimensions))
    }

    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        base.makeRecorder(label: label, dimensions: with(dimensions), aggregate: aggregate)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        base.makeTimer(label: label, dimensions: with(dimensions))
    }

    func destroyCounter(_ handler: any CounterHandler) { base.destroyCounter(handler) }

    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
        base.destroyFloatingPointCounter(handler)
    }

    func destroyMeter(_ handler: any MeterHandler) { base.destroyMeter(handler) }

    func destroyRecorder(_ handler: any RecorderHandler) { base.destroyRecorder(handler) }

    func destroyTimer(_ handler: any TimerHandler) { base.destroyTimer(handler) }
}

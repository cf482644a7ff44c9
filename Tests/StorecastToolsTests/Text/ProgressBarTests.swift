@testable import StorecastTools
import Testing

struct ProgressBarTests {
    @Test(arguments: [
        (0, "[..............................]   0 %  x"),
        (0.5, "[###############...............]  50 %  x"),
        (1, "[##############################] 100 %  x"),
        (7, "[##############################] 100 %  x"),
        (-1, "[..............................]   0 %  x"),
    ])
    func `it shows how much is done`(_ fraction: Double, text: String) {
        #expect(ProgressBar.text("x", fraction) == text)
    }
}

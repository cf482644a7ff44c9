#if os(Linux)
    import StorecastTesting
    import XCTest

    /// Expectations fail tests of XCTest as well.
    final class TestStoreXCTests: XCTestCase {
        private var caught: [(text: String, file: String, line: Int)] = []
        private var isCatching = false

        override func recordFailure(
            withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
            expected: Bool
        ) {
            guard isCatching else {
                return super.recordFailure(
                    withDescription: description, inFile: filePath, atLine: lineNumber,
                    expected: expected)
            }
            caught.append((description, filePath, lineNumber))
        }

        func testAChangeThatWasNotExpectedFailsAtItsLine() {
            let store = TestStore(state: 1) { state, _ in state += 1 }
            isCatching = true
            store.dispatch(Tidy()) { $0 = 3 }
            let line = #line - 1
            isCatching = false
            XCTAssertEqual(caught.map(\.line), [line])
            XCTAssertEqual(caught.map(\.file), ["\(#filePath)"])
            XCTAssertEqual(
                caught.first?.text.contains(
                    """
                    Tidy left another state than expected: …

                        - 3
                        + 2

                    (Expected: -, Actual: +)
                    """), true)
        }
    }
#endif

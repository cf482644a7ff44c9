import Observation
import StorecastClient

extension RemoteStore {
    /// Waits until the server says why it doesn't send the selection.
    @MainActor
    func firstProblem() async -> Rejection {
        while true {
            if let problem { return problem }
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = problem
                } onChange: {
                    continuation.resume()
                }
            }
        }
    }
}

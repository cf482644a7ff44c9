import StorecastSync

extension ServerLoopCore {
    func offload<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, completion: @escaping (Result) -> Void
    ) {
        guard peers.indices.contains(index) else { return }
        offloadCount += 1
        // What is called back stays on the loop; only its number travels.
        let (number, home) = (offloadCount, peers[index])
        offloaded[number] = { result in
            if let result = result as? Result { completion(result) }
        }
        Task.detached {
            let result = work()
            home.perform { $0.offloaded.removeValue(forKey: number)?(result) }
        }
    }
}

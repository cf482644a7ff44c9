/// Whether two values have the same memory, and so the same JSON; false may be wrong.
///
/// A copy doesn't have the bytes between its members, nor those that a case of an enum has no use
/// for: what was in memory before stays there. So where the bytes differ, both are copied into
/// memory that is all zeros, and compared there. That takes 0.1 µs for a struct of some strings.
package func isSameMemory<T>(_ old: T, _ new: T) -> Bool {
    withUnsafePointer(to: old) { old in
        withUnsafePointer(to: new) { new in isSameMemory(old, new) }
    }
}

func isSameMemory<T>(_ old: UnsafePointer<T>, _ new: UnsafePointer<T>) -> Bool {
    if hasSameBytes(old, new) { return true }
    // Copied as bytes, whatever they mean.
    if _isPOD(T.self) { return false }
    return withUnsafeTemporaryAllocation(
        byteCount: 2 * MemoryLayout<T>.stride, alignment: MemoryLayout<T>.alignment
    ) { memory in
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        let copies = memory.assumingMemoryBound(to: T.self)
        guard let first = copies.baseAddress else { return true }
        // From pointer to pointer: an assignment may take a way that copies all bytes.
        first.initialize(from: old, count: 1)
        (first + 1).initialize(from: new, count: 1)
        defer { first.deinitialize(count: 2) }
        return hasSameBytes(first, first + 1)
    }
}

private func hasSameBytes<T>(_ left: UnsafePointer<T>, _ right: UnsafePointer<T>) -> Bool {
    let size = MemoryLayout<T>.size
    return UnsafeRawBufferPointer(start: left, count: size)
        .hasSameBytes(as: UnsafeRawBufferPointer(start: right, count: size))
}

extension JSONScanner {
    /// Above this, names are compared through a hash table.
    private static let fewNames = 16

    /// Checks that the names of the object at `parent`, which is about to close, all differ.
    ///
    /// Linear in the number of members whatever the names are.
    mutating func checkNames(of parent: Int) -> Bool {
        var seen: UInt64 = 0
        var suspicious = false
        var hasEscapes = false
        let first = parent + 1
        var name = first
        while name < used {
            let bit: UInt64 = 1 << (tape[name].payload >> 58)
            suspicious = suspicious || seen & bit != 0
            seen |= bit
            hasEscapes = hasEscapes || tape[name].kind == .escapedString
            name = after(name + 1)
        }
        guard suspicious || hasEscapes else { return true }
        let count = tape[parent].count
        if hasEscapes || count > Self.fewNames { return checkByHash(first, count) }
        return checkPairwise(first)
    }

    /// The index behind the value at `index`.
    @inline(__always)
    private func after(_ index: Int) -> Int {
        tape[index].isContainer ? tape[index].link : index + 1
    }

    private mutating func checkPairwise(_ first: Int) -> Bool {
        var name = first
        while name < used {
            var earlier = first
            while earlier < name {
                if tape[earlier].payload == tape[name].payload,
                    content(earlier).hasSameBytes(as: content(name))
                {
                    return fail(.duplicateKey, at: Int(tape[name].start) - 1)
                }
                earlier = after(earlier + 1)
            }
            name = after(name + 1)
        }
        return true
    }

    private mutating func checkByHash(_ first: Int, _ count: Int) -> Bool {
        var capacity = 32
        while capacity < count * 2 { capacity *= 2 }
        var table = [UInt32](repeating: 0, count: capacity)
        var name = first
        while name < used {
            var slot = withName(name) { bytes in
                var hasher = Hasher()
                hasher.combine(bytes: bytes)
                return hasher.finalize() & (capacity - 1)
            }
            while table[slot] != 0 {
                if isSameName(Int(table[slot]), name) {
                    return fail(.duplicateKey, at: Int(tape[name].start) - 1)
                }
                slot = (slot + 1) & (capacity - 1)
            }
            // A name's index is never 0: its object is before it.
            table[slot] = UInt32(name)
            name = after(name + 1)
        }
        return true
    }

    private func isSameName(_ left: Int, _ right: Int) -> Bool {
        withName(left) { left in withName(right) { right in left.hasSameBytes(as: right) } }
    }

    @inline(__always)
    private func content(_ index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text + Int(tape[index].start), count: tape[index].length)
    }

    /// Lends a name's bytes, unescaped.
    private func withName<R>(_ index: Int, _ use: (UnsafeRawBufferPointer) -> R) -> R {
        let raw = content(index)
        guard tape[index].kind == .escapedString else { return use(raw) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: raw.count) { buffer in
            let count = JSONEscape.unescape(raw.bindMemory(to: UInt8.self), into: buffer)
            return use(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
        }
    }
}

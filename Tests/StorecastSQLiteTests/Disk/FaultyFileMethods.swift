import GRDBSQLite

/// What SQLite does with an open file: writes, truncation and syncs go by the ``FaultyDisk``, and
/// everything else straight to the system.
enum FaultyFileMethods {
    private typealias Methods = sqlite3_io_methods
    typealias Pointer = UnsafeMutablePointer<sqlite3_file>

    /// The table that every file points to. Written once, then only read.
    nonisolated(unsafe) static let table: UnsafePointer<sqlite3_io_methods> = {
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        // Version 2: with shared memory, without memory-mapped reading.
        var methods = Methods()
        methods.iVersion = 2
        methods.xClose = { file in FaultyFileMethods.close(file) }
        methods.xRead = { file, buffer, count, offset in
            FaultyFileMethods.call(file) { $1.xRead?($0, buffer, count, offset) }
        }
        methods.xWrite = { file, buffer, count, offset in
            FaultyFileMethods.write(file, buffer, count, offset)
        }
        methods.xTruncate = { file, size in
            FaultyFileMethods.change(file, { .truncate($0, size: Int(size)) }) {
                $1.xTruncate?($0, size)
            }
        }
        methods.xSync = { file, flags in
            FaultyFileMethods.change(file, { .sync($0) }) { $1.xSync?($0, flags) }
        }
        methods.xFileSize = { file, size in FaultyFileMethods.call(file) { $1.xFileSize?($0, size) }
        }
        methods.xLock = { file, level in FaultyFileMethods.call(file) { $1.xLock?($0, level) } }
        methods.xUnlock = { file, level in FaultyFileMethods.call(file) { $1.xUnlock?($0, level) } }
        methods.xCheckReservedLock = { file, result in
            FaultyFileMethods.call(file) { $1.xCheckReservedLock?($0, result) }
        }
        methods.xFileControl = { file, operation, argument in
            FaultyFileMethods.call(file) { $1.xFileControl?($0, operation, argument) }
        }
        methods.xSectorSize = { file in FaultyFileMethods.call(file) { $1.xSectorSize?($0) } }
        methods.xDeviceCharacteristics = { file in
            FaultyFileMethods.call(file) { $1.xDeviceCharacteristics?($0) }
        }
        methods.xShmMap = { file, page, size, extend, pointer in
            FaultyFileMethods.call(file) { $1.xShmMap?($0, page, size, extend, pointer) }
        }
        methods.xShmLock = { file, offset, count, flags in
            FaultyFileMethods.call(file) { $1.xShmLock?($0, offset, count, flags) }
        }
        methods.xShmBarrier = { file in
            _ = FaultyFileMethods.call(file) {
                $1.xShmBarrier?($0)
                return SQLITE_OK
            }
        }
        methods.xShmUnmap = { file, delete in
            FaultyFileMethods.call(file) { $1.xShmUnmap?($0, delete) }
        }
        table.initialize(to: methods)
        return UnsafePointer(table)
    }()

    private static func call(
        _ file: Pointer?, _ body: (Pointer, sqlite3_io_methods) -> Int32?
    ) -> Int32 {
        guard let file, let methods = FaultyVFS.real(file).pointee.pMethods else {
            return SQLITE_MISUSE
        }
        return body(FaultyVFS.real(file), methods.pointee) ?? SQLITE_MISUSE
    }

    private static func change(
        _ file: Pointer?, _ operation: (DiskFile) -> DiskOperation,
        _ body: (Pointer, sqlite3_io_methods) -> Int32?
    ) -> Int32 {
        if let own = file.map({ FaultyVFS.own($0).pointee }), let disk = own.disk {
            switch disk.takeUnretainedValue().verdict(on: operation(own.file)) {
            case .done: break
            case .fails(let code), .tears(let code): return code
            }
        }
        return call(file, body)
    }

    private static func write(
        _ file: Pointer?, _ buffer: UnsafeRawPointer?, _ count: Int32, _ offset: Int64
    ) -> Int32 {
        guard let own = file.map({ FaultyVFS.own($0).pointee }), let disk = own.disk else {
            return call(file) { $1.xWrite?($0, buffer, count, offset) }
        }
        let bytes = Array(UnsafeRawBufferPointer(start: buffer, count: Int(count)))
        let operation = DiskOperation.write(own.file, offset: Int(offset), bytes)
        switch disk.takeUnretainedValue().verdict(on: operation) {
        case .done: return call(file) { $1.xWrite?($0, buffer, count, offset) }
        case .fails(let code): return code
        case .tears(let code):
            _ = call(file) { $1.xWrite?($0, buffer, count / 2, offset) }
            return code
        }
    }

    private static func close(_ file: Pointer?) -> Int32 {
        let code = call(file) { $1.xClose?($0) }
        if let file { FaultyVFS.own(file).pointee.disk?.release() }
        return code
    }
}

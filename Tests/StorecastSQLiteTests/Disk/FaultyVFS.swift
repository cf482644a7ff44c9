import Foundation
import GRDBSQLite

/// SQLite's way to the operating system (a VFS), with a ``FaultyDisk`` in it.
///
/// Registered once as the process's default; files that no test is about pass through.
enum FaultyVFS {
    /// A file as SQLite holds it: this, and the system's own behind it.
    struct File {
        var base: sqlite3_file
        /// Retained while the file is open; nil if no test is about it.
        var disk: Unmanaged<FaultyDisk>?
        var file: DiskFile
    }

    static let isRegistered: Void = {
        guard let real = sqlite3_vfs_find(nil) else { fatalError("SQLite has no VFS.") }
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: real.pointee)
        vfs.pointee.zName = UnsafePointer(strdup("storecast-faults"))
        vfs.pointee.szOsFile += Int32(ownSize)
        vfs.pointee.xOpen = { _, name, file, flags, outFlags in
            FaultyVFS.open(name, file, flags, outFlags)
        }
        vfs.pointee.xDelete = { vfs, name, syncDirectory in
            FaultyVFS.delete(name, syncDirectory)
        }
        sqlite3_vfs_register(vfs, 1)
    }()

    static let ownSize = (MemoryLayout<File>.size + 15) / 16 * 16

    /// The system's VFS, which isn't the default any more.
    private static var system: UnsafeMutablePointer<sqlite3_vfs>? { sqlite3_vfs_find("unix") }

    private static func open(
        _ name: sqlite3_filename?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let file, let system, let open = system.pointee.xOpen else { return SQLITE_ERROR }
        let code = open(system, name, real(file), flags, outFlags)
        guard code == SQLITE_OK else {
            file.pointee.pMethods = nil
            return code
        }
        let found = name.flatMap { FaultyDisk.find(String(cString: $0)) }
        UnsafeMutableRawPointer(file).initializeMemory(
            as: File.self,
            to: File(
                base: sqlite3_file(pMethods: FaultyFileMethods.table),
                disk: found.map { Unmanaged.passRetained($0.disk) }, file: found?.file ?? .main))
        return SQLITE_OK
    }

    private static func delete(_ name: UnsafePointer<CChar>?, _ syncDirectory: Int32) -> Int32 {
        guard let name, let system, let delete = system.pointee.xDelete else { return SQLITE_ERROR }
        if let (disk, file) = FaultyDisk.find(String(cString: name)),
            case .fails(let code) = disk.verdict(on: .delete(file))
        {
            return code
        }
        return delete(system, name, syncDirectory)
    }

    /// The system's own file behind one of SQLite's.
    static func real(
        _ file: UnsafeMutablePointer<sqlite3_file>
    ) -> UnsafeMutablePointer<sqlite3_file> {
        (UnsafeMutableRawPointer(file) + ownSize).assumingMemoryBound(to: sqlite3_file.self)
    }

    static func own(
        _ file: UnsafeMutablePointer<sqlite3_file>
    ) -> UnsafeMutablePointer<File> {
        UnsafeMutableRawPointer(file).assumingMemoryBound(to: File.self)
    }
}

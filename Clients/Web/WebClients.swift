/// The files of this folder that browsers load, by their paths in it, in the program's own code.
package let webClients: [String: [UInt8]] = embeddedFiles.mapValues { text in
    text.withUTF8Buffer { Array($0) }
}

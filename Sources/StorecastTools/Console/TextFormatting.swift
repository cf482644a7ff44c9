import StorecastPlatform
import StorecastSync

extension String {
    /// The text with control characters other than line feed and tab as JSON escapes, so that it
    /// can't control a terminal. Inside JSON the escapes mean the same.
    package var terminalSafe: String {
        guard unicodeScalars.contains(where: \.isDangerous) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            guard scalar.isDangerous else {
                text.unicodeScalars.append(scalar)
                continue
            }
            text += scalar.escaped
        }
        return text
    }
}

extension Unicode.Scalar {
    fileprivate var isDangerous: Bool {
        controlsText && self != "\t" && self != "\n"
    }
}

extension String {
    /// The text padded with spaces to at least `width` characters.
    package func column(_ width: Int, alignedRight: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - count))
        return alignedRight ? space + self : self + space
    }

    /// The text on one line: line breaks and tabs as JSON escapes.
    package var onOneLine: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Int {
    /// `1 entry`, `2 entries`.
    package func counting(_ one: String, _ many: String) -> String {
        "\(self) \(self == 1 ? one : many)"
    }
}

extension Timestamp {
    /// Date and time to the millisecond (ISO 8601), in UTC or the system's time zone; the number of
    /// seconds if it is outside the years 1 to 9999.
    func text(inUTC: Bool) -> String {
        guard (-62_135_596_800..<253_402_300_800).contains(secondsSince1970) else {
            return "\(secondsSince1970)"
        }
        let whole = secondsSince1970.rounded(.down)
        let milliseconds = Int((secondsSince1970 - whole) * 1000)
        var seconds = time_t(whole)
        var parts = tm()
        if inUTC { gmtime_r(&seconds, &parts) } else { localtime_r(&seconds, &parts) }
        let date = [
            (Int(parts.tm_year) + 1900).padded(to: 4), (Int(parts.tm_mon) + 1).padded(to: 2),
            Int(parts.tm_mday).padded(to: 2),
        ]
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Int($0).padded(to: 2) }
        return date.joined(separator: "-") + "T" + time.joined(separator: ":")
            + ".\(milliseconds.padded(to: 3))" + (inUTC ? "Z" : Self.zone(Int(parts.tm_gmtoff)))
    }

    /// A time zone's distance from UTC as ISO 8601 writes it.
    static func zone(_ seconds: Int) -> String {
        let minutes = abs(seconds) / 60
        return (seconds < 0 ? "-" : "+") + (minutes / 60).padded(to: 2) + ":"
            + (minutes % 60).padded(to: 2)
    }
}

extension Int {
    fileprivate func padded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}

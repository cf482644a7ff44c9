/// Fits text into columns of a terminal. Texts must be ``Swift/String/displayable``.
enum TextLayout {
    /// How many columns `text` takes.
    static func columns(_ text: String) -> Int {
        text.utf8.count == text.unicodeScalars.count
            ? text.utf8.count : text.reduce(0) { $0 + $1.columns }
    }

    /// As much of `text` as fits, with an ellipsis if that isn't all.
    static func truncate(_ text: String, to width: Int) -> String {
        guard columns(text) > width else { return text }
        guard width > 0 else { return "" }
        return prefix(text, width - 1) + "…"
    }

    /// The last part of `text` that fits.
    static func suffix(_ text: String, _ width: Int) -> String {
        var left = width
        let kept = text.reversed().prefix { character in
            left -= character.columns
            return left >= 0
        }
        return String(kept.reversed())
    }

    /// Breaks `text` into lines of at most `width` columns, at spaces where there are some; of
    /// more than `limit` lines the last one ends with an ellipsis.
    static func wrap(_ text: String, to width: Int, limit: Int) -> [String] {
        guard width > 1, limit > 0 else { return [] }
        var lines: [String] = []
        var line = ""
        var used = 0
        for word in text.split(separator: " ") {
            let size = columns(String(word))
            if used > 0, used + 1 + size <= width {
                line += " " + word
                used += 1 + size
                continue
            }
            if used > 0 { lines.append(line) }
            line = String(word)
            used = size
            while used > width {
                let head = prefix(line, width)
                lines.append(head)
                line.removeFirst(head.count)
                used = columns(line)
            }
            // One more than fits tells that something is left.
            if lines.count > limit { break }
        }
        if !line.isEmpty { lines.append(line) }
        guard lines.count > limit else { return lines }
        lines.removeSubrange(limit...)
        lines[limit - 1] = prefix(lines[limit - 1], width - 1) + "…"
        return lines
    }

    private static func prefix(_ text: String, _ width: Int) -> String {
        var left = width
        return String(
            text.prefix { character in
                left -= character.columns
                return left >= 0
            })
    }
}

import Example

extension BoardModel {
    /// Does what `key` means in the mode that the model is in.
    mutating func press(_ key: Key) -> [Effect] {
        if key == .control("c") { return [.quit] }
        if key == .control("l") { return [.redraw] }
        notice = nil
        settleCursor()
        defer { editUnsaved() }
        switch mode {
        case .browse: return browse(key)
        case .move: return move(key)
        case .help:
            mode = .browse
            return []
        case .typing(let prompt): return type(key, into: prompt)
        case .confirming(let confirmation):
            mode = .browse
            let isYes = [.character("y"), .character("Y"), .enter].contains(key)
            return isYes ? [.dispatch(confirmation.action)] : []
        }
    }

    private mutating func browse(_ key: Key) -> [Effect] {
        switch key {
        case .left, .character("h"): select(place: (selectedPlace ?? 0) - 1)
        case .right, .character("l"): select(place: (selectedPlace ?? 0) + 1)
        case .up, .character("k"): return step(-1)
        case .down, .character("j"): return step(1)
        case .home: return selectFirst()
        case .end: select(row: .max)
        case .pageUp: return step(-5)
        case .pageDown: return step(5)
        case .shiftLeft, .character("H"): return moveCard(across: -1)
        case .shiftRight, .character("L"): return moveCard(across: 1)
        case .shiftUp, .character("K"): return moveCard(along: -1)
        case .shiftDown, .character("J"): return moveCard(along: 1)
        case .character("q"): return [.quit]
        case .character("R"): return [.reconnect]
        case .character("v"): return vote()
        case .character("t"): return takeOrGiveBack()
        case .character(let letter): begin(letter)
        default: break
        }
        return []
    }

    /// Changes the mode.
    private mutating func begin(_ letter: Character) {
        switch letter {
        case "?": mode = .help
        case "c": mode = .typing(Prompt(.say))
        case "n": mode = .typing(Prompt(.addColumn))
        default:
            guard let column = selectedColumn else {
                return notice = "There is no column; n adds one."
            }
            begin(letter, column, selectedCard)
        }
    }

    private mutating func begin(_ letter: Character, _ column: Column, _ card: Card?) {
        switch letter {
        case "a": mode = .typing(Prompt(.addCard(column.id)))
        case "r": mode = .typing(Prompt(.renameColumn(column.id), text: column.title))
        case "X": mode = .confirming(.removeColumn(column.id, title: column.title))
        case "e", "m", "x":
            guard let card else { return notice = "The column has no card; a adds one." }
            switch letter {
            case "e": mode = .typing(Prompt(editing: card))
            case "m": mode = .move
            default: mode = .confirming(.removeCard(card.id, text: card.text))
            }
        default: notice = "? shows the keys."
        }
    }

    private mutating func move(_ key: Key) -> [Effect] {
        switch key {
        case .left, .shiftLeft, .character("h"), .character("H"): return moveCard(across: -1)
        case .right, .shiftRight, .character("l"), .character("L"): return moveCard(across: 1)
        case .up, .shiftUp, .character("k"), .character("K"): return moveCard(along: -1)
        case .down, .shiftDown, .character("j"), .character("J"): return moveCard(along: 1)
        default:
            mode = .browse
            return []
        }
    }

    private mutating func type(_ key: Key, into prompt: Prompt) -> [Effect] {
        var prompt = prompt
        switch key {
        case .escape:
            mode = .browse
        case .enter:
            // The chat stays open until it is left with an empty line.
            let action = prompt.action(by: participant)
            mode = prompt.purpose == .say && action != nil ? .typing(Prompt(.say)) : .browse
            let typed = action is EditCardText ? prompt.line.text : nil
            return action.map { [.dispatch($0, typed: typed)] } ?? []
        default:
            if prompt.line.take(key) { mode = .typing(prompt) }
        }
        return []
    }
}

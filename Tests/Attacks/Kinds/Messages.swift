import MeasureSupport

/// One text message.
func message(_ text: String) -> [UInt8] { RawConnection.frame(Array(text.utf8)) }

/// One message with several frames.
func batch(_ frames: [String]) -> [UInt8] { message("[" + frames.joined(separator: ",") + "]") }

func dispatch(_ seq: Int, _ type: String, _ payload: String) -> String {
    #"{"op":"dispatch","seq":\#(seq),"base":0,"settled":\#(seq - 1),"#
        + #""action":{"type":"\#(type)","payload":\#(payload)}}"#
}

func subscribe(_ selection: String, _ params: String? = nil, ref: Int) -> String {
    #"{"op":"subscribe","ref":\#(ref),"select":"\#(selection)""#
        + (params.map { #","params":\#($0)}"# } ?? "}")
}

/// As many of some texts, again and again, as go into a batch of so many bytes.
func filling(_ bytes: Int, with texts: [String]) -> [String] {
    var result: [String] = []
    var left = bytes - 2
    while true {
        let next = texts[result.count % texts.count]
        left -= next.utf8.count + 1
        guard left >= 0 else { return result }
        result.append(next)
    }
}

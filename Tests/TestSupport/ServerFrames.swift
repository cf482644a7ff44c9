/// What a server says to a client that it takes.
package func welcome(
    epoch: String = "e", version: Int = 1, lastSeq: Int = 0, heartbeat: Int = 30,
    message: Int = 1000, term: String? = nil, identity: String? = nil
) -> String {
    let term = term.map { #""term":"\#($0)","# } ?? ""
    let identity = identity.map { #","identity":\#($0)"# } ?? ""
    return #"""
        {"op":"welcome",\#(term)"proto":1,"epoch":"\#(epoch)","v":\#(version),"lastSeq":\#(lastSeq),
        "heartbeat":\#(heartbeat),"limits":{"message":\#(message),"window":9,"subscriptions":9,"depth":9},
        "server":"test"\#(identity)}
        """#
}

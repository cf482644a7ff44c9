/// Where a subscriber is found.
struct Place {
    let entry: Entry
    let node: Node
}

import StorecastRoom
import StorecastSync
import StorecastWire

/// What may be dispatched into a room, each with a payload to begin with.
struct RoomSamples: Encodable {
    struct Sample: Encodable {
        var type: String
        var payload: JSON
    }

    /// The Swift type of the room's state.
    var state: String
    var actions: [Sample]

    static func json(of definition: any RoomDefinitionProtocol) -> JSON {
        let vocabulary = RoomVocabulary(of: definition)
        let finder = ShapeFinder()
        let samples = RoomSamples(
            state: "\(vocabulary.state)",
            actions: vocabulary.actions.map { action in
                Sample(type: action.wireName, payload: finder.sample(of: action))
            })
        return (try? JSONCoding.encodeTree(samples))
            ?? DevtoolsState.problem("The answer can't be encoded.")
    }
}

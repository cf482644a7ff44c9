extension JSONEncoding {
    /// Writes the value as text.
    func write(to writer: inout JSONWriter) { write(0, to: &writer) }

    /// The value as a tree.
    var tree: JSON { tree(0) }

    private func write(_ index: Int, to writer: inout JSONWriter) {
        switch nodes[index].shape {
        case .nothing:
            // A type that encodes nothing at all is an object without members.
            writer.beginObject()
            writer.endObject()
        case .value:
            writer.write(nodes[index].value)
        case .array:
            writer.beginArray()
            var child = Int(nodes[index].first)
            while child >= 0 {
                write(child, to: &writer)
                child = Int(nodes[child].next)
            }
            writer.endArray()
        case .object where nodes[index].isShared:
            writer.write(tree(index))
        case .object:
            writer.beginObject()
            var child = Int(nodes[index].first)
            while child >= 0 {
                writer.write(key: nodes[child].key)
                write(child, to: &writer)
                child = Int(nodes[child].next)
            }
            writer.endObject()
        }
    }

    private func tree(_ index: Int) -> JSON {
        switch nodes[index].shape {
        case .nothing: return .object(JSONObject())
        case .value: return nodes[index].value
        case .array:
            var elements: [JSON] = []
            elements.reserveCapacity(Int(nodes[index].count))
            var child = Int(nodes[index].first)
            while child >= 0 {
                elements.append(tree(child))
                child = Int(nodes[child].next)
            }
            return .array(elements)
        case .object:
            var object = JSONObject(reserving: Int(nodes[index].count))
            var child = Int(nodes[index].first)
            while child >= 0 {
                object[nodes[child].key] = tree(child)
                child = Int(nodes[child].next)
            }
            return .object(object)
        }
    }
}

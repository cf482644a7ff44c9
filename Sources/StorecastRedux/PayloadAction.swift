/// A Flux Standard Action that can be made from its payload, as `bindActionCreators` does.
///
/// SwiftRedux called it `StandardAction`; that name is ReSwift's here.
public protocol PayloadAction: SimpleStandardAction {
    /// Makes the action; with nil as the payload, its default.
    init(payload: PayloadType?, meta: Any?, error: Bool)
}
